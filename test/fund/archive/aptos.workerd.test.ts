import { expect, test } from "vitest";
import { draftOf, newUser } from "../../support/aptos-chain.ts";
import {
  aptosExecute,
  aptosSponsor,
  executed,
  expectQuiet,
  landed,
  newAptosFund,
  onAptosDisk,
  reasonOf,
  sponsored,
  useStoppedAptosClock,
  whenCommitted,
} from "../../support/aptos-fund.ts";
import { A_DAY, allLedger, allSponsorships, DAY_MS, runMoves } from "../../support/archive.ts";
import { HOUR_MS, liveFor, MINUTE_MS, pass, stub } from "../../support/sui-fund.ts";

useStoppedAptosClock();

test("ended rows leave an Aptos fund, and lists, sums and repeated requests stay as they were", async () => {
  const fund = await newAptosFund(undefined, A_DAY);
  const done = draftOf(newUser());
  const hash = await executed(fund, done);
  await whenCommitted(done);
  const abandoned = draftOf(newUser());
  await sponsored(fund, abandoned);
  await liveFor(fund, HOUR_MS + 5 * MINUTE_MS);
  await landed(fund, draftOf(newUser()));
  await liveFor(fund, MINUTE_MS);
  await expectQuiet(fund);
  const before = { view: await stub(fund).view(), rows: await allSponsorships(fund), ledger: await allLedger(fund) };
  expect(before.rows.map(({ state }) => state)).toEqual(["complete", "dead", "complete"]);

  pass(DAY_MS);
  await runMoves(fund);
  pass(HOUR_MS);
  await runMoves(fund);
  expect(
    await onAptosDisk(fund, (_, sql) => sql.exec("SELECT COUNT(*) AS rows FROM aptos_sponsorship_row").one()),
  ).toEqual({
    rows: 1,
  });
  expect(await onAptosDisk(fund, (store) => store.oldestLedger(1))).toEqual([]);
  expect(await allSponsorships(fund)).toEqual(before.rows);
  expect(await allLedger(fund)).toEqual(before.ledger);
  expect(await stub(fund).view()).toEqual({ ...before.view, runwayDays: expect.any(Number) });
  expect(await stub(fund).reconcile()).toMatchObject({ ok: true, value: { exact: true } });

  expect(await aptosExecute(fund, done)).toMatchObject({ ok: true, value: { pendingTransaction: { hash } } });
  expect(reasonOf(await aptosSponsor(fund, done))).toBe(null);
  expect(reasonOf(await aptosSponsor(fund, abandoned))).toBe("expired");
  const unknown = draftOf(newUser(), { expirationSecs: BigInt(Math.floor(Date.now() / 1_000)) - 60n });
  expect(reasonOf(await aptosSponsor(fund, unknown))).toBe("expired");
});
