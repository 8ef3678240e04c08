import { parseArgs } from "node:util";
import type { Call, Command } from "./command.ts";
import { CommandError } from "./exit-codes.ts";
import type { Typed } from "./flags.ts";
import { suggestion } from "./terminal/nearest.ts";

/** The error of a wrong command line. */
export function usageError(problem: string, command: Pick<Command, "name"> | null): CommandError {
  const help = command === null ? "gasworks --help" : `gasworks ${command.name} --help`;
  return new CommandError("usage", `${problem}\nSee: ${help}`);
}

function optionsOf({ flags }: Command) {
  return Object.fromEntries(
    flags.map(({ name, kind }) => [
      name,
      kind === "boolean" ? ({ type: "boolean" } as const) : ({ type: "string", multiple: true } as const),
    ]),
  );
}

function tokensOf(command: Command, args: readonly string[]) {
  try {
    const strict = { strict: true, allowPositionals: true, allowNegative: true } as const;
    return parseArgs({ args: [...args], options: optionsOf(command), tokens: true, ...strict });
  } catch (error) {
    const doubtful = /^Option '--([^' ]*)[^']*' argument is ambiguous/.exec(
      error instanceof Error ? error.message : "",
    )?.[1];
    if (doubtful !== undefined)
      throw usageError(`--${doubtful}: put a value that begins with a dash after =, as in --${doubtful}=-1`, command);
    const [problem = ""] = (error instanceof Error ? error.message : String(error)).split(/\. |\n/);
    const [, unknown] = /^Unknown option '--([^']*)'/.exec(problem) ?? [];
    const names = command.flags.map(({ name }) => `--${name}`);
    throw usageError(problem + (unknown === undefined ? "" : suggestion(`--${unknown}`, names)), command);
  }
}

/** Reads the words and flags of a call. @throws CommandError for an unknown flag, a doubled one, or a word too many. */
export function parseCall(command: Command, args: readonly string[]): Call {
  const { positionals: words, values } = tokensOf(command, args);
  const { positionals, flags } = command;
  const extra = args[args.lastIndexOf(words.at(-1) ?? "") - 1] ?? "";
  const taken = flags.find(({ name, kind }) => kind === "boolean" && extra === `--${name}`);
  if (words.length > positionals.length && taken !== undefined)
    throw usageError(
      taken.field === null
        ? `--${taken.name} takes no value`
        : `--${taken.name} takes no value: give --${taken.name}, or --no-${taken.name}`,
      command,
    );
  if (words.length > positionals.length)
    throw usageError(`${words[positionals.length]} is one word too many for gasworks ${command.name}`, command);
  // A word that may be left out comes first: the only project of a service.
  const missing = positionals.filter(({ isRequired }) => isRequired)[words.length];
  if (missing !== undefined) throw usageError(`<${missing.name}> is missing: ${missing.description}`, command);
  const typed = new Map<string, Typed>();
  for (const { name, kind } of flags) {
    const value = values[name];
    if (value === undefined) continue;
    const texts = [value].flat().filter((each) => typeof each === "string");
    const [text, ...others] = texts;
    if (text !== undefined && kind !== "list" && others.length > 0)
      throw usageError(`--${name} is given twice`, command);
    typed.set(name, kind === "list" ? texts : (text ?? value === true));
  }
  const required = flags.find(({ name, isRequired, field }) => isRequired && field === null && !typed.has(name));
  if (required !== undefined) throw usageError(`--${required.name} is missing: ${required.description}`, command);
  return { words, typed };
}
