import { randomBytes } from "node:crypto";
import fc from "fast-check";
import { expect, test } from "vitest";
import { decryptBody, readDecryptReply } from "../../../shared/crypto/aws-kms/decrypt.ts";
import { KEY_ARN } from "../../harness/aws-kms.ts";

const bytes = new Uint8Array(32).fill(7);
const good = {
  KeyId: KEY_ARN,
  Plaintext: Buffer.from(bytes).toString("base64"),
  EncryptionAlgorithm: "SYMMETRIC_DEFAULT",
};
const read = (body: unknown, status = 200) =>
  readDecryptReply({ status, text: typeof body === "string" ? body : JSON.stringify(body) }, KEY_ARN, 3);

test("a reply for the configured key gives its 32 bytes", () => {
  expect(read(good)).toEqual({ ok: true, value: bytes });
});

test("the request binds the purpose, the version and the key", () => {
  expect(JSON.parse(decryptBody(KEY_ARN, { version: 3, blob: Uint8Array.of(1, 2) }))).toEqual({
    CiphertextBlob: "AQI=",
    EncryptionContext: { gasworks: "MASTER_KEYS", version: "3" },
    EncryptionAlgorithm: "SYMMETRIC_DEFAULT",
    KeyId: KEY_ARN,
  });
});

test("no altered reply gives a key", () => {
  const text = JSON.stringify(good);
  const is32Bytes = (value: unknown) => typeof value === "string" && /^[A-Za-z0-9+/]{43}=$/.test(value);
  fc.assert(fc.property(fc.nat(text.length - 1), (length) => !read(text.slice(0, length)).ok));
  fc.assert(fc.property(fc.string(), (body) => !read(body).ok));
  fc.assert(fc.property(fc.jsonValue(), (body) => !read(body).ok));
  fc.assert(fc.property(fc.jsonValue(), (KeyId) => fc.pre(KeyId !== KEY_ARN) ?? !read({ ...good, KeyId }).ok));
  fc.assert(
    fc.property(fc.jsonValue(), (Plaintext) => fc.pre(!is32Bytes(Plaintext)) ?? !read({ ...good, Plaintext }).ok),
  );
  fc.assert(
    fc.property(fc.uint8Array({ maxLength: 80 }), (other) => {
      fc.pre(other.length !== 32);
      return !read({ ...good, Plaintext: Buffer.from(other).toString("base64") }).ok;
    }),
  );
  fc.assert(fc.property(fc.integer({ min: 201, max: 599 }), (status) => !read(good, status).ok));
});

test.each([
  [
    "AccessDeniedException",
    400,
    "refused",
    "kms:Decrypt on the key of the ARN with the encryption context gasworks=MASTER_KEYS,version=3",
  ],
  ["com.amazonaws.kms#DisabledException", 400, "refused", "enable the key"],
  ["InvalidCiphertextException", 400, "refused", "gasworks=MASTER_KEYS,version=3"],
  ["IncorrectKeyException", 400, "refused", "set a value that this key has wrapped"],
  ["NotFoundException", 400, "refused", "check the ARN"],
  ["UnrecognizedClientException", 400, "refused", "AWS_SECRET_ACCESS_KEY"],
  ["ExpiredTokenException", 400, "refused", "AWS_SESSION_TOKEN"],
  ["SomethingNewException", 400, "refused", "SomethingNewException"],
  ["ThrottlingException", 400, "unreachable", "ThrottlingException: try again"],
  ["ThrottlingException", 429, "unreachable", "try again"],
  ["KMSInternalException", 500, "unreachable", "try again"],
  ["AccessDeniedException", 503, "unreachable", "try again"],
  ["<script>", 400, "refused", "(HTTP 400): check AWS_ENDPOINT_URL_KMS"],
] as const)("an error %s with status %i is %s, and says what to do", (__type, status, kind, words) => {
  expect(read({ __type, Message: "secret" }, status)).toEqual({
    ok: false,
    error: { kind, text: expect.stringContaining(words) },
  });
});

test("no text of the key service reaches the operator's text, only the name of its error", () => {
  const marker = randomBytes(8).toString("hex");
  for (const body of [{ __type: `${marker} ${marker}`, message: marker }, { ...good, KeyId: marker }, marker])
    for (const status of [200, 400, 500]) expect(JSON.stringify(read(body, status))).not.toContain(marker);
});
