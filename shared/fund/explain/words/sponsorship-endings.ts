import { type Ending, endings } from "../../endings.ts";
import type { AnsweredExecution, AnsweredSponsorship, AnsweredStory } from "./answer.ts";
import { EXECUTION_WORDS, executionKind } from "./execution.ts";
import { STATE_WORDS, type StateWords, UNKNOWN_STATE } from "./sponsorship-states.ts";
import { textOf } from "./text-of.ts";

/** The words of each ending that a fund has stored. They need no node. */
export const ENDING_WORDS: Readonly<Record<Ending, StateWords>> = {
  ...EXECUTION_WORDS,
  expired_unsigned: { ...STATE_WORDS.dead, status: "Not signed in time" },
  expired: { ...STATE_WORDS.dead, status: "Not executed in time" },
  refused: {
    status: "Refused",
    tone: "bad",
    advice: "Search for its request id: the refused call says why.",
  },
  rejected: {
    status: "Rejected by the nodes",
    tone: "bad",
    advice: "The app has to ask again, with objects as they are now.",
  },
  revoked: {
    status: "Revoked",
    tone: "bad",
    advice: "The app may ask again if its key and the fund are active.",
  },
  replaced: {
    status: "Replaced by its sender",
    tone: "bad",
    advice: "The app has to build it anew, after the sender's other transaction.",
  },
  unresolvable: STATE_WORDS.unresolvable,
};

/** Returns the words for the end of a sponsorship, or for its state if its end is not stored. */
export function sponsorshipWords({ outcome, state }: Pick<AnsweredSponsorship, "outcome" | "state">): StateWords {
  const ending = outcome === null ? null : textOf(ENDING_WORDS, outcome);
  return ending ?? textOf(STATE_WORDS, state) ?? UNKNOWN_STATE;
}

/** An execution, and its source. */
export interface ShownExecution {
  readonly execution: AnsweredExecution;
  readonly endpoint: string | null;
  readonly words: StateWords;
}

/** Returns the execution that a node shows now. Null if no node shows one. */
export function liveExecution({ chain }: Pick<AnsweredStory, "chain">): ShownExecution | null {
  const execution = chain?.execution ?? null;
  if (chain === null || execution === null) return null;
  return { execution, endpoint: chain.endpoint, words: EXECUTION_WORDS[executionKind(execution)] };
}

/** Returns the execution as the fund has stored it. Null if it was not executed, or if the fund has stored none. */
function storedExecution(row: AnsweredSponsorship): ShownExecution | null {
  const { outcome, failure, abort, ledgerPlace, executedAt: at, endpoint } = row;
  if (outcome === null || textOf(endings, outcome) !== "complete") return null;
  const execution = { success: outcome === "succeeded", failure, abort, gas: {}, ledgerPlace, at };
  return { execution, endpoint, words: sponsorshipWords(row) };
}

/** Returns the execution of one sponsorship of a story: as a node shows it, or else as it is stored. */
export function executionOf(
  story: Pick<AnsweredStory, "chain" | "sponsorships">,
  row: AnsweredSponsorship,
): ShownExecution | null {
  // A node answers about one digest.
  return (story.sponsorships.length === 1 ? liveExecution(story) : null) ?? storedExecution(row);
}
