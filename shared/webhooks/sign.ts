import { Buffer } from "node:buffer";
import { timingSafeEqual } from "node:crypto";
import { utf8 } from "../bytes.ts";
import { hmacSha256 } from "../crypto/hkdf.ts";

/**
 * Signatures by Standard Webhooks 1.0 (https://github.com/standard-webhooks/standard-webhooks, spec): HMAC-SHA-256,
 * version `v1`, over `id.timestamp.body`. A header may hold several, separated by spaces.
 */
const ID_HEADER = "webhook-id";
const TIMESTAMP_HEADER = "webhook-timestamp";
const SIGNATURE_HEADER = "webhook-signature";

/** Names of the headers by sender. The second is older than the specification, and otherwise the same. */
const HEADER_PREFIXES = ["webhook", "svix"];

/** The headers of a received message. */
export interface SentHeaders {
  readonly id: string;
  readonly timestamp: string;
  /** Unparsed. */
  readonly signatures: string;
}

/**
 * Reads a message's headers, by one set of names. Null if no set is complete. The names of two sets are never mixed.
 */
export function sentHeaders(headers: Headers): SentHeaders | null {
  const prefix = HEADER_PREFIXES.find((one) => headers.has(`${one}-signature`));
  const [id, timestamp, signatures] = ["id", "timestamp", "signature"].map((name) => headers.get(`${prefix}-${name}`));
  return id && timestamp && signatures ? { id, timestamp, signatures } : null;
}

const SECRET_PREFIX = "whsec_";
const VERSION_PREFIX = "v1,";
/** Length of a secret. The specification allows 24 to 64. */
export const SECRET_BYTES = 32;
const MIN_SECRET_BYTES = 24;
const MAX_SECRET_BYTES = 64;
/** Limit for the one header. A sender that rotates has two or three signatures in it. */
const MAX_SIGNATURES = 10;
const TOLERANCE_SECONDS = 300;

/** The parts of a message that its signature covers. */
export interface Message {
  readonly id: string;
  /** Unix seconds of the attempt, not of the event. */
  readonly timestampSeconds: number;
  readonly body: string;
}

/** Returns a secret as `whsec_…`, the form of receivers' libraries. */
export function secretText(secret: Uint8Array): string {
  return SECRET_PREFIX + Buffer.from(secret).toString("base64");
}

/** Returns the bytes of `whsec_…`. Null if the text has another form. */
export function parseSecret(text: string): Uint8Array | null {
  const base64 = text.startsWith(SECRET_PREFIX) ? text.slice(SECRET_PREFIX.length) : "";
  const bytes = new Uint8Array(Buffer.from(base64, "base64"));
  const isWhole = Buffer.from(bytes).toString("base64") === base64;
  return isWhole && bytes.length >= MIN_SECRET_BYTES && bytes.length <= MAX_SECRET_BYTES ? bytes : null;
}

function digest(secret: Uint8Array, { id, timestampSeconds, body }: Message): Uint8Array {
  return hmacSha256(secret, utf8(`${id}.${timestampSeconds}.${body}`));
}

/** Signs a message. @param secrets all secrets that a receiver may still verify with, the current one first. */
export function signatureHeaders(message: Message, secrets: readonly Uint8Array[]): Readonly<Record<string, string>> {
  const signatures = secrets.map((secret) => VERSION_PREFIX + Buffer.from(digest(secret, message)).toString("base64"));
  return {
    [ID_HEADER]: message.id,
    [TIMESTAMP_HEADER]: String(message.timestampSeconds),
    [SIGNATURE_HEADER]: signatures.join(" "),
  };
}

/**
 * Returns true if a received message is authentic and recent enough. The body is compared as received.
 *
 * @param signatures the header as received.
 */
export function isAuthentic(message: Message, signatures: string, secret: Uint8Array, nowMs: number): boolean {
  if (Math.abs(nowMs / 1_000 - message.timestampSeconds) > TOLERANCE_SECONDS) return false;
  const expected = digest(secret, message);
  return signatures
    .split(" ")
    .slice(0, MAX_SIGNATURES)
    .filter((entry) => entry.startsWith(VERSION_PREFIX))
    .map((entry) => Buffer.from(entry.slice(VERSION_PREFIX.length), "base64"))
    .some((given) => given.length === expected.length && timingSafeEqual(given, expected));
}
