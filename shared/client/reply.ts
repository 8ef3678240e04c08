import type { Failure, Result } from "../result.ts";

/** A refusal by the service, or by this client for params that it would not send. */
export interface Refused {
  readonly kind: "refused";
  readonly code: number;
  /**
   * Machine-readable. Null if the service gave none, and if text and code imply none. A newer service may give reasons
   * that this client does not know.
   */
  readonly reason: string | null;
  readonly details: string;
  readonly data: Readonly<Record<string, unknown>>;
}

/**
 * A call without a usable answer. After `timeout` and `bad_reply` the service may have carried it out. The same applies
 * to `unreachable` by a proxy or by a broken connection.
 */
export interface TransportFailure {
  readonly kind: "timeout" | "unreachable" | "bad_reply";
  readonly details: string;
  /** The wait that a proxy requests, ms. Absent if it requests none. */
  readonly retryAfterMs?: number;
}

/** The error of a call: a refusal, or no usable answer. */
export type ClientError = Refused | TransportFailure;
/** The result of a call. Calls never reject. */
export type Reply<T> = Result<T, ClientError>;

/** Returns true if the service has refused a call for this reason. */
export function isRefused<T>(reply: Reply<T>, reason: string): boolean {
  return !reply.ok && reply.error.kind === "refused" && reply.error.reason === reason;
}

/** Returns an error as a reply. */
export function failed(error: ClientError): Failure<ClientError> {
  return { ok: false, error };
}

/** Returns the error of an answer that cannot be used, as a reply. */
export function badReply(details: string): Failure<ClientError> {
  return failed({ kind: "bad_reply", details });
}
