import type { Command } from "../command.ts";
import { type RouteVerb, routeCommand } from "./route-command.ts";

/**
 * Returns one command for two routes that differ in one word. With the word it calls the one, without it the other.
 * Both routes take the same flags.
 */
export function twoRoutesCommand(one: RouteVerb, other: RouteVerb): Command {
  const [bare, withWord] = one.route.resource === null ? [one, other] : [other, one];
  const ofAll = routeCommand(bare);
  const ofOne = routeCommand(withWord);
  return {
    ...ofAll,
    summary: `${bare.summary}. With a ${withWord.route.resource?.name}: ${withWord.summary}`,
    positionals: ofOne.positionals.map((word) => ({ ...word, description: "its id", isRequired: false })),
    run: (call, session) => (call.words.length === 0 ? ofAll : ofOne).run(call, session),
  };
}
