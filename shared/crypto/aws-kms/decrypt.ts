/** The request and the reply of `Decrypt` of AWS KMS, without I/O (AWS KMS API, version 2014-11-01). */
import { Buffer } from "node:buffer";
import * as z from "zod";
import { SECRET_BYTES } from "../../config/secret-versions.ts";
import type { KeyServiceFault, Unwrapped } from "../key-service.ts";

/** The most bytes of a reply. One of KMS has less than a thousand. */
export const MAX_REPLY_BYTES = 16_384;

/** A version as AWS KMS has wrapped it. */
export interface WrappedKey {
  readonly version: number;
  /** A `CiphertextBlob`. */
  readonly blob: Uint8Array;
}

/** A reply of AWS KMS, with its body as text. */
export interface DecryptReply {
  readonly status: number;
  readonly text: string;
}

/** The headers of the request beside those of its signature. */
export const DECRYPT_HEADERS = {
  "content-type": "application/x-amz-json-1.1",
  "x-amz-target": "TrentService.Decrypt",
} as const;

/**
 * Returns the body of the request. The encryption context binds the purpose and the version: a version that was wrapped
 * for another one does not open.
 */
export function decryptBody(keyArn: string, { version, blob }: WrappedKey): string {
  return JSON.stringify({
    CiphertextBlob: Buffer.from(blob).toString("base64"),
    EncryptionContext: { gasworks: "MASTER_KEYS", version: String(version) },
    EncryptionAlgorithm: "SYMMETRIC_DEFAULT",
    KeyId: keyArn,
  });
}

const OK = 200;
const TOO_MANY = 429;
const FIRST_SERVER_ERROR = 500;

/** The texts are bounded by the reply. */
const decryptedSchema = z.object({ KeyId: z.string(), Plaintext: z.base64() });
const refusalSchema = z.object({ __type: z.string() });
/** The name of an error, without its namespace. */
const ERROR_NAME = /^(?:[A-Za-z0-9.]{1,64}#)?([A-Za-z]{1,64})$/;

/** Errors that pass by themselves, although their status may be 400 (AWS KMS API, `Decrypt` and common errors). */
const PASSING = new Set([
  "DependencyTimeoutException",
  "InternalFailure",
  "KMSInternalException",
  "KeyUnavailableException",
  "LimitExceededException",
  "RequestLimitExceeded",
  "ServiceUnavailable",
  "ServiceUnavailableException",
  "Throttling",
  "ThrottlingException",
  "TooManyRequestsException",
]);

const CREDENTIALS =
  "check AWS_ACCESS_KEY_ID, AWS_SECRET_ACCESS_KEY and AWS_SESSION_TOKEN, whether they have ended, and the clock";
const KEY_STATE = "enable the key of the ARN, or cancel its deletion";

/** The next step for the operator, by the error of KMS. */
const NEXT_STEPS: ReadonlyMap<string, string> = new Map([
  ["DisabledException", KEY_STATE],
  ["KMSInvalidStateException", KEY_STATE],
  ["NotFoundException", "check the ARN in MASTER_KEYS"],
  ["InvalidKeyUsageException", "name a symmetric key for encryption in MASTER_KEYS"],
  ["ExpiredToken", CREDENTIALS],
  ["ExpiredTokenException", CREDENTIALS],
  ["IncompleteSignature", CREDENTIALS],
  ["IncompleteSignatureException", CREDENTIALS],
  ["InvalidClientTokenId", CREDENTIALS],
  ["InvalidSignatureException", CREDENTIALS],
  ["MissingAuthenticationToken", CREDENTIALS],
  ["MissingAuthenticationTokenException", CREDENTIALS],
  ["UnrecognizedClientException", CREDENTIALS],
]);

function contextText(version: number): string {
  return `gasworks=MASTER_KEYS,version=${version}`;
}

/** @param name of the error. Null if the reply names none, so that another host may have sent it. */
function nextStep(name: string | null, version: number): string {
  if (name === null) return "check AWS_ENDPOINT_URL_KMS";
  if (name === "AccessDeniedException")
    return `allow kms:Decrypt on the key of the ARN with the encryption context ${contextText(version)}`;
  if (name === "InvalidCiphertextException" || name === "IncorrectKeyException")
    return `set a value that this key has wrapped with the encryption context ${contextText(version)}`;
  return NEXT_STEPS.get(name) ?? "see this error in the documentation of AWS KMS";
}

function failed(kind: KeyServiceFault["kind"], text: string): Unwrapped {
  return { ok: false, error: { kind, text } };
}

/** Reports that no whole reply arrived. @param why the cause, in words. */
export function unreachable(why: string): Unwrapped {
  return failed("unreachable", `AWS KMS ${why}: try again`);
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return null;
  }
}

/** Reads a reply. It is hostile: it gives a key only if it names the configured one, and holds exactly 32 bytes. */
export function readDecryptReply({ status, text }: DecryptReply, keyArn: string, version: number): Unwrapped {
  if (status !== OK) return readRefusal({ status, text }, version);
  const reply = decryptedSchema.safeParse(parsed(text));
  if (!reply.success) return unreachable("answered something else than a key");
  const { KeyId, Plaintext } = reply.data;
  if (KeyId !== keyArn) return failed("refused", "another key than that of the ARN unwrapped it: check the ARN");
  const bytes = new Uint8Array(Buffer.from(Plaintext, "base64"));
  if (bytes.length === SECRET_BYTES) return { ok: true, value: bytes };
  bytes.fill(0);
  return failed("refused", `it does not wrap ${SECRET_BYTES} bytes: make it with --number-of-bytes ${SECRET_BYTES}`);
}

function readRefusal({ status, text }: DecryptReply, version: number): Unwrapped {
  const refusal = refusalSchema.safeParse(parsed(text));
  const [, name = null] = ERROR_NAME.exec(refusal.data?.__type ?? "") ?? [];
  const isClientError = status >= 400 && status < FIRST_SERVER_ERROR && status !== TOO_MANY;
  const shown = name ?? `HTTP ${status}`;
  if (!isClientError || (name !== null && PASSING.has(name))) return unreachable(`answered ${shown}`);
  return failed("refused", `AWS KMS refuses to unwrap it (${shown}): ${nextStep(name, version)}`);
}
