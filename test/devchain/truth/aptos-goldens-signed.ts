import { readFileSync } from "node:fs";
import { join } from "node:path";
import {
  Account,
  AccountAddress,
  type AccountAuthenticator,
  ChainId,
  EntryFunction,
  type EntryFunctionArgument,
  generateSignedTransaction,
  Identifier,
  ModuleId,
  MultiKeyAccount,
  parseTypeTag,
  RawTransaction,
  Script,
  Secp256k1PrivateKey,
  SimpleTransaction,
  type TransactionPayload,
  TransactionPayloadEntryFunction,
  TransactionPayloadScript,
  U8,
  U64,
} from "@aptos-labs/ts-sdk";
import * as z from "zod";
import type { AptosTarget } from "./aptos-contract.ts";
import { rulesFor } from "./aptos-rules.ts";
import { type Compared, compareCase, NEEDS_FUNDS, type Replay } from "./cases.ts";
import { compare } from "./compare.ts";
import { createNames } from "./names.ts";

const FUNDS_OCTAS = 100_000_000n;
const MAX_GAS_UNITS = 100_000n;
const GAS_PRICE_OCTAS = 100n;
const LIFETIME_SECONDS = 60;
const CHAIN_ID = 4;
/** Long enough for a block. */
const BLOCK_MS = 300;
const SIGNED = "application/x.aptos.signed_transaction+bcs";
/** Who signs in the node's own tests. */
const ROOT = /0xa550c18\b/g;
const NEW_ACCOUNT = "0x34bf7e2d17674feb234371a7ea58efd715f0e56ba20ebf13789480d9d643afaf";

/** Of a transaction only the fields that go by no genesis: no gas, no changes, no ids. */
const Goldens = z.array(z.object({ name: z.string(), status: z.int(), answer: z.unknown() }));

/** The answers that a signed transaction is needed for. */
export function signedGoldens() {
  const text = readFileSync(join(import.meta.dirname, "recorded/aptos-api-goldens-signed.json"), "utf8");
  return Goldens.parse(JSON.parse(text));
}

interface Answer {
  readonly status: number;
  readonly body: unknown;
}

type Chain = NonNullable<AptosTarget["chain"]>;

function entryFunction(
  address: string,
  module: string,
  name: string,
  types: readonly string[],
  args: readonly EntryFunctionArgument[],
): TransactionPayload {
  const moduleId = new ModuleId(AccountAddress.from(address, { maxMissingChars: 63 }), new Identifier(module));
  const typeTags = types.map((type) => parseTypeTag(type));
  return new TransactionPayloadEntryFunction(new EntryFunction(moduleId, new Identifier(name), typeTags, [...args]));
}

const TO = AccountAddress.from(`0x${"dd".padStart(64, "0")}`);
const coinCall = (
  module: string,
  name = "transfer",
  amount: readonly EntryFunctionArgument[] = [new U64(1)],
  at = "0x1",
) => entryFunction(at, module, name, ["0x1::aptos_coin::AptosCoin"], [TO, ...amount]);
const createAccount = entryFunction("0x1", "aptos_account", "create_account", [], [AccountAddress.from(NEW_ACCOUNT)]);
const bytecode = new TransactionPayloadScript(new Script(Buffer.from("a11ceb0b030000", "hex"), [], []));
const tooMuch = entryFunction(
  "0x1",
  "aptos_account",
  "transfer",
  [],
  [AccountAddress.ONE, new U64(999999999999999999n)],
);

/** Asks with accounts of its own what the node's tests ask with theirs. */
export async function askSignedGoldens({ call, chain }: AptosTarget): Promise<Replay> {
  const goldens = signedGoldens();
  if (chain === undefined)
    return { cases: [], leftOut: goldens.map(({ name }) => ({ name: `golden ${name}`, reason: NEEDS_FUNDS })) };
  const asking = createQuestions(call, chain);
  const cases: Compared[] = [];
  for (const { name, status, answer } of goldens) {
    const ended = await compareCase(`golden ${name}`, name, async () => {
      const signer = await asking.account();
      const asked = await asking.ask(name, signer);
      const recorded = JSON.parse(JSON.stringify(answer).replace(ROOT, signer.accountAddress.toString()));
      const body = picked(recorded, asked.body);
      return compare(createNames(), rulesFor({ chain }), { status, body: recorded }, { status: asked.status, body });
    });
    cases.push(ended);
  }
  return { cases, leftOut: [] };
}

/** The fields that the recorded answer has. */
function picked(recorded: unknown, asked: unknown): unknown {
  if (Array.isArray(recorded) && Array.isArray(asked)) return asked.map((one, index) => picked(recorded[index], one));
  if (typeof recorded !== "object" || recorded === null || Array.isArray(asked)) return asked;
  const shared = Object.entries(Object(asked)).filter(([name]) => name in recorded);
  return Object.fromEntries(shared.map(([name, value]) => [name, picked(Object(recorded)[name], value)]));
}

