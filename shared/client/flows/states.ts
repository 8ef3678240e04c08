import type { FlowError } from "./errors.ts";

/** The steps of a call, in their order. */
export type FlowStep = "building" | "sponsoring" | "checking" | "signing" | "executing";

/**
 * The state of a call, for the user's eyes. `signing` waits for the wallet. `unknown`: the transaction may have been
 * executed, and the same call again finds out. `refused`: nothing was executed, and the error says what to do.
 */
export type FlowState<Executed> =
  | { readonly step: FlowStep; readonly isDurable: boolean }
  | { readonly step: "done"; readonly result: Executed }
  | { readonly step: "refused"; readonly error: FlowError }
  | { readonly step: "unknown"; readonly error: FlowError };

/** Receives each state of a call. */
export type OnState<Executed> = (state: FlowState<Executed>) => void;
