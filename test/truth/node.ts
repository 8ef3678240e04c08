import { Unanswered } from "../devchain/truth/cases.ts";

const MANY_REQUESTS = 429;
const WITHOUT_BODY: ReadonlySet<number> = new Set([204, 205, 304]);
const MIN_SECRET_CHARACTERS = 8;

/** What one question may cost. */
export interface Limits {
  readonly timeoutMs: number;
  /** Of the answer, after decompression. */
  readonly answerBytes: number;
  /** After so many questions in a row without an answer, the node gets no more. */
  readonly unansweredInARow: number;
}

export const LIMITS: Limits = { timeoutMs: 10_000, answerBytes: 4_194_304, unansweredInARow: 3 };

/** A node that is asked one question at a time. */
export interface Node {
  readonly host: string;
  /** `path` follows the URL. @throws Unanswered without a whole answer within the limits. */
  ask(path: string, init: RequestInit): Promise<Response>;
  /** The text without the parts of the URL that may be a key of its provider. */
  withoutSecrets(text: string): string;
}

/**
 * Reads the URL of a node.
 *
 * @returns null unless it is http or https, without user, password, query and fragment.
 */
export function nodeAt(text: string, limits: Limits = LIMITS): Node | null {
  const url = URL.canParse(text) ? new URL(text) : null;
  if (url === null || !/^https?:$/.test(url.protocol)) return null;
  if ([url.username, url.password, url.search, url.hash].some((part) => part !== "")) return null;
  const base = url.href.replace(/\/+$/, "");
  const secrets = url.pathname.split("/").filter((part) => part.length >= MIN_SECRET_CHARACTERS);
  let unanswered = 0;

  async function ask(path: string, init: RequestInit): Promise<Response> {
    if (unanswered >= limits.unansweredInARow)
      throw new Unanswered(`not asked, after ${unanswered} questions in a row without an answer`);
    unanswered += 1;
    const response = await fetchBounded(`${base}${path}`, init, limits);
    unanswered = 0;
    return response;
  }

  return {
    host: url.host,
    ask,
    withoutSecrets: (said) => secrets.reduce((rest, secret) => rest.replaceAll(secret, "<url>"), said),
  };
}

async function fetchBounded(url: string, init: RequestInit, { timeoutMs, answerBytes }: Limits): Promise<Response> {
  const signal = AbortSignal.timeout(timeoutMs);
  try {
    const response = await fetch(url, { ...init, signal, redirect: "manual" });
    if (response.status === MANY_REQUESTS) throw new Unanswered("429: the node takes no more questions now");
    const body = await readBytes(response, answerBytes);
    const { status, headers } = response;
    return new Response(WITHOUT_BODY.has(status) ? null : body, { status, headers });
  } catch (error) {
    if (error instanceof Unanswered) throw error;
    if (signal.aborted) throw new Unanswered(`no whole answer within ${timeoutMs} ms`);
    throw new Unanswered(`no answer: ${causeOf(error)}`);
  }
}

async function readBytes({ body }: Response, limitBytes: number): Promise<Blob> {
  const chunks: Uint8Array<ArrayBuffer>[] = [];
  let bytes = 0;
  for await (const chunk of body ?? []) {
    bytes += chunk.length;
    // Leaving the loop cancels the rest.
    if (bytes > limitBytes) throw new Unanswered(`its answer is longer than ${limitBytes} bytes`);
    chunks.push(chunk);
  }
  return new Blob(chunks);
}

/** The code of the system, because a message may have the URL. */
function causeOf(error: unknown): string {
  const { code } = Object(Object(error).cause);
  return typeof code === "string" && /^[A-Z0-9_]{1,40}$/.test(code) ? code : "the connection failed";
}
