import { describe, expect } from "vitest";
import { withJsonOf } from "../../../byzantine-node/altered-aptos-node.ts";
import { APT_OCTAS, committedAs, draftOf, newUser, octasOnChain } from "../../../support/aptos-chain.ts";
import {
  alsoAlter,
  aptosLedgerOf,
  aptosStatesOf,
  aptosWithdrawals,
  executed,
  expectQuiet,
  granted,
  newAptosFund,
  onAptosDisk,
  sponsored,
  sponsorshipsOf,
  useStoppedAptosClock,
  whenCommitted,
} from "../../../support/aptos-fund.ts";
import { AMOUNT_OCTAS, newRecipient, request, withdraw } from "../../../support/aptos-withdrawals.ts";
import { longTest, shortTest } from "../../../support/rounds.ts";
import { crash, liveFor, MINUTE_MS, stub, type TestFund, until } from "../../../support/sui-fund.ts";

useStoppedAptosClock();

/** The endpoint has pruned what a sender has done. */
const prunedOf = (address: string) => withJsonOf(`GET /accounts/${address}/transactions`, () => []);
/** The endpoint shows more sequence numbers as used than are. */
const aheadOf = (address: string) =>
  withJsonOf(`GET /accounts/${address}`, (json) => ({ ...Object(json), sequence_number: "1" }));

async function corrections(fund: TestFund): Promise<readonly bigint[]> {
  const rows = (await aptosLedgerOf(fund)).filter(({ kind }) => !["deposit", "reserve", "release"].includes(kind));
  expect(rows.map(({ kind }) => kind).filter((kind) => kind !== "correction")).toEqual([]);
  return rows.map(({ balanceAtoms }) => balanceAtoms);
}

function refusal(reason: string, text: RegExp) {
  return { ok: false, error: { reason, details: expect.stringMatching(text) } };
}

const closed = (digest: string, state: string) => ({ ok: true, value: { digest, state } });

