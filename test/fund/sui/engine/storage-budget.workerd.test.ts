import { bcs } from "@mysten/sui/bcs";
import { expect, test } from "vitest";
import type { Outcome } from "../../../../shared/errors.ts";
import type { SponsorInput } from "../../../../shared/fund/sui/engine/sponsor-input.ts";
import { A_DAY, DAY_MS, expectExactWithArchives, runMoves } from "../../../support/archive.ts";
import { coinsOf, onDisk, statesOf } from "../../../support/fund-books.ts";
import { fill, leaveRoom, storageEvents } from "../../../support/storage-budget.ts";
import { balanceOnChain, give } from "../../../support/sui-chain.ts";
import {
  execute,
  executeOnChain,
  liveFor,
  MINUTE_MS,
  newFundOfCoins,
  pass,
  prepare,
  refusalOf,
  SECOND_MS,
  SUI_MIST,
  sponsor,
  sponsorInput,
  stub,
  type TestFund,
  user,
  useStoppedClock,
} from "../../../support/sui-fund.ts";

const LARGE_BYTES = 100_000;
const ROOM_BYTES = 700_000;
const FLOODING = "key_00000000000000000001";
const LEAKED = "key_00000000000000000002";

useStoppedClock();

/** A kind that fills most of a transaction. */
function largeKind(): Uint8Array {
  const padding = { Pure: { bytes: new Uint8Array(LARGE_BYTES) } };
  return bcs.TransactionKind.serialize({ ProgrammableTransaction: { inputs: [padding], commands: [] } }).toBytes();
}

async function prepareLarge(fund: TestFund, index: number): Promise<Outcome<unknown>> {
  const terms: Partial<SponsorInput> = { keyId: FLOODING, kindBytes: largeKind() };
  return stub(fund).prepare(await sponsorInput(`large ${index}`, terms));
}

test("a fund that a caller has filled sponsors nothing new, does all the rest, and recovers by itself", async () => {
  const fund = await newFundOfCoins(16, A_DAY);
  const aged = await sponsor(fund, "executed a day before");
  await executeOnChain(aged);
  await liveFor(fund, 5 * SECOND_MS);
  pass(DAY_MS);
  const executed = await sponsor(fund, "executed by its user");
  const leaked = await sponsor(fund, "leaked", { keyId: LEAKED });
  const prepared = await prepare(fund, "prepared");
  await leaveRoom(fund, ROOM_BYTES);
  expect(await statesOf(fund, [aged]), "no row has left yet").toEqual(["complete"]);

  let filled: Awaited<ReturnType<typeof fill>> | null = null;
  const high = await storageEvents(async () => {
    filled = await fill((index) => prepareLarge(fund, index));
    await stub(fund).check();
    await stub(fund).check();
  });
  expect(high, "reported once").toEqual(["fund.storage_high"]);
  expect(filled).toMatchObject({
    taken: ROOM_BYTES / LARGE_BYTES,
    refusal: {
      reason: "storage_budget",
      data: { usedBytes: expect.any(Number), budgetBytes: expect.any(Number) },
    },
  });
  expect(await stub(fund).view()).toMatchObject({ storage: { isHigh: true } });
  expect(await refusalOf(fund, "by another key")).toBe("storage_budget");
  expect(await execute(fund, prepared)).toMatchObject({ error: { reason: "storage_budget" } });
  expect(await stub(fund).prepareExecution(await sponsorInput("another"))).toMatchObject({
    error: { reason: "storage_budget" },
  });

  await executeOnChain(executed);
  await liveFor(fund, 5 * SECOND_MS);
  expect(await statesOf(fund, [executed]), "settlement goes on").toEqual(["complete"]);
  await give(fund.address, SUI_MIST);
  expect(await stub(fund).refresh(), "deposits are found").toMatchObject({ ok: true });
  const idempotency = { scope: "operator withdraw", fingerprint: "the same" };
  const order = { to: user.toSuiAddress(), amountAtoms: SUI_MIST / 2n, from: "available", idempotency } as const;
  const { totalMist: beforeMist } = await balanceOnChain(order.to);
  expect(await stub(fund).withdraw(order)).toMatchObject({ ok: true });
  await liveFor(fund, 5 * SECOND_MS);
  expect((await balanceOnChain(order.to)).totalMist, "a withdrawal is paid").toBe(beforeMist + order.amountAtoms);
  expect(await stub(fund).revoke(LEAKED), "signatures are taken back").toMatchObject({ revoked: 1 });
  expect(await statesOf(fund, [leaked])).toEqual(["dead"]);
  await runMoves(fund);
  expect(await onDisk(fund, (store) => store.stateOf(aged.digest)), "retention goes on").toBe(null);
  expect(await stub(fund).status(aged.digest), "its archive has it").toMatchObject({ value: "COMPLETE" });
  await expectExactWithArchives(fund);
  expect(await refusalOf(fund, "still"), "none of that has freed the room").toBe("storage_budget");

  const recovered = await storageEvents(() => liveFor(fund, 11 * MINUTE_MS));
  expect(recovered, "reported once").toEqual(["fund.storage_recovered"]);
  expect(await refusalOf(fund, "afterwards")).toBe(null);
  await expectExactWithArchives(fund);
});

test("a raised budget counts from the next call", async () => {
  const fund = await newFundOfCoins(3);
  await leaveRoom(fund, 0);
  expect(await refusalOf(fund, "full")).toBe("storage_budget");
  await stub(fund).update({ limits: { fundBytes: 16_777_216 } });
  expect(await refusalOf(fund, "raised")).toBe(null);
});

test("the row of a coin that is gone leaves 30 days later, and one that has come back stays", async () => {
  const fund = await newFundOfCoins(2);
  const [first, second] = await coinsOf(fund);
  if (first === undefined || second === undefined) throw new Error("the fund has no coins");
  const gone = { ...first, state: "gone", balanceMist: 0n } as const;
  const idsAfter = (days: number) =>
    onDisk(fund, (store, sql) =>
      store.transact(() => {
        store.dropGoneCoins(Date.now() + days * DAY_MS);
        return sql.exec("SELECT object_id FROM coin ORDER BY object_id").toArray().length;
      }),
    );
  await onDisk(fund, (store) => store.transact(() => store.putCoin(gone)));
  expect([await idsAfter(0), await idsAfter(29)]).toEqual([2, 2]);
  await onDisk(fund, (store) => store.transact(() => store.putCoin(first)));
  expect(await idsAfter(31), "it came back").toBe(2);
  await onDisk(fund, (store) => store.transact(() => store.putCoin(gone)));
  expect([await idsAfter(31), await idsAfter(60), await idsAfter(61)]).toEqual([2, 2, 1]);
  expect(await coinsOf(fund)).toEqual([second]);
});
