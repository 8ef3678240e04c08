import { expect, test } from "vitest";
import { inLanes } from "../../../shared/fund/sui/engine/host-look-ups.ts";

test("four batches are looked up at once, each is looked up once, and none begins after the stop", async () => {
  const batches = Array.from({ length: 20 }, (_, index) => [`d${index}`]);
  const begun: string[] = [];
  let underWay = 0;
  let most = 0;
  const work = async ([digest = ""]: readonly string[]) => {
    begun.push(digest);
    underWay += 1;
    most = Math.max(most, underWay);
    await Promise.resolve();
    underWay -= 1;
  };
  await inLanes(batches, work, () => false);
  expect([most, begun]).toEqual([4, batches.flat()]);
  begun.length = 0;
  await inLanes(batches, work, () => begun.length >= 6);
  expect(begun).toEqual(batches.flat().slice(0, 6));
});

test("an error ends the call only once no batch is under way, and none begins after it", async () => {
  let underWay = 0;
  let begun = 0;
  const work = async ([digest]: readonly string[]) => {
    begun += 1;
    if (digest === "d0") throw new Error("broken");
    underWay += 1;
    for (let turn = 0; turn < 20; turn += 1) await Promise.resolve();
    underWay -= 1;
  };
  const batches = Array.from({ length: 20 }, (_, index) => [`d${index}`]);
  await expect(inLanes(batches, work, () => false)).rejects.toThrow("broken");
  expect([underWay, begun]).toEqual([0, 4]);
});
