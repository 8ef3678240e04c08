import { expect, test } from "vitest";
import { SharedRounds } from "../../shared/durable/shared-rounds.ts";

/** Rounds that end when they are told to; each answers with its number. */
function heldRounds() {
  const ends: ((failure?: Error) => void)[] = [];
  const rounds = new SharedRounds(
    () =>
      new Promise<number>((resolve, reject) => {
        const number = ends.length + 1;
        ends.push((failure) => (failure === undefined ? resolve(number) : reject(failure)));
      }),
  );
  return { ends, rounds };
}

test("callers who ask at once share a round, and who asks later shares the next", async () => {
  const { ends, rounds } = heldRounds();
  const first = [rounds.run(), rounds.run()];
  await Promise.resolve();
  const second = [rounds.run(), rounds.run()];
  expect(ends).toHaveLength(1);
  ends[0]?.();
  expect(await Promise.all(first)).toEqual([1, 1]);
  await expect.poll(() => ends.length).toBe(2);
  ends[1]?.();
  expect(await Promise.all(second)).toEqual([2, 2]);
});

test("a round that fails is told to those who share it, and the next one begins", async () => {
  const { ends, rounds } = heldRounds();
  const first = rounds.run();
  await Promise.resolve();
  const second = rounds.run();
  ends[0]?.(new Error("no answer"));
  await expect(first).rejects.toThrow("no answer");
  await expect.poll(() => ends.length).toBe(2);
  ends[1]?.();
  expect(await second).toBe(2);
});
