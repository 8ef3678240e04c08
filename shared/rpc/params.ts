import * as z from "zod";
import type { MethodContract } from "../api/contract.ts";
import { done, type Outcome, refuse } from "../errors.ts";
import type { RawParams } from "./request.ts";

const MAX_ISSUES_SHOWN = 3;
const MAX_NAME_CHARACTERS = 64;

/** Returns the params by name. `null` means an omitted parameter, so that the later positions keep their places. */
function byName(contract: MethodContract, asSent: RawParams): Outcome<ReadonlyMap<string, unknown>> {
  const names = Object.keys(contract.params.shape);
  const params = isList(asSent) ? (contract.normalizePositional?.(asSent) ?? asSent) : asSent;
  const given = (entries: Iterable<readonly [string, unknown]>) =>
    new Map([...entries].filter(([, value]) => value !== null));
  if (isList(params)) {
    if (params.length > names.length) return refuse("bad_params", `takes ${atMost(names)}, not ${params.length}`);
    return done(given(names.slice(0, params.length).map((name, index) => [name, params[index]] as const)));
  }
  const unknown = Object.keys(params).find((name) => !names.includes(name));
  if (unknown !== undefined)
    return refuse(
      "bad_params",
      `unknown parameter ${JSON.stringify(unknown.slice(0, MAX_NAME_CHARACTERS))}; known are: ${names.join(", ")}`,
    );
  return done(given(Object.entries(params)));
}

function atMost(names: readonly string[]): string {
  if (names.length === 0) return "no parameters";
  return `at most ${names.length} parameter${names.length === 1 ? "" : "s"} (${names.join(", ")})`;
}

function isList(params: RawParams): params is readonly unknown[] {
  return Array.isArray(params);
}

/** Describes the errors. It names the parameter and the rule, never the value, which may be a secret. */
function describe(error: z.ZodError, given: ReadonlyMap<string, unknown>): string {
  return error.issues
    .slice(0, MAX_ISSUES_SHOWN)
    .map(({ path, message }) => {
      const missing = path.length === 1 && !given.has(String(path[0]));
      return `${path.map(String).join(".")}: ${missing ? "is required" : message}`;
    })
    .join("; ");
}

/** Decodes the params of a call, sent by position or by name, for its handler. */
export function decodeParams<Params extends z.ZodObject>(
  contract: MethodContract<Params>,
  params: RawParams,
): Outcome<z.output<Params>> {
  const given = byName(contract, params);
  if (!given.ok) return given;
  const parsed = contract.params.safeParse(Object.fromEntries(given.value));
  return parsed.success ? done(parsed.data) : refuse("bad_params", describe(parsed.error, given.value));
}

/** Encodes params as positional ones: `null` for a skipped one, none after the last that is given. */
export function encodeParams<Params extends z.ZodObject>(
  contract: MethodContract<Params>,
  params: z.output<Params>,
): Outcome<readonly unknown[]> {
  // Callers without types may omit params if no field is required.
  const encoded = z.safeEncode(contract.params, params ?? {});
  if (!encoded.success) return refuse("bad_params", describe(encoded.error, new Map(Object.entries(params ?? {}))));
  const wire = new Map(Object.entries(encoded.data));
  const positions = Object.keys(contract.params.shape).map((name) => wire.get(name) ?? null);
  return done(positions.slice(0, positions.findLastIndex((value) => value !== null) + 1));
}
