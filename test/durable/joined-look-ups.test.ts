import { expect, test } from "vitest";
import { JoinedLookUps } from "../../shared/durable/joined-look-ups.ts";
import { done, type Outcome, refuse } from "../../shared/errors.ts";

const BOUNDS = { batchNames: 2, gapMs: 0, waitingNames: 3 };
const refuseFull = () => refuse("storage", "too many");

/** Look-ups whose batches are answered by hand. */
function byHand() {
  const batches: { readonly names: readonly string[]; readonly answer: PromiseWithResolvers<Outcome<string>[]> }[] = [];
  const lookUps = new JoinedLookUps<string>(
    BOUNDS,
    (names) => {
      const answer = Promise.withResolvers<Outcome<string>[]>();
      batches.push({ names, answer });
      return answer.promise;
    },
    refuseFull,
  );
  const nextBatch = async (count: number) => {
    await expect.poll(() => batches.length).toBe(count);
    const batch = batches[count - 1];
    if (batch === undefined) throw new Error("no batch");
    return { ...batch, answerAll: () => batch.answer.resolve(batch.names.map((name) => done(`${name}!`))) };
  };
  return { lookUps, batches, nextBatch };
}

test("calls of one name share one answer, and calls that come together share a batch", async () => {
  const { lookUps, batches, nextBatch } = byHand();
  const answers = ["a", "b", "a"].map((name) => lookUps.find(name));
  const first = await nextBatch(1);
  expect(first.names).toEqual(["a", "b"]);
  first.answerAll();
  expect(await Promise.all(answers)).toEqual([done("a!"), done("b!"), done("a!")]);
  expect(batches).toHaveLength(1);
});

test("one batch is under way at a time, and no more names wait than the bound", async () => {
  const { lookUps, batches, nextBatch } = byHand();
  const first = [lookUps.find("a"), lookUps.find("b")];
  const batch = await nextBatch(1);
  const waiting = ["c", "d", "e"].map((name) => lookUps.find(name));
  expect(await lookUps.find("f")).toEqual(refuseFull());
  const shared = lookUps.find("c");
  expect(batches, "the second batch waits for the first").toHaveLength(1);
  batch.answerAll();
  expect(await Promise.all(first)).toEqual([done("a!"), done("b!")]);
  (await nextBatch(2)).answerAll();
  (await nextBatch(3)).answerAll();
  expect(await Promise.all([...waiting, shared])).toEqual([done("c!"), done("d!"), done("e!"), done("c!")]);
  expect(batches.map(({ names }) => names)).toEqual([["a", "b"], ["c", "d"], ["e"]]);
});

test("a fault of a batch reaches each of its calls, and the next call asks again", async () => {
  const { lookUps, nextBatch } = byHand();
  const answers = Promise.allSettled([lookUps.find("a"), lookUps.find("b")]);
  (await nextBatch(1)).answer.reject(new Error("no storage"));
  expect((await answers).map(({ status }) => status)).toEqual(["rejected", "rejected"]);
  const again = lookUps.find("a");
  (await nextBatch(2)).answerAll();
  expect(await again).toEqual(done("a!"));
});

test("a batch without an answer for a name is a fault of that name", async () => {
  const { lookUps, nextBatch } = byHand();
  const answers = Promise.allSettled([lookUps.find("a"), lookUps.find("b")]);
  (await nextBatch(1)).answer.resolve([done("a!")]);
  expect((await answers).map(({ status }) => status)).toEqual(["fulfilled", "rejected"]);
});
