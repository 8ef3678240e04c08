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

/** Reads what a dangerous call would change, as the service shows it now. */
export async function factsOf(
  { service }: Connected,
  route: Route,
  ids: readonly string[],
  sent: Readonly<Record<string, unknown>>,
): Promise<Facts> {
  const id = ids.at(-1) ?? "";
  const path = route.method === "POST" && route.path.endsWith("/transfer") ? "/projects/:id" : shownAt(route);
  if (path === null) return { id, shown: {}, sent };
  const shown = await service.call({ method: "GET", path: pathOf(path, ids) }).catch((error: unknown) => {
    // A viewer's refusal comes from the call itself, and a missing thing too.
    if (error instanceof CommandError && error.exit === "notAllowed") return null;
    throw error;
  });
  return { id, shown: isRecord(shown?.body) ? shown.body : {}, sent };
}
