import { abortAllDurableObjects, evictAllDurableObjects } from "cloudflare:test";
import { env } from "cloudflare:workers";
import { expect, test } from "vitest";
import { DIRECTORY_NAME } from "../../shared/bindings/directory.ts";
import { startFromNothing } from "./called-objects.ts";

test.each([
  ["is in memory", async () => {}],
  ["was evicted", evictAllDurableObjects],
  ["was aborted", abortAllDurableObjects],
] as const)("a test finds nothing of an object that %s when the test before it ended", async (_, end) => {
  const listed = async () => (await env.DIRECTORY.getByName(DIRECTORY_NAME).projects({ limit: 1, cursor: null })).items;
  await env.DIRECTORY.getByName(DIRECTORY_NAME).add("prj_1");
  expect(await listed()).toEqual(["prj_1"]);
  await end();
  await startFromNothing();
  expect(await listed()).toEqual([]);
});
