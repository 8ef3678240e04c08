import { parseArgs, styleText } from "node:util";
import { BuildError } from "./build.ts";
import { UnexpectedAnswer } from "./client/http.ts";

/** Something that the person at the terminal can put right. */
export class LaunchError extends Error {
  override readonly name = "LaunchError";
}

/** A command was called in a way that it does not know. The message ends with the usage. */
export class UsageError extends LaunchError {
  constructor(problem: string, usage: string) {
    super(`${problem}\n\n${usage}`);
  }
}

/** Returns the exit code of a command that ended with this error. */
export function exitCodeOf(error: unknown): 1 | 2 {
  return error instanceof UsageError ? 2 : 1;
}

/** True where the message says it all, and the stack trace of the code that met it would add nothing. */
export function isForPerson(error: unknown): error is Error {
  return error instanceof LaunchError || error instanceof BuildError || error instanceof UnexpectedAnswer;
}

export function print(text = ""): void {
  console.log(text);
}

/** For what will be refused, or is not as it should be: seen also where the output goes to a file. */
export function warn(text: string): void {
  console.error(styleText("yellow", `Warning: ${text}`));
}

export function heading(text: string): void {
  print(`\n${styleText("bold", text)}`);
}

export function step(label: string, text: string): void {
  print(`  ${styleText("dim", label.padEnd(10))} ${text}`);
}

type Options = Readonly<Record<string, { readonly type: "boolean" | "string"; readonly default?: boolean | string }>>;

/**
 * What follows `--` on the command line of an npm script. Null: the usage was asked for, and has been printed.
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
