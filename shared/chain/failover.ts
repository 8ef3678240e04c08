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
  /** Tried in this order, but for those that hang or lag. */
  readonly urls: readonly string[];
  /** Which of them this question is for; absent: all. */
  readonly isAsked?: (url: string) => boolean;
  /** Where it is kept which of them hang or lag; absent: nowhere. */
  readonly memory?: EndpointMemory;
}

function inOrder({ urls, isAsked = () => true, memory }: Endpoints): readonly string[] {
  return (memory?.order(urls) ?? urls).filter(isAsked);
}

/** How the fault of a reply begins that is longer than its bound. Stock clients pass on the text of an error, and not its class. */
const OVERSIZED = "the node's reply exceeds";

export function oversized(maxBytes: number): string {
  return `${OVERSIZED} ${maxBytes} bytes`;
}

/** A reply that parses and still is not what a node may say. */
export class InvalidReplyError extends Error {
  override readonly name = "ReplyError";
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
export async function readFirst<T>(
  endpoints: Endpoints,
  ask: (url: string, abort: AbortSignal) => Promise<T>,
  within: CallTime | null = null,
): Promise<Outcome<T>> {
  const { network, memory } = endpoints;
  let fault = noneConfigured(network);
  for (const url of inOrder(endpoints)) {
    const limitMs = limitMsOf(READ_TIMEOUT_MS, within);
    if (limitMs <= 0) break;
    const limit = new TimeLimit(limitMs);
    try {
      return done(await ask(url, limit.signal));
    } catch (error) {
      fault = faultText(error);
      const hasHung = limit.signal.aborted && limitMs === READ_TIMEOUT_MS;
      if (hasHung || fault.includes(OVERSIZED)) memory?.noteSilent(url);
    } finally {
      limit.end();
    }
  }
  const node = chainOf(network) === "sui" ? "Sui" : "Aptos";
  return refuse("node_unavailable", `no ${node} node answered: ${fault}`);
}

/** What an endpoint tells of its chain, and of when. */
export interface Told<T> {
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
 * @returns as `firstAnswer`.
 */
export async function newestAnswer<T>(
  endpoints: Endpoints,
  ask: (url: string, abort: AbortSignal) => Promise<Told<T>>,
  within: CallTime | null = null,
): Promise<Outcome<T>> {
  const { urls, memory } = endpoints;
  const old: Told<T>[] = [];
  const newest = () =>
    old.reduce<Told<T> | null>((best, one) => (best && best.timeMs >= one.timeMs ? best : one), null);
  const askOne = async (url: string, abort: AbortSignal): Promise<T> => {
    const known = newest();
    if (known !== null && memory?.isSilent(url)) return known.value;
    const told = await ask(url, abort);
    if (memory === undefined || memory.noteTime(url, told.timeMs) === "current" || told.isFinal === true)
      return told.value;
    old.push(told);
    throw new InvalidReplyError(`the node lags: its newest block is of ${new Date(told.timeMs).toISOString()}`);
  };
  const answer = await readFirst(endpoints, askOne, within);
  const known = newest();
  if (answer.ok || known === null) return answer;
  if (old.length === urls.length) memory?.noteAllBehind(known.timeMs);
  return done(known.value);
}

type Unknown = { readonly kind: "unknown"; readonly text: string };
const NO_TIME: Unknown = { kind: "unknown", text: "no node was asked in the time of one call" };

/**
 * Submits the same bytes to one endpoint after the other, until one takes them, or all that were asked have refused them.
 * After an endpoint that may have taken them, another one's refusal proves nothing: the others are asked too, since what
 * is sent may be bound to a time, and the outcome stays unknown unless one of them takes them.
 *
 * @param askNext of a `refused` that is about the endpoint and not about the bytes: another one may still take them.
 * @param within the time of all of them together; null: as long as it takes.
 */
export async function submitUntilDecided<O extends { readonly kind: string }>(
  endpoints: Endpoints,
  submitTo: (url: string, abort: AbortSignal) => Promise<O>,
  askNext: (refused: O) => boolean = () => false,
  within: CallTime | null = null,
): Promise<O | Unknown> {
  const { network, urls, memory } = endpoints;
  let unknown: O | null = null;
  let passed: O | null = null;
  for (const url of inOrder(endpoints)) {
    const limitMs = limitMsOf(SUBMIT_TIMEOUT_MS, within);
    if (limitMs <= 0) break;
    const { outcome, hasHung } = await withTimeLimit(limitMs, async (abort) => ({
      outcome: await submitTo(url, abort),
      hasHung: abort.aborted && limitMs === SUBMIT_TIMEOUT_MS,
    }));
    if (outcome.kind !== "unknown" && outcome.kind !== "refused") return outcome;
    if (outcome.kind === "unknown") {
      unknown = outcome;
      if (hasHung) memory?.noteSilent(url);
    } else if (askNext(outcome)) passed = outcome;
    else if (unknown === null) return outcome;
  }
  return unknown ?? passed ?? (urls.length > 0 ? NO_TIME : { kind: "unknown", text: noneConfigured(network) });
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
