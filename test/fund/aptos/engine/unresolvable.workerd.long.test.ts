import { runInDurableObject } from "cloudflare:test";
import { describe, expect, test } from "vitest";
import { withJsonOf } from "../../../byzantine-node/altered-aptos-node.ts";
import { APT_OCTAS, committedAt, draftOf, giveOctas, newUser, octasOnChain } from "../../../support/aptos-chain.ts";
import {
  alsoAlter,
  aptosExecute,
  aptosLedgerOf,
  aptosSponsor,
  aptosStatesOf,
  aptosWithdrawals,
  executed,
  expectExactAptosBooks,
  expectQuiet,
  granted,
  newAptosFund,
  onAptosDisk,
  reasonOf,
  sponsorshipsOf,
  useStoppedAptosClock,
  whenCommitted,
} from "../../../support/aptos-fund.ts";
import { AMOUNT_OCTAS, newRecipient, request, withdraw } from "../../../support/aptos-withdrawals.ts";
import { dueRows } from "../../../support/fund/due-rows.ts";
import {
  crash,
  liveByAlarmsFor,
  liveFor,
  MINUTE_MS,
  pass,
  platformStub,
  SECOND_MS,
  stub,
  type TestFund,
} from "../../../support/sui-fund.ts";

useStoppedAptosClock();

/** The endpoint has pruned what a sender has done. */
const prunedOf = (address: string) => withJsonOf(`GET /accounts/${address}/transactions`, () => []);
/** Nobody can read what a sender has done. */
const unreadableOf = (address: string) => withJsonOf(`GET /accounts/${address}/transactions`, () => [{ type: "new" }]);

async function depositsOf(fund: TestFund): Promise<readonly bigint[]> {
  return (await aptosLedgerOf(fund)).filter(({ kind }) => kind === "deposit").map(({ balanceAtoms }) => balanceAtoms);
}

describe("a withdrawal that no node shows any more", () => {
  test("ends by its used sequence number, and the balance says what it has cost; its key never pays again", async () => {
    const fund = await newAptosFund(3n * APT_OCTAS);
    const first = request(newRecipient());
    alsoAlter(prunedOf(fund.address));
    const begun = withdraw(fund, first);
    const { digest } = granted(await begun);
    expect(await withdraw(fund, request(newRecipient()))).toMatchObject({ error: { reason: "sequence_conflict" } });
    await liveFor(fund, 15 * MINUTE_MS);
    expect(await aptosWithdrawals(fund)).toMatchObject([{ hash: digest, state: "unresolvable", chargedAtoms: null }]);
    await expectQuiet(fund);
    expect(await depositsOf(fund)).toEqual([3n * APT_OCTAS]);

    await giveOctas(fund.address, 7n);
    await stub(fund).refresh();
    expect(await depositsOf(fund)).toEqual([3n * APT_OCTAS, 7n]);
    expect(await withdraw(fund, first)).toMatchObject({ value: { digest, state: "unresolvable" } });
    alsoAlter();
    const other = request(newRecipient());
    expect(await withdraw(fund, other)).toMatchObject({ value: { state: "complete" } });
    expect([await octasOnChain(first.to), await octasOnChain(other.to)]).toEqual([AMOUNT_OCTAS, AMOUNT_OCTAS]);
    await expectQuiet(fund);
  });

  test("ends so where each instance lives for one alarm, too, and nothing of the evidence is kept", async () => {
    const fund = await newAptosFund(3n * APT_OCTAS);
    alsoAlter(prunedOf(fund.address));
    granted(await withdraw(fund, request(newRecipient())));
    await crash();
    await liveByAlarmsFor(fund, 15 * MINUTE_MS);
    expect(await aptosWithdrawals(fund)).toMatchObject([{ state: "unresolvable" }]);
    expect(await onAptosDisk(fund, (store) => [...store.usedSequences()])).toEqual([]);
    await expectQuiet(fund);
  });

  test("is settled as ever where a node shows it in time", async () => {
    const fund = await newAptosFund();
    alsoAlter(prunedOf(fund.address));
    granted(await withdraw(fund, request(newRecipient())));
    await liveFor(fund, 5 * MINUTE_MS);
    expect(await aptosWithdrawals(fund)).toMatchObject([{ state: "pending" }]);
    alsoAlter();
    await liveFor(fund, MINUTE_MS);
    expect(await aptosWithdrawals(fund)).toMatchObject([{ state: "complete" }]);
    await expectQuiet(fund);
  });
});

