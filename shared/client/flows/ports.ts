import { toHex } from "./bytes.ts";
import { KEY_BYTES } from "./limits.ts";

/** The ports of the client, which tests replace. */

/** The part of `Storage` that the client needs: `localStorage`, `sessionStorage`, or a substitute. */
export interface FlowStorage {
  getItem(key: string): string | null;
  setItem(key: string, value: string): void;
  removeItem(key: string): void;
}

/** The part of the Web Locks API that the client needs. */
export interface FlowLocks {
  request<Value>(name: string, options: { signal?: AbortSignal }, work: () => Promise<Value>): Promise<Value>;
}

/** A fetch function. */
export type FlowFetch = (input: string, init: RequestInit) => Promise<Response>;

/** The ports of the client. */
export interface Ports {
  /** The origin of the workflows, without a slash at its end. */
  readonly url: string;
  readonly token: () => string | Promise<string>;
  /** The user whom a back end names. Null if the token belongs to the user. */
  readonly user: string | null;
  readonly fetch: FlowFetch;
  /** Null without a storage, as in Node. */
  readonly storage: FlowStorage | null;
  /** Null without locks. */
  readonly locks: FlowLocks | null;
  readonly nowMs: () => number;
  /** Returns a number from 0 up to 1. */
  readonly random: () => number;
  /** Waits for a time, ms, or until the signal aborts. */
  readonly sleep: (ms: number, signal?: AbortSignal) => Promise<void>;
  /** Returns a new idempotency key. */
  readonly newKey: () => string;
}

/** Waits for a time in ms, or until the signal aborts. */
export function sleep(ms: number, signal?: AbortSignal): Promise<void> {
  return inTime(ms, signal, new Promise<never>(() => {}), () => {});
}

/** Runs work with a signal that aborts after a time in ms, or with another signal. */
export async function within<Value>(
  ms: number,
  signal: AbortSignal | undefined,
  work: (limit: AbortSignal) => Promise<Value>,
): Promise<Value> {
  const limit = new AbortController();
  const abort = () => limit.abort();
  const timer = setTimeout(abort, ms);
  if (signal?.aborted) abort();
  signal?.addEventListener("abort", abort, { once: true });
  try {
    return await work(limit.signal);
  } finally {
    clearTimeout(timer);
    signal?.removeEventListener("abort", abort);
  }
}

/**
 * Returns the result of work. After a time in ms, or if the signal aborts, returns that of `instead`. The work then
 * continues.
 */
export function inTime<Value, Other>(
  ms: number,
  signal: AbortSignal | undefined,
  work: Promise<Value>,
  instead: () => Other,
): Promise<Value | Other> {
  return within(ms, signal, (limit) => unlessAborted(limit, work, instead));
}

/** Returns the result of work. If the signal aborts first, returns that of `instead`. The work then continues. */
export async function unlessAborted<Value, Other>(
  signal: AbortSignal | undefined,
  work: Promise<Value>,
  instead: () => Other,
): Promise<Value | Other> {
  let stop = () => {};
  const aborted = new Promise<Other>((resolve) => {
    stop = () => resolve(instead());
  });
  if (signal?.aborted) stop();
  signal?.addEventListener("abort", stop, { once: true });
  try {
    return await Promise.race([work, aborted]);
  } finally {
    signal?.removeEventListener("abort", stop);
  }
}

/** Returns a random key. `crypto.randomUUID` exists only on secure pages. */
export function randomKey(): string {
  return toHex(crypto.getRandomValues(new Uint8Array(KEY_BYTES))).slice(2);
}

/** Returns the page's own storage. Null if the page has none, or if the browser forbids it. */
export function pageStorage(): FlowStorage | null {
  try {
    const { localStorage } = globalThis as { readonly localStorage?: FlowStorage };
    return localStorage ?? null;
  } catch {
    return null;
  }
}

/** Returns the browser's locks, which all tabs of an origin share. Null if the browser has none. */
export function pageLocks(): FlowLocks | null {
  const { navigator } = globalThis as { readonly navigator?: { readonly locks?: FlowLocks } };
  return navigator?.locks ?? null;
}
