import { runCommand } from "citty";
import * as z from "zod";
import { LaunchError } from "../../../../shared/cli/terminal.ts";
import type { Command } from "./command.ts";
import { CommandError, type Exit } from "./exit-codes.ts";
import { usageError } from "./parse.ts";
import type { Session } from "./session.ts";
import { inert, inertLines } from "./terminal/inert.ts";
import { suggestion } from "./terminal/nearest.ts";
import { say, sayText } from "./terminal/screen.ts";
import { treeOf } from "./tree.ts";
import { commandUsage, nounUsage, rootUsage } from "./usage.ts";

const HELP = new Set(["--help", "-h"]);

/** Returns the flags before the noun, moved to the end: `--json fund list` means `fund list --json`. */
function nounFirst(args: readonly string[], isValueFlag: (name: string) => boolean): readonly string[] {
  const before: string[] = [];
  const rest = [...args];
  for (let next = rest[0]; next?.startsWith("-") === true; next = rest[0]) {
    before.push(...rest.splice(0, !next.includes("=") && isValueFlag(next.slice(2)) ? 2 : 1));
  }
  return [...rest, ...before];
}

/** Returns the help that the words of a call ask for. */
function helpFor(args: readonly string[], commands: readonly Command[], columns: number): string {
  const [noun, verb] = args.filter((word) => !word.startsWith("-"));
  if (noun === undefined) return rootUsage(commands, columns);
  const command = commands.find(({ name }) => name === noun || name === `${noun} ${verb}`);
  if (command !== undefined) return commandUsage(command, columns);
  const verbsOf = commands.filter(({ name }) => name.startsWith(`${noun} `));
  return verbsOf.length > 0 ? nounUsage(noun, verbsOf, columns) : rootUsage(commands, columns);
}

/** Refuses a noun or a verb that does not exist. */
function checkWords([noun = "", verb = ""]: readonly string[], commands: readonly Command[]): void {
  const nouns = [...new Set(commands.map(({ name }) => name.split(" ")[0] ?? ""))];
  if (!nouns.includes(noun)) throw usageError(`there is no ${inert(noun)}${suggestion(noun, nouns)}`, null);
  if (commands.some(({ name }) => name === noun)) return;
  const verbsOf = commands
    .filter(({ name }) => name.startsWith(`${noun} `))
    .map(({ name }) => name.split(" ")[1] ?? "");
  if (!verbsOf.includes(verb))
    throw usageError(
      verb === "" || verb.startsWith("-")
        ? `gasworks ${noun} needs a verb: ${verbsOf.join(", ")}`
        : `${noun} has no verb ${inert(verb)}${suggestion(verb, verbsOf)}`,
      { name: noun },
    );
}

function messageOf(error: unknown): string {
  // The words of a schema are for its author.
  if (error instanceof z.ZodError)
    return "the answer has another form than this clone knows: bring the clone up to date";
  return error instanceof LaunchError ? error.message : String(error);
}

/** Runs one command line, and returns how it ended. Every error is printed. */
export async function gasworks(args: readonly string[], commands: readonly Command[], session: Session): Promise<Exit> {
  const { screen } = session;
  const valueFlags = new Set(
    commands.flatMap(({ flags }) => flags.filter(({ kind }) => kind !== "boolean")).map(({ name }) => name),
  );
  try {
    const words = nounFirst(args, (name) => valueFlags.has(name));
    if (words.length === 0 || words.some((word) => HELP.has(word)) || words[0] === "help") {
      say(screen.out, helpFor(words[0] === "help" ? words.slice(1) : words, commands, screen.out.columns()));
      return words.length === 0 ? "usage" : "ok";
    }
    checkWords(words, commands);
    let exit: Exit = "ok";
    const tree = treeOf(commands, session, (ended) => {
      exit = ended;
    });
    await runCommand(tree, { rawArgs: [...words] });
    return exit;
  } catch (error) {
    sayText(screen, screen.err, "red", inertLines(messageOf(error)));
    if (error instanceof CommandError) return error.exit;
    return error instanceof LaunchError ? "refused" : "fault";
  }
}
