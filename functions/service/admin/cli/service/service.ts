import { type AdminAccess, adminRequest } from "../../../../../shared/cli/client/admin.ts";
import { type HttpAnswer, readAnswer } from "../../../../../shared/cli/client/http.ts";
import { retryAfterMs } from "../../../../../shared/http/retry-after.ts";
import type { Clock } from "../clock.ts";
import { CommandError } from "../exit-codes.ts";
import { refusalError } from "./refusal.ts";

/** One call of the admin API. */
export interface ServiceCall {
  readonly method: string;
  /** The path after `/admin/v1`, without the query. */
  readonly path: string;
  readonly query?: Readonly<Record<string, string>>;
  readonly body?: unknown;
  readonly idempotencyKey?: string;
  /** The media type of the answer. JSON if absent. */
  readonly accept?: string;
}

const MS_PER_SECOND = 1_000;
const DEFAULT_TIMEOUT_MS = 30_000;
/** The longest wait that the command accepts from a service. For a longer one, the person decides. */
const MOST_WAIT_MS = 30_000;
const MOST_REPEATS = 4;
const USER_AGENT = "gasworks-cli";
const LEAST_TOKEN_CHARACTERS = 12;

/** Returns whether a repeat of a call does nothing twice. */
function isRepeatable({ method, idempotencyKey }: ServiceCall): boolean {
  return method === "GET" || idempotencyKey !== undefined;
}

function pathOf({ path, query = {} }: ServiceCall): string {
  const text = new URLSearchParams(query).toString();
  return text === "" ? path : `${path}?${text}`;
}

/**
 * A service in the form that commands call. Each call has a time limit. A safe one is repeated if the service requests
 * it.
 */
export class Service {
  readonly url: string;
  readonly access: AdminAccess;
  readonly #clock: Clock;
  readonly #timeoutMs: number;

  constructor(access: AdminAccess, clock: Clock, timeoutMs = DEFAULT_TIMEOUT_MS) {
    this.url = access.serviceUrl;
    this.access = access;
    this.#clock = clock;
    this.#timeoutMs = timeoutMs;
  }

  /** Calls, and returns the answer with a 2xx status. @throws CommandError for every other end. */
  async call(call: ServiceCall): Promise<HttpAnswer> {
    const answer = await this.answer(call);
    if (answer.status >= 200 && answer.status < 300) return answer;
    throw this.refusal(answer);
  }

  /** Returns the error for an answer that is no success. */
  refusal(answer: HttpAnswer): CommandError {
    return this.#withoutToken(refusalError(answer));
  }

