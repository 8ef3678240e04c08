import { expect, vi } from "vitest";
import type { FundArchiveObject } from "../../../shared/bindings/fund-archive.ts";
import { ARCHIVE_SILENT } from "../../../shared/errors.ts";
import { archiveName, monthOf } from "../../../shared/fund/archive/months.ts";
import { FundArchive } from "../../../shared/fund/archive/object.ts";
import { A_DAY, allLedger, allSponsorships, DAY_MS, runMoves } from "../../support/archive.ts";
import { onDisk } from "../../support/fund-books.ts";
import { longTest, shortTest } from "../../support/rounds.ts";
import {
  alarm,
  bindings,
  execute,
  executeOnChain,
  liveFor,
  MINUTE_MS,
  newFundOfCoins,
  pass,
  prepare,
  SECOND_MS,
  sponsor,
  sponsorInput,
  stub,
  type TestFund,
  useStoppedClock,
} from "../../support/sui-fund.ts";

useStoppedClock();

/** How many rows the fund itself still has. */
function inFund(fund: TestFund) {
  return onDisk(fund, (_, sql) => ({
    sponsorships: sql.exec<{ n: number }>("SELECT COUNT(*) AS n FROM sponsorship_row").one().n,
    ledger: sql.exec<{ n: number }>("SELECT COUNT(*) AS n FROM ledger_row").one().n,
    treasury: sql.exec<{ n: number }>("SELECT COUNT(*) AS n FROM own_transaction").one().n,
  }));
}

/** A fund with sponsorships that were executed by their users, through the service, and not at all. */
async function usedFund() {
  const fund = await newFundOfCoins(8, A_DAY);
  const byUser = await sponsor(fund, "by its user");
  await executeOnChain(byUser);
  const prepared = await prepare(fund, "through the service");
  expect(await execute(fund, prepared)).toMatchObject({ ok: true });
  const abandoned = await prepare(fund, "abandoned");
  await liveFor(fund, 11 * MINUTE_MS);
  return { fund, byUser, prepared, abandoned };
}

shortTest("ended rows leave the fund, and every list, sum and digest stays as it was", async () => {
  const { fund, byUser, prepared, abandoned } = await usedFund();
  const before = { view: await stub(fund).view(), rows: await allSponsorships(fund), ledger: await allLedger(fund) };
  expect(before.rows.map(({ state }) => state).toSorted()).toEqual(["complete", "complete", "dead"]);
  pass(DAY_MS);
  await runMoves(fund);
  const left = await inFund(fund);
  expect(left.sponsorships, "the newest row stays").toBe(1);
  expect(left.ledger).toBe(0);
  expect(await allSponsorships(fund)).toEqual(before.rows);
  expect(await allLedger(fund)).toEqual(before.ledger);
  // A day later the fund knows how fast it spends.
  expect(await stub(fund).view()).toEqual({ ...before.view, runwayDays: expect.any(Number) });
  for (const { digest } of [byUser, prepared])
    expect(await stub(fund).status(digest)).toMatchObject({ value: "COMPLETE" });
  expect(await stub(fund).status(abandoned.digest)).toMatchObject({ value: "INVALID" });
  expect(await stub(fund).reconcile()).toMatchObject({ value: { exact: true } });
  const repeated = await execute(fund, prepared);
  expect(repeated).toMatchObject({ ok: true, value: { execution: { digest: prepared.digest, success: true } } });

  await executeOnChain(await sponsor(fund, "afterwards"));
  await liveFor(fund, 5 * SECOND_MS);
  const after = await allSponsorships(fund);
  expect(after.slice(1)).toEqual(before.rows);
});

shortTest("the sums of the months are those of the rows that left", async () => {
  const { fund } = await usedFund();
  const rows = await allSponsorships(fund);
  const ledger = await allLedger(fund);
  pass(DAY_MS);
  await runMoves(fund);
  const months = await onDisk(fund, (store) => store.months.list());
  const left = await onDisk(fund, (store) => store.ended.sponsorshipsBelow(Number.MAX_SAFE_INTEGER, 10));
  const moved = rows.slice(left.length);
  const sum = (amounts: readonly (bigint | null)[]) =>
    amounts.reduce<bigint>((total, atoms) => total + (atoms ?? 0n), 0n);
  expect(sum(months.map(({ sums }) => BigInt(sums.sponsorships)))).toBe(BigInt(moved.length));
  expect(sum(months.map(({ sums }) => sums.chargedAtoms))).toBe(sum(moved.map(({ chargedAtoms }) => chargedAtoms)));
  expect(sum(months.map(({ sums }) => sums.rebateAtoms))).toBe(sum(moved.map(({ rebateAtoms }) => rebateAtoms)));
  for (const column of ["balanceAtoms", "inFlightAtoms", "accruedFeesAtoms"] as const)
    expect(sum(months.map(({ sums }) => sums[column]))).toBe(sum(ledger.map((row) => row[column])));
});

