import { done, type Outcome, refuse } from "../errors.ts";
import { chainOf, type Network } from "../networks.ts";
import { TimeLimit, withTimeLimit } from "../timing.ts";
import { isOversized } from "./bounded-reply.ts";
import type { EndpointMemory } from "./endpoint-memory.ts";

/** The nodes of both chains try several endpoints in order, and trust none of them to answer. */

export const READ_TIMEOUT_MS = 10_000;
/**
 * A Sui node answers an execution after it is final: within seconds, or it tries for up to 90 s. Another endpoint is
 * called before a call's time ends.
 */
const SUBMIT_TIMEOUT_MS = 10_000;
/** If one endpoint repeats a contradiction of known facts after this time, it is believed. */
export const SECOND_LOOK_MS = 3_000;
const MAX_FAULT_CHARACTERS = 1_000;

/** The endpoints of one question, in their order. */
export interface Endpoints {
  readonly network: Network;
  /** Tried in this order, except those that hang, flood or lag. */
  readonly urls: readonly string[];
  /** Selects the endpoints of this question, at each one's turn. If absent, all are called. */
  readonly isAsked?: (url: string) => boolean;
  /** Remembers which of them hang, flood or lag. If absent, nothing is remembered. */
  readonly memory?: EndpointMemory;
}

/** Cloudflare answers with these if it could not connect to an endpoint, so it has sent nothing there. */
const UNCONNECTED_STATUSES = new Set([521, 523, 525, 526, 530]);
const UNCONNECTED = "no connection to the endpoint";

/** Writes the fault of a reply that no node has sent. */
export function httpFault(status: number): string {
  return UNCONNECTED_STATUSES.has(status) ? `${UNCONNECTED}: HTTP ${status}` : `the endpoint answered HTTP ${status}`;
}

/** Reports a reply that parses but that a node may not give. */
export class InvalidReplyError extends Error {
  override readonly name = "InvalidReplyError";
}

/** Reads the text of any thrown value, cut to 1,000 characters. */
export function faultText(error: unknown): string {
  return (error instanceof Error ? error.message : String(error)).slice(0, MAX_FAULT_CHARACTERS);
}

function noneConfigured(network: Network): string {
  return `no node is configured for ${network}: set ${network}_NODES`;
}

/** The time within which a call must be answered. */
export interface CallTime {
  leftMs(): number;
}

/**
 * Limits the time of one endpoint to its time-out and the rest of the call's time.
 * @param within null if only the time-out counts.
 */
export function limitMsOf(timeoutMs: number, within: CallTime | null): number {
  return within === null ? timeoutMs : Math.min(timeoutMs, within.leftMs());
}

/**
 * Returns the answer of the first endpoint that has one. An endpoint without one throws. Each has a time-out of its
 * own.
 *
 * @param within the time of all of them together. Null for no limit.
 * @returns refuses with `node_unavailable` if none answers.
 */
export function readFirst<T>(
  endpoints: Endpoints,
  ask: (url: string, abort: AbortSignal) => Promise<T>,
  within: CallTime | null = null,
): Promise<Outcome<T>> {
  return readAccepted(endpoints, ask, () => null, within);
}

/**
 * Reads as `readFirst` does, and passes over answers with a fault.
 * @param whyNotTaken returns the fault of an answer that is in time and within bounds. Null if it has none.
 */
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
        // If a reply is too long everywhere, the question is the cause, and callers can ask such questions.
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
  return refuse("node_unavailable", `no ${node} node answered, repeat later: ${fault}`);
}

/** An endpoint's answer about its chain, and the time that it belongs to. */
export interface TimedAnswer<T> {
  readonly value: T;
  /** Time of the last block that the endpoint has seen, by the chain's clock. */
  readonly timeMs: number;
  /** True if no later block can change it. If absent, one can. */
  readonly isFinal?: boolean;
}

/**
 * Returns the answer of the first endpoint that has one and does not lag. If none is up to date, returns the newest
 * answer. Then waits for no endpoint that hangs.
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
 * Submits the same bytes to one endpoint after the other, until one accepts them, or all called ones have refused them.
 * After an endpoint that may have accepted them, another one's refusal proves nothing. The others are still called,
 * because the bytes may expire. The outcome then stays unknown unless one of them accepts. An endpoint that could not
 * be connected to has accepted nothing.
 *
 * @param askNext true for a `refused` that concerns the endpoint and not the bytes, so that another one may accept
 * them.
 * @param within the time of all of them together. Null for no limit.
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

/** Selects endpoints of other hosts than those given. Undefined selects all. */
export function isNotOf(hosts: string | readonly string[] | undefined): (url: string) => boolean {
  const skipped = new Set(typeof hosts === "string" ? [hosts] : hosts);
  return (url) => !skipped.has(new URL(url).host);
}