test("a sponsorship that nobody can read stops no other, and costs its key's limits what it withheld", async () => {
  const fund = await newAptosFund();
  const drafts = Array.from({ length: 8 }, () => draftOf(newUser()));
  for (const draft of drafts) await executed(fund, draft);
  for (const draft of drafts) await whenCommitted(draft);
  const unread = drafts.slice(0, 7);
  alsoAlter(...unread.map(({ sender }) => unreadableOf(sender.address)));
  await liveFor(fund, MINUTE_MS);
  expect(await aptosStatesOf(fund)).toEqual([...unread.map(() => "signed"), "complete"]);
  await giveOctas(fund.address, 7n);
  await liveFor(fund, 12 * MINUTE_MS);
  expect(await aptosStatesOf(fund)).toEqual([...unread.map(() => "unresolvable"), "complete"]);
  await expectQuiet(fund);
  expect(await depositsOf(fund), "the balance from before the deposit tells them apart").toEqual([APT_OCTAS, 7n]);
  const [{ chargedAtoms } = { chargedAtoms: null }] = (await sponsorshipsOf(fund)).slice(-1);
  const budgets = unread.reduce((sum, { budgetOctas }) => sum + budgetOctas, 0n);
  const { spentTodayAtoms } = await onAptosDisk(fund, (store) => store.usage(""));
  expect(spentTodayAtoms).toBe(budgets + (chargedAtoms ?? 0n));
  const [again] = unread;
  if (again === undefined) return;
  expect(reasonOf(await aptosExecute(fund, again))).toBe("outcome_unknown");
  expect(reasonOf(await aptosSponsor(fund, again))).toBe("sequence_conflict");
});

/**
 * Thirteen transactions that are due together, six of which are asked about at once: one that is in neither order among
 * the first six, by its due time or by its row, and the twelve others.
 */
async function oneBehindTwelve(fund: TestFund) {
  const drafts = Array.from({ length: 13 }, () => draftOf(newUser()));
  for (const draft of drafts) await executed(fund, draft);
  for (const draft of drafts) await whenCommitted(draft);
  pass(20 * SECOND_MS);
  const byDue = await runInDurableObject(platformStub(fund), (_, { storage: { sql } }) =>
    dueRows(sql).flatMap(({ kind, reference }) => (kind === "settle" ? reference : [])),
  );
  expect(byDue).toHaveLength(13);
  const early = [...byDue.slice(0, 6), ...(await onAptosDisk(fund, (store) => store.liveIds(null))).slice(0, 6)];
  const behind = (await sponsorshipsOf(fund)).find(({ id }) => !early.includes(id))?.sender;
  const one = drafts.find(({ sender }) => sender.address === behind);
  if (one === undefined) throw new Error("two sixes are thirteen");
  return { one, twelve: drafts.filter((draft) => draft !== one) };
}

describe("settlement goes on", () => {
  test("past more rows at once than are asked about together, of which no node tells anything", async () => {
    const fund = await newAptosFund();
    const { one, twelve: deaf } = await oneBehindTwelve(fund);
    alsoAlter(
      ...deaf.map(({ sender }) => ({
        method: `GET /accounts/${sender.address}`,
        alter: () => new Response("no", { status: 500 }),
      })),
    );
    await liveFor(fund, 3 * SECOND_MS);
    const settled = (await sponsorshipsOf(fund)).filter(({ state }) => state === "complete");
    expect(settled).toMatchObject([{ sender: one.sender.address }]);
    alsoAlter();
    await liveFor(fund, MINUTE_MS);
    await expectQuiet(fund);
  });

  test("past more rows than are asked about together that cannot be read from disk", async () => {
    const fund = await newAptosFund();
    const { one, twelve } = await oneBehindTwelve(fund);
    const set = (budgetOf: (draft: (typeof twelve)[number]) => string) =>
      runInDurableObject(platformStub(fund), (_, { storage: { sql } }) => {
        for (const draft of twelve)
          sql.exec(
            "UPDATE aptos_sponsorship_row SET gas_budget = ? WHERE lower(hex(sender)) = ?",
            budgetOf(draft),
            `00${draft.sender.address.slice(2)}`,
          );
      });
    await set(() => "much");
    // Memory has the rows as they were. A new instance reads the disk.
    await crash();
    await liveFor(fund, MINUTE_MS);
    const cost = (await committedAt(one.sender.address, 0n))?.chargedOctas;
    const charges = (await aptosLedgerOf(fund)).filter(({ kind }) => kind === "charge");
    expect(charges.map(({ balanceAtoms }) => -balanceAtoms)).toEqual([cost]);
    await set(({ budgetOctas }) => String(budgetOctas));
    await liveFor(fund, 6 * MINUTE_MS);
    expect(new Set(await aptosStatesOf(fund))).toEqual(new Set(["complete"]));
    await expectExactAptosBooks(fund);
  });
});
