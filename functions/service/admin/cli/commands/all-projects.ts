import * as z from "zod";
import type { Route } from "../../route/route.ts";
import { type Call, type Command, isOn, textOf } from "../command.ts";
import type { Exit } from "../exit-codes.ts";
import { isRecord } from "../flags.ts";
import { jsonSchemaOf } from "../json-schema.ts";
import { usageError } from "../parse.ts";
import type { ServiceCall } from "../service/service.ts";
import type { Connected } from "../session.ts";
import { columnsOf, printAnswer } from "../show/answer.ts";
import type { Item } from "../show/list.ts";
import { inertJson, inertLines } from "../terminal/inert.ts";
import { startProgress } from "../terminal/progress.ts";
import { say } from "../terminal/screen.ts";
import { pathOf } from "./ids.ts";
import { watch, watchSeconds } from "./watch.ts";

const pageSchema = z.object({
  items: z.array(z.unknown()),
  nextCursor: z.string().nullable(),
  unreadable: z.array(z.string()).default([]),
});
/** The limit of a page whose items are objects. */
const MOST_ITEMS = "40";
/** The flags that belong to one page or one stream of one project. */
const OF_ONE_PROJECT = ["limit", "cursor", "csv"] as const;

/** The parts of a verb that lists the things of a project. */
interface ListVerb {
  readonly route: Route;
  readonly name: string;
  readonly columns: readonly string[];
}

interface Listed {
  readonly items: readonly Item[];
  readonly unreadable: readonly string[];
}

/** Returns whether a call lists the things of all projects. */
export function isOfAll({ isOfAllProjects }: { readonly isOfAllProjects: boolean }, { words }: Call): boolean {
  return isOfAllProjects && words.length === 0;
}

/** Reads every page of a list. */
async function everyPage({ service }: Connected, { query = {}, ...call }: ServiceCall): Promise<Listed> {
  const items: Item[] = [];
  const unreadable: string[] = [];
  for (let cursor: string | null = null; ; ) {
    const at: Readonly<Record<string, string>> = cursor === null ? {} : { cursor };
    const { body } = await service.call({ ...call, query: { ...query, limit: MOST_ITEMS, ...at } });
    const page = pageSchema.parse(body);
    items.push(...page.items.filter(isRecord));
    unreadable.push(...page.unreadable);
    cursor = page.nextCursor;
    if (cursor === null) return { items, unreadable };
  }
}

/** Reads a list of each project, one after the other. Each item has the name of its project. */
async function listOfAll({ route }: ListVerb, query: ServiceCall["query"], connected: Connected): Promise<Listed> {
  const { screen, clock } = connected;
  const progress = startProgress(screen, "reading the projects", clock.nowMs);
  try {
    const projects = await everyPage(connected, { method: "GET", path: "/projects" });
    const items: Item[] = [];
    const unreadable = [...projects.unreadable];
    for (const { id, name } of projects.items) {
      const call = { method: "GET", path: pathOf(route.path, [String(id)]), ...(query && { query }) };
      const listed = await everyPage(connected, call);
      items.push(...listed.items.map((item) => ({ project: name, ...item })));
      unreadable.push(...listed.unreadable);
      progress.show(`${items.length} rows`);
    }
    return { items, unreadable };
  } finally {
    progress.end();
  }
}

async function show(verb: ListVerb, call: Call, query: ServiceCall["query"], connected: Connected): Promise<void> {
  const { screen } = connected;
  const { items, unreadable } = await listOfAll(verb, query, connected);
  if (isOn(call, "ndjson")) {
    for (const item of items) say(screen.out, inertJson(JSON.stringify(item)));
    for (const id of unreadable) say(screen.err, inertLines(`${id} cannot be read: the log has why`));
    return;
  }
  const value = { items, nextCursor: null, ...(unreadable.length > 0 && { unreadable }) };
  const columns = columnsOf(call, verb.columns.length === 0 ? [] : ["project", ...verb.columns]);
  printAnswer(screen, call, { schema: jsonSchemaOf(verb.route.result, "output"), value, columns, chain: null });
}

/** Lists the things of all projects, with the name of the project in a column of its own. */
export async function runOfAllProjects(
  verb: ListVerb,
  call: Call,
  query: ServiceCall["query"],
  command: Command,
  connected: Connected,
): Promise<Exit> {
  const wrong = OF_ONE_PROJECT.find((name) => call.typed.has(name));
  if (wrong !== undefined) throw usageError(`--${wrong} goes with one project: name it`, command);
  const seconds = textOf(call, "watch");
  if (seconds !== undefined)
    return watch(connected, watchSeconds(seconds), `gasworks ${verb.name}`, () => show(verb, call, query, connected));
  await show(verb, call, query, connected);
  return "ok";
}
