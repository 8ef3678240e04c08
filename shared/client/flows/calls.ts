import type { Failure, Result } from "../../result.ts";
import { ABORTED, abortedAfter, type FlowError, failed, isLost, messageOf, NO_TOKEN, RETRY, wait } from "./errors.ts";
import {
  CALL_MS,
  FIRST_WAIT_MS,
  HTTP_TOO_MANY_REQUESTS,
  MAX_ANSWER_BYTES,
  MAX_ERROR_WAIT_MS,
  MAX_NAME_CHARACTERS,
  MAX_TRIES,
  MAX_WAIT_MS,
  MS_PER_SECOND,
  TRY_MS,
} from "./limits.ts";
import { type Ports, unlessAborted, within } from "./ports.ts";

/** Calls of the workflows over HTTP: bounded, timed, and repeated if a repeat has no second effect. */

/** One call of a workflow. */
export interface Call<Answer> {
  readonly method: "GET" | "POST";
  /** The last segment: the workflow's name, and its query. */
  readonly path: string;
  readonly body?: object;
  /** Names an attempt. A repeat with the same key has its effect once. */
  readonly idempotencyKey?: string | undefined;
  /** True if the call executes a transaction. */
  readonly executes?: boolean;
  readonly signal?: AbortSignal | undefined;
  /** Reads an answer. Null if it has another form. */
  readonly read: (body: unknown) => Answer | null;
}

/** A result of a call. Calls never reject. */
export type Reply<Answer> = Result<Answer, FlowError>;

interface Try<Answer> {
  readonly reply: Reply<Answer>;
  readonly isRepeatable: boolean;
  readonly waitMs: number | null;
}

/** Makes a call. Repeats it after growing waits if the failure may pass. */
export async function send<Answer>(call: Call<Answer>, ports: Ports): Promise<Reply<Answer>> {
  const deadlineMs = ports.nowMs() + CALL_MS;
  let lost: Failure<FlowError> | null = null;
  for (let tries = 1; ; tries++) {
    const { reply, isRepeatable, waitMs } = await tryOnce(call, ports);
    if (reply.ok) return reply;
    // A refusal after a lost try proves nothing about that try, unless the refusal is about the attempt.
    const said = lost === null || isLost(reply.error) ? reply : keepLost(lost, reply);
    const pauseMs = Math.max(waitMs ?? 0, FIRST_WAIT_MS * 2 ** (tries - 1) * (0.5 + ports.random() / 2));
    const isLate = ports.nowMs() + pauseMs >= deadlineMs;
    if (!isRepeatable || tries === MAX_TRIES || pauseMs > MAX_WAIT_MS || isLate || call.signal?.aborted) return said;
    if (isLost(reply.error)) lost = reply;
    await ports.sleep(pauseMs, call.signal);
  }
}

/** Combines the loss of an earlier try with the later refusal. */
function keepLost(lost: Failure<FlowError>, last: Failure<FlowError>): Failure<FlowError> {
  return { ok: false, error: { ...last.error, mayHaveExecuted: lost.error.mayHaveExecuted } };
}

async function tryOnce<Answer>(call: Call<Answer>, ports: Ports): Promise<Try<Answer>> {
  const { signal, executes: mayHaveExecuted = false } = call;
  try {
    if (signal?.aborted) return ended(ABORTED);
    return await within(TRY_MS, signal, async (limit) => {
      const token = await unlessAborted(limit, tokenOf(ports), () => null);
      if (token === null) return ended(NO_TOKEN);
      const { url, init } = request(call, token, ports);
      const response = await ports.fetch(url, { ...init, signal: limit });
      return read(call, response.status, retryAfterMs(response), await boundedText(response));
    });
  } catch (error) {
    if (signal?.aborted) return ended(abortedAfter(mayHaveExecuted));
    return { reply: failed("no_answer", messageOf(error), { mayHaveExecuted }), isRepeatable: true, waitMs: null };
  }
}

function ended<Answer>(reply: Reply<Answer>): Try<Answer> {
  return { reply, isRepeatable: false, waitMs: null };
}

