import { fieldsOf, textsOf } from "./calls.ts";
import { KEPT_MS, MAX_KEPT_CHARACTERS, MAX_USED } from "./limits.ts";
import type { FlowStorage } from "./ports.ts";

/** Attempts whose end is not known, and the transactions that were signed before. They outlive a reload of the page. */

/** One attempt at one request. */
export interface Attempt {
  /** The Idempotency-Key of all its calls. */
  readonly key: string;
  /** The request as text: a kind, or a payload. A signed attempt keeps it, even if the app builds another one later. */
  readonly asked: string;
  /** The answer of `sponsor`, as JSON. It is checked again each time that it is used. Absent until an answer came. */
  readonly sponsored?: string;
  /** The user's signature. Absent until the user has signed. */
  readonly signature?: string;
  /** True if a call that executes it was sent and its outcome is not known. */
  readonly isLost?: boolean;
  /** The time of its beginning or, if it has a result, of its end. Milliseconds since 1970. */
  readonly atMs: number;
  /** The result of an ended attempt, as JSON. Absent while the attempt is open. */
  readonly result?: string;
}

/** Keeps attempts by the id of their request. */
export interface AttemptStore {
  get(id: string): Attempt | null;
  /** Stores an attempt. Returns false if only this page's memory has it, because the storage is full or absent. */
  put(id: string, attempt: Attempt): boolean;
  remove(id: string): void;
  /** Keeps a new attempt, and removes old ones: ended ones, and those that were never sent. */
  sweep(id: string, nowMs: number): void;
  /** Returns the transactions that a signer has signed. */
  used(signer: string): readonly string[];
  addUsed(signer: string, transaction: string): void;
}

const PREFIX = "gasworks.flows.";

/** Makes a store. Memory replaces a storage that is absent, full or forbidden. */
export function attemptStore(storage: FlowStorage | null): AttemptStore {
  const memory = new Map<string, string>();
  const read = (name: string): unknown => {
    const text = memory.get(name) ?? attempted(() => storage?.getItem(PREFIX + name) ?? null) ?? "null";
    return text.length > MAX_KEPT_CHARACTERS ? null : attempted(() => JSON.parse(text));
  };
  const write = (name: string, value: object): boolean => {
    const text = JSON.stringify(value);
    const isKept = attempted(() => {
      storage?.setItem(PREFIX + name, text);
      return storage !== null;
    });
    if (isKept === true) memory.delete(name);
    else memory.set(name, text);
    return isKept === true;
  };
  const get = (id: string) => attemptOf(read(`attempt.${id}`));
  const put = (id: string, attempt: Attempt) => write(`attempt.${id}`, attempt);
  const remove = (id: string) => {
    memory.delete(`attempt.${id}`);
    attempted(() => storage?.removeItem(`${PREFIX}attempt.${id}`));
  };
  const used = (id: string) => listOf(read(`used.${id}`));
  return {
    get,
    put(id, attempt) {
      if (put(id, attempt)) return true;
      // An end is shorter than its open attempt, so it fits. The open attempt must not stay.
      if (attempt.result === undefined) return false;
      remove(id);
      return put(id, attempt);
    },
    remove,
    sweep(id, nowMs) {
      const others = listOf(read("ids")).filter((other) => {
        const kept = other === id ? null : get(other);
        const isOld = kept !== null && nowMs - kept.atMs >= KEPT_MS && kept.isLost !== true;
        if (isOld) remove(other);
        return kept !== null && !isOld;
      });
      write("ids", [...others, id]);
    },
    used,
    addUsed: (id, transaction) => {
      const others = used(id).filter((other) => other !== transaction);
      write(`used.${id}`, [...others, transaction].slice(-MAX_USED));
    },
  };
}

/** Returns null if the storage throws. */
function attempted<Value>(use: () => Value): Value | null {
  try {
    return use();
  } catch {
    return null;
  }
}

function listOf(kept: unknown): readonly string[] {
  return Array.isArray(kept) ? kept.filter((one) => typeof one === "string") : [];
}

function attemptOf(kept: unknown): Attempt | null {
  const { key, asked, atMs, isLost } = fieldsOf(kept);
  if (typeof key !== "string" || !/^[!-~]{1,255}$/.test(key)) return null;
  if (typeof asked !== "string" || typeof atMs !== "number") return null;
  return {
    ...{ key, asked, atMs },
    ...textsOf(kept, ["sponsored", "signature", "result"]),
    ...(isLost === true && { isLost }),
  };
}
