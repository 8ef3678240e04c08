import { runInDurableObject } from "cloudflare:test";
import { env } from "cloudflare:workers";
import { expect, test } from "vitest";
import * as z from "zod";
import { createAdminApp } from "../../../functions/service/admin/app.ts";
import { createDeps } from "../../../shared/bindings/deps.ts";
import { authorization } from "../../support/admin-access.ts";
import { expectExactBooks } from "../../support/fund-books.ts";
import { copyOf, type FundCopy } from "../../support/restore.ts";
import {
  executeOnChain,
  liveFor,
  MINUTE_MS,
  newFundWith,
  platformStub,
  refusalOf,
  SUI_MIST,
  sponsor,
  stub,
  submitAsUser,
  type TestFund,
  useStoppedClock,
} from "../../support/sui-fund.ts";
import { auditActions } from "../../support/webhooks.ts";

useStoppedClock();

const adminApp = createAdminApp(createDeps(env));
const UNDO = "the bookmark of before";

async function call(path: string, body: unknown) {
  const init = {
    method: "POST",
    headers: { authorization, "content-type": "application/json" },
    body: JSON.stringify(body),
  };
  const response = await adminApp.request(path, init, env);
  return { status: response.status, body: await response.json() };
}

async function newFundOfProject() {
  const { body } = await call("/projects", { name: "demo" });
  const { id: projectId } = z.object({ id: z.string() }).parse(body);
  const fund = await newFundWith({ projectId }, 5n * SUI_MIST);
  return { fund, projectId, restore: (point: unknown) => call(`/funds/${fund.id}/restore`, point) };
}

/**
 * Supplies what the local runtime lacks. The platform restores when the object starts again. This does so when the
 * restore is ordered, because nothing runs in between.
 */
function supplyRecovery(fund: TestFund, copies: ReadonlyMap<string, FundCopy>): Promise<void> {
  return runInDurableObject(platformStub(fund), (_, { storage }) => {
    storage.getBookmarkForTime = async (time) => `the bookmark of ${Number(time)}`;
    storage.onNextSessionRestoreBookmark = async (bookmark) => {
      const copy = copies.get(bookmark);
      if (copy === undefined) throw new Error("The bookmark is unknown.");
      await storage.deleteAll();
      storage.sql.exec(copy);
      return UNDO;
    };
  });
}

test("a restore is refused where the platform keeps no earlier state, and changes nothing", async () => {
  const { fund, restore } = await newFundOfProject();
  await sponsor(fund, "kept");
  const copy = await copyOf(fund);
  const nowMs = Date.now();
  const refused = await restore({ at: new Date(nowMs).toISOString() });
  expect(refused).toMatchObject({ status: 422, body: { detail: expect.stringContaining("point-in-time recovery") } });
  for (const at of ["2020-01-01T00:00:00Z", new Date(nowMs + MINUTE_MS).toISOString()])
    expect(await restore({ at }), at).toMatchObject({ status: 422 });
  for (const body of [{}, { at: "yesterday" }, { bookmark: "" }, { at: "2026-01-01T00:00:00Z", bookmark: "b" }])
    expect(await restore(body), JSON.stringify(body)).toMatchObject({ status: 400 });
  expect(await copyOf(fund)).toBe(copy);
});

test("a restored fund recovers by itself, and what it has forgotten executes no more", async () => {
  const { fund, projectId, restore } = await newFundOfProject();
  const atMs = Date.now();
  const copies = new Map([[`the bookmark of ${atMs}`, await copyOf(fund)]]);
  await executeOnChain(await sponsor(fund, "executed"));
  const forgotten = await sponsor(fund, "forgotten");
  await supplyRecovery(fund, copies);

  const restored = await restore({ at: new Date(atMs).toISOString() });
  expect(restored).toMatchObject({ status: 202, body: { undoBookmark: UNDO } });
  expect(await auditActions(projectId)).toEqual(expect.arrayContaining(["fund.restore", "fund.restored"]));
  for (let minute = 0; minute < 10 && (await stub(fund).view())?.recovery?.state !== "done"; minute++)
    await liveFor(fund, MINUTE_MS);
  expect(await stub(fund).view()).toMatchObject({ recovery: { state: "done" }, pausedCause: null });
  expect(await submitAsUser(forgotten)).not.toBe("executed");
  await expectExactBooks(fund);
  expect(await refusalOf(fund, "after")).toBeNull();
});
