import { field } from "./wire.ts";

/** An attempt whose end is not known. It outlives a reload of the page, so that a repeat never makes another one. */
export interface OpenAttempt {
  /** The name under which the client of the workflows makes one transaction. */
  readonly name: string;
  readonly badgeName: string;
  /** The address of the badge's owner. */
  readonly address: string;
}

/** The storage of the attempt whose outcome is not known yet. Null if no outcome is open. */
export interface AttemptStore {
  get(): OpenAttempt | null;
  put(attempt: OpenAttempt | null): void;
}

/**
 * Keeps an attempt in the tab, without any token.
 *
 * @param name of the user and of the way to mint.
 */
export function attemptStore(storage: Pick<Storage, "getItem" | "setItem" | "removeItem">, name: string): AttemptStore {
  const key = `gasworks.open.${name}`;
  return {
    get: () => readAttempt(storage.getItem(key)),
    put: (attempt) => {
      if (attempt === null) storage.removeItem(key);
      else storage.setItem(key, JSON.stringify(attempt));
    },
  };
}

function readAttempt(text: string | null): OpenAttempt | null {
  let kept: unknown;
  try {
    kept = JSON.parse(text ?? "null");
  } catch {
    return null;
  }
  const [name, badgeName, address] = ["name", "badgeName", "address"].map((part) => field(kept, part));
  const isWhole = typeof name === "string" && typeof badgeName === "string" && typeof address === "string";
  return isWhole ? { name, badgeName, address } : null;
}
