import type { Ed25519Keypair } from "@mysten/sui/keypairs/ed25519";
import { Transaction } from "@mysten/sui/transactions";
import { deriveObjectID, fromHex, toBase64 } from "@mysten/sui/utils";
import { afterAll, describe, expect, test } from "vitest";
import * as z from "zod";
import { expectAnswer, http } from "../../shared/cli/client/http.ts";
import { DEMO_PACKAGE } from "../devchain/demo.ts";
import { advance, chainUrl, gas, gasResult, giveSui, sui, untilShown } from "../harness/harness.ts";
import { executedSchema } from "../service/sui-gas/responses.ts";
import { holdConsensus } from "../support/chain-control.ts";
import { faucetIntoBalance } from "../support/faucet.ts";
import { expectReconciled } from "../support/operator.ts";
import {
  BUDGET,
  balanceFundWithKey,
  fundWithKey,
  gasPayment,
  getFund,
  newUser,
  ownedObjects,
  prepare,
  refused,
  signatureOf,
  sponsor,
  sponsorshipRows,
  status,
  submitSponsored,
} from "../support/sui-gas.ts";
import { mintKind, SUI_TYPE, transferKind } from "../support/sui-transactions.ts";

/** Changes of Sui since protocol 136, end to end. The stock client builds, signs and submits. */

const EXECUTE = "gas_executeTransactionBlock";
const SUI_MIST = 1_000_000_000n;
const MINUTE_MS = 60_000;
const FAR_MS = 99_999_999_999_999n;
const DEMO = `${DEMO_PACKAGE}::demo::DEMO`;
const LATEST_PROTOCOL = 140;

type Change = (transaction: Transaction) => void;

/** A transaction that the sender pays for by itself. */
async function sendAs(sender: Ed25519Keypair, change: Change) {
  const transaction = new Transaction();
  change(transaction);
  const sent = await sui.signAndExecuteTransaction({ signer: sender, transaction, include: { effects: true } });
  const executed = sent.Transaction ?? sent.FailedTransaction;
  expect(executed.status).toMatchObject({ success: true });
  await untilShown(executed.digest);
  return executed;
}

async function newUserWithSui() {
  const user = newUser();
  await giveSui(user.toSuiAddress(), SUI_MIST);
  return user;
}

/** A kind whose inputs the stock client resolves at a node. */
async function resolvedKind(sender: string, change: Change): Promise<Uint8Array> {
  const transaction = new Transaction();
  transaction.setSender(sender);
  change(transaction);
  return transaction.build({ client: sui, onlyTransactionKind: true });
}

/** The address balance that a node shows. */
async function fundsOf(owner: string, coinType: string): Promise<bigint> {
  return BigInt((await sui.getBalance({ owner, coinType })).balance.addressBalance);
}

function execute(key: string, digest: string, signature: string) {
  return gasResult(key, EXECUTE, [digest, signature, "WaitForLocalExecution"], executedSchema);
}

async function setProtocol(version: number): Promise<void> {
  const answer = await http(`${chainUrl}/control/protocol`, { method: "POST", body: JSON.stringify({ version }) });
  expectAnswer("the protocol", answer, z.unknown());
}
afterAll(() => setProtocol(LATEST_PROTOCOL));

async function stateOf(fundId: string, digest: string) {
  return (await sponsorshipRows(fundId)).find((row) => row.digest === digest)?.state;
}

describe.concurrent("an address with an alias", () => {
  /** A user who has given its own key away: only the alias signs. */
  async function aliased() {
    const [user, alias] = [await newUserWithSui(), newUser()];
    const sender = user.toSuiAddress();
    await sendAs(user, (transaction) => {
      transaction.moveCall({ target: "0x2::address_alias::initialize", arguments: [transaction.object("0xa")] });
    });
    const aliases = deriveObjectID("0xa", "0x2::address_alias::AliasKey", fromHex(sender));
    await sendAs(user, (transaction) => {
      const only = transaction.pure.vector("address", [alias.toSuiAddress()]);
      transaction.moveCall({
        target: "0x2::address_alias::replace_all",
        arguments: [transaction.object(aliases), only],
      });
    });
    return { user, alias, sender };
  }

  test("is sponsored, whoever submits it: the alias signs, with coins and from an address balance", async () => {
    const { user, alias, sender } = await aliased();
    const isPaid = async (fund: Awaited<ReturnType<typeof fundWithKey>>) => {
      const handedOut = await sponsor(fund.key, await mintKind("stock"), sender, BUDGET);
      expect((await submitSponsored(alias, handedOut)).status).toMatchObject({ success: true });
      const prepared = await prepare(fund.key, await mintKind("ours"), sender, BUDGET);
      const paysWithCoins = gasPayment(prepared.txBytes).length > 0;
      const [byNobody, byAlias] = [await signatureOf(newUser(), prepared), await signatureOf(alias, prepared)];
      expect(await refused(fund.key, EXECUTE, [prepared.txDigest, byNobody])).toMatchObject({
        data: { reason: paysWithCoins ? "node_refused" : "bad_signature" },
      });
      const { effects } = await execute(fund.key, prepared.txDigest, byAlias);
      expect(effects.status).toEqual({ status: "success" });
      for (const { txDigest } of [handedOut, prepared]) expect(await status(fund.key, txDigest)).toBe("COMPLETE");
      // The address is made of this key, so only a node knows that it was given away.
      const byItself = await prepare(fund.key, await mintKind(), sender, BUDGET);
      expect(await refused(fund.key, EXECUTE, [byItself.txDigest, await signatureOf(user, byItself)])).toMatchObject({
        data: { reason: paysWithCoins ? "node_refused" : "outcome_unknown" },
      });
      await expectReconciled(fund);
    };
    await Promise.all([fundWithKey(3).then(isPaid), balanceFundWithKey(SUI_MIST).then(isPaid)]);
  });
});

