import { expect, test } from "vitest";
import { LookUpPlaces } from "../../../shared/fund/look-up-places.ts";
import { inLanes } from "../../../shared/fund/sui/engine/host-look-ups.ts";

const newPlaces = () => new LookUpPlaces({ least: 4, most: 5 }, () => {});

test("batches take no more places than settlement leaves them, and go on once it gives them back", async () => {
  const places = newPlaces();
  let underWay = 0;
  let most = 0;
  const work = async () => {
    most = Math.max(most, ++underWay);
    await new Promise((resolve) => setTimeout(resolve, 5));
    underWay -= 1;
    return true;
  };
  const items = Array.from({ length: 20 }, (_, index) => `s${index}`);
  const lanes = (done: string[]) =>
    inLanes(
      places,
      items.map((item) => [item]),
      async ([item = ""]) => {
        done.push(item);
        await work();
      },
      () => false,
    );
  const done: string[] = [];
  await Promise.all([places.run(items, work), lanes(done)]);
  expect(done.toSorted()).toEqual(items.toSorted());
  expect([most <= 5, underWay]).toEqual([true, 0]);
});

test("three batches are looked up at once, each is looked up once, and none begins after the stop", async () => {
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
  await inLanes(newPlaces(), batches, work, () => false);
  expect([most, begun]).toEqual([3, batches.flat()]);
  begun.length = 0;
  await inLanes(newPlaces(), batches, work, () => begun.length >= 6);
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
  await expect(inLanes(newPlaces(), batches, work, () => false)).rejects.toThrow("broken");
  expect([underWay, begun]).toEqual([0, 3]);
});

test("look-ups at a host that hangs leave settlement a place", async () => {
  const places = newPlaces();
  const hanging = Promise.withResolvers<void>();
  const batches = Array.from({ length: 20 }, (_, index) => [`d${index}`]);
  const looked = inLanes(
    places,
    batches,
    () => hanging.promise,
    () => false,
  );
  const settled: string[] = [];
  await places.run(["due"], async (item) => {
    settled.push(item);
    return true;
  });
  expect(settled).toEqual(["due"]);
  hanging.resolve();
  await looked;
});
