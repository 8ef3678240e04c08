import * as z from "zod";
import type { Route } from "../../route/route.ts";
import type { Facts } from "../danger.ts";
import { CommandError } from "../exit-codes.ts";
import { isRecord } from "../flags.ts";
import type { Connected } from "../session.ts";
import { pathOf } from "./ids.ts";

/** Returns the path at which the thing is shown that a route changes. Null if no route shows one alone. */
function shownAt({ path }: Route): string | null {
  const [transfer] = /^\/projects\/:id\/transfer/.exec(path) ?? [];
  const [part] = /^\/projects\/:id\/webhooks\/:partId/.exec(path) ?? [];
  const [thing] = /^\/(projects|funds|keys)\/:id/.exec(path) ?? [];
  return transfer ?? part ?? thing ?? null;
}

const tokensSchema = z.object({ items: z.array(z.looseObject({ id: z.string() })), nextCursor: z.string().nullable() });

/** Returns a token from the list of all, because no route shows one alone. Empty if it is not there. */
async function listedToken(service: Connected["service"], id: string): Promise<Facts["shown"]> {
  for (let query: Readonly<Record<string, string>> = {}; ; ) {
    const page = await service.call({ method: "GET", path: "/tokens", query }).catch(unlessNotAllowed);
    if (page === null) return {};
    const { items, nextCursor } = tokensSchema.parse(page.body);
    const found = items.find((token) => token.id === id);
    if (found !== undefined) return found;
    if (nextCursor === null) throw new CommandError("notFound", "no such token: check the id");
    query = { cursor: nextCursor };
  }
}

/** A viewer's refusal comes from the call itself. */
function unlessNotAllowed(error: unknown): null {
  if (error instanceof CommandError && error.exit === "notAllowed") return null;
  throw error;
}

/** Reads the present state of the item that a dangerous call would change. */
export async function factsOf(
  { service }: Connected,
  route: Route,
  ids: readonly string[],
  sent: Readonly<Record<string, unknown>>,
): Promise<Facts> {
  const id = ids.at(-1) ?? "";
  if (route.path === "/tokens/:id") return { id, shown: await listedToken(service, id), sent };
  const path = route.method === "POST" && route.path.endsWith("/transfer") ? "/projects/:id" : shownAt(route);
  if (path === null) return { id, shown: {}, sent };
  const shown = await service.call({ method: "GET", path: pathOf(path, ids) }).catch(unlessNotAllowed);
  return { id, shown: isRecord(shown?.body) ? shown.body : {}, sent };
}
