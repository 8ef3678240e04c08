import { expect, test } from "vitest";
import { checkExportInterval, checkRepeatedCreation } from "../../shared/wallet/rules.ts";

const DAY_MS = 86_400_000;
const MADE_AT_MS = 1_750_000_000_000;
const claim = { scope: "key/method/attempt", fingerprint: "a" };

function reasonOf(...args: Parameters<typeof checkRepeatedCreation>): string {
  const decided = checkRepeatedCreation(...args);
  return decided.ok ? "repeat" : decided.error.reason;
}

test("only the call that made a wallet is repeated, within a day and with the same params", () => {
  const made = { claim, createdAtMs: MADE_AT_MS };
  expect(reasonOf(made, claim, MADE_AT_MS)).toBe("repeat");
  expect(reasonOf(made, claim, MADE_AT_MS + DAY_MS - 1)).toBe("repeat");
  expect(reasonOf(made, claim, MADE_AT_MS + DAY_MS)).toBe("wallet_exists");
  expect(reasonOf(made, { ...claim, fingerprint: "b" }, MADE_AT_MS)).toBe("idempotency_conflict");
  expect(reasonOf(made, { ...claim, scope: "key/method/another" }, MADE_AT_MS)).toBe("wallet_exists");
  expect(reasonOf(made, null, MADE_AT_MS)).toBe("wallet_exists");
  expect(reasonOf({ ...made, claim: null }, null, MADE_AT_MS)).toBe("wallet_exists");
  expect(reasonOf({ ...made, claim: null }, claim, MADE_AT_MS)).toBe("wallet_exists");
});

test("a wallet is exported once a minute", () => {
  const first = checkExportInterval(null, MADE_AT_MS, () => 0);
  expect(first).toEqual({ ok: true, value: MADE_AT_MS + 60_000 });
  expect(checkExportInterval(MADE_AT_MS + 60_000, MADE_AT_MS + 59_999, () => 0)).toMatchObject({
    error: { reason: "rate_limited", data: { limit: "export", retryAfterMs: 1 } },
  });
  expect(checkExportInterval(MADE_AT_MS + 60_000, MADE_AT_MS + 60_000, () => 0).ok).toBe(true);
  const random = () => 0.5;
  expect(checkExportInterval(MADE_AT_MS + 60_000, MADE_AT_MS, random)).toMatchObject({
    error: { data: { retryAfterMs: 65_000 } },
  });
});
