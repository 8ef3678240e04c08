import type { Failure as Refused, Result } from "../../../shared/result.ts";
import { endOf, type Failure } from "./advice.ts";

/** Calls of the app's workflows, as any page of the app makes them. */

export type Answer<Value> = Result<Value, Failure>;

/** One call of a workflow. */
export interface Call {
  readonly method: "GET" | "POST";
  readonly path: string;
  readonly token?: string;
  readonly body?: object;
  /** Names an attempt: a repeat under the same key has its effect once. */
  readonly idempotencyKey?: string;
}

/** One call as it went over the wire, for the page's log. */
export interface Sent extends Call {
  readonly status: number | null;
  readonly durationMs: number;
  readonly answer: unknown;
}

const TIMEOUT_MS = 30_000;
const MAX_TRIES = 3;
const FIRST_PAUSE_MS = 400;
const MAX_PAUSE_MS = 5_000;

const listeners: ((sent: Sent) => void)[] = [];
/** Calls the listener after each call over the wire. */
export function onSent(listener: (sent: Sent) => void): void {
  listeners.push(listener);
}

/** Returns a field of an answer by its path: `effects.status.status`. Undefined if there is none. */
export function field(body: unknown, path: string): unknown {
  let value = body;
  for (const name of path.split("."))
    value =
      typeof value === "object" && value !== null ? Object.getOwnPropertyDescriptor(value, name)?.value : undefined;
  return value;
}

class UnexpectedAnswer extends Error {
  override readonly name = "UnexpectedAnswer";
}

/** Returns a text field of an answer. @throws UnexpectedAnswer if it is no text. */
export function textField(body: unknown, path: string): string {
  const value = field(body, path);
  if (typeof value !== "string") throw new UnexpectedAnswer(`no text in ${path}`);
  return value;
}

/**
 * Makes a call. It repeats the call if the failure may pass. All calls of this page are safe to repeat, because each
 * one that executes carries an idempotency key.
 */
export async function send<Value>(call: Call, read: (body: unknown) => Value): Promise<Answer<Value>> {
  const failures: Failure[] = [];
  for (let tries = 1; ; tries++) {
    const { answer, retryAfterMs } = await sendOnce(call, read);
    if (answer.ok) return answer;
    const { error: failure } = answer;
    if (!failure.retryable || tries === MAX_TRIES) return { ok: false, error: endOf(failures, failure) };
    failures.push(failure);
    const pauseMs = retryAfterMs ?? FIRST_PAUSE_MS * 2 ** tries * (0.5 + Math.random() / 2);
    await pause(Math.min(pauseMs, MAX_PAUSE_MS));
  }
}

/** Waits for a time in ms. */
export function pause(ms: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, ms));
}

interface Once<Value> {
  readonly answer: Answer<Value>;
  readonly retryAfterMs: number | null;
}

async function sendOnce<Value>(call: Call, read: (body: unknown) => Value): Promise<Once<Value>> {
  const startedAt = performance.now();
  const told = (status: number | null, answer: unknown) => {
    const durationMs = Math.round(performance.now() - startedAt);
    for (const listener of listeners) listener({ ...call, status, durationMs, answer });
  };
  let response: Response;
  let body: unknown;
  try {
    response = await fetch(call.path, requestOf(call));
    body = await response.json();
  } catch (error) {
    told(null, String(error));
    return { answer: failed(null, "no_answer", "no answer came", true), retryAfterMs: null };
  }
  told(response.status, body);
  const seconds = Number(response.headers.get("retry-after") ?? "NaN");
  const retryAfterMs = Number.isFinite(seconds) ? seconds * 1_000 : null;
  if (!response.ok) return { answer: refusalIn(response.status, body), retryAfterMs };
  try {
    return { answer: { ok: true, value: read(body) }, retryAfterMs };
  } catch (error) {
    return { answer: failed(response.status, "unexpected_answer", String(error), false), retryAfterMs };
  }
}

function requestOf({ method, token, body, idempotencyKey }: Call): RequestInit {
  const headers = new Headers();
  if (token !== undefined) headers.set("authorization", `Bearer ${token}`);
  if (idempotencyKey !== undefined) headers.set("idempotency-key", idempotencyKey);
  if (body !== undefined) headers.set("content-type", "application/json");
  const signal = AbortSignal.timeout(TIMEOUT_MS);
  return { method, headers, signal, credentials: "omit", ...(body !== undefined && { body: JSON.stringify(body) }) };
}

function refusalIn(status: number, body: unknown): Refused<Failure> {
  const [code, message] = [field(body, "error.code"), field(body, "error.message")];
  if (typeof code !== "string" || typeof message !== "string")
    return failed(status, "unexpected_answer", `HTTP ${status}`, false);
  return failed(status, code, message, field(body, "error.retryable") === true);
}

/** Builds a failed answer. A null status means that no answer came. */
export function failed(status: number | null, code: string, message: string, retryable: boolean) {
  return { ok: false, error: { status, code, message, retryable } } as const;
}
