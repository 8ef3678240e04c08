import { expect, test } from "vitest";
import {
  afterWrongSecret,
  isReportable,
  NO_WRONG_SECRETS,
  type WrongSecrets,
  waitAfterWrongSecretsMs,
} from "../../shared/wallet/back-off.ts";

const DAY_MS = 86_400_000;

/** So many wrong secrets in a row, each as soon as it is answered. */
function afterMany(count: number): WrongSecrets {
  let wrong = NO_WRONG_SECRETS;
  for (let tried = 0; tried < count; tried += 1)
    wrong = afterWrongSecret(wrong, wrong.lastAtMs + waitAfterWrongSecretsMs(wrong, wrong.lastAtMs));
  return wrong;
}

test("four wrong secrets cost nothing, from the fifth on the wait doubles, up to five minutes", () => {
  const waits = Array.from({ length: 16 }, (_, count) => {
    const wrong = afterMany(count);
    return waitAfterWrongSecretsMs(wrong, wrong.lastAtMs);
  });
  expect(waits).toEqual([
    ...[0, 0, 0, 0, 0],
    ...[1_000, 2_000, 4_000, 8_000, 16_000, 32_000, 64_000, 128_000, 256_000, 300_000, 300_000],
  ]);
});

test("a wait ends at its instant", () => {
  const wrong = afterMany(6);
  expect(waitAfterWrongSecretsMs(wrong, wrong.lastAtMs + 1_999)).toBe(1);
  expect(waitAfterWrongSecretsMs(wrong, wrong.lastAtMs + 2_000)).toBe(0);
});

test("at most 300 wrong secrets a day are counted", () => {
  let wrong = NO_WRONG_SECRETS;
  let guesses = 0;
  for (let nowMs = 0; nowMs < DAY_MS; nowMs += waitAfterWrongSecretsMs(wrong, nowMs)) {
    wrong = afterWrongSecret(wrong, nowMs);
    guesses += 1;
  }
  expect(guesses).toBeLessThanOrEqual(300);
});

test("after a day without a wrong secret the count starts anew, not before", () => {
  const wrong = afterMany(20);
  expect(afterWrongSecret(wrong, wrong.lastAtMs + DAY_MS - 1).count).toBe(21);
  expect(afterWrongSecret(wrong, wrong.lastAtMs + DAY_MS).count).toBe(1);
});

test("the operator is told at the fifth, and at each doubling after it", () => {
  const told = Array.from({ length: 100 }, (_, count) => count).filter((count) => isReportable({ count, lastAtMs: 0 }));
  expect(told).toEqual([5, 10, 20, 40, 80]);
});
