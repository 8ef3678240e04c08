import { runInDurableObject } from "cloudflare:test";
import { Ed25519Keypair } from "@mysten/sui/keypairs/ed25519";
import { Transaction } from "@mysten/sui/transactions";
import { deriveObjectID, fromHex, toBase64 } from "@mysten/sui/utils";
import { beforeEach, expect, vi } from "vitest";
import { GroupCommit } from "../../../../shared/durable/group-commit.ts";
import type { Fund } from "../../../../shared/fund/object.ts";
import { coinsOf, expectExactBooks, ledgerOf } from "../../../support/fund-books.ts";
import { longTest, shortTest } from "../../../support/rounds.ts";
import {
  callsOf,
  clearFaults,
  DRY_RUN,
  give,
  LOOK_UP,
  nodeDown,
  OBJECTS,
  orderFault,
  SUBMIT,
  sendAs,
  setInputWait,
} from "../../../support/sui-chain.ts";
import {
  alarm,
  execute,
  KEY_ID,
  liveFor,
  MINUTE_MS,
  newFundOfCoins,
  newFundWith,
  platformStub,
  prepare,
  refusalOf,
  SECOND_MS,
  SUI_MIST,
  sponsor,
  stateOf,
  stub,
  submitAsUser,
  type TestFund,
  until,
  user,
  useStoppedClock,
} from "../../../support/sui-fund.ts";

/** Enough to pay for one sponsorship; the others pay for what the fund does itself. */
const COINS = 4;

useStoppedClock();
beforeEach(async () => {
  await setInputWait(0);
});

/** A transaction with an input that the chain does not have. */
async function unknownObject(): Promise<Uint8Array> {
  const transaction = new Transaction();
  const ref = { objectId: `0x${"ab".repeat(32)}`, version: "7", digest: "11111111111111111111111111111111" };
  transaction.transferObjects([transaction.objectRef(ref)], user.toSuiAddress());
  return transaction.build({ onlyTransactionKind: true });
}

/** What goes on after the answer is done. */
function untilGivenUp(fund: TestFund, digest: string): Promise<void> {
  return until(async () => (await stateOf(fund, digest)) === "expired");
}

shortTest("an unknown object, executed, has no outcome, and its coin is free again within a minute", async () => {
  const fund = await newFundOfCoins(COINS);
  const prepared = await prepare(fund, "", { kindBytes: await unknownObject() });
  expect(await execute(fund, prepared)).toMatchObject({
    ok: false,
    error: { reason: "outcome_unknown", data: { digest: prepared.digest } },
  });
  await untilGivenUp(fund, prepared.digest);
  const told = await stub(fund).status(prepared.digest);
  expect(told, "a signature is out, and its coin has not moved").toEqual({ ok: true, value: "IN_FLIGHT" });
  expect(await execute(fund, prepared)).toMatchObject({ error: { reason: "outcome_unknown" } });

  await liveFor(fund, MINUTE_MS - 25 * SECOND_MS);
  expect(await stateOf(fund, prepared.digest)).toBe("dead");
  expect((await coinsOf(fund)).map(({ state }) => state)).toEqual(Array.from({ length: COINS }, () => "free"));
  expect(await stub(fund).view()).toMatchObject({ inFlightAtoms: 0n });
  expect(await stub(fund).status(prepared.digest)).toEqual({ ok: true, value: "INVALID" });
  expect(await execute(fund, prepared)).toMatchObject({ error: { reason: "sponsorship_expired" } });
  const cost = (await ledgerOf(fund)).filter(({ kind }) => kind === "recycle");
  expect(cost, "whoever abandons it pays").toMatchObject([{ keyId: KEY_ID, reference: prepared.digest }]);
  await expectExactBooks(fund);
});

longTest("what a node refuses outright gives its coin back, too", async () => {
  const fund = await newFundOfCoins(COINS);
  const prepared = await prepare(fund, "refused");
  await orderFault(SUBMIT, "stale_version");
  expect(await execute(fund, prepared)).toMatchObject({ error: { reason: "node_refused" } });
  await untilGivenUp(fund, prepared.digest);
  await liveFor(fund, MINUTE_MS / 2);
  expect(await stateOf(fund, prepared.digest)).toBe("dead");
  expect(await refusalOf(fund, "another")).toBeNull();
  await expectExactBooks(fund);
});

/** Holds the next grouped commit until the row has another state. */
function holdNextCommit(state: () => string): void {
  const honest = GroupCommit.prototype.run;
  vi.spyOn(GroupCommit.prototype, "run").mockImplementationOnce(async function (this: GroupCommit, transition) {
    const before = state();
    await until(async () => state() !== before);
    return honest.call(this, transition);
  });
}

