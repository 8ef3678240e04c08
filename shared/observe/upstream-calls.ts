import { AsyncLocalStorage } from "node:async_hooks";
import type { Fetch } from "../bindings/ports.ts";

/** The calls to nodes and indexers of one request, or of one call of an object. */
export interface UpstreamTally {
  calls: number;
}

const tallies = new AsyncLocalStorage<UpstreamTally>();

/** The field of an object's answer. An answer without calls does not have it, and nor has one of an earlier build. */
const FIELD = "upstreamCalls";

function note(calls: number, tally = tallies.getStore()): void {
  if (tally !== undefined) tally.calls += calls;
}

/** Counts each request of a `fetch` for the request of the service, or the call of an object, that makes it. */
export function countedFetch(fetch: Fetch): Fetch {
  return (input, init) => {
    note(1);
    return fetch(input, init);
  };
}

/**
 * Runs a part of a request, and adds its calls to nodes and indexers to a tally. Every promise of the part then carries
 * the tally, which costs 30 to 60 µs of CPU. So what seldom calls a node enters it late.
 */
export function countInto<T>(tally: UpstreamTally, run: () => Promise<T>): Promise<T> {
  return tallies.run(tally, run);
}

/** The argument after all others of a call whose answer is to carry the number. An earlier build ignores it. */
const ASKS = "with upstream calls";

function methodOf(target: object, name: string): (this: unknown, ...args: readonly unknown[]) => unknown {
  const method: unknown = Reflect.get(target, name);
  if (typeof method !== "function") throw new Error(`no method ${name}`);
  return (...args) => Reflect.apply(method, target, args);
}

/**
 * Has these methods of a class count their calls to nodes, for callers of `askingUpstreamCalls`. An error carries no
 * number.
 *
 * @param late the methods that get the tally as their last argument, and enter it where they call a node.
 */
export function tellUpstreamCalls<Target extends object>(
  prototype: Target,
  methods: readonly (keyof Target & string)[],
  late: ReadonlySet<keyof Target & string>,
): void {
  for (const name of methods) {
    const method: unknown = Reflect.get(prototype, name);
    if (typeof method !== "function") throw new Error(`no method ${name}`);
    const told = async function (this: Target, ...args: readonly unknown[]): Promise<unknown> {
      if (args.at(-1) !== ASKS) return Reflect.apply(method, this, args);
      const tally: UpstreamTally = { calls: 0 };
      const asked = args.slice(0, -1);
      const answer: unknown = late.has(name)
        ? await Reflect.apply(method, this, [...asked, tally])
        : await countInto(tally, async () => Reflect.apply(method, this, asked));
      const { calls } = tally;
      return calls > 0 && typeof answer === "object" && answer !== null ? { ...answer, [FIELD]: calls } : answer;
    };
    Object.defineProperty(prototype, name, { value: told, writable: true, configurable: true });
  }
}

/**
 * Returns the same object for calls by a request. The calls to nodes of these methods count for the request.
 *
 * @param tally of the request. If absent, `countInto` around the call has it.
 */
export function askingUpstreamCalls<Target extends object>(
  object: Target,
  methods: ReadonlySet<string>,
  tally?: UpstreamTally,
): Target {
  return new Proxy(object, {
    get(target, name) {
      if (typeof name !== "string") return Reflect.get(target, name);
      const method = methodOf(target, name);
      return methods.has(name)
        ? async (...args: readonly unknown[]) => heard(await method(...args, ASKS), tally)
        : method;
    },
  });
}

/** Adds the calls that an answer carries to those of the request. Returns the answer without the number. */
function heard(answer: unknown, tally?: UpstreamTally): unknown {
  if (typeof answer !== "object" || answer === null) return answer;
  const calls: unknown = Reflect.get(answer, FIELD);
  if (typeof calls !== "number") return answer;
  note(calls, tally);
  Reflect.deleteProperty(answer, FIELD);
  return answer;
}
