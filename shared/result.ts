/** The result of work that may be refused: a value, or the reason of the refusal. Only faults throw. */
export type Result<T, E> = Success<T> | Failure<E>;

/** A result that succeeded. */
export interface Success<T> {
  readonly ok: true;
  readonly value: T;
}

/** A result that failed. */
export interface Failure<E> {
  readonly ok: false;
  readonly error: E;
}
