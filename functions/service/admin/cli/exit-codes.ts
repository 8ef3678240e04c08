import { LaunchError } from "../../../../shared/cli/terminal.ts";

/** The exit code of each end of a command. Scripts use them, so no code ever changes its meaning. */
export const exitCodes = {
  ok: 0,
  refused: 1,
  usage: 2,
  unreachable: 3,
  notFound: 4,
  notAllowed: 5,
  busy: 6,
  fault: 7,
  warning: 8,
  failedCheck: 9,
  interrupted: 130,
} as const;

/** One end of a command. */
export type Exit = keyof typeof exitCodes;

/** The meaning of each end, as the help and the page print it. */
export const exitMeanings: Readonly<Record<Exit, string>> = {
  ok: "done",
  refused: "the service refused the call; the message names the reason",
  usage: "the command line or a profile is wrong; no change was asked for",
  unreachable: "no answer in time, or no connection",
  notFound: "the service does not have it",
  notAllowed: "the token is wrong, has ended, or its role does not reach this far",
  busy: "the service asks to come back later, and did so after the repeats too",
  fault: "a fault of the service or of this command",
  warning: "doctor: a warning, and nothing worse",
  failedCheck: "doctor, audit verify, fund reconcile: the check has failed",
  interrupted: "interrupted by Ctrl-C",
};

/** The end of a command that could not do its work. A person reads the message without a stack trace. */
export class CommandError extends LaunchError {
  readonly exit: Exit;

  constructor(exit: Exit, message: string) {
    super(message);
    this.exit = exit;
  }
}

/** Returns the end for a status of HTTP that is no success. */
export function exitOfStatus(status: number): Exit {
  if (status === 404) return "notFound";
  if (status === 401 || status === 403) return "notAllowed";
  if (status === 429 || status === 503) return "busy";
  return status >= 500 ? "fault" : "refused";
}
