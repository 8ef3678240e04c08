import { createHmac } from "node:crypto";
import { expect, test } from "vitest";
import { parseConfig } from "../../shared/config/config.ts";
import { checksOf, verdictOf, wrongSecretsText } from "../../shared/crypto/key-check.ts";
import { plainMasterKeys } from "../../shared/crypto/master-keys.ts";

const secret = (byte: number) => Buffer.alloc(32, byte);
const text = (byte: number) => secret(byte).toString("base64");

/** RFC 5869 by hand: extract without a salt, and the first 16 bytes of the one block that expand needs. */
function hkdf16(bytes: Buffer, info: string): string {
  const prk = createHmac("sha256", Buffer.alloc(32)).update(bytes).digest();
  const block = createHmac("sha256", prk).update(info).update(Buffer.of(1)).digest();
  return block.subarray(0, 16).toString("base64url");
}

function checksWith(more: Readonly<Record<string, string>>) {
  const service = { MASTER_KEYS: `1:${text(1)}`, KEY_PEPPERS: `1:${text(1)}`, ADMIN_TOKEN: "a".repeat(24) };
  const config = parseConfig({ ...service, ...more });
  const masterKeys = config.service === null ? null : plainMasterKeys(config.service.masterKeys);
  return checksOf({ config, masterKeys });
}

test("every version of every secret has a check value of its own", async () => {
  const flows = { FLOWS_CALLER_SECRET: "a".repeat(24), FLOWS_SUI_KEY: "us1_sui_testnet_00", FLOWS_SECRET: text(1) };
  const checks = await checksWith({ ...flows, MASTER_KEYS: `1:${text(1)},2:${text(2)}` });
  expect(checks).toEqual([
    { secret: "MASTER_KEYS", version: 1, value: hkdf16(secret(1), "gasworks/key-check/v1/MASTER_KEYS") },
    { secret: "MASTER_KEYS", version: 2, value: hkdf16(secret(2), "gasworks/key-check/v1/MASTER_KEYS") },
    { secret: "KEY_PEPPERS", version: 1, value: hkdf16(secret(1), "gasworks/key-check/v1/KEY_PEPPERS") },
    { secret: "FLOWS_SECRET", version: 1, value: hkdf16(secret(1), "gasworks/key-check/v1/FLOWS_SECRET") },
  ]);
  expect(new Set(checks.map(({ value }) => value)).size).toBe(4);
});

test("the operator is told which secrets are wrong", () => {
  const wrong = [
    { secret: "MASTER_KEYS", version: 2 },
    { secret: "FLOWS_SECRET", version: 1 },
  ] as const;
  expect(wrongSecretsText(wrong)).toMatch(/^MASTER_KEYS version 2 and FLOWS_SECRET: /);
});

test("one thing that opens proves a master key right, and several that do not, wrong", () => {
  const none = { opened: false, failed: 0, unanswered: 0 };
  expect(verdictOf(none)).toBe("unused");
  expect(verdictOf({ ...none, opened: true, failed: 20 })).toBe("right");
  for (const failed of [1, 2]) expect(verdictOf({ ...none, failed })).toBe("undecided");
  expect(verdictOf({ ...none, unanswered: 20 })).toBe("undecided");
  expect(verdictOf({ ...none, failed: 3 })).toBe("wrong");
});
