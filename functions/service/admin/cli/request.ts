import { readFile } from "node:fs/promises";
import { resolve } from "node:path";
import type * as z from "zod";
import type { Chain } from "../../../../shared/networks.ts";
import type { Route } from "../route/route.ts";
import { type Call, type Command, textOf } from "./command.ts";
import { type Field, type Flag, isRecord, sentValue, withField } from "./flags.ts";
import { issueWords } from "./issue-words.ts";
import { isAtoms } from "./json-schema.ts";
import { usageError } from "./parse.ts";
import { fieldProblem } from "./service/refusal.ts";
import type { Session } from "./session.ts";
import { coinAmount } from "./typed-amount.ts";

/** The query and the body of a call, as they are sent. */
export interface Sent {
  readonly query: Readonly<Record<string, string>>;
  /** Undefined if the route reads no body. */
  readonly body: Readonly<Record<string, unknown>> | undefined;
  /** The amounts that were typed with their coin. The thing that they are sent to has to be on the same chain. */
  readonly coins: readonly TypedCoin[];
}

/** An amount that was typed with its coin, and the name of its flag. */
export interface TypedCoin {
  readonly flag: string;
  readonly typed: string;
  readonly chain: Chain;
}

function coinsIn({ typed }: Call, { flags }: Command): readonly TypedCoin[] {
  return flags.flatMap(({ name, field }) => {
    const text = typed.get(name);
    if (field === null || !isAtoms(field.schema) || typeof text !== "string") return [];
    const chain = coinAmount(text)?.chain;
    return chain === undefined ? [] : [{ flag: name, typed: text, chain }];
  });
}

/** Returns the path of a file. npm runs scripts in the clone, and paths are relative to the person's directory. */
export function pathFrom({ env }: Pick<Session, "env">, path: string): string {
  return resolve(env.INIT_CWD ?? ".", path);
}

async function givenBody(call: Call, command: Command, session: Session): Promise<Readonly<Record<string, unknown>>> {
  const path = textOf(call, "body");
  if (path === undefined) return {};
  const text = await (path === "-" ? session.screen.readInput() : readFile(pathFrom(session, path), "utf8")).catch(
    () => {
      throw usageError(`--body: ${path} cannot be read`, command);
    },
  );
  try {
    const body: unknown = JSON.parse(text);
    if (isRecord(body)) return body;
  } catch {
    // The same words serve for JSON that is no object.
  }
  throw usageError(`--body: ${path === "-" ? "the input" : path} holds no JSON object`, command);
}

function fieldsIn(of: Field["of"], call: Call, command: Command, begun: Readonly<Record<string, unknown>>) {
  return command.flags.reduce((fields, { name, field }) => {
    const typed = call.typed.get(name);
    if (field?.of !== of || typed === undefined) return fields;
    return withField(fields, field.path, sentValue(field, typed));
  }, begun);
}

function valueAt(value: unknown, path: readonly PropertyKey[]): unknown {
  return path.reduce<unknown>((inner, name) => {
    if (Array.isArray(inner)) return inner[Number(name)];
    return isRecord(inner) ? inner[String(name)] : undefined;
  }, value);
}

/** Returns the words for a field without a value. A switch has two flags, and none of them is meant by silence. */
function missingWords(flag: Flag | undefined): string {
  return flag?.kind === "boolean" ? `is missing: give --${flag.name}, or --no-${flag.name}` : "is missing";
}

function isSame(path: readonly string[] = [], other: readonly string[]): boolean {
  return path.join(".") === other.join(".");
}

/** Refuses what does not fit the route's own schema, in the schema's words, with the name of the flag. */
function check(schema: z.ZodType, value: unknown, command: Command): void {
  const parsed = schema.safeParse(value);
  if (parsed.success) return;
  const problems = parsed.error.issues.flatMap((issue) => {
    const isTyped = issue.code === "invalid_type" || issue.code === "invalid_value";
    const isMissing = isTyped && valueAt(value, issue.path) === undefined;
    if (issue.code === "unrecognized_keys")
      return issue.keys.map((key) => fieldProblem([...issue.path, key].join("."), "is no field of this call"));
    const path = issue.path.filter((name) => typeof name === "string");
    const flag = command.flags.find(({ field }) => isSame(field?.path, path));
    const isAmount = isAtoms(flag?.field?.schema ?? {});
    const hint = isAmount ? ". Name its coin, as in 0.5SUI, or send MIST or octas" : "";
    return [fieldProblem(path.join("."), isMissing ? missingWords(flag) : issueWords(issue) + hint)];
  });
  throw usageError(problems.join("\n"), command);
}

/**
 * Builds the query and the body from the flags of a call, over `--body` and a preset.
 *
 * @throws CommandError with the schema's own words for the flag that does not fit.
 */
export async function requestOf(
  { query, body }: Pick<Route, "query" | "body">,
  preset: Readonly<Record<string, unknown>>,
  call: Call,
  command: Command,
  session: Session,
): Promise<Sent> {
  const asked = fieldsIn("query", call, command, {});
  const texts = Object.fromEntries(Object.entries(asked).map(([name, value]) => [name, String(value)]));
  check(query, texts, command);
  const coins = coinsIn(call, command);
  if (body.def.type === "undefined") return { query: texts, body: undefined, coins };
  const begun = { ...(await givenBody(call, command, session)), ...preset };
  const sent = fieldsIn("body", call, command, begun);
  check(body, sent, command);
  return { query: texts, body: sent, coins };
}
