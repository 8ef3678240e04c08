import { randomBytes } from "node:crypto";
import { expect, onTestFinished, test } from "vitest";
import { unwrapByKms } from "../../../shared/crypto/aws-kms/unwrap.ts";
import { contextOf, KEY_ARN, startKms } from "../../harness/aws-kms.ts";

test("a key service that hangs is given up after two tries of 2.5 s", async () => {
  const kms = await startKms();
  onTestFinished(() => kms.stop());
  kms.fault = "hang";
  const { AWS_ACCESS_KEY_ID: accessKeyId = "", AWS_SECRET_ACCESS_KEY: secretAccessKey = "" } = kms.vars;
  const access = { keyArn: KEY_ARN, region: "eu-central-1", endpoint: kms.url, accessKeyId, secretAccessKey };
  const blob = new Uint8Array(Buffer.from(kms.wrap(randomBytes(32), contextOf(1)), "base64"));
  const startedAtMs = performance.now();
  const unwrapped = await unwrapByKms(
    { ...access, sessionToken: null },
    { version: 1, blob },
    { fetch, nowMs: Date.now },
  );
  expect(unwrapped).toEqual({
    ok: false,
    error: { kind: "unreachable", text: "AWS KMS did not answer within 2.5 s: try again" },
  });
  expect(performance.now() - startedAtMs).toBeLessThan(11_000);
  expect(kms.asked.length).toBe(2);
}, 40_000);
