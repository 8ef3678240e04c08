import type { Log } from "../bindings/ports.ts";
import type { VersionedSecrets } from "../config/secret-versions.ts";
import { sleep } from "../timing.ts";
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
/** Calls of the key service that may be under way at once in an isolate. */
const MAX_CALLS = 8;
/** A call whose object ended does not return. It counts for this time, which is longer than a call takes. */
const CALL_MS = 10_000;
/** How often, and how many times, a reader looks whether the answer of another call is there. */
const LOOK_MS = 20;
const MAX_LOOKS = 100;

const BUSY: KeyServiceFault = { kind: "unreachable", text: "too many calls wait for AWS KMS: try again" };

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
 * therefore each make a call of their own, up to a limit. Further readers wait two seconds for the bytes.
 *
 * @param plain the versions whose bytes the configuration holds. `current` may be a wrapped one.
 */
export function wrappedMasterKeys(
  { current, byVersion: plain }: VersionedSecrets,
  { wrapped, unwrap, nowMs, log }: Unwrapping,
): MasterKeys {
  const known = new Map(plain);
  const failures = new Map<number, { readonly fault: KeyServiceFault; readonly atMs: number }>();
  const underWay = new Set<{ readonly atMs: number }>();
  /** The bytes, if they are known or the version has none. Undefined if the key service has to be asked. */
  const withoutCall = (version: number): Uint8Array | null | undefined => {
    const bytes = known.get(version) ?? (wrapped.has(version) ? undefined : null);
    if (bytes !== undefined) return bytes;
    const failure = failures.get(version);
    if (failure !== undefined && Math.abs(nowMs() - failure.atMs) < FAILURE_KEPT_MS)
      throw new KeyServiceError(version, failure.fault);
    return undefined;
  };
  const isBusy = () => {
    for (const call of underWay) if (Math.abs(nowMs() - call.atMs) >= CALL_MS) underWay.delete(call);
    return underWay.size >= MAX_CALLS;
  };
  const call = async (version: number, blob: Uint8Array): Promise<Unwrapped> => {
    const mine = { atMs: nowMs() };
    underWay.add(mine);
    try {
      return await unwrap(version, blob);
    } finally {
      underWay.delete(mine);
    }
  };
  const bytesOf = async (version: number): Promise<Uint8Array | null> => {
    for (let looks = 0; looks < MAX_LOOKS && withoutCall(version) === undefined && isBusy(); looks += 1)
      await sleep(LOOK_MS);
    const before = withoutCall(version);
    const blob = wrapped.get(version);
    if (before !== undefined || blob === undefined) return before ?? null;
    if (isBusy()) throw new KeyServiceError(version, BUSY);
    const unwrapped = await call(version, blob);
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