function createQuestions(call: AptosTarget["call"], chain: Chain) {
  async function answer(method: string, path: string, init: RequestInit = {}): Promise<Answer> {
    const response = await call(method, path, { method, ...init });
    return { status: response.status, body: await response.json() };
  }
  const post = (path: string, bytes: Uint8Array) =>
    answer("POST", path, { headers: { "content-type": SIGNED }, body: Uint8Array.from(bytes) });

  async function account(made: Account = Account.generate(), octas = FUNDS_OCTAS): Promise<Account> {
    await chain.fund(made.accountAddress.toStringLong(), octas);
    chain.pass(BLOCK_MS);
    return made;
  }

  function bytesOf(sender: Account, payload: TransactionPayload, signer: Account = sender): Uint8Array {
    const expiresSeconds = BigInt(chain.nowSeconds() + LIFETIME_SECONDS);
    const { accountAddress } = sender;
    const raw = new RawTransaction(
      accountAddress,
      0n,
      payload,
      MAX_GAS_UNITS,
      GAS_PRICE_OCTAS,
      expiresSeconds,
      new ChainId(CHAIN_ID),
    );
    const transaction = new SimpleTransaction(raw);
    const senderAuthenticator: AccountAuthenticator = signer.signTransactionWithAuthenticator(transaction);
    return generateSignedTransaction({ transaction, senderAuthenticator });
  }

  async function committed(signer: Account, payload: TransactionPayload): Promise<Answer> {
    const { body } = await post("/transactions", bytesOf(signer, payload));
    chain.pass(BLOCK_MS);
    return answer("GET", `/transactions/by_hash/${Object(body).hash}`);
  }
  const submitted = (signer: Account, payload: TransactionPayload) => post("/transactions", bytesOf(signer, payload));
  /** A simulation must not have a valid signature: here it is of another key. */
  const simulated = (signer: Account, payload: TransactionPayload) => {
    const bytes = bytesOf(signer, payload);
    return post("/transactions/simulate", bytes.with(-1, (bytes.at(-1) ?? 0) ^ 1));
  };
  const secp256k1 = () => Account.fromPrivateKey({ privateKey: Secp256k1PrivateKey.generate(), legacy: false });

  async function resource(signer: Account, isVersioned: boolean): Promise<Answer> {
    await committed(signer, createAccount);
    const query = isVersioned ? `?ledger_version=${await latestVersion()}` : "";
    return answer("GET", `/accounts/${signer.accountAddress}/resource/0x1::account::Account${query}`);
  }

  async function latestVersion(): Promise<string> {
    return String(Object((await answer("GET", "/")).body).ledger_version);
  }

  /** What an account had before it was paid again. */
  async function viewedBefore(): Promise<Answer> {
    const owner = await account(Account.generate(), 100_000n);
    const version = await latestVersion();
    await account(owner, 100_000n);
    const args = { type_arguments: ["0x1::aptos_coin::AptosCoin"], arguments: [owner.accountAddress.toString()] };
    const body = JSON.stringify({ function: "0x1::coin::balance", ...args });
    return answer("POST", `/view?ledger_version=${version}`, { headers: { "content-type": "application/json" }, body });
  }

  const failed = (signer: Account) => ({
    address: () => committed(signer, coinCall("Coin", "transfer", [new U64(1)], "0x1222")),
    module_name: () => committed(signer, coinCall("CoinInvalid")),
    name: () => committed(signer, coinCall("Coin", "transfer_invalid")),
    arguments: () => committed(signer, coinCall("Coin", "transfer", [new U8(1)])),
  });

  async function multi(): Promise<Answer> {
    const one = secp256k1();
    const signer = MultiKeyAccount.fromPublicKeysAndSigners({
      publicKeys: [one.publicKey as never],
      signaturesRequired: 1,
      signers: [one as never],
    });
    return submitted(await account(signer), createAccount);
  }

  /** @throws Error for a golden that nothing is known of. */
  async function ask(golden: string, signer: Account): Promise<Answer> {
    const name = golden.replace(/^\w+?__test_/, "");
    const [, wrong] = /failed_by_invalid_entry_function_(\w+)$/.exec(name) ?? [];
    if (wrong !== undefined) return failed(signer)[wrong as keyof ReturnType<typeof failed>]();
    switch (name.replace("get_txn_execute_failed_by_", "")) {
      case "post_bcs_format_transaction":
        return submitted(signer, createAccount);
      case "post_invalid_signature_transaction": {
        // The last byte of one signature in sixteen is 0, so another bit is sure to change the signature.
        const bytes = bytesOf(signer, createAccount);
        return post("/transactions", bytes.with(-1, (bytes.at(-1) ?? 0) ^ 1));
      }
      case "post_transaction_rejected_by_mempool":
        await submitted(signer, createAccount);
        return submitted(signer, coinCall("coin"));
      case "missing_entry_function_arguments":
        return committed(signer, coinCall("Coin", "transfer", []));
      case "entry_function_validation":
        return committed(signer, coinCall("Coin", "transfer", [new U64(123)]));
      case "invalid_script_payload_bytecode":
        return committed(signer, bytecode);
      case "entry_function_invalid_module_name":
        return submitted(signer, coinCall("coin", "transfer::what::what"));
      case "entry_function_invalid_function_name":
        return submitted(signer, coinCall("coin::coin"));
      case "simulate_transaction_with_valid_signature":
        return post("/transactions/simulate", bytesOf(signer, createAccount));
      case "simulation_failure_with_detail_error":
        return simulated(signer, coinCall("MemeCoin"));
      case "simulation_failure_with_move_abort_error_rendering":
        return simulated(signer, tooMuch);
      case "secp256k1_ecdsa":
        return submitted(await account(secp256k1()), createAccount);
      case "multi_secp256k1_ecdsa":
        return multi();
      case "get_account_resource":
        return resource(signer, false);
      case "get_account_resource_with_version":
        return resource(signer, true);
      case "versioned_simple_view":
        return viewedBefore();
      default:
        throw new Error(`nothing is known of ${golden}`);
    }
  }

  return { account, ask };
}
