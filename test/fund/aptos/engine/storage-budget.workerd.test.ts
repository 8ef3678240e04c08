import { MoveString } from "@aptos-labs/ts-sdk";
import { expect, test } from "vitest";
import { APT_OCTAS, draftOf, giveOctas, newUser, octasOnChain, submitDraft } from "../../../support/aptos-chain.ts";
import {
  aptosExecute,
  aptosSponsor,
  aptosStatesOf,
  landed,
  newAptosFund,
  onAptosDisk,
  reasonOf,
  sponsored,
  useStoppedAptosClock,
  whenCommitted,
} from "../../../support/aptos-fund.ts";
import { newRecipient, request, withdraw } from "../../../support/aptos-withdrawals.ts";
import { A_DAY, allSponsorships, DAY_MS, expectExactWithArchives, runMoves } from "../../../support/archive.ts";
import { fill, leaveRoom, storageEvents } from "../../../support/storage-budget.ts";
import { KEY_ID, liveFor, MINUTE_MS, pass, SECOND_MS, stub } from "../../../support/sui-fund.ts";

const LARGE_BYTES = 50_000;
const ROOM_BYTES = 350_000;

useStoppedAptosClock();

/** A call with an argument that fills most of a transaction. */
function largeDraft() {
  return draftOf(newUser(), { call: ["mint", new MoveString("x".repeat(LARGE_BYTES))] });
}

test("a fund that a caller has filled sponsors nothing new, does all the rest, and recovers by itself", async () => {
  const fund = await newAptosFund(2n * APT_OCTAS, A_DAY);
  await landed(fund, draftOf(newUser()));
  await liveFor(fund, MINUTE_MS);
  const [aged] = await allSponsorships(fund);
  pass(DAY_MS);
  const handedOut = draftOf(newUser());
  const signature = await sponsored(fund, handedOut);
  await leaveRoom(fund, ROOM_BYTES);
  const rowsInFund = () =>
    onAptosDisk(fund, (_, sql) => sql.exec("SELECT COUNT(*) AS rows FROM aptos_sponsorship_row").one().rows);
  expect(await rowsInFund(), "no row has left yet").toBe(2);

  let filled: Awaited<ReturnType<typeof fill>> | null = null;
  let last = largeDraft();
  const high = await storageEvents(async () => {
    filled = await fill(() => {
      last = largeDraft();
      return aptosSponsor(fund, last);
    });
    await stub(fund).check();
    await stub(fund).check();
  });
  expect(high, "reported once").toEqual(["fund.storage_high"]);
  expect(filled).toMatchObject({ taken: ROOM_BYTES / LARGE_BYTES, refusal: { reason: "storage_budget" } });
  expect(reasonOf(await aptosExecute(fund, draftOf(newUser()))), "nor is anything submitted").toBe("storage_budget");
  expect(reasonOf(await stub(fund).aptosScreenInitialization())).toBe("storage_budget");

  expect(await sponsored(fund, handedOut), "a repeat gets what it had").toEqual(signature);
  await submitDraft(handedOut, fund.address, signature);
  await whenCommitted(handedOut);
  await liveFor(fund, 5 * SECOND_MS);
  expect((await aptosStatesOf(fund))[0], "settlement goes on").toBe("complete");
  await giveOctas(fund.address, APT_OCTAS);
  expect(await stub(fund).refresh(), "deposits are found").toMatchObject({ ok: true });
  const order = request(newRecipient());
  expect(await withdraw(fund, order)).toMatchObject({ ok: true });
  await liveFor(fund, 5 * SECOND_MS);
  expect(await octasOnChain(order.to), "a withdrawal is paid").toBe(order.amountAtoms);
  expect(await stub(fund).revoke(KEY_ID)).toMatchObject({ irrevocable: ROOM_BYTES / LARGE_BYTES });
  await stub(fund).unrevokeKey(KEY_ID);
  await runMoves(fund);
  expect(await rowsInFund(), "retention goes on").toBe(1 + ROOM_BYTES / LARGE_BYTES);
  expect(await allSponsorships(fund), "its archive has it").toContainEqual(aged);
  await expectExactWithArchives(fund);
  expect(reasonOf(await aptosSponsor(fund, last)), "none of that has freed the room").toBe("storage_budget");

  const recovered = await storageEvents(() => liveFor(fund, 11 * MINUTE_MS));
  expect(recovered, "reported once").toEqual(["fund.storage_recovered"]);
  expect(reasonOf(await aptosSponsor(fund, draftOf(newUser())))).toBe(null);
  await liveFor(fund, 11 * MINUTE_MS);
  expect(await stub(fund).view()).toMatchObject({ inFlightAtoms: 0n });
  await expectExactWithArchives(fund);
});
