import { ByteSink } from "../bytes.ts";
import { done, type Outcome, refuse } from "../errors.ts";
import { chainOf, type Network } from "../networks.ts";
import { TimeLimit, withTimeLimit } from "../timing.ts";
import type { EndpointMemory } from "./endpoint-memory.ts";

/** What both chains' nodes have in common: several endpoints, tried in order, none of which is trusted to answer. */

export const READ_TIMEOUT_MS = 10_000;
/**
 * A Sui node answers an execution once it is final: within seconds, or it goes on trying for up to 90 s. Another endpoint
 * is asked before a call's time is over.
 */
const SUBMIT_TIMEOUT_MS = 10_000;
/** What one endpoint says against what is known is believed when it says so again so much later. */
export const SECOND_LOOK_MS = 3_000;
const MAX_FAULT_CHARACTERS = 1_000;

export interface Endpoints {
  readonly network: Network;
  /** Tried in this order, but for those that hang, flood or lag. */
  readonly urls: readonly string[];
  /** Which of them this question is for, asked at each one's turn; absent: all. */
  readonly isAsked?: (url: string) => boolean;
  /** Where it is kept which of them hang, flood or lag; absent: nowhere. */
  readonly memory?: EndpointMemory;
}

/** What Cloudflare answers in the place of an endpoint to which it has made no connection: it has sent nothing there. */
const UNCONNECTED_STATUSES = new Set([521, 523, 525, 526, 530]);
const UNCONNECTED = "no connection to the endpoint";

/** Says of a reply that no node has sent it. */
export function httpFault(status: number): string {
  return UNCONNECTED_STATUSES.has(status) ? `${UNCONNECTED}: HTTP ${status}` : `the endpoint answered HTTP ${status}`;
}

/** How the fault of a reply begins that is longer than its bound. Stock clients pass on the text of an error, and not its class. */
const OVERSIZED = "the node's reply exceeds";

export function oversized(maxBytes: number): string {
  return `${OVERSIZED} ${maxBytes} bytes`;
}

export function isOversized(fault: string): boolean {
  return fault.includes(OVERSIZED);
}

/** A reply that parses and still is not what a node may say. */
export class InvalidReplyError extends Error {
  override readonly name = "InvalidReplyError";
}

export function faultText(error: unknown): string {
  return (error instanceof Error ? error.message : String(error)).slice(0, MAX_FAULT_CHARACTERS);
}

function noneConfigured(network: Network): string {
  return `no node is configured for ${network}: set ${network}_NODES`;
}

/** When a call has to be answered. */
export interface CallTime {
  leftMs(): number;
}

/** For one endpoint: its time-out, or what is left of the call's time. Null: there is no such time above the time-out. */
export function limitMsOf(timeoutMs: number, within: CallTime | null): number {
  return within === null ? timeoutMs : Math.min(timeoutMs, within.leftMs());
}

/**
 * What the first endpoint says that gives an answer; one that does not, throws. Each has a time-out of its own.
 *
 * @param within the time of all of them together; null: as long as it takes.
 * @returns refuses with `node_unavailable` when none does.
 */
export function readFirst<T>(
  endpoints: Endpoints,
  ask: (url: string, abort: AbortSignal) => Promise<T>,
  within: CallTime | null = null,
): Promise<Outcome<T>> {
  return readAccepted(endpoints, ask, () => null, within);
}

/** As `readFirst`. @param whyNotTaken the fault of an answer that is in time and within bounds; null: it has none. */
async function readAccepted<T>(
  { network, urls, isAsked = () => true, memory }: Endpoints,
  ask: (url: string, abort: AbortSignal) => Promise<T>,
  whyNotTaken: (url: string, answer: T) => string | null,
  within: CallTime | null,
): Promise<Outcome<T>> {
  let fault = noneConfigured(network);
  const oversizedAt: string[] = [];
  for (const url of memory?.order(urls) ?? urls) {
    if (!isAsked(url)) continue;
    const limitMs = limitMsOf(READ_TIMEOUT_MS, within);
    if (limitMs <= 0) break;
    const limit = new TimeLimit(limitMs);
    try {
      const answer = await ask(url, limit.signal);
      memory?.noteAnswer(url);
      const whyNot = whyNotTaken(url, answer);
      if (whyNot === null) {
        // What is too long everywhere is the question's fault: whoever asks can make it so.
        for (const flooding of oversizedAt) memory?.noteFlood(flooding);
        return done(answer);
      }
      fault = whyNot;
    } catch (error) {
      fault = faultText(error);
      if (isOversized(fault)) oversizedAt.push(url);
      else memory?.noteFault(url);
      if (limit.signal.aborted && limitMs === READ_TIMEOUT_MS) memory?.noteHang(url);
    } finally {
      limit.end();
    }
  }
  const node = chainOf(network) === "sui" ? "Sui" : "Aptos";
  return refuse("node_unavailable", `no ${node} node answered: ${fault}`);
}

/** What an endpoint tells of its chain, and of when. */
export interface TimedAnswer<T> {
  readonly value: T;
  /** Of the last block that the endpoint has seen, by the chain's clock. */
  readonly timeMs: number;
  /** Whether it stays so, whatever comes after that block; absent: it does not. */
  readonly isFinal?: boolean;
}

