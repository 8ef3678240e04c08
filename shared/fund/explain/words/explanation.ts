/** The state of an explained row. Colour only repeats the words of the status. */
export type Tone = "good" | "waiting" | "bad" | "unknown";

/** One step of the time line. */
export interface ExplainedStep {
  /** ISO 8601, UTC. */
  readonly at: string;
  readonly title: string;
  readonly text: string;
  readonly tone: Tone;
}

/** One line of the cost. */
export interface ExplainedCost {
  readonly label: string;
  /** MIST or octas. Null if the line has a text only. */
  readonly atoms: bigint | null;
  /** Explains the amount, or its absence. Empty if the label is enough. */
  readonly note: string;
}

/** One sponsorship, refusal or transaction in plain words. */
export interface Explanation {
  readonly tone: Tone;
  /** Two or three words: `Aborted on chain`. */
  readonly status: string;
  /** The event and its cause, in whole sentences. */
  readonly sentence: string;
  /** The next step. Null if no step is needed. */
  readonly advice: string | null;
  /** Oldest first. */
  readonly steps: readonly ExplainedStep[];
  readonly costs: readonly ExplainedCost[];
  /** The ids that a reader follows. Null for those that are unknown. */
  readonly subject: {
    readonly digest: string | null;
    readonly requestId: string | null;
    readonly fundId: string | null;
    readonly network: string | null;
    readonly keyId: string | null;
    readonly sender: string | null;
    readonly targets: readonly string[];
  };
}

/** The subject if nothing is known. */
export const NO_SUBJECT: Explanation["subject"] = {
  digest: null,
  requestId: null,
  fundId: null,
  network: null,
  keyId: null,
  sender: null,
  targets: [],
};
