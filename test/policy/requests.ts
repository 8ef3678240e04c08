import { Transaction } from "@mysten/sui/transactions";
import { readCommands } from "../../shared/chain/sui/commands.ts";
import { inspectKind } from "../../shared/chain/sui/kind.ts";
import type { Command } from "../../shared/policy/commands.ts";
import type { TransactionRequest } from "../../shared/policy/request.ts";

/** What policies are asked in tests. */

export const PACKAGE = `0x${"ab".repeat(32)}`;
export const SENDER = `0x${"5".repeat(64)}`;
export const STRANGER = `0x${"6".repeat(64)}`;

export const USER = { issuer: "https://login.example.com/", subject: "user-1", claims: {} };

export function call(target: string, ...typeArguments: string[]): Command {
  return { kind: "call", target, typeArguments, arguments: [] };
}

export function request(change: Partial<TransactionRequest> = {}): TransactionRequest {
  return {
    user: USER,
    action: "sponsor",
    chain: "sui",
    network: "SUI_TESTNET",
    sender: SENDER,
    commands: [call(`${PACKAGE}::game::play`)],
    gas: { budgetAtoms: null, payer: "fund" },
    ...change,
  };
}

/** The commands of a kind as a workflow reads them; null where no fund would ever pay for it. */
export function commandsOf(kind: Uint8Array): readonly Command[] | null {
  const inspected = inspectKind(kind);
  return inspected.ok ? readCommands(inspected.value.bytes) : null;
}

/** The BCS of a kind that the stock SDK builds without asking a node. */
export async function kindOf(change: (transaction: Transaction) => void): Promise<Uint8Array> {
  const transaction = new Transaction();
  transaction.setSender(SENDER);
  change(transaction);
  return transaction.build({ onlyTransactionKind: true, assumeSufficientAddressBalances: true });
}
