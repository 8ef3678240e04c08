import * as z from "zod";
import { formatCoin } from "../../../../shared/coin-text.ts";
import { chainOf, networkSchema } from "../../../../shared/networks.ts";
import { type Call, isOn } from "./command.ts";
import { CommandError } from "./exit-codes.ts";
import type { Connected } from "./session.ts";
import { inert, inertLines } from "./terminal/inert.ts";
import { sayText } from "./terminal/screen.ts";

/** The facts that are known before a dangerous call. */
export interface Facts {
  /** The id of the item that the call changes. Empty if it changes none. */
  readonly id: string;
  /** The thing as the service shows it now. Empty if it cannot be read. */
  readonly shown: Readonly<Record<string, unknown>>;
  /** The fields of the body or the query. */
  readonly sent: Readonly<Record<string, unknown>>;
}

/** Returns the effect and the cost of a call, in words. Each item is one line. */
export type Danger = (facts: Facts) => readonly string[];

const YES = "yes";

/** Returns a field as inert text. A dash if it is missing. */
export function shownText({ shown }: Facts, name: string): string {
  const value = shown[name];
  return typeof value === "string" || typeof value === "number" ? inert(String(value)) : "-";
}

/** Returns the name and the id of the thing. */
export function named(facts: Facts): string {
  return typeof facts.shown.name === "string" ? `“${inert(facts.shown.name)}” (${facts.id})` : facts.id;
}

/** Returns an amount of the thing's chain in whole coins. The plain number if the chain or the amount is unknown. */
export function coin({ shown }: Facts, atoms: unknown): string {
  const network = networkSchema.safeParse(shown.network);
  const amount = z
    .string()
    .regex(/^-?[0-9]+$/)
    .safeParse(atoms);
  if (!amount.success) return inert(String(atoms ?? "?"));
  return network.success ? formatCoin(chainOf(network.data), BigInt(amount.data)) : `${amount.data} MIST or octas`;
}

/**
 * Asks a person before a dangerous call. The answer is the word "yes".
 *
 * @throws CommandError if the answer is another one, or if no person can answer and `--yes` is not given.
 */
export async function confirmDanger({ screen }: Pick<Connected, "screen">, call: Call, lines: readonly string[]) {
  if (isOn(call, "yes")) return;
  for (const line of lines) sayText(screen, screen.err, "yellow", inertLines(line));
  if (!screen.isInteractive)
    throw new CommandError("usage", "this needs a confirmation, and there is no terminal: add --yes");
  const answer = await screen.ask(`Type ${YES} to do it: `);
  if (answer.trim() !== YES) throw new CommandError("refused", "not confirmed: nothing was done");
}
