import { randomUUID } from "node:crypto";
import { BAD_IDEMPOTENCY_KEY, IDEMPOTENCY_KEY } from "../../../../../shared/idempotency.ts";
import { noBody, type Resource, type Route } from "../../route/route.ts";
import {
  type Call,
  type Command,
  isOn,
  JSON_FLAG,
  ownFlag,
  type Positional,
  SERVICE_FLAGS,
  textOf,
  YES_FLAG,
} from "../command.ts";
import { confirmDanger, type Danger } from "../danger.ts";
import type { Exit } from "../exit-codes.ts";
import { type Flag, flagsOf } from "../flags.ts";
import { jsonSchemaOf } from "../json-schema.ts";
import { usageError } from "../parse.ts";
import { requestOf, type Sent } from "../request.ts";
import { connect } from "../service/connect.ts";
import type { ServiceCall } from "../service/service.ts";
import type { Connected, Session } from "../session.ts";
import { columnsOf, printAnswer, printJson } from "../show/answer.ts";
import { chainOfPath } from "../show/chain.ts";
import { say } from "../terminal/screen.ts";
import { factsOf } from "./facts.ts";
import { idsOf, pathOf } from "./ids.ts";
import { watch, watchSeconds } from "./watch.ts";
import { printStream, streamedType, wholeList } from "./whole-list.ts";

/** A route with the words by which it is called. */
export interface RouteVerb {
  readonly route: Route;
  readonly name: string;
  readonly summary: string;
  readonly columns: readonly string[];
  /** Fields of the body that the verb has filled in. */
  readonly preset: Readonly<Record<string, unknown>>;
  /** Null if the call is harmless. */
  readonly danger: Danger | null;
}

function positionalsOf({ resource, part }: Route): readonly Positional[] {
  return [resource, part]
    .filter((each): each is Resource => each !== null && each !== undefined)
    .map(({ name, idSchema }) => ({
      name,
      description: name === "project" ? "its id. The only project of the service if it is left out" : "its id",
      isRequired: name !== "project",
      schema: idSchema,
    }));
}

const LIST_FLAGS: readonly Flag[] = [
  ownFlag("all", "", "read the whole list, and not one page"),
  ownFlag("ndjson", "", "print the whole list, one JSON object a line"),
  ownFlag("csv", "", "print the whole list as CSV"),
  ownFlag("columns", "names", "the columns of the table, with commas between them; all has every field"),
];

/** Returns the flags of a route: those of its schemas, and those of the command line. */
export function routeFlags({ route, preset, danger }: RouteVerb): readonly Flag[] {
  const { method, body, query, columns, idempotent } = route;
  const filled = new Set(Object.keys(preset));
  const fields = [...flagsOf(body, "body"), ...flagsOf(query, "query")];
  // A preset is the whole change.
  const asked = filled.size > 0 ? [] : fields;
  return [
    ...asked,
    ...(body !== noBody && filled.size === 0
      ? [ownFlag("body", "file", "the body as JSON in a file; - for the input")]
      : []),
    ...(idempotent
      ? [ownFlag("idempotency-key", "text", "a repeat with it does nothing twice; random unless given")]
      : []),
    JSON_FLAG,
    ...(columns === null ? [] : LIST_FLAGS),
    ...(method === "GET" ? [ownFlag("watch", "seconds", "show it again and again, until Ctrl-C")] : []),
    ...(danger === null ? [] : [YES_FLAG]),
    ...SERVICE_FLAGS,
  ];
}

/** Returns the key of a call that honours one. @throws CommandError for a bad one, or if a payment has none. */
function idempotencyKeyOf({ idempotent }: Route, call: Call, command: Command, session: Session): string | undefined {
  if (idempotent === undefined) return undefined;
  const given = textOf(call, "idempotency-key");
  if (given !== undefined && !IDEMPOTENCY_KEY.test(given))
    throw usageError(`--idempotency-key: ${BAD_IDEMPOTENCY_KEY}`, command);
  if (given !== undefined) return given;
  if (idempotent === "required" && !session.screen.isInteractive)
    throw usageError("--idempotency-key is missing: without one, a script that runs again would pay twice", command);
  return randomUUID();
}

/** Prints one look at a route: a stream, a whole list, or an answer. */
async function show(
  { route, columns }: RouteVerb,
  call: Call,
  asked: ServiceCall,
  connected: Connected,
): Promise<void> {
  const { screen, service } = connected;
  const accept = route.columns === null ? null : streamedType(call);
  if (accept !== null) return printStream(connected, asked, accept);
  const isWhole = route.columns !== null && isOn(call, "all");
  const value = isWhole
    ? { items: await wholeList(connected, asked), nextCursor: null }
    : (await service.call(asked)).body;
  if (isOn(call, "json")) return printJson(screen, value);
  const schema = typeof value === "string" ? {} : jsonSchemaOf(route.result, "output");
  const chain = await chainOfPath(connected, asked.path, schema);
  printAnswer(screen, call, { schema, value, columns: columnsOf(call, columns), chain });
}

/** Does a route's call once: asks if it is dangerous, calls, and prints the answer. */
export async function runRoute(verb: RouteVerb, call: Call, command: Command, session: Session): Promise<Exit> {
  const { route, preset, danger } = verb;
  const sent: Sent = await requestOf(route, preset, call, command, session);
  const idempotencyKey = idempotencyKeyOf(route, call, command, session);
  const connected = await connect(session, call);
  const ids = await idsOf(route, call.words, command, connected);
  const path = pathOf(route.path, ids);
  const { method } = route;
  const asked: ServiceCall = {
    method,
    path,
    query: sent.query,
    ...(sent.body !== undefined && { body: sent.body }),
    ...(idempotencyKey !== undefined && { idempotencyKey }),
  };
  if (danger !== null)
    await confirmDanger(session, call, danger(await factsOf(connected, route, ids, { ...sent.query, ...sent.body })));
  if (route.idempotent === "required" && textOf(call, "idempotency-key") === undefined)
    say(session.screen.err, `Idempotency-Key: ${idempotencyKey}`);
  const seconds = textOf(call, "watch");
  if (seconds !== undefined)
    return watch(session, watchSeconds(seconds), `gasworks ${verb.name}`, () => show(verb, call, asked, connected));
  await show(verb, call, asked, connected);
  return "ok";
}

/** Returns the command of a route. */
export function routeCommand(verb: RouteVerb): Command {
  const command: Command = {
    name: verb.name,
    summary: verb.summary,
    positionals: positionalsOf(verb.route),
    flags: routeFlags(verb),
    notes: [],
    run: (call, session) => runRoute(verb, call, command, session),
  };
  return command;
}
