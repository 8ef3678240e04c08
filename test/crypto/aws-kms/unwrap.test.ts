import { randomBytes } from "node:crypto";
import { afterAll, beforeAll, beforeEach, expect, test } from "vitest";
import type { LogFields } from "../../../shared/bindings/ports.ts";
import { parseConfig } from "../../../shared/config/config.ts";
import { masterKeysOfConfig } from "../../../shared/crypto/configured-master-keys.ts";
import { KeyServiceError, keyServiceRefusal, nullIfUnopened } from "../../../shared/crypto/key-service.ts";
import { plainMasterKeys } from "../../../shared/crypto/master-keys.ts";
import { openFrame, sealFrame } from "../../../shared/project/transfer/frames.ts";
import { contextOf, KEY_ARN, type KmsFault, type KmsStandIn, startKms } from "../../harness/aws-kms.ts";

let kms: KmsStandIn;
beforeAll(async () => {
  kms = await startKms();
});
afterAll(() => kms.stop());
beforeEach(() => {
  kms.fault = null;
  kms.asked.length = 0;
});

let aheadMs = 0;
const lines: { readonly event: string; readonly fields?: LogFields | undefined }[] = [];
function masterKeys(versions: string, vars = kms.vars) {
  const secret = `1:${randomBytes(32).toString("base64")}`;
  const service = { MASTER_KEYS: `awskms:${KEY_ARN},${versions}`, KEY_PEPPERS: secret, ADMIN_TOKEN: "a".repeat(24) };
  const config = parseConfig({ ...service, ...vars }).service;
  if (config === null) throw new Error("no service");
  return masterKeysOfConfig(config.masterKeys, {
    fetch,
    nowMs: () => Date.now() + aheadMs,
    log: (event, fields) => lines.push({ event, fields }),
  });
}

const wrapped = (bytes: Uint8Array, version: number) => `${version}:${kms.wrap(bytes, contextOf(version))}`;

test("a wrapped version is unwrapped once, a plain one beside it never, and another version is not there", async () => {
  const [plain, secret] = [randomBytes(32), randomBytes(32)];
  const keys = masterKeys(`1:${plain.toString("base64")},2:${kms.wrap(secret, contextOf(2))}`);
  expect(keys).toMatchObject({ current: 2, versions: [1, 2] });
  for (let repeat = 0; repeat < 3; repeat += 1) {
    expect(await keys.bytesOf(1)).toEqual(new Uint8Array(plain));
    expect(await keys.bytesOf(2)).toEqual(new Uint8Array(secret));
    expect(await keys.bytesOf(3)).toBeNull();
  }
  expect(kms.asked).toEqual(["2"]);
});

test("a session token is sent and signed", async () => {
  const other = await startKms({ sessionToken: "token/of+a=role" });
  const bytes = randomBytes(32);
  expect(await masterKeys(`1:${other.wrap(bytes, contextOf(1))}`, other.vars).bytesOf(1)).toEqual(
    new Uint8Array(bytes),
  );
  await other.stop();
});

test("a version that was wrapped for another version or purpose gives no key", async () => {
  for (const context of [contextOf(2), { ...contextOf(1), gasworks: "KEY_PEPPERS" }, { version: "1" }])
    await expect(masterKeys(`1:${kms.wrap(randomBytes(32), context)}`).bytesOf(1)).rejects.toThrow(
      /MASTER_KEYS version 1: AWS KMS refuses to unwrap it \(InvalidCiphertextException\)/,
    );
});

test("wrong credentials give no key, and the text names them", async () => {
  const vars = { ...kms.vars, AWS_SECRET_ACCESS_KEY: "another" };
  await expect(masterKeys(wrapped(randomBytes(32), 1), vars).bytesOf(1)).rejects.toThrow(
    /InvalidSignatureException\): check AWS_ACCESS_KEY_ID/,
  );
});

