import type * as z from "zod";
import type { Exit } from "./exit-codes.ts";
import type { Flag, Typed } from "./flags.ts";
import type { Session } from "./session.ts";

/** A word of the command line that is no flag. */
export interface Positional {
  readonly name: string;
  readonly description: string;
  readonly isRequired: boolean;
  /** The form of the word. Null if any will do. */
  readonly schema: z.ZodString | null;
}

/** The words and flags of one call, checked against the command, and not yet against the schemas. */
export interface Call {
  readonly words: readonly string[];
  readonly typed: ReadonlyMap<string, Typed>;
}

/** One command: a noun and a verb, or one word. */
export interface Command {
  readonly name: string;
  readonly summary: string;
  readonly positionals: readonly Positional[];
  readonly flags: readonly Flag[];
  /** Further lines of its help. */
  readonly notes: readonly string[];
  run(call: Call, session: Session): Promise<Exit>;
}

/** Builds a flag of the command line itself. */
export function ownFlag(
  name: string,
  hint: string,
  description: string,
  { kind = hint === "" ? "boolean" : "text", isRequired = false }: Partial<Pick<Flag, "kind" | "isRequired">> = {},
): Flag {
  return { name, kind, hint, description, choices: [], isRequired, field: null };
}

/** The flags of every command that calls a service. */
export const SERVICE_FLAGS: readonly Flag[] = [
  ownFlag("profile", "name", "the profile with the service's URL and token"),
  ownFlag("timeout", "seconds", "the time of one call: 30, or 120 for long work, unless given"),
];

/** The flag of machine-readable output. */
export const JSON_FLAG = ownFlag("json", "", "print one JSON document, with amounts in MIST or octas");

/** The flag that answers the question of a dangerous command. */
export const YES_FLAG = ownFlag("yes", "", "do it without a question; needed if no terminal can be asked");

/** Returns the text of a flag. Undefined if it was not given. */
export function textOf({ typed }: Call, name: string): string | undefined {
  const value = typed.get(name);
  return typeof value === "string" ? value : undefined;
}

/** Returns whether a flag without a value was given. */
export function isOn({ typed }: Call, name: string): boolean {
  return typed.get(name) === true;
}
