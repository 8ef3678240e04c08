import * as z from "zod";
import type { Resource, Route } from "../../route/route.ts";
import type { Command } from "../command.ts";
import { CommandError } from "../exit-codes.ts";
import { jsonSchemaOf } from "../json-schema.ts";
import { usageError } from "../parse.ts";
import type { Connected } from "../session.ts";
import { inert } from "../terminal/inert.ts";

const projectsSchema = z.object({ items: z.array(z.object({ id: z.string(), name: z.string() })) });
const MOST_NAMED = 20;

/** Returns the id of the service's only project. @throws CommandError if there is none, or more than one. */
async function onlyProject({ service }: Connected): Promise<string> {
  const { body } = await service.call({ method: "GET", path: "/projects", query: { limit: String(MOST_NAMED) } });
  const { items } = projectsSchema.parse(body);
  const [only, ...others] = items;
  if (only === undefined)
    throw new CommandError("usage", "the service has no project yet: gasworks project create --name …");
  if (others.length === 0) return only.id;
  const names = items.map(({ id, name }) => `  ${inert(id)}  ${inert(name)}`);
  throw new CommandError("usage", ["name one of the projects:", ...names].join("\n"));
}

/** Returns the words for a text that is no such id. The prefix comes from the schema of the id. */
function noId({ name, idSchema }: Resource, word: string): string {
  const [, prefix] = /^\^([a-z]+_)/.exec(jsonSchemaOf(idSchema, "input").pattern ?? "") ?? [];
  if (prefix === undefined) return `is no id of a ${name}`;
  return word.startsWith(prefix)
    ? `a ${name}'s id is ${prefix} and 20 hex digits`
    : `a ${name}'s id begins with ${prefix}`;
}

/** Returns the id that a word is. @throws CommandError for a word that is no such id. */
export function checkedId(resource: Resource, word: string, command: Command): string {
  const id = resource.idSchema.safeParse(word);
  if (id.success) return id.data;
  throw usageError(`<${resource.name}>: ${noId(resource, word)}`, command);
}

/**
 * Returns the ids of a path. A left-out project is the only one of the service.
 *
 * @throws CommandError for a word that is no such id.
 */
export async function idsOf(
  { resource, part }: Route,
  words: readonly string[],
  command: Command,
  connected: Connected,
): Promise<readonly string[]> {
  const needed = [resource, part].filter((each) => each !== null && each !== undefined);
  const isShort = needed[0]?.name === "project" && words.length === needed.length - 1;
  const given = isShort ? needed.slice(1) : needed;
  const ids = given.map((each, index) => checkedId(each, words[index] ?? "", command));
  return isShort ? [await onlyProject(connected), ...ids] : ids;
}

/** Returns the path of a call: `/projects/:id/webhooks/:partId` with its ids. */
export function pathOf(path: string, [id = "", partId = ""]: readonly string[]): string {
  return path.replace(":id", encodeURIComponent(id)).replace(":partId", encodeURIComponent(partId));
}