describe.concurrent("an allowance", () => {
  test("is spent by its spender while the fund pays for the gas, and never out of the fund", async () => {
    const [funder, user, to] = [await newUserWithSui(), newUser(), newUser().toSuiAddress()];
    await untilShown((await faucetIntoBalance(chainUrl, funder.toSuiAddress(), SUI_MIST)).digest);
    const issued = await sendAs(funder, (transaction) => {
      transaction.moveCall({
        target: "0x2::allowance::new",
        typeArguments: [`0x2::balance::Balance<${SUI_TYPE}>`],
        arguments: [
          transaction.pure.string("pocket money"),
          transaction.pure.address(user.toSuiAddress()),
          transaction.pure.option("u256", 50_000n),
          transaction.pure.option("u64", null),
          transaction.pure.option("u64", FAR_MS),
          transaction.moveCall({ target: "0x1::option::none", typeArguments: ["0x2::allowance::RateLimit"] }),
        ],
      });
    });
    const shared = issued.effects?.changedObjects.find(({ outputOwner }) => outputOwner?.$kind === "Shared");
    const objectId = shared?.objectId ?? "";
    const spending = (from: object) =>
      resolvedKind(user.toSuiAddress(), (transaction) => {
        transaction.moveCall({
          target: "0x2::balance::send_funds",
          typeArguments: [SUI_TYPE],
          arguments: [
            transaction.balance({ balance: 20_000n, allowance: { objectId, ...from } }),
            transaction.pure.address(to),
          ],
        });
      });
    const fund = await fundWithKey(2);
    const handedOut = await sponsor(fund.key, await spending({}), user.toSuiAddress(), BUDGET);
    expect((await submitSponsored(user, handedOut)).status).toMatchObject({ success: true });
    const prepared = await prepare(fund.key, await spending({}), user.toSuiAddress());
    await execute(fund.key, prepared.txDigest, await signatureOf(user, prepared));
    expect(await fundsOf(to, SUI_TYPE)).toBe(40_000n);
    const ofFund = toBase64(await spending({ funder: fund.depositAddress }));
    expect(await refused(fund.key, "gas_sponsorTransactionBlock", [ofFund, user.toSuiAddress()])).toMatchObject({
      data: { reason: "foreign_withdrawal" },
    });
    await expectReconciled(fund);
  });
});

describe.concurrent("a transfer of a listed coin", () => {
  test("is sponsored and executed at no cost, and the operator sees that the network paid", async () => {
    const user = await newUserWithSui();
    const to = newUser().toSuiAddress();
    await sendAs(user, (transaction) => {
      const coin = transaction.moveCall({
        target: `${DEMO_PACKAGE}::demo::mint_coin`,
        arguments: [transaction.pure.u64(SUI_MIST)],
      });
      transaction.moveCall({
        target: "0x2::coin::send_funds",
        typeArguments: [DEMO],
        arguments: [coin, transaction.pure.address(user.toSuiAddress())],
      });
    });
    const kind = await resolvedKind(user.toSuiAddress(), (transaction) => {
      transaction.moveCall({
        target: "0x2::balance::send_funds",
        typeArguments: [DEMO],
        arguments: [transaction.balance({ balance: 20_000n, type: DEMO }), transaction.pure.address(to)],
      });
    });
    const fund = await fundWithKey();
    const before = await getFund(fund.key);
    const handedOut = await sponsor(fund.key, kind, user.toSuiAddress());
    expect(Transaction.from(handedOut.txBytes).getData().gasData).toMatchObject({
      payment: [],
      price: "0",
      budget: "0",
    });
    expect((await submitSponsored(user, handedOut)).status).toMatchObject({ success: true });
    const prepared = await prepare(fund.key, kind, user.toSuiAddress());
    await execute(fund.key, prepared.txDigest, await signatureOf(user, prepared));
    expect(await fundsOf(to, DEMO)).toBe(40_000n);
    for (const { txDigest } of [handedOut, prepared]) expect(await status(fund.key, txDigest)).toBe("COMPLETE");
    const paid = await prepare(fund.key, await mintKind(), user.toSuiAddress(), BUDGET);
    await execute(fund.key, paid.txDigest, await signatureOf(user, paid));
    const rows = (await sponsorshipRows(fund.fundId)).map(({ digest, gasPaidBy }) => [digest, gasPaidBy]);
    expect(Object.fromEntries(rows)).toEqual({
      [handedOut.txDigest]: "network",
      [prepared.txDigest]: "network",
      [paid.txDigest]: "fund",
    });
    expect((await getFund(fund.key)).inFlight).toBe(before.inFlight);
    await expectReconciled(fund);
  });
});

