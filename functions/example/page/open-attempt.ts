import { field } from "./wire.ts";

/** An attempt whose end is not known. It outlives a reload of the page, so that a repeat never makes another one. */
export interface OpenAttempt {
  readonly path: string;
  readonly body: object;
  readonly idempotencyKey: string;
  readonly badgeName: string;
  /** The address of the badge's owner. */
  readonly address: string;
}

/** The place that keeps the attempt whose outcome is not known yet. Null if there is none. */
export interface AttemptStore {
  get(): OpenAttempt | null;
  put(attempt: OpenAttempt | null): void;
}

/**
 * Keeps an attempt in the tab, without any token. An idempotency key is useless without the user's own token.
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
  const [path, idempotencyKey, badgeName, address] = ["path", "idempotencyKey", "badgeName", "address"].map((name) =>
    field(kept, name),
  );
  const body = field(kept, "body");
  const isWhole =
    typeof path === "string" &&
    typeof idempotencyKey === "string" &&
    typeof badgeName === "string" &&
    typeof address === "string" &&
    typeof body === "object" &&
    body !== null;
  return isWhole ? { path, idempotencyKey, badgeName, address, body } : null;
}