longTest("a row stays while an Idempotency-Key refers to it", async () => {
  const fund = await newFundOfCoins(8, A_DAY);
  const idempotency = { scope: "key svc caller's", fingerprint: "a" };
  const kept = await prepare(fund, "kept", { idempotency });
  expect(await execute(fund, kept)).toMatchObject({ ok: true });
  await executeOnChain(await sponsor(fund, "newest"));
  await liveFor(fund, 5 * SECOND_MS);
  await onDisk(fund, (_, sql) => sql.exec("UPDATE idempotency SET expires_at_ms = expires_at_ms + 86400000"));
  pass(DAY_MS);
  await runMoves(fund);
  expect(await onDisk(fund, (store) => store.stateOf(kept.digest))).toBe("complete");
  expect(await stub(fund).prepareExecution(await sponsorInput("kept", { idempotency }))).toMatchObject({
    ok: true,
    value: { digest: kept.digest },
  });
  pass(DAY_MS);
  await runMoves(fund);
  expect(await onDisk(fund, (store) => store.stateOf(kept.digest))).toBe(null);
  expect((await allSponsorships(fund)).map(({ digest }) => digest)).toContain(kept.digest);
});

longTest("an archive that does not answer fails the read, and never makes it wrong", async () => {
  const { fund, byUser } = await usedFund();
  const before = await allSponsorships(fund);
  pass(DAY_MS);
  await runMoves(fund);
  const silent = () => {
    throw new Error("no answer");
  };
  const methods = ["list", "sponsorship"] as const satisfies readonly (keyof FundArchiveObject)[];
  const spies = methods.map((method) => vi.spyOn(FundArchive.prototype, method).mockImplementation(silent));
  const page = { limit: 10, cursor: null };
  for (const list of [() => stub(fund).sponsorships(page), () => stub(fund).ledger(page)])
    expect(await list().then(() => "a page", String)).toContain(ARCHIVE_SILENT);
  expect(await stub(fund).status(byUser.digest)).toMatchObject({ ok: false, error: { reason: "storage" } });
  expect(await execute(fund, byUser)).toMatchObject({ ok: false, error: { reason: "storage" } });
  for (const spy of spies) spy.mockRestore();
  expect(await allSponsorships(fund)).toEqual(before);
});

longTest("a fund whose archive does not take rows keeps them, and moves them later", async () => {
  const { fund } = await usedFund();
  const before = await allSponsorships(fund);
  const had = await inFund(fund);
  const spy = vi.spyOn(FundArchive.prototype, "put").mockRejectedValue(new Error("no answer"));
  pass(DAY_MS);
  for (let count = 0; count < 3; count++) {
    await alarm(fund);
    pass(15 * SECOND_MS);
  }
  expect(spy).toHaveBeenCalled();
  expect(await inFund(fund)).toEqual(had);
  expect(await allSponsorships(fund)).toEqual(before);
  spy.mockRestore();
  await runMoves(fund);
  expect((await inFund(fund)).sponsorships).toBe(1);
  expect(await allSponsorships(fund)).toEqual(before);
});

longTest("a withdrawal is answered under its key for ever, and stays in the fund", async () => {
  const fund = await newFundOfCoins(8, A_DAY);
  const order = {
    to: `0x${"7".repeat(64)}`,
    amountAtoms: 1_000_000n,
    from: "available",
    idempotency: { scope: "admin withdraw once", fingerprint: "a" },
  } as const;
  const first = await stub(fund).withdraw(order);
  expect(first).toMatchObject({ ok: true, value: { state: "complete" } });
  pass(2 * DAY_MS);
  await runMoves(fund);
  expect(await stub(fund).withdraw(order)).toEqual(first);
});

longTest("treasury transactions without a key leave, and their archive has them", async () => {
  const { fund } = await usedFund();
  const abandoned = await sponsor(fund, "recycled");
  await liveFor(fund, 65 * MINUTE_MS);
  const [recycle] = await onDisk(fund, (_, sql) =>
    sql
      .exec<{ digest: string; created_at_ms: number }>(
        "SELECT digest, created_at_ms FROM own_transaction WHERE purpose = 'recycle'",
      )
      .toArray(),
  );
  if (recycle === undefined) throw new Error("nothing was recycled");
  await executeOnChain(await sponsor(fund, "newest"));
  await liveFor(fund, 5 * SECOND_MS);
  pass(DAY_MS);
  await runMoves(fund);
  expect((await inFund(fund)).treasury).toBe(0);
  const archive = bindings.FUND_ARCHIVE.getByName(archiveName(fund.id, monthOf(recycle.created_at_ms)));
  const found = await archive.treasury(recycle.digest);
  expect(JSON.parse(found?.record ?? "{}")).toMatchObject({ purpose: "recycle", state: "complete" });
  expect(await stub(fund).status(abandoned.digest)).toMatchObject({ value: "INVALID" });
});
