import type { SponsorshipView } from "../../views.ts";
import type { Tone } from "./explanation.ts";

/** The meaning of a state for the reader. */
export interface StateWords {
  /** Two or three words. */
  readonly status: string;
  readonly tone: Tone;
  /** Null if no step is needed. */
  readonly advice: string | null;
}

/** The words of each state of a sponsorship, while no node shows its execution. */
export const STATE_WORDS: Readonly<Record<SponsorshipView["state"], StateWords>> = {
  prepared: {
    status: "Waits for the user",
    tone: "waiting",
    advice: "The user's wallet has to sign. If it does not, the fund frees the money by itself.",
  },
  signed: {
    status: "Signed by the fund",
    tone: "waiting",
    advice:
      "Somebody has to execute it. If nobody does within its time, the fund takes the money back. Revoke the key's signatures if it must not execute.",
  },
  complete: { status: "Executed", tone: "good", advice: null },
  expired: {
    status: "Not executed in time",
    tone: "bad",
    advice:
      "The user signed too late, or closed the app. It may still execute until it counts as never executed: let the app ask again then.",
  },
  dead: {
    status: "Never executed",
    tone: "bad",
    advice:
      "The app has to ask again. If it comes often, look whether users leave at the signature. The cap maxAbandonCostPerDay bounds the cost.",
  },
  unresolvable: {
    status: "End unknown",
    tone: "unknown",
    advice: "The books hold what the chain shows. Reconcile the fund to see that it is exact.",
  },
};

/** The words of a state that this build does not know. */
export const UNKNOWN_STATE: StateWords = { status: "In a newer state", tone: "unknown", advice: null };
