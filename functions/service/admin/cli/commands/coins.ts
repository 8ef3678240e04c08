import { COINS } from "../../../../../shared/coin-text.ts";
import { type Chain, chainOf, networkSchema } from "../../../../../shared/networks.ts";
import type { Command } from "../command.ts";
import { isRecord } from "../flags.ts";
import { usageError } from "../parse.ts";
import type { Sent } from "../request.ts";
import type { Connected } from "../session.ts";
import { chainOfItem } from "../show/list.ts";

/** Reads the chain of the fund or key that a path names. Null for another path. */
async function chainAt({ service }: Connected, path: string): Promise<Chain | null> {
  const [thing] = /^\/(funds|keys)\/[^/]+/.exec(path) ?? [];
  if (thing === undefined) return null;
  const { body } = await service.call({ method: "GET", path: thing });
  return isRecord(body) ? chainOfItem(body) : null;
}

/**
 * Checks that each amount with a coin names the coin of its fund or key. A new one names its network itself. Calls
 * nothing if no amount names a coin.
 *
 * @throws CommandError if the coin is another one, or if the chain is not known.
 */
export async function checkCoins(
  { coins, body }: Pick<Sent, "coins" | "body">,
  path: string,
  command: Command,
  connected: Connected,
): Promise<void> {
  if (coins.length === 0) return;
  const named = networkSchema.safeParse(body?.network);
  const chain = named.success ? chainOf(named.data) : await chainAt(connected, path);
  for (const { flag, typed, chain: wanted } of coins) {
    if (chain === wanted) continue;
    const why =
      chain === null ? "its chain is not known: name MIST or octas" : `the coin there is ${COINS[chain].coin}`;
    throw usageError(`--${flag}: ${typed} cannot be sent, because ${why}`, command);
  }
}
