import type { Failure, Result } from "../../result.ts";
import { type EventDataByType, eventTypes } from "./events.ts";
import { isSigned, openSecrets } from "./signature.ts";

/** Verifies and types the events of a project's webhooks. It needs only `crypto.subtle`. */

export { type EventDataByType, eventTypes };

/** The type of an event. */
export type EventType = keyof EventDataByType;

/** The parts that every event has. */
interface EventParts {
  /** The same at every attempt. An event can arrive more than once: keep the ids that you have seen. */
  readonly id: string;
  /** The time of the event: RFC 3339, in UTC. */
  readonly timestamp: string;
}

/** An event of a type that this version knows. A newer service may send more fields. */
export type KnownEvent = {
  readonly [Type in EventType]: EventParts & { readonly type: Type; readonly data: EventDataByType[Type] };
}[EventType];

/** An event of a newer service. */
export interface UnknownEvent extends EventParts {
  readonly type: "unknown";
  /** The type as it was sent. */
  readonly sentType: string;
  readonly data: Readonly<Record<string, unknown>>;
}

/** A verified event. Its `type` identifies it. */
export type WebhookEvent = KnownEvent | UnknownEvent;

/** The reason why a request is not an event of this webhook. Answer all of them with 400 or 401. */
export interface WebhookRefusal {
  readonly reason: "missing_header" | "bad_timestamp" | "too_old_or_new" | "bad_signature" | "bad_body";
  readonly details: string;
}

/** The headers of a request: of `fetch`, of Node, or a plain object. */
export type WebhookHeaders =
  | { get(name: string): string | null }
  | Readonly<Record<string, string | readonly string[] | undefined>>;

const TOLERANCE_MS = 300_000;
const TIMESTAMP = /^[0-9]{1,12}$/;

function refused(reason: WebhookRefusal["reason"], details: string): Failure<WebhookRefusal> {
  return { ok: false, error: { reason, details } };
}

function isHeaders(headers: WebhookHeaders): headers is { get(name: string): string | null } {
  return typeof headers.get === "function";
}

/** Returns a header. Null if it is missing, empty or repeated. */
function headerOf(headers: WebhookHeaders, name: string): string | null {
  if (isHeaders(headers)) return headers.get(name) || null;
  const values = Object.entries(headers).filter(([sent]) => sent.toLowerCase() === name);
  const [value] = values.length === 1 ? values.map(([, one]) => one) : [];
  return typeof value === "string" && value !== "" ? value : null;
}

/**
 * Verifies that a request is an event of your webhook, and reads it.
 *
 * @param headers as received.
 * @param body as received, byte for byte. JSON that was parsed and written again does not verify.
 * @param secrets the webhook's `whsec_…`. While you replace it, give the old one, too.
 * @param nowMs milliseconds since 1970. An attempt more than five minutes before or after is refused.
 * @throws TypeError if a secret is not a `whsec_…`, or if the list is empty. The message does not contain the secret.
 */
export async function verifyWebhook(
  headers: WebhookHeaders,
  body: string | Uint8Array,
  secrets: string | readonly string[],
  nowMs: number = Date.now(),
): Promise<Result<WebhookEvent, WebhookRefusal>> {
  const keys = await openSecrets(typeof secrets === "string" ? [secrets] : secrets);
  const id = headerOf(headers, "webhook-id");
  const timestamp = headerOf(headers, "webhook-timestamp");
  const signatures = headerOf(headers, "webhook-signature");
  if (id === null || timestamp === null || signatures === null)
    return refused("missing_header", "webhook-id, webhook-timestamp and webhook-signature must be there once");
  if (!TIMESTAMP.test(timestamp)) return refused("bad_timestamp", "webhook-timestamp must be seconds since 1970");
  if (!(Math.abs(nowMs - Number(timestamp) * 1_000) <= TOLERANCE_MS))
    return refused("too_old_or_new", "the attempt is not of the last five minutes: compare the clocks");
  if (!(await isSigned(`${id}.${timestamp}.`, body, signatures, keys)))
    return refused("bad_signature", "no signature is of this secret and this body: pass the body as it was received");
  return readEvent(id, typeof body === "string" ? body : new TextDecoder().decode(body));
}

/** Reads a body that is authentic. The service has checked the fields of the data. */
function readEvent(id: string, body: string): Result<WebhookEvent, WebhookRefusal> {
  const { type, timestamp, data } = fieldsOf(parseJson(body));
  if (typeof type !== "string" || typeof timestamp !== "string" || typeof data !== "object" || data === null)
    return refused("bad_body", 'the body is no event: a webhook of the format "chat" sends none');
  const known = eventTypes.find((one) => one === type);
  const value =
    known === undefined ? { id, type: "unknown", sentType: type, timestamp, data } : { id, type, timestamp, data };
  return { ok: true, value: value as WebhookEvent };
}

function fieldsOf(value: unknown): Readonly<Record<string, unknown>> {
  return typeof value === "object" && value !== null ? { ...value } : {};
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return null;
  }
}
