import * as z from "zod";
import type { HttpAnswer } from "../../../../../shared/cli/client/http.ts";
import { CommandError, exitOfStatus } from "../exit-codes.ts";
import { flagName } from "../flags.ts";
import { inertLines } from "../terminal/inert.ts";

const problemSchema = z.object({
  detail: z.string(),
  errors: z.array(z.object({ path: z.string(), message: z.string() })).default([]),
});

const MAX_TEXT_CHARACTERS = 2_000;

/** The service words a wrong token for callers of its API. On the command line the token comes from a profile. */
const SEND_A_TOKEN = /^send Authorization: Bearer /;

const SEE_ERRORS = /\bsee errors$/;

const HINTS: Readonly<Record<number, string>> = {
  401: "The token is wrong or has ended: gasworks login",
  429: "The service asks to come back later.",
};

/** Returns the words for a field of a request that the service has refused, by its flag. */
export function fieldProblem(path: string, message: string): string {
  return path === "" ? message : `--${flagName(path.split("."))}: ${message}`;
}

/** Returns the error for an answer that is no success. Its words are the service's own. */
export function refusalError({ status, body, headers }: HttpAnswer): CommandError {
  const problem = problemSchema.safeParse(body);
  const isAboutTheHeader = status === 401 && problem.success && SEND_A_TOKEN.test(problem.data.detail);
  const text = problem.success
    ? [
        // The fields below are the subject of the refusal.
        isAboutTheHeader || (problem.data.errors.length > 0 && SEE_ERRORS.test(problem.data.detail))
          ? null
          : problem.data.detail,
        ...problem.data.errors.map(({ path, message }) => fieldProblem(path, message)),
      ]
        .filter((line) => line !== null)
        .join("\n")
    : `the answer has the status ${status} and is none of a Gasworks service: check the URL`;
  const hint = HINTS[status];
  const requestId = headers.get("x-request-id");
  const lines = [
    ...(text === "" ? [] : [inertLines(text.slice(0, MAX_TEXT_CHARACTERS))]),
    ...(hint === undefined ? [] : [hint]),
    ...(status >= 500 && requestId !== null ? [`x-request-id: ${inertLines(requestId)}`] : []),
  ];
  return new CommandError(exitOfStatus(status), lines.join("\n"));
}