longTest(
  "a repeat that waits for its commit while the first call gives up gets no proof of expiry from the books",
  async () => {
    const fund = await newFundOfCoins(COINS);
    const prepared = await prepare(fund, "sent, and its answer lost");
    const { signature: senderSignature } = await user.signTransaction(prepared.txBytes);
    const call = { digest: prepared.digest, senderSignature, waitForLocalExecution: false, idempotency: null };
    await orderFault(SUBMIT, "drop_after_commit");
    await orderFault(LOOK_UP, "unavailable", 1_000_000);
    await runInDurableObject(platformStub(fund), async (instance: Fund, { storage }) => {
      const state = () => JSON.stringify(storage.sql.exec("SELECT state FROM sponsorship_row").toArray());
      expect(await instance.execute(call)).toMatchObject({ error: { reason: "outcome_unknown" } });
      holdNextCommit(state);
      expect(await instance.execute(call)).toMatchObject({ error: { reason: "outcome_unknown" } });
    });
    await clearFaults();
    expect(await execute(fund, prepared), "the chain has executed it").toMatchObject({ ok: true });
    await expectExactBooks(fund);
  },
);

longTest("what was handed out is its user's until its hour is over, and so is what a node would execute", async () => {
  const fund = await newFundOfCoins(COINS);
  const handedOut = await sponsor(fund, "", { kindBytes: await unknownObject() });
  expect(await execute(fund, handedOut)).toMatchObject({ error: { reason: "outcome_unknown" } });
  const good = await prepare(fund, "good");
  await orderFault(SUBMIT, "unavailable_before_commit");
  const trials = await callsOf(DRY_RUN);
  expect(await execute(fund, good)).toMatchObject({ error: { reason: "outcome_unknown" } });
  await until(async () => (await callsOf(DRY_RUN)) > trials);
  await liveFor(fund, MINUTE_MS);
  expect(await stateOf(fund, handedOut.digest)).toBe("signed");
  expect(await stateOf(fund, good.digest)).toBe("signed");
  expect(await execute(fund, good)).toMatchObject({ ok: true });
});

shortTest(
  "silent nodes say nothing about a transaction: it keeps its coin, and is executed once they answer",
  async () => {
    const fund = await newFundOfCoins(COINS);
    const prepared = await prepare(fund, "later");
    await nodeDown();
    expect(await execute(fund, prepared)).toMatchObject({ error: { reason: "outcome_unknown" } });
    await alarm(fund);
    expect(await stateOf(fund, prepared.digest)).toBe("signed");
  },
);

longTest(
  "a signature that only the chain can judge holds a coin for at most a minute, if a node refuses it",
  async () => {
    const fund = await newFundOfCoins(COINS);
    const prepared = await prepare(fund, "alias");
    const { signature: senderSignature } = await new Ed25519Keypair().signTransaction(prepared.txBytes);
    expect(await execute(fund, prepared, { senderSignature })).toMatchObject({ error: { reason: "node_refused" } });
    await liveFor(fund, MINUTE_MS);
    expect(await stateOf(fund, prepared.digest)).toBe("dead");
    expect(await stub(fund).view()).toMatchObject({ inFlightAtoms: 0n });
    await expectExactBooks(fund);
  },
);

longTest(
  "a signature that was handed out is told as refused by nobody, because its user may submit it for an hour",
  async () => {
    const fund = await newFundOfCoins(COINS);
    const sponsored = await sponsor(fund, "handed out");
    const { digest } = sponsored;
    await orderFault(SUBMIT, "stale_version");
    expect(await execute(fund, sponsored)).toMatchObject({
      error: { reason: "outcome_unknown", data: { digest, node: { status: expect.any(String) } } },
    });
    await liveFor(fund, MINUTE_MS);
    expect(await submitAsUser(sponsored)).toBe("executed");
    expect(await execute(fund, sponsored)).toMatchObject({ ok: true, value: { execution: { success: true } } });
    await expectExactBooks(fund);
  },
);

/** Has only another key sign for an address from now on. */
async function giveAlias(sender: Ed25519Keypair, alias: Ed25519Keypair): Promise<void> {
  const address = sender.toSuiAddress();
  await give(address, SUI_MIST);
  await sendAs(sender, (transaction) => {
    transaction.moveCall({ target: "0x2::address_alias::initialize", arguments: [transaction.object("0xa")] });
  });
  const aliases = deriveObjectID("0xa", "0x2::address_alias::AliasKey", fromHex(address));
  await sendAs(sender, (transaction) => {
    const only = transaction.pure.vector("address", [alias.toSuiAddress()]);
    transaction.moveCall({
      target: "0x2::address_alias::replace_all",
      arguments: [transaction.object(aliases), only],
    });
  });
}