describe("force-close on Aptos", () => {
  longTest("closes a withdrawal that no node shows, by the balance, once, and its key never pays again", async () => {
    const fund = await newAptosFund(3n * APT_OCTAS);
    const first = request(newRecipient());
    alsoAlter(prunedOf(fund.address));
    const { digest } = granted(await withdraw(fund, first));
    await until(async () => (await octasOnChain(first.to)) === AMOUNT_OCTAS);
    expect(await stub(fund).forceClose(digest)).toMatchObject(refusal("bad_params", /can be closed from 20/));
    await liveFor(fund, 8 * MINUTE_MS);
    expect(await aptosWithdrawals(fund)).toMatchObject([{ state: "pending" }]);
    expect(await corrections(fund)).toEqual([]);
    for (let calls = 0; calls < 2; calls++) {
      expect(await stub(fund).forceClose(digest)).toEqual(closed(digest, "unresolvable"));
      await crash();
    }
    const { chargedOctas = 0n } = (await committedAs(digest)) ?? {};
    expect(await corrections(fund)).toEqual([-AMOUNT_OCTAS - chargedOctas]);
    await expectQuiet(fund);
    alsoAlter();
    expect(await withdraw(fund, first)).toMatchObject({ value: { digest, state: "unresolvable" } });
    expect(await octasOnChain(first.to)).toBe(AMOUNT_OCTAS);
  });

  shortTest("closes a sponsorship by its id and by its hash, once, and frees what it withheld", async () => {
    const fund = await newAptosFund();
    const draft = draftOf(newUser());
    const hash = await executed(fund, draft);
    const { chargedOctas } = await whenCommitted(draft);
    alsoAlter(prunedOf(draft.sender.address));
    await liveFor(fund, 8 * MINUTE_MS);
    expect(await aptosStatesOf(fund)).toEqual(["signed"]);
    const [{ id } = { id: "" }] = await sponsorshipsOf(fund);
    for (const digest of [hash, id])
      expect(await stub(fund).forceClose(digest)).toEqual(closed(digest, "unresolvable"));
    expect(await corrections(fund)).toEqual([-chargedOctas]);
    await expectQuiet(fund);
  });

  longTest("books one that a node shows after all, and keeps nothing of the doubt", async () => {
    const fund = await newAptosFund();
    const draft = draftOf(newUser());
    const hash = await executed(fund, draft);
    await whenCommitted(draft);
    alsoAlter(prunedOf(draft.sender.address));
    await liveFor(fund, 2 * MINUTE_MS);
    expect(await onAptosDisk(fund, (store) => store.usedSequences().size)).toBe(1);
    alsoAlter();
    expect(await stub(fund).forceClose(hash)).toEqual(closed(hash, "complete"));
    expect(await onAptosDisk(fund, (store) => store.usedSequences().size)).toBe(0);
    await expectQuiet(fund);
  });

  longTest("closes all that is stuck together, by one correction, and leaves what can still execute", async () => {
    const fund = await newAptosFund();
    const drafts = [draftOf(newUser()), draftOf(newUser())];
    const hashes: string[] = [];
    for (const draft of drafts) hashes.push(await executed(fund, draft));
    const charged = await Promise.all(drafts.map(async (draft) => (await whenCommitted(draft)).chargedOctas));
    const pruned = drafts.map(({ sender }) => prunedOf(sender.address));
    alsoAlter(...pruned);
    await liveFor(fund, 8 * MINUTE_MS);
    const young = draftOf(newUser());
    await sponsored(fund, young);
    expect((await aptosStatesOf(fund)).toSorted()).toEqual(["signed", "signed", "signed"]);
    for (const digest of hashes) expect(await stub(fund).forceClose(digest)).toEqual(closed(digest, "unresolvable"));
    expect((await aptosStatesOf(fund)).toSorted()).toEqual(["signed", "unresolvable", "unresolvable"]);
    expect(await corrections(fund)).toEqual([-charged.reduce((sum, octas) => sum + octas, 0n)]);
    alsoAlter();
    await liveFor(fund, 10 * MINUTE_MS);
    expect((await aptosStatesOf(fund)).toSorted()).toEqual(["dead", "unresolvable", "unresolvable"]);
    await expectQuiet(fund);
  });

  longTest("leaves a signature alone that can still execute, and calls it dead once its time is over", async () => {
    const fund = await newAptosFund();
    const draft = draftOf(newUser());
    await sponsored(fund, draft);
    const [{ id } = { id: "" }] = await sponsorshipsOf(fund);
    alsoAlter(aheadOf(draft.sender.address), prunedOf(draft.sender.address));
    const waits = refusal("bad_params", /can be closed from 20/);
    expect(await stub(fund).forceClose(id)).toMatchObject(waits);
    await liveFor(fund, 5 * MINUTE_MS);
    expect(await stub(fund).forceClose(id)).toMatchObject(waits);
    expect(await aptosStatesOf(fund)).toEqual(["signed"]);
    alsoAlter();
    expect(await stub(fund).forceClose(id)).toEqual(closed(id, "dead"));
    expect(await corrections(fund)).toEqual([]);
    await expectQuiet(fund);
  });

  longTest("takes nothing more out of the books than the transaction can have cost", async () => {
    const fund = await newAptosFund();
    const draft = draftOf(newUser());
    const hash = await executed(fund, draft);
    await whenCommitted(draft);
    alsoAlter(prunedOf(draft.sender.address));
    await liveFor(fund, 8 * MINUTE_MS);
    alsoAlter(
      prunedOf(draft.sender.address),
      withJsonOf("POST /view", () => ["1"]),
    );
    expect(await stub(fund).forceClose(hash)).toMatchObject(refusal("fund_paused", /run recover/));
    expect(await aptosStatesOf(fund)).toEqual(["signed"]);
    expect(await corrections(fund)).toEqual([]);
  });

  longTest("knows no hash of others", async () => {
    const digest = `0x${"a".repeat(64)}`;
    expect(await stub(await newAptosFund()).forceClose(digest)).toEqual({ ok: true, value: null });
  });
});