/**
 * What the first endpoint says that gives an answer and does not lag. Where none is up to date, an old word is better than
 * none: the newest is taken, and no endpoint that hangs is waited for.
 *
 * @returns as `readFirst`.
 */
export async function readNewest<T>(
  endpoints: Endpoints,
  ask: (url: string, abort: AbortSignal) => Promise<TimedAnswer<T>>,
  within: CallTime | null = null,
): Promise<Outcome<T>> {
  const { urls, isAsked = () => true, memory } = endpoints;
  const old = new Map<string, TimedAnswer<T>>();
  const isWorthAsking = (url: string) => isAsked(url) && !(old.size > 0 && memory?.hangs(url));
  const whyNotTaken = (url: string, told: TimedAnswer<T>): string | null => {
    if (memory === undefined || memory.noteTime(url, told.timeMs) === "current" || told.isFinal === true) return null;
    old.set(url, told);
    return `the node lags: its newest block is of ${new Date(told.timeMs).toISOString()}`;
  };
  const answer = await readAccepted({ ...endpoints, isAsked: isWorthAsking }, ask, whyNotTaken, within);
  if (answer.ok) return done(answer.value.value);
  const [newest] = [...old.values()].toSorted((one, other) => other.timeMs - one.timeMs);
  if (newest === undefined) return answer;
  if (urls.every((url) => old.has(url) || memory?.isDead(url))) memory?.noteAllBehind(newest.timeMs);
  return done(newest.value);
}

type Unknown = { readonly kind: "unknown"; readonly text: string };
const NO_TIME: Unknown = { kind: "unknown", text: "no node was asked in the time of one call" };

/**
 * Submits the same bytes to one endpoint after the other, until one takes them, or all that were asked have refused them.
 * After an endpoint that may have taken them, another one's refusal proves nothing: the others are asked too, since what
 * is sent may be bound to a time, and the outcome stays unknown unless one of them takes them. An endpoint to which no
 * connection could be made has taken nothing.
 *
 * @param askNext of a `refused` that is about the endpoint and not about the bytes: another one may still take them.
 * @param within the time of all of them together; null: as long as it takes.
 */
export async function submitUntilDecided<O extends { readonly kind: string; readonly text?: string }>(
  endpoints: Endpoints,
  submitTo: (url: string, abort: AbortSignal) => Promise<O>,
  askNext: (refused: O) => boolean = () => false,
  within: CallTime | null = null,
): Promise<O | Unknown> {
  const { network, urls, isAsked = () => true, memory } = endpoints;
  let unknown: O | null = null;
  let passed: O | null = null;
  let unsent: O | null = null;
  for (const url of (memory?.submissionOrder(urls) ?? urls).filter(isAsked)) {
    const limitMs = limitMsOf(SUBMIT_TIMEOUT_MS, within);
    if (limitMs <= 0) break;
    const { outcome, hasHung } = await withTimeLimit(limitMs, async (abort) => ({
      outcome: await submitTo(url, abort),
      hasHung: abort.aborted && limitMs === SUBMIT_TIMEOUT_MS,
    }));
    if (outcome.kind !== "unknown") memory?.noteSubmission(url, "answered");
    else if (hasHung) memory?.noteSubmission(url, "hung");
    if (outcome.kind !== "unknown" && outcome.kind !== "refused") return outcome;
    if (outcome.kind === "unknown") {
      if (outcome.text?.startsWith(UNCONNECTED)) unsent = outcome;
      else unknown = outcome;
    } else if (askNext(outcome)) passed = outcome;
    else if (unknown === null) return outcome;
  }
  return (
    unknown ?? passed ?? unsent ?? (urls.length > 0 ? NO_TIME : { kind: "unknown", text: noneConfigured(network) })
  );
}

/**
 * Reads a reply while it has no more bytes than are allowed; what is left of a longer one is never received.
 *
 * @param look is called with each piece, and throws where the rest is not worth reading.
 * @throws Error where it is longer or breaks off.
 */
export async function readReply(
  { body }: Response,
  maxBytes: number,
  look: (piece: Uint8Array) => void = () => {},
): Promise<Uint8Array<ArrayBuffer>> {
  if (body === null) return new Uint8Array();
  const reader: ReadableStreamDefaultReader<Uint8Array> = body.getReader();
  const sink = new ByteSink();
  let bytesRead = 0;
  try {
    for (let piece = await reader.read(); !piece.done; piece = await reader.read()) {
      bytesRead += piece.value.length;
      if (bytesRead > maxBytes) throw new Error(oversized(maxBytes));
      look(piece.value);
      sink.push(piece.value);
    }
    return sink.bytes();
  } catch (error) {
    await reader.cancel().catch(() => {});
    throw error;
  } finally {
    reader.releaseLock();
  }
}

/** Reads a reply of at most so many bytes as UTF-8 text. @throws Error as `readReply`. */
export async function readReplyText(response: Response, maxBytes: number): Promise<string> {
  return new TextDecoder().decode(await readReply(response, maxBytes));
}