/** Returns the user's token. Null if the app has none. */
export async function tokenOf({ token }: Ports): Promise<string | null> {
  try {
    return await token();
  } catch {
    return null;
  }
}

function request<Answer>({ method, path, body, idempotencyKey }: Call<Answer>, token: string, { url, user }: Ports) {
  const headers: Record<string, string> = { authorization: `Bearer ${token}` };
  if (user !== null) headers["x-user-id"] = user;
  if (body !== undefined) headers["content-type"] = "application/json";
  if (idempotencyKey !== undefined) headers["idempotency-key"] = idempotencyKey;
  const sent = body === undefined ? {} : { body: JSON.stringify(body) };
  // Redirects are not followed, so that the token goes nowhere else.
  return { url: `${url}/flows/${path}`, init: { method, headers, redirect: "manual", ...sent } satisfies RequestInit };
}

/** Reads a body. Null if it is too long. */
async function boundedText(response: Response): Promise<string | null> {
  const reader = response.body?.getReader();
  if (reader === undefined) return "";
  const decoder = new TextDecoder();
  let text = "";
  let length = 0;
  for (;;) {
    const { done, value } = await reader.read();
    if (done) return text + decoder.decode();
    length += value.byteLength;
    if (length > MAX_ANSWER_BYTES) {
      await reader.cancel();
      return null;
    }
    text += decoder.decode(value, { stream: true });
  }
}

function read<Answer>(call: Call<Answer>, status: number, waitMs: number | null, text: string | null): Try<Answer> {
  const body = parse(text);
  const { executes: mayHaveExecuted = false } = call;
  if (status === 200) {
    const answer = call.read(body);
    return answer === null
      ? ended(failed("unexpected_answer", "the answer has another form", { mayHaveExecuted }))
      : ended({ ok: true, value: answer });
  }
  const error = fieldsOf(fieldsOf(body).error);
  const { code, message, retryable } = error;
  // A proxy or another server answered, so the outcome is unknown.
  if (typeof code !== "string" || typeof message !== "string") {
    const mayPass = status >= HTTP_TOO_MANY_REQUESTS;
    const reply = failed(mayPass ? "no_answer" : "unexpected_answer", `HTTP ${status}`, { mayHaveExecuted, status });
    return { reply, isRepeatable: mayPass, waitMs };
  }
  // A node has refused it, and another one may execute it yet.
  const isYetOpen = retryable === true && code === "transaction_failed";
  const reply = failed(code.slice(0, MAX_NAME_CHARACTERS), message, {
    status,
    mayHaveExecuted: mayHaveExecuted && (code === "outcome_unknown" || code === "internal" || isYetOpen),
    ...(isYetOpen && { action: RETRY }),
    ...(waitMs !== null && { action: wait(waitMs) }),
    ...textsOf(error, ["reason", "digest", "hash"], MAX_NAME_CHARACTERS),
  });
  return { reply, isRepeatable: retryable === true || code === "internal", waitMs };
}

/** Reads JSON. Null if the text is not JSON. */
export function parse(text: string | null | undefined): unknown {
  try {
    return JSON.parse(text ?? "");
  } catch {
    return null;
  }
}

/** Returns the fields of a JSON object. Any other value has none. */
export function fieldsOf(value: unknown): Readonly<Record<string, unknown>> {
  return typeof value === "object" && value !== null && !Array.isArray(value) ? { ...value } : {};
}

/** Returns the named fields that are strings within a length. */
export function textsOf<Name extends string>(
  body: unknown,
  names: readonly Name[],
  maxCharacters?: number,
): { readonly [name in Name]?: string } {
  const texts: { [name in Name]?: string } = {};
  const fields = fieldsOf(body);
  for (const name of names) {
    const value = fields[name];
    if (typeof value === "string") texts[name] = value.slice(0, maxCharacters);
  }
  return texts;
}

/** Reads the wait of `Retry-After` in seconds, as the service writes it. */
function retryAfterMs({ headers }: Response): number | null {
  const text = headers.get("retry-after") ?? "";
  return /^\d{1,9}$/.test(text) ? Math.min(Number(text) * MS_PER_SECOND, MAX_ERROR_WAIT_MS) : null;
}
