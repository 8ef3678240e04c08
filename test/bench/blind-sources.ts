import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { root } from "../../shared/cli/root.ts";

/** A place in a source file of the service, and the text to put after it. */
interface Cut {
  readonly path: string;
  /** It stands once in the file. */
  readonly after: string;
  readonly inserted: string;
}

/** The service keeps nothing while this is true in its runtime. All its objects share one. */
const IS_BLIND = "globalThis.isBlind === true";
/** The paths that have the service keep nothing, or all again. */
export const BLIND_PATHS = { on: "/blind/on", off: "/blind/off" } as const;

/** The first lines of `fetch`, which answer at these paths. */
const SWITCH = Object.entries(BLIND_PATHS)
  .map(
    ([to, path]) =>
      `if (request.url.endsWith("${path}")) { globalThis.isBlind = ${to === "on"}; return new Response("${to}"); }`,
  )
  .join(" ");

const FETCH = "async fetch(request, env, ctx) {";

/** The functions that let an operator see a request later. They return at once while the service is blind. */
const CUTS: readonly Cut[] = [
  {
    path: "shared/http/app.ts",
    after: 'c.res.headers.set("x-request-id", requestId);',
    inserted: "return;",
  },
  {
    path: "shared/observe/upstream-calls.ts",
    after: "export function countInto<T>(tally: UpstreamTally, run: () => Promise<T>): Promise<T> {",
    inserted: "return run();",
  },
  { path: "shared/observe/log.ts", after: "return (event, fields = {}) => {", inserted: "return;" },
  {
    path: "shared/fund/explain/refusal-log.ts",
    after: "refused(askedOf: (reason: Reason) => AskedCall, refusal: Refusal): void {",
    inserted: "return;",
  },
  {
    path: "shared/fund/ledger/sqlite-daily.ts",
    after: "add(dimension: DailyDimension, row: DailyRow): void {",
    inserted: "return;",
  },
  {
    path: "shared/fund/explain/trace.ts",
    after: "export function traced({ trace }: Traced, change: Partial<Trace>): Trace {",
    inserted: "return NO_TRACE;",
  },
  {
    path: "shared/fund/explain/sqlite-traces.ts",
    after: "values(trace: Trace | undefined, from: Origin): readonly unknown[] {",
    inserted: "return [null, null, null, null];",
  },
];

/** Returns the sources of a service that can be told to keep nothing for an operator to see. Throws if a place is not found. */
export async function blindSources(): Promise<Readonly<Record<string, string>>> {
  const texts: Record<string, string> = {};
  const cuts = CUTS.map((cut) => ({ ...cut, inserted: `if (${IS_BLIND}) { ${cut.inserted} }` }));
  for (const { path, after, inserted } of [...cuts, { path: "functions/index.ts", after: FETCH, inserted: SWITCH }]) {
    const text = texts[path] ?? (await readFile(join(root, path), "utf8"));
    const [before, rest, ...more] = text.split(after);
    if (before === undefined || rest === undefined || more.length > 0)
      throw new Error(`${path} has no single place: ${after}`);
    texts[path] = `${before}${after} ${inserted}${rest}`;
  }
  return texts;
}
