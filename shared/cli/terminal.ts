import { parseArgs, styleText } from "node:util";
import { BuildError } from "./build.ts";
import { UnexpectedAnswer } from "./client/http.ts";

/** An error that the person at the terminal can correct. */
export class LaunchError extends Error {
  override readonly name = "LaunchError";
}

/** A command was called with unknown arguments. The message ends with the usage. */
export class UsageError extends LaunchError {
  constructor(problem: string, usage: string) {
    super(`${problem}\n\n${usage}`);
  }
}

/** Returns the exit code of a command that ended with this error. */
export function exitCodeOf(error: unknown): 1 | 2 {
  return error instanceof UsageError ? 2 : 1;
}

/** Returns true if the message suffices, and the stack trace would add nothing. */
export function isForPerson(error: unknown): error is Error {
  return error instanceof LaunchError || error instanceof BuildError || error instanceof UnexpectedAnswer;
}

/** Prints a line. */
export function print(text = ""): void {
  console.log(text);
}

/** Prints a warning. It is visible also if the output goes to a file. */
export function warn(text: string): void {
  console.error(styleText("yellow", `Warning: ${text}`));
}

/** Prints a heading. */
export function heading(text: string): void {
  print(`\n${styleText("bold", text)}`);
}

/** Prints a labelled line. */
export function step(label: string, text: string): void {
  print(`  ${styleText("dim", label.padEnd(10))} ${text}`);
}

type Options = Readonly<Record<string, { readonly type: "boolean" | "string"; readonly default?: boolean | string }>>;

/**
 * Parses the arguments after `--` on the command line of an npm script. Null if the usage was requested, and has been
 * printed.
 *
 * @throws UsageError for anything that is not an option of this command.
 */
export function parseOptions<const Known extends Options>(usage: string, options: Known) {
  try {
    const { values } = parseArgs({ options: { ...options, help: { type: "boolean", short: "h" } } });
    if (!("help" in values)) return values;
  } catch (error) {
    throw new UsageError(error instanceof Error ? error.message : String(error), usage);
  }
  print(usage);
  return null;
}
