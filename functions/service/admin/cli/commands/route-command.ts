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
import { type Flag, flagsOf, isRecord } from "../flags.ts";
import type { Follow, Followed } from "../follow.ts";
import { jsonSchemaOf } from "../json-schema.ts";
import type { Note } from "../notes.ts";
import { usageError } from "../parse.ts";
import { requestOf, type Sent } from "../request.ts";
import { connect } from "../service/connect.ts";
import type { ServiceCall } from "../service/service.ts";
import type { Connected, Session } from "../session.ts";
import { columnsOf, printAnswer, printJson } from "../show/answer.ts";
import { chainOfPath } from "../show/chain.ts";
import { inertLines } from "../terminal/inert.ts";
import { startProgress } from "../terminal/progress.ts";
import { say, sayText } from "../terminal/screen.ts";
import { isOfAll, runOfAllProjects } from "./all-projects.ts";
import { checkCoins } from "./coins.ts";
import { factsOf } from "./facts.ts";
import { idsOf, pathOf } from "./ids.ts";
import { watch, watchSeconds } from "./watch.ts";
import { printStream, streamedType, wholeList } from "./whole-list.ts";

/** A route, with its words on the command line. */
export interface RouteVerb {
  readonly route: Route;
  readonly name: string;
  readonly summary: string;
  readonly columns: readonly string[];
  /** Fields of the body that the verb has filled in. */
  readonly preset: Readonly<Record<string, unknown>>;
  /** Null if the call is harmless. */
  readonly danger: Danger | null;
  /** The sentence after its answer. Null if the answer is enough. */
  readonly note: Note | null;
  /** Follows its long work to the end. Null if the answer is the end. */
  readonly follow: Follow | null;
  /** True if a left-out project means all of them, and not the only one. */
  readonly isOfAllProjects: boolean;
}

/** Work that is followed answers late: a fund reads many rows from its nodes. */
const LONG_TIMEOUT_MS = 120_000;

/** A dangerous call names its project. Others may leave out the only one. */
function positionalsOf({ route: { resource, part }, danger, isOfAllProjects }: RouteVerb): readonly Positional[] {
  const mayLeaveOut = (name: string) => name === "project" && danger === null;
  const withoutIt = isOfAllProjects ? "All projects" : "The only project of the service";
  return [resource, part]
    .filter((each): each is Resource => each !== null && each !== undefined)
    .map(({ name, idSchema }) => ({
      name,
      description: mayLeaveOut(name) ? `its id. ${withoutIt} if it is left out` : "its id",
      isRequired: !mayLeaveOut(name),
      schema: idSchema,
    }));
}

const LIST_FLAGS: readonly Flag[] = [
  ownFlag("all", "", "read the whole list, and not one page"),
  ownFlag("ndjson", "", "print the whole list, one JSON object a line"),
  ownFlag("csv", "", "print the whole list as CSV"),
  ownFlag("columns", "names", "the columns of the table, with commas between them; all has every field"),
];

const DETACH_FLAG = ownFlag("detach", "", "begin the work, and do not wait for its end");

/** Returns the flags of a route: its schemas' own, and the command line's. */
export function routeFlags({ route, preset, danger, follow }: RouteVerb): readonly Flag[] {
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
    ...(follow === null || danger === null ? [] : [DETACH_FLAG]),
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

/** Calls the route, and follows its work at the service to the end. */
async function answerOf({ name, follow }: RouteVerb, call: Call, asked: ServiceCall, connected: Connected) {
  const { screen, service, clock, interrupts } = connected;
  const progress = startProgress(screen, name, clock.nowMs);
  const work = async (): Promise<Followed> => {
    const { body } = await service.call(asked).finally(() => progress.end());
    if (follow === null || isOn(call, "detach")) return { value: body, exit: "ok" };
    return follow.toItsEnd(body, asked.path, connected);
  };
  return follow === null ? work() : interrupts.during(follow.notice(asked.path), work);
}

/** Prints one look at a route: a stream, a whole list, or an answer. */
async function show(verb: RouteVerb, call: Call, asked: ServiceCall, connected: Connected): Promise<Exit> {
  const { route, columns } = verb;
  const { screen } = connected;
  const accept = route.columns === null ? null : streamedType(call);
  if (accept !== null) {
    await printStream(connected, asked, accept);
    return "ok";
  }
  const isWhole = route.columns !== null && isOn(call, "all");
  const { value, exit }: Followed = isWhole
    ? { value: { items: await wholeList(connected, asked), nextCursor: null }, exit: "ok" }
    : await answerOf(verb, call, asked, connected);
  if (isOn(call, "json")) {
    printJson(screen, value);
    return exit;
  }
  const schema = typeof value === "string" ? {} : jsonSchemaOf(route.result, "output");
  const chain = await chainOfPath(connected, asked.path, schema);
  printAnswer(screen, call, { schema, value, columns: columnsOf(call, columns), chain });
  const sent = isRecord(asked.body) ? asked.body : {};
  const note = verb.note !== null && isRecord(value) ? verb.note({ answer: value, sent }) : null;
  if (note !== null) sayText(screen, screen.err, [], inertLines(note));
  const [, digest] = /^\/transactions\/(\w+)$/.exec(asked.path) ?? [];
  if (digest !== undefined) say(screen.out, `\ngasworks explain ${digest} says it in words`);
  return exit;
}

/** Runs a route once: confirms a dangerous call, calls, and prints the answer. */
export async function runRoute(verb: RouteVerb, call: Call, command: Command, session: Session): Promise<Exit> {
  const { route, preset, danger } = verb;
  const sent: Sent = await requestOf(route, preset, call, command, session);
  const idempotencyKey = idempotencyKeyOf(route, call, command, session);
  const connected = await connect(session, call, verb.follow === null ? undefined : LONG_TIMEOUT_MS);
  if (isOfAll(verb, call)) return runOfAllProjects(verb, call, sent.query, command, connected);
  const ids = await idsOf(route, call.words, command, connected);
  const path = pathOf(route.path, ids);
  await checkCoins(sent, path, command, connected);
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
    return watch(session, watchSeconds(seconds), `gasworks ${verb.name}`, async () => {
      await show(verb, call, asked, connected);
    });
  return show(verb, call, asked, connected);
}

/** Returns the command of a route. */
export function routeCommand(verb: RouteVerb): Command {
  const command: Command = {
    name: verb.name,
    summary: verb.summary,
    positionals: positionalsOf(verb),
    flags: routeFlags(verb),
    notes: [],
    run: (call, session) => runRoute(verb, call, command, session),
  };
  return command;
}
