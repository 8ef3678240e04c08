import type { Chain } from "../../../../../shared/networks.ts";
import { isRecord } from "../flags.ts";
import { hasAtoms, type JsonSchema } from "../json-schema.ts";
import type { Connected } from "../session.ts";
import { chainOfItem } from "./list.ts";

/**
 * Returns the chain of a fund, for the amounts of an answer that does not name its network. Null for the path of
 * another item, and if the fund cannot be read. The answer is still shown.
 */
export async function chainOfPath({ service }: Connected, path: string, schema: JsonSchema): Promise<Chain | null> {
  if (!hasAtoms(schema)) return null;
  const [fundPath] = /^\/funds\/[^/]+/.exec(path) ?? [];
  if (fundPath === undefined || fundPath === path) return null;
  const fund = await service.call({ method: "GET", path: fundPath }).catch(() => null);
  return isRecord(fund?.body) ? chainOfItem(fund.body) : null;
}
