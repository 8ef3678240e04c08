import type { Result } from "../../result.ts";
import type { FlowError } from "./errors.ts";

/** The steps of a call, in their order. */
export type FlowStep = "building" | "sponsoring" | "checking" | "signing" | "executing";

/** The flag of a call that continues an earlier one. */
export interface Repeated {
  /** True if an earlier call has sent the transaction, or has its result. The user has signed nothing in this call. */
  readonly isRepeat: boolean;
}

/** A result of a flow. Flows never reject. */
export type FlowResult<Executed> = Result<Executed & Repeated, FlowError>;

/**
 * The state of a call, to show it to the user. `signing` waits for the wallet. `unknown`: the transaction may have been
 * executed. If `isOpen` of the error is true, the same call again may learn the outcome. `refused`: nothing was
 * executed, and the error has the next step.
 */
export type FlowState<Executed> =
  | ({ readonly step: FlowStep; readonly isDurable: boolean } & Repeated)
  | { readonly step: "done"; readonly result: Executed & Repeated }
  | { readonly step: "refused"; readonly error: FlowError }
  | { readonly step: "unknown"; readonly error: FlowError };

/** Receives each state of a call. */
export type OnState<Executed> = (state: FlowState<Executed>) => void;
