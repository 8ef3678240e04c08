import { done, KEY_SERVICE_FAILED, type Outcome, type Refusal } from "../errors.ts";
import type { Result } from "../result.ts";

/** A master key version that the key service did not unwrap. */
export interface KeyServiceFault {
  /**
   * `unreachable`: it gave no answer, or one that may soon be another. `refused`: it stays so until the operator acts.
   */
  readonly kind: "unreachable" | "refused";
  /** The cause and the next step for the operator. It holds no secret, and no text of the key service. */
  readonly text: string;
}

/** The result of a call of the key service: 32 bytes, or a fault. */
export type Unwrapped = Result<Uint8Array, KeyServiceFault>;

/**
 * The key service did not unwrap a master key version, so nothing is sealed, opened or signed. It says nothing about the
 * sealed values.
 */
export class KeyServiceError extends Error {
  constructor(version: number, { text }: KeyServiceFault) {
    super(`${KEY_SERVICE_FAILED}: MASTER_KEYS version ${version}: ${text}`);
  }
}

/** Opens the message of an error that has crossed a call between objects. */
const ERROR_NAMES = /^(?:Error: )+/;

/**
 * Translates a `KeyServiceError`, also one of another object, for a caller. Only its text crosses such a call.
 *
 * @returns `key_service`. Null for every other error.
 */
export function keyServiceRefusal(error: unknown): Refusal | null {
  if (!(error instanceof Error)) return null;
  const details = error.message.replace(ERROR_NAMES, "");
  return details.startsWith(KEY_SERVICE_FAILED) ? { reason: "key_service", details } : null;
}

/** Waits for work. Returns `key_service` instead of a `KeyServiceError`. @throws every other error of the work. */
export async function orKeyServiceRefusal<T>(work: Promise<T>): Promise<Outcome<T>> {
  try {
    return done(await work);
  } catch (error) {
    const refusal = keyServiceRefusal(error);
    if (refusal === null) throw error;
    return { ok: false, error: refusal };
  }
}

/**
 * Makes the fault of a call that may have sent something before. `keyServiceRefusal` does not translate it, because the
 * refusal says that nothing was sent.
 */
export function mayHaveBeenSent({ details }: Refusal): Error {
  return new Error(`the transaction may have been sent before, and now ${details}`);
}

/** Returns null for a value that did not open. @throws KeyServiceError if it was not even tried. */
export function nullIfUnopened(error: unknown): null {
  if (keyServiceRefusal(error) !== null) throw error;
  return null;
}
