import { toBase64 } from "@mysten/sui/utils";

/**
 * The secret of the workflows, in each app of these tests. On a busy machine a reset may leave the directory of the
 * former test. That one would refuse another secret.
 */
export const APP_SECRET = new Uint8Array(32).fill(7);

/** `APP_SECRET` as the variable has it. */
export const FLOWS_SECRET = toBase64(APP_SECRET);