  /** Calls, and returns the answer with any status. @throws CommandError without an answer. */
  async answer(call: ServiceCall): Promise<HttpAnswer> {
    return readAnswer(await this.#respond(call)).catch((error: unknown) => {
      throw this.#noAnswer(error, call);
    });
  }

  /** Reads a public path of the service, without the token. */
  async publicAnswer(path: string): Promise<HttpAnswer> {
    const call = { method: "GET", path };
    const signal = AbortSignal.timeout(this.#timeoutMs);
    return fetch(this.url + path, { redirect: "error", signal })
      .then(readAnswer)
      .catch((error: unknown) => {
        throw this.#noAnswer(error, call);
      });
  }

  /** Yields the lines of a streamed list. @throws CommandError if it breaks off. */
  async *lines(call: ServiceCall): AsyncGenerator<string> {
    const response = await this.#respond(call);
    if (!response.ok) throw this.refusal(await readAnswer(response));
    let rest = "";
    const decoder = new TextDecoder();
    try {
      for await (const chunk of chunksOf(response, this.#timeoutMs)) {
        const parts = (rest + decoder.decode(chunk, { stream: true })).split("\n");
        rest = parts.pop() ?? "";
        yield* parts;
      }
    } catch (error) {
      if (error instanceof DOMException && error.name === "TimeoutError")
        throw new CommandError(
          "unreachable",
          `${this.url} sent nothing for ${this.#timeoutMs / MS_PER_SECOND} s in the middle of the list: read it again`,
        );
      throw new CommandError("fault", "the list broke off: read it again. The service's log has the cause");
    }
    if (rest !== "") yield rest;
  }

  async #respond(call: ServiceCall): Promise<Response> {
    for (let repeats = 0; ; repeats++) {
      const response = await this.#send(call);
      const waitMs = retryAfterMs(response.headers, this.#clock.nowMs());
      const isBusy = response.status === 503 || response.status === 429;
      if (!isBusy || !isRepeatable(call) || waitMs === null || waitMs > MOST_WAIT_MS || repeats === MOST_REPEATS)
        return response;
      await response.body?.cancel();
      await this.#clock.sleep(waitMs);
    }
  }

  /** The time limit covers the head of the answer, and the body of a short one. A list continues to stream. */
  async #send(call: ServiceCall): Promise<Response> {
    const { method, body, idempotencyKey, accept } = call;
    const { url, init } = adminRequest(this.access, { method, path: pathOf(call), body, idempotencyKey, accept });
    const headers = { ...init.headers, "user-agent": USER_AGENT };
    try {
      if (accept === undefined)
        return await fetch(url, { ...init, headers, signal: AbortSignal.timeout(this.#timeoutMs) });
      const ending = new AbortController();
      const timer = setTimeout(() => ending.abort(new DOMException("no answer", "TimeoutError")), this.#timeoutMs);
      return await fetch(url, { ...init, headers, signal: ending.signal }).finally(() => clearTimeout(timer));
    } catch (error) {
      throw this.#noAnswer(error, call);
    }
  }

  #noAnswer(error: unknown, { method, idempotencyKey }: ServiceCall): CommandError {
    if (error instanceof SyntaxError)
      return new CommandError("fault", `${this.url} answered with invalid JSON: check the URL`);
    const isLate = error instanceof Error && error.name === "TimeoutError";
    const what = isLate
      ? `${this.url} gave no answer in ${this.#timeoutMs / MS_PER_SECOND} s`
      : `${this.url} cannot be reached: ${causeOf(error)}`;
    if (method === "GET")
      return this.#withoutToken(new CommandError("unreachable", `${what}. Does it run? Is the URL right?`));
    const after =
      idempotencyKey === undefined
        ? "The change may be done: look before you repeat it"
        : `The change may be done. A repeat with --idempotency-key ${idempotencyKey} does nothing twice`;
    return this.#withoutToken(new CommandError("unreachable", `${what}. ${after}`));
  }

  /** An answer or the platform may repeat the token in its words. */
  #withoutToken({ exit, message }: CommandError): CommandError {
    const { adminToken } = this.access;
    // A shorter text is no token of a service, and would be found within other words.
    if (adminToken.length < LEAST_TOKEN_CHARACTERS) return new CommandError(exit, message);
    return new CommandError(exit, message.replaceAll(adminToken, "[the token]"));
  }
}

/** Yields the parts of a body. @throws DOMException TimeoutError if the next part does not come in time. */
async function* chunksOf({ body }: Response, timeoutMs: number): AsyncGenerator<Uint8Array> {
  const reader = body?.getReader();
  try {
    while (reader !== undefined) {
      const late = Promise.withResolvers<never>();
      const timer = setTimeout(() => late.reject(new DOMException("no more", "TimeoutError")), timeoutMs);
      const { done, value } = await Promise.race([reader.read(), late.promise]).finally(() => clearTimeout(timer));
      if (done) return;
      yield value;
    }
  } finally {
    // A reader that was left early, and a service that hangs, keep no connection. A broken one has nothing to cancel.
    void reader?.cancel().catch(() => undefined);
  }
}

/** Returns the innermost cause in words. */
function causeOf(error: unknown): string {
  let innermost = error;
  while (innermost instanceof Error && innermost.cause instanceof Error) innermost = innermost.cause;
  if (!(innermost instanceof Error)) return String(innermost);
  const code = "code" in innermost ? String(innermost.code) : "";
  return code === "ECONNREFUSED" ? "nothing listens there" : innermost.message || code;
}
