import { KEPT_REFUSALS } from "../cause.ts";
import type { AnsweredRefusal, AnsweredSponsorship, AnsweredStory, ExplainedAnswer } from "./answer.ts";
import { sponsorshipCosts } from "./costs.ts";
import { type Explanation, NO_SUBJECT } from "./explanation.ts";
import { chainOfName, readable, timeText } from "./readable.ts";
import { adviceOnRefusal } from "./refusal-advice.ts";
import { executionOf, liveExecution, sponsorshipWords } from "./sponsorship-endings.ts";
import { executionSteps, LEDGER_WORDS, ledgerStep, sponsorshipSteps } from "./steps.ts";
import { textOf } from "./text-of.ts";

/** An answer in plain words: each known thing, and what bounds the answer. */
export interface ExplainedInWords {
  /** The list has at least one. The first one is the answer's own cause. */
  readonly explanations: readonly Explanation[];
  /** Whole sentences. Empty if the search was complete. */
  readonly notes: readonly string[];
}

function explainSponsorship(story: AnsweredStory, row: AnsweredSponsorship, cause: string): Explanation {
  const chain = chainOfName(story.network);
  const shown = executionOf(story, row);
  return {
    ...(shown?.words ?? sponsorshipWords(row)),
    sentence: readable(cause, chain),
    steps: sponsorshipSteps(row, story, chain),
    costs: sponsorshipCosts(row, shown?.execution ?? null),
    subject: {
      digest: row.digest,
      requestId: row.requestId,
      fundId: story.fundId,
      network: story.network,
      keyId: row.keyId,
      sender: row.sender,
      targets: row.targets ?? [],
    },
  };
}

function explainRefusal(story: AnsweredStory, call: AnsweredRefusal, cause: string): Explanation {
  const chain = chainOfName(story.network);
  const { gasBudget, requestId, digest, sender, targets } = call;
  return {
    tone: "bad",
    status: "Refused",
    sentence: readable(cause, chain),
    advice: adviceOnRefusal(call),
    steps: [{ at: call.at, title: "Refused", text: `The fund refused ${call.method}: ${call.reason}.`, tone: "bad" }],
    costs: [
      { label: "Charged", atoms: 0n, note: "a refused call costs nothing" },
      ...(gasBudget === null
        ? []
        : [{ label: "Gas budget", atoms: BigInt(gasBudget), note: "that the call asked for" }]),
    ],
    subject: {
      digest,
      requestId,
      fundId: story.fundId,
      network: story.network,
      keyId: call.keyId === "" ? null : call.keyId,
      sender,
      targets,
    },
  };
}

/** Explains a transaction that a fund made for itself. Null if the fund has no ledger row of it. */
function explainOwn(story: AnsweredStory): Explanation | null {
  const [first] = story.ledger;
  if (first === undefined) return null;
  const chain = chainOfName(story.network);
  const shown = liveExecution(story);
  const what = textOf(LEDGER_WORDS, first.kind)?.what ?? "The fund changed its money";
  return {
    tone: shown?.words.tone ?? "good",
    status: shown?.words.status ?? "Booked",
    sentence: `It is a transaction of the fund itself. ${what} (${timeText(first.at)}).`,
    advice: null,
    steps: [...story.ledger.map((row) => ledgerStep(row, chain)), ...executionSteps(shown, chain)],
    costs: [],
    subject: {
      ...NO_SUBJECT,
      fundId: story.fundId,
      network: story.network,
      keyId: first.keyId,
      digest: first.reference,
    },
  };
}

function explainStory(story: AnsweredStory): readonly Explanation[] {
  const { sponsorships, refusals, causes } = story;
  const known = [
    ...sponsorships.map((row, index) => explainSponsorship(story, row, causes[index] ?? "")),
    ...refusals.map((call, index) => explainRefusal(story, call, causes[sponsorships.length + index] ?? "")),
  ];
  if (known.length > 0) return known;
  const own = explainOwn(story);
  return own === null ? [] : [own];
}

/** Explains that no fund knows the transaction, in the answer's own sentence. */
function explainUnknown({ cause, stories, isOnlyOnChain }: ExplainedAnswer): Explanation {
  const story = stories.find(({ chain }) => chain?.execution) ?? null;
  const kept = cause.includes(KEPT_REFUSALS) ? "" : ` ${KEPT_REFUSALS}`;
  const shown = story && liveExecution(story);
  return {
    tone: shown?.words.tone ?? "unknown",
    status: isOnlyOnChain ? "Paid by somebody else" : (shown?.words.status ?? "Not known here"),
    sentence: readable(cause, chainOfName(story?.network ?? null)),
    advice:
      shown === null
        ? `Compare the digest, hash or id with what the user sees. A digest of another network is unknown here.${kept}`
        : shown.words.advice,
    steps: executionSteps(shown, chainOfName(story?.network ?? null)),
    costs: [],
    subject: { ...NO_SUBJECT, network: story?.network ?? null },
  };
}

function notesOf({ isComplete, fundsSearched, unreadable, stories }: ExplainedAnswer): readonly string[] {
  return [
    ...(isComplete
      ? []
      : [
          `Only ${fundsSearched} funds were searched, and there are more. Name a project or a fund to search all of it.`,
        ]),
    ...(unreadable.length === 0 ? [] : [`These did not answer, and were not searched: ${unreadable.join(", ")}.`]),
    ...(stories.every(({ isWhole }) => isWhole)
      ? []
      : ["The audit log did not answer, so a revocation may be missing from the time line."]),
  ];
}

/** Puts the answer of a route that explains a transaction into plain words. */
export function explainInWords(answer: ExplainedAnswer): ExplainedInWords {
  const known = answer.stories.flatMap(explainStory);
  return { explanations: known.length > 0 ? known : [explainUnknown(answer)], notes: notesOf(answer) };
}
