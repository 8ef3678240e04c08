import type { Log } from "../bindings/ports.ts";
import type { VersionedSecrets } from "../config/secret-versions.ts";
import { KeyServiceError, type KeyServiceFault, type Unwrapped } from "./key-service.ts";

/** The master keys, by version. The bytes of a version may come from a key service, so that reading them takes time. */
export interface MasterKeys {
  /** The highest version. Everything new is sealed under it. */
  readonly current: number;
  /** Every configured version. */
  readonly versions: readonly number[];
  /**
   * Returns the 32 bytes of a version, which callers must not change. Null if it is not configured.
   *
   * @throws KeyServiceError if the key service does not unwrap it.
   */
  readonly bytesOf: (version: number) => Promise<Uint8Array | null>;
}

/** Returns master keys whose bytes the configuration holds. Reading them needs no I/O. */
export function plainMasterKeys({ current, byVersion }: VersionedSecrets): MasterKeys {
  return { current, versions: [...byVersion.keys()], bytesOf: async (version) => byVersion.get(version) ?? null };
}

/** A failure answers calls for this time, so that a key service in trouble gets no flood of calls. */
const FAILURE_KEPT_MS = 1_000;

/** The parts that wrapped master keys need. */
export interface Unwrapping {
  /** Wrapped bytes by version. */
  readonly wrapped: ReadonlyMap<number, Uint8Array>;
  /** Calls the key service. */
  readonly unwrap: (version: number, wrapped: Uint8Array) => Promise<Unwrapped>;
  readonly nowMs: () => number;
  readonly log: Log;
}

/**
 * Returns master keys that a key service unwraps at their first use. All objects of an isolate share them. They keep
 * bytes and no promise, because no object may await the I/O of another. Calls that begin before the first answer
 * therefore each make a call of their own.
 *
 * @param plain the versions whose bytes the configuration holds. `current` may be a wrapped one.
 */
export function wrappedMasterKeys(
  { current, byVersion: plain }: VersionedSecrets,
  { wrapped, unwrap, nowMs, log }: Unwrapping,
): MasterKeys {
  const known = new Map(plain);
  const failures = new Map<number, { readonly fault: KeyServiceFault; readonly atMs: number }>();
  const bytesOf = async (version: number): Promise<Uint8Array | null> => {
    const before = known.get(version);
    const blob = wrapped.get(version);
    if (before !== undefined || blob === undefined) return before ?? null;
    const failure = failures.get(version);
    if (failure !== undefined && Math.abs(nowMs() - failure.atMs) < FAILURE_KEPT_MS)
      throw new KeyServiceError(version, failure.fault);
    const unwrapped = await unwrap(version, blob);
    // Another call may have got the bytes during the await.
    const bytes = known.get(version) ?? (unwrapped.ok ? unwrapped.value : null);
    if (!unwrapped.ok && bytes === null) {
      failures.set(version, { fault: unwrapped.error, atMs: nowMs() });
      log("key_service.failed", { version, kind: unwrapped.error.kind, error: unwrapped.error.text });
      throw new KeyServiceError(version, unwrapped.error);
    }
    if (bytes !== null) known.set(version, bytes);
    return bytes;
  };
  return { current, versions: [...plain.keys(), ...wrapped.keys()], bytesOf };
}
