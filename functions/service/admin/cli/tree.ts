import { type CommandDef, defineCommand } from "citty";
import type { Command } from "./command.ts";
import type { Exit } from "./exit-codes.ts";
import { parseCall } from "./parse.ts";
import type { Session } from "./session.ts";

/** Takes the end of the command that ran. */
export type Ended = (exit: Exit) => void;

/**
 * Returns a command as citty runs it. citty finds the command, and `parseCall` reads its flags: citty lets unknown and
 * doubled ones pass.
 */
function leaf(command: Command, session: Session, ended: Ended): CommandDef {
  return defineCommand({
    meta: { name: command.name, description: command.summary },
    run: async ({ rawArgs }) => ended(await command.run(parseCall(command, rawArgs), session)),
  });
}

/** Returns all commands as the tree that citty runs: nouns, and verbs below them. */
export function treeOf(commands: readonly Command[], session: Session, ended: Ended): CommandDef {
  const byNoun = Map.groupBy(commands, ({ name }) => name.split(" ")[0] ?? name);
  const subCommands = Object.fromEntries(
    [...byNoun].map(([noun, each]) => {
      const word = each.find(({ name }) => name === noun);
      if (word !== undefined) return [noun, leaf(word, session, ended)];
      const verbs = each.map((command) => [command.name.slice(noun.length + 1), leaf(command, session, ended)]);
      return [noun, defineCommand({ meta: { name: noun }, subCommands: Object.fromEntries(verbs) })];
    }),
  );
  return defineCommand({ meta: { name: "gasworks" }, subCommands });
}
