import { isOutOfGas } from "../cause.ts";
import type { AnsweredExecution } from "./answer.ts";
import type { Tone } from "./explanation.ts";
import { shortTarget } from "./readable.ts";

/** The ways in which the chain ends a transaction. */
export const executionKinds = ["succeeded", "aborted", "out_of_gas", "failed"] as const;
/** One way in which the chain ends a transaction. */
export type ExecutionKind = (typeof executionKinds)[number];

/** The meaning of an execution. */
export interface ExecutionWords {
  readonly status: string;
  readonly tone: Tone;
  readonly advice: string | null;
}

/** The words of each way. */
export const EXECUTION_WORDS: Readonly<Record<ExecutionKind, ExecutionWords>> = {
  succeeded: { status: "Succeeded", tone: "good", advice: null },
  aborted: {
    status: "Aborted on chain",
    tone: "bad",
    advice:
      "The contract refused it, not this service. Look the constant or the code up in the source of its module. The same call aborts again until its inputs change.",
  },
  out_of_gas: {
    status: "Out of gas",
    tone: "bad",
    advice:
      "Leave the gas budget out, and a dry run sets it. If the caller has to name one, name a higher one, up to maxGasBudget of the policies.",
  },
  failed: {
    status: "Failed on chain",
    tone: "bad",
    advice: "The sentence ends with the chain's own words. Build the transaction anew with objects as they are now.",
  },
};

/** Returns how the chain has ended a transaction. */
export function executionKind({ success, failure, abort }: AnsweredExecution): ExecutionKind {
  if (success) return "succeeded";
  if (abort !== null || /\bmove abort\b/i.test(failure ?? "")) return "aborted";
  return isOutOfGas(failure) ? "out_of_gas" : "failed";
}

/** Describes in a few words how an execution ended: `game::play aborted with E_NOT_YOUR_TURN (code 3)`. */
export function executionText({ abort, failure, ...execution }: AnsweredExecution): string {
  if (abort !== null) {
    const { package: packageId, module, function: name, code, constant } = abort;
    const place = shortTarget([packageId, module, ...(name === null ? [] : [name])].join("::"));
    return `${place} aborted with ${constant === null ? `code ${code}` : `${constant} (code ${code})`}`;
  }
  if (execution.success) return "the chain has executed it";
  return failure === null ? "the chain gives no reason" : failure.replace(/\.$/, "");
}
