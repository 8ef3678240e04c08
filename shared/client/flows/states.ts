import type { Result } from "../../result.ts";
import type { FlowError } from "./errors.ts";

/** The steps of a call, in their order. */
export type FlowStep = "building" | "sponsoring" | "checking" | "signing" | "executing";

/** Tells whether a call goes on with what an earlier one began. */
export interface Repeated {
  /** True: an earlier call has sent the transaction, or has its result. The user has signed nothing in this one. */
  readonly isRepeat: boolean;
}

/** A result of a flow. Flows never reject. */
export type FlowResult<Executed> = Result<Executed & Repeated, FlowError>;

/**
 * The state of a call, for the user's eyes. `signing` waits for the wallet. `unknown`: the transaction may have been
 * executed, and `isOpen` of the error says whether the same call again finds out. `refused`: nothing was executed, and
 * the error says what to do.
 */
export type FlowState<Executed> =
  | ({ readonly step: FlowStep; readonly isDurable: boolean } & Repeated)
  | { readonly step: "done"; readonly result: Executed & Repeated }
  | { readonly step: "refused"; readonly error: FlowError }
  | { readonly step: "unknown"; readonly error: FlowError };

/** Receives each state of a call. */
export type OnState<Executed> = (state: FlowState<Executed>) => void;