test.each<[KmsFault, number, RegExp]>([
  ["drop", 2, /did not answer/],
  ["internal", 2, /answered KMSInternalException/],
  ["unavailable_key", 2, /answered KeyUnavailableException/],
  ["throttle", 2, /answered ThrottlingException/],
  ["redirect", 2, /answered HTTP 307/],
  ["no_json", 2, /something else than a key/],
  ["huge", 2, /did not answer/],
  ["denied", 1, /AccessDeniedException/],
  ["disabled", 1, /DisabledException/],
  ["other_key", 1, /another key than that of the ARN/],
  ["short", 1, /does not wrap 32 bytes/],
])(
  "with the fault %s no key is given after %i tries, and the same call works when it is over",
  async (fault, tries, text) => {
    const bytes = randomBytes(32);
    const keys = masterKeys(wrapped(bytes, 1));
    kms.fault = fault;
    lines.length = 0;
    const failure = await keys.bytesOf(1).catch((error: unknown) => error);
    expect(failure).toBeInstanceOf(KeyServiceError);
    expect(keyServiceRefusal(failure)).toEqual({ reason: "key_service", details: expect.stringMatching(text) });
    expect(kms.asked.length).toBe(tries);
    await expect(keys.bytesOf(1), "the failure is shared for a second").rejects.toThrow(text);
    expect(kms.asked.length).toBe(tries);
    expect(lines).toEqual([
      {
        event: "key_service.failed",
        fields: { version: 1, kind: expect.any(String), error: expect.stringMatching(text) },
      },
    ]);
    kms.fault = null;
    aheadMs += 1_001;
    expect(await keys.bytesOf(1)).toEqual(new Uint8Array(bytes));
    aheadMs = 0;
  },
);

test("of many readers at once eight call the key service, and all get the bytes", async () => {
  const bytes = randomBytes(32);
  const keys = masterKeys(wrapped(bytes, 1));
  const read = await Promise.all(Array.from({ length: 50 }, () => keys.bytesOf(1)));
  expect(read).toEqual(Array(50).fill(new Uint8Array(bytes)));
  expect(kms.asked.length).toBe(8);
});

test("many readers of a key service in trouble share its failures", async () => {
  const keys = masterKeys(wrapped(randomBytes(32), 1));
  kms.fault = "internal";
  const read = await Promise.allSettled(Array.from({ length: 50 }, () => keys.bytesOf(1)));
  expect(read.every(({ status }) => status === "rejected")).toBe(true);
  expect(kms.asked.length).toBeLessThanOrEqual(16);
});

test("one failure that passes costs a call nothing but a second try", async () => {
  const keys = masterKeys(wrapped(randomBytes(32), 1));
  kms.fault = "throttle";
  const reading = keys.bytesOf(1);
  await expect.poll(() => kms.asked.length).toBe(1);
  kms.fault = null;
  expect(await reading).toHaveLength(32);
});

test("an error of another object is known by its text, and no other error is", () => {
  const { message } = new KeyServiceError(1, { kind: "unreachable", text: "AWS KMS did not answer" });
  expect(keyServiceRefusal(new Error(`Error: ${message}`))).toEqual({ reason: "key_service", details: message });
  expect(keyServiceRefusal(new Error(`a caller says ${message}`))).toBeNull();
  expect(keyServiceRefusal(message)).toBeNull();
});

test("a frame of a project is not called foreign while the key cannot be read, and neither is a sealed text", async () => {
  const bytes = randomBytes(32);
  const place = { transferId: "t", index: 0 };
  const plain = plainMasterKeys({ current: 1, byVersion: new Map([[1, new Uint8Array(bytes)]]) });
  const frame = await sealFrame({ kind: "end" }, place, plain, (length) => new Uint8Array(randomBytes(length)));
  const keys = masterKeys(wrapped(bytes, 1));
  kms.fault = "denied";
  await expect(openFrame(frame, place, keys)).rejects.toBeInstanceOf(KeyServiceError);
  kms.fault = null;
  aheadMs += 1_001;
  expect(await openFrame(frame, place, keys)).toMatchObject({ ok: true, value: { kind: "end" } });
  expect(await openFrame(frame, place, masterKeys(wrapped(randomBytes(32), 1)))).toMatchObject({
    error: { reason: "bad_params" },
  });
  aheadMs = 0;
  expect(nullIfUnopened(new Error("another"))).toBeNull();
});
