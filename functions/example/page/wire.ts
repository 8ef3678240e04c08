import type { FlowFetch } from "gasworks/flows";
import type { Failure as Refused, Result } from "../../../shared/result.ts";
import type { Failure } from "./advice.ts";

/** The page's own calls, and the log of all calls that it makes. */

export type Answer<Value> = Result<Value, Failure>;

/** One call of the example's own paths. */
export interface Call {
  readonly method: "GET" | "POST";
  readonly path: string;
  readonly body?: object;
}

/** One call as it went over the wire, for the page's log. */
export interface Sent {
  readonly method: string;
  readonly path: string;
  readonly body: unknown;
  /** Null if the call has none. */
  readonly idempotencyKey: string | null;
  readonly status: number | null;
  readonly durationMs: number;
  readonly answer: unknown;
}

const TIMEOUT_MS = 30_000;
const MAX_TRIES = 3;
const FIRST_PAUSE_MS = 400;

const listeners: ((sent: Sent) => void)[] = [];
/** Calls the listener after each call over the wire. */
export function onSent(listener: (sent: Sent) => void): void {
  listeners.push(listener);
}

/** Returns a field of an answer by its path: `effects.status.status`. Undefined if it is absent. */
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

/** Makes a call, and logs it without its token. */
export const loggedFetch: FlowFetch = async (path, init) => {
  const startedAt = performance.now();
  const { method = "GET", body } = init;
  const idempotencyKey = new Headers(init.headers).get("idempotency-key");
  const asked: unknown = typeof body === "string" ? JSON.parse(body) : undefined;
  const told = (status: number | null, answer: unknown) => {
    const durationMs = Math.round(performance.now() - startedAt);
    for (const listener of listeners)
      listener({ method, path, body: asked, idempotencyKey, status, durationMs, answer });
  };
  try {
    const response = await fetch(path, { ...init, credentials: "omit" });
    const answer: unknown = await response.clone().json();
    told(response.status, answer);
    return response;
  } catch (error) {
    told(null, String(error));
    throw error;
  }
};

/** Makes a call of the example's own. It repeats the call if no answer comes. Each one is safe to repeat. */
export async function send<Value>(call: Call, read: (body: unknown) => Value): Promise<Answer<Value>> {
  for (let tries = 1; ; tries++) {
    const answer = await sendOnce(call, read);
    if (answer.ok || answer.error.status !== null || tries === MAX_TRIES) return answer;
    await pause(FIRST_PAUSE_MS * 2 ** tries * (0.5 + Math.random() / 2));
  }
}

/** Waits for a time in ms. */
export function pause(ms: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, ms));
}

async function sendOnce<Value>({ method, path, body }: Call, read: (body: unknown) => Value): Promise<Answer<Value>> {
  let response: Response;
  let answer: unknown;
  try {
    const sent = body === undefined ? {} : { body: JSON.stringify(body) };
    const headers = { "content-type": "application/json" };
    response = await loggedFetch(path, { method, headers, signal: AbortSignal.timeout(TIMEOUT_MS), ...sent });
    answer = await response.json();
  } catch {
    return failed(null, "no_answer", "no answer came");
  }
  if (!response.ok) return refusalIn(response.status, answer);
  try {
    return { ok: true, value: read(answer) };
  } catch (error) {
    return failed(response.status, "unexpected_answer", String(error));
  }
}

function refusalIn(status: number, body: unknown): Refused<Failure> {
  const [code, message] = [field(body, "error.code"), field(body, "error.message")];
  if (typeof code !== "string" || typeof message !== "string")
    return failed(status, "unexpected_answer", `HTTP ${status}`);
  return failed(status, code, message);
}

/** Builds a failed answer. A null status means that no answer came. */
export function failed(status: number | null, code: string, message: string) {
  return { ok: false, error: { status, code, message } } as const;
}
