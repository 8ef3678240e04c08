import type { Ed25519Keypair } from "@mysten/sui/keypairs/ed25519";
import { Transaction } from "@mysten/sui/transactions";
import { beforeEach, describe, expect, test } from "vitest";
import { signAll, startChain, type TestChain } from "./testing.ts";

const SUI = 1_000_000_000n;
const FUNDS = "0x2::balance::Balance<0x2::sui::SUI>";
const RATE_LIMIT = "0x2::allowance::RateLimit";
const DAY_MS = 86_400_000n;
const FAR_MS = 99_999_999_999_999n;

let chain: TestChain;
let funder: Ed25519Keypair;
let spender: Ed25519Keypair;

beforeEach(async () => {
  chain = await startChain();
  [funder, spender] = [await chain.account(10n * SUI), await chain.account(10n * SUI)];
  await chain.fundBalance(funder.toSuiAddress(), SUI);
});

async function send(transaction: Transaction, sender: Ed25519Keypair) {
  transaction.setSender(sender.toSuiAddress());
  const bytes = await transaction.build({ client: chain.client });
  return submit(bytes, sender);
}

async function submit(bytes: Uint8Array, ...signers: Ed25519Keypair[]) {
  const include = { effects: true, balanceChanges: true } as const;
  const signatures = await signAll(bytes, ...signers);
  const result = await chain.client.executeTransaction({ transaction: bytes, signatures, include });
  return result.Transaction ?? result.FailedTransaction;
}

interface Terms {
  readonly cap?: bigint;
  readonly daily?: bigint;
  readonly endsAtMs?: bigint;
}

/** The funder allows the spender to withdraw. */
async function issue({ cap, daily, endsAtMs = FAR_MS }: Terms) {
  const transaction = new Transaction();
  const limit =
    daily === undefined
      ? transaction.moveCall({ target: "0x1::option::none", typeArguments: [RATE_LIMIT] })
      : transaction.moveCall({
          target: "0x1::option::some",
          typeArguments: [RATE_LIMIT],
          arguments: [
            transaction.moveCall({
              target: "0x2::allowance::periodic_rate_limit",
              arguments: [transaction.pure.u64(DAY_MS), transaction.pure.u256(daily)],
            }),
          ],
        });
  transaction.moveCall({
    target: "0x2::allowance::new",
    typeArguments: [FUNDS],
    arguments: [
      transaction.pure.string("test"),
      transaction.pure.address(spender.toSuiAddress()),
      transaction.pure.option("u256", cap ?? null),
      transaction.pure.option("u64", null),
      transaction.pure.option("u64", endsAtMs),
      limit,
    ],
  });
  const executed = await send(transaction, funder);
  const id = executed.effects?.changedObjects.find(({ outputOwner }) => outputOwner?.$kind === "Shared")?.objectId;
  return { status: executed.status, id: id ?? "" };
}

/** The stock client's own way to spend an allowance. */
function spending(allowance: string, amount: bigint) {
  const transaction = new Transaction();
  transaction.moveCall({
    target: "0x2::balance::send_funds",
    typeArguments: ["0x2::sui::SUI"],
    arguments: [transaction.balance({ balance: amount, allowance }), transaction.pure.address(spender.toSuiAddress())],
  });
  return transaction;
}

async function fundsOf(address: string): Promise<bigint> {
  return BigInt((await chain.client.getBalance({ owner: address })).balance.addressBalance);
}

describe("an allowance", () => {
  test("is spent by its spender up to its cap, out of the funder's address balance", async () => {
    const { id } = await issue({ cap: 50_000n });
    const before = await fundsOf(funder.toSuiAddress());
    const spent = await send(spending(id, 30_000n), spender);
    expect(spent.status).toEqual({ success: true, error: null });
    expect(await fundsOf(spender.toSuiAddress())).toBe(30_000n);
    expect(await fundsOf(funder.toSuiAddress())).toBe(before - 30_000n);
    const over = await send(spending(id, 30_000n), spender).catch((error: Error) => error);
    expect(String(over instanceof Error ? over.message : over.status.error?.message)).toContain("abort code: 3");
  });

  test("has windows that begin with the first charge, by the Clock", async () => {
    const { id } = await issue({ daily: 1_000n });
    expect((await send(spending(id, 900n), spender)).status.success).toBe(true);
    await expect(send(spending(id, 200n), spender)).rejects.toThrow("abort code: 4");
    chain.clock.nowMs += Number(DAY_MS);
    expect((await send(spending(id, 200n), spender)).status.success).toBe(true);
  });

  test("is over at its end, and needs a bound of amount and of time", async () => {
    const { id } = await issue({ cap: 1_000n, endsAtMs: BigInt(chain.clock.nowMs) + 1_000n });
    chain.clock.nowMs += 1_000;
    await expect(send(spending(id, 1n), spender)).rejects.toThrow("abort code: 2");
    await expect(issue({})).rejects.toThrow("abort code: 5");
    await expect(issue({ cap: 0n })).rejects.toThrow("abort code: 13");
  });

  test("is paid for by a sponsor, as any other transaction", async () => {
    const sponsor = await chain.account(SUI);
    const { id } = await issue({ cap: 50_000n });
    const transaction = spending(id, 7n);
    transaction.setSender(spender.toSuiAddress());
    transaction.setGasOwner(sponsor.toSuiAddress());
    const bytes = await transaction.build({ client: chain.client });
    expect((await submit(bytes, spender, sponsor)).status.success).toBe(true);
    expect(await fundsOf(spender.toSuiAddress())).toBe(7n);
  });

  test("of the sponsor itself is spent beside its gas: the chain does not mind", async () => {
    const { id } = await issue({ cap: 50_000n });
    const transaction = spending(id, 7n);
    transaction.setSender(spender.toSuiAddress());
    transaction.setGasOwner(funder.toSuiAddress());
    const bytes = await transaction.build({ client: chain.client });
    expect((await submit(bytes, spender, funder)).status.success).toBe(true);
  });

  test("is refused before it runs if it is another's, another funder's, or of more than there is", async () => {
    const { id } = await issue({ cap: 10n * SUI });
    await expect(send(spending(id, 1n), funder)).rejects.toThrow(`is not the spender of allowance ${id}`);
    await expect(send(spending(id, 2n * SUI), spender)).rejects.toThrow("Insufficient address balance");
    const transaction = new Transaction();
    const withdrawal = transaction.withdrawal({
      amount: 1n,
      from: "allowance",
      allowance: id,
      funder: spender.toSuiAddress(),
    });
    transaction.moveCall({
      target: "0x2::allowance::balance_spend",
      typeArguments: ["0x2::sui::SUI"],
      arguments: [transaction.object(id), withdrawal, transaction.object.clock()],
    });
    await chain.fundBalance(spender.toSuiAddress(), 1n);
    await expect(send(transaction, spender)).rejects.toThrow("does not match the funder of allowance");
  });
});

test("before protocol 138 there are no allowances", async () => {
  const { id } = await issue({ cap: 50_000n });
  expect((await chain.control("POST", "/control/protocol", { version: 137 })).status).toBe(200);
  await expect(send(spending(id, 1n), spender)).rejects.toThrow("Allowance withdrawals are not enabled");
  await expect(issue({ cap: 1n })).rejects.toThrow("abort code: 16");
});
