/** The one application package of the development chain. It is there from genesis and cannot be upgraded. */
export const DEMO_PACKAGE = "0xdec0de0000000000000000000000000000000000000000000000000000000001";

/** A shared `demo::Counter`, there from genesis: pass it to `demo::increment` and `demo::increment_by`. */
export const DEMO_COUNTER = {
  objectId: "0xdec0de0000000000000000000000000000000000000000000000000000000002",
  initialSharedVersion: 1n,
} as const;

/** Abort code of `demo::increment_by` when its second argument is zero. */
export const DEMO_ABORT_ZERO_INCREMENT = 1n;

/** Abort codes of `demo::lock` when there is a badge in the locker, and of `unlock` and `burn_locked` when there is none. */
export const DEMO_ABORT_LOCKER_FULL = 2n;
export const DEMO_ABORT_LOCKER_EMPTY = 3n;

/** A `demo::Badge` that is owned by the counter, as a dynamic field is: no transaction can name it. */
export const DEMO_CHILD = "0xdec0de0000000000000000000000000000000000000000000000000000000003";