describe("under each version of the protocol", () => {
  test.each([
    [137, 100],
    [138, 10_000],
    [139, 10_000],
  ])("%i, of which storage keeps one part in %i, the books are the chain's", async (version, kept) => {
    await setProtocol(version);
    const fund = await fundWithKey(2);
    const user = newUser();
    const minted = await sponsor(fund.key, await mintKind(), user.toSuiAddress());
    await submitSponsored(user, minted);
    const [badge] = await ownedObjects(user.toSuiAddress());
    if (badge === undefined) throw new Error("no badge");
    const moved = await prepare(fund.key, await transferKind(badge, newUser().toSuiAddress()), user.toSuiAddress());
    await execute(fund.key, moved.txDigest, await signatureOf(user, moved));
    const shown = (await sui.getTransaction({ digest: moved.txDigest, include: { effects: true } })).Transaction;
    const gasSchema = z.object({ storageRebate: z.coerce.bigint(), nonRefundableStorageFee: z.coerce.bigint() });
    const { storageRebate, nonRefundableStorageFee } = gasSchema.parse(shown?.effects?.gasUsed);
    const depositMist = storageRebate + nonRefundableStorageFee;
    // A MIST for each of the two objects, whose rebates are rounded.
    expect(Math.abs(Number(depositMist / BigInt(kept) - nonRefundableStorageFee))).toBeLessThanOrEqual(2);
    expect(nonRefundableStorageFee).toBeGreaterThan(0n);
    const { protocolVersion } = (await sui.getCurrentSystemState()).systemState;
    expect(protocolVersion).toBe(String(version));
    await expectReconciled(fund);
  });
});

describe("held for at most a minute:", () => {
  test("what a signature of an unknown scheme was sent for, and what lost its input to another", async () => {
    await setProtocol(LATEST_PROTOCOL);
    const fund = await fundWithKey(5);
    const user = newUser();
    const unknown = await prepare(fund.key, await mintKind("unknown"), user.toSuiAddress(), BUDGET);
    // ML-DSA-65, which the SDK does not know.
    const ofFlag8 = toBase64(new Uint8Array(5_262).fill(8));
    expect(await refused(fund.key, EXECUTE, [unknown.txDigest, ofFlag8])).toMatchObject({
      code: -32002,
      data: { reason: "node_refused", node: { status: "INVALID_ARGUMENT" } },
    });

    await submitSponsored(user, await sponsor(fund.key, await mintKind(), user.toSuiAddress(), BUDGET));
    const [badge] = await ownedObjects(user.toSuiAddress());
    if (badge === undefined) throw new Error("no badge");
    const contenders = await Promise.all(
      [newUser(), newUser()].map(async (to) =>
        prepare(fund.key, await transferKind(badge, to.toSuiAddress()), user.toSuiAddress(), BUDGET),
      ),
    );
    await holdConsensus(true);
    const calls = contenders.map(async (one) => outcomeOf(fund.key, one.txDigest, await signatureOf(user, one)));
    await expect.poll(waiting, { timeout: 20_000 }).toBe(2);
    await holdConsensus(false);
    const ended = await Promise.all(calls);
    expect(ended.toSorted()).toEqual(["FAILED_PRECONDITION", "success"]);
    const lost = contenders[ended.indexOf("FAILED_PRECONDITION")]?.txDigest ?? "";
    await advance(MINUTE_MS);
    for (const digest of [unknown.txDigest, lost])
      await expect.poll(() => stateOf(fund.fundId, digest), { timeout: 60_000 }).toBe("dead");
    expect((await getFund(fund.key)).inFlight).toBe(0n);
    await expectReconciled(fund);
  });

  async function waiting(): Promise<number> {
    const answer = await http(`${chainUrl}/control/consensus`);
    return expectAnswer("what waits", answer, z.object({ waiting: z.int() })).waiting;
  }

  const executedOrRefused = z.union([
    z.object({ result: executedSchema }).transform(({ result }) => result.effects.status.status),
    z
      .object({ error: z.object({ data: z.object({ node: z.object({ status: z.string() }) }) }) })
      .transform(({ error }) => error.data.node.status),
  ]);

  async function outcomeOf(key: string, digest: string, signature: string): Promise<string> {
    return expectAnswer("the execution", await gas(key, EXECUTE, [digest, signature]), executedOrRefused);
  }
});