longTest("a repeat of an alias's call hears nothing final, although no node shows its aliases any more", async () => {
  const fund = await newFundWith({ mode: "address_balance" });
  await give(fund.address, SUI_MIST, "address_balance");
  await stub(fund).refresh();
  const [sender, alias] = [new Ed25519Keypair(), new Ed25519Keypair()];
  await giveAlias(sender, alias);
  const prepared = await prepare(fund, "alias", { sender: sender.toSuiAddress() });
  const { signature: senderSignature } = await alias.signTransaction(prepared.txBytes);
  await orderFault(SUBMIT, "unavailable_before_commit", 1_000);
  const unknown = { error: { reason: "outcome_unknown", data: { digest: prepared.digest } } };
  expect(await execute(fund, prepared, { senderSignature })).toMatchObject(unknown);
  await orderFault(OBJECTS, "unavailable", 1_000);
  expect(await execute(fund, prepared, { senderSignature })).toMatchObject(unknown);
  await clearFaults();
  expect(await execute(fund, prepared, { senderSignature })).toMatchObject({ ok: true });
  await expectExactBooks(fund);
});

longTest("an alias of the sender signs for it, and the fund pays as for any other", async () => {
  const fund = await newFundOfCoins(COINS);
  const [sender, alias] = [new Ed25519Keypair(), new Ed25519Keypair()];
  const address = sender.toSuiAddress();
  await giveAlias(sender, alias);
  const signedBy = async (signer: Ed25519Keypair) => {
    const prepared = await prepare(fund, "", { sender: address });
    const { signature: senderSignature } = await signer.signTransaction(prepared.txBytes);
    return { prepared, executed: await execute(fund, prepared, { senderSignature }) };
  };
  expect((await signedBy(alias)).executed).toMatchObject({ ok: true });
  const byItself = await signedBy(sender);
  expect(byItself.executed, "the address has given its own key away").toMatchObject({
    error: { reason: "node_refused" },
  });
  await liveFor(fund, MINUTE_MS);
  expect(await stateOf(fund, byItself.prepared.digest)).toBe("dead");
  await expectExactBooks(fund);
});

longTest("and the sender's own signature is still taken after it", async () => {
  const fund = await newFundOfCoins(COINS);
  const prepared = await prepare(fund, "stranger");
  const { signature: senderSignature } = await new Ed25519Keypair().signTransaction(prepared.txBytes);
  expect(await execute(fund, prepared, { senderSignature })).toMatchObject({ error: { reason: "node_refused" } });
  expect(await execute(fund, prepared)).toMatchObject({ ok: true });
  await expectExactBooks(fund);
});

longTest("and the sender's own signature is submitted for itself while a stranger's is under way", async () => {
  const fund = await newFundOfCoins(COINS);
  const prepared = await prepare(fund, "beside a stranger");
  const { signature: senderSignature } = await new Ed25519Keypair().signTransaction(prepared.txBytes);
  const sent = await callsOf(SUBMIT);
  await orderFault(SUBMIT, "delay", 1, 2 * SECOND_MS);
  const stranger = execute(fund, prepared, { senderSignature });
  await until(async () => (await callsOf(SUBMIT)) > sent);
  const [honest] = await Promise.all([execute(fund, prepared), stranger]);
  expect(honest).toMatchObject({ ok: true });
  expect(await stateOf(fund, prepared.digest)).toBe("complete");
  await expectExactBooks(fund);
});

longTest("and if none answers: of a scheme that nobody here knows, whatever a simulation says", async () => {
  const fund = await newFundOfCoins(COINS);
  const prepared = await prepare(fund, "scheme");
  await orderFault(SUBMIT, "unavailable_before_commit");
  const senderSignature = toBase64(new Uint8Array(3_000).fill(8));
  expect(await execute(fund, prepared, { senderSignature })).toMatchObject({ error: { reason: "outcome_unknown" } });
  expect(await stateOf(fund, prepared.digest)).toBe("signed");
  await liveFor(fund, MINUTE_MS);
  expect(await stateOf(fund, prepared.digest)).toBe("dead");
  expect((await coinsOf(fund)).map(({ state }) => state)).toEqual(Array.from({ length: COINS }, () => "free"));
  await expectExactBooks(fund);
});

shortTest("one that can be judged, and is not good, is refused before anything is signed", async () => {
  const fund = await newFundOfCoins(COINS);
  const [prepared, other] = [await prepare(fund, "one"), await prepare(fund, "other")];
  for (const signer of [user, new Ed25519Keypair()]) {
    const { signature: senderSignature } = await signer.signTransaction(other.txBytes);
    expect(await execute(fund, prepared, { senderSignature })).toMatchObject({ error: { reason: "bad_signature" } });
  }
  expect(await stateOf(fund, prepared.digest)).toBe("prepared");
});
