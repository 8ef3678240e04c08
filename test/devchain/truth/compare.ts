import { idsIn, isId, type Names } from "./names.ts";

/** One way in which two answers differ. Lists have `[]` in the path, whatever the place in them. */
export interface Difference {
  readonly at: string;
  readonly recorded: string;
  readonly asked: string;
}

/** How the answers of one chain are compared. */
export interface Rules {
  /** A value that goes by time or by place: its type and its form have to agree only. */
  isFree(at: string): boolean;
  /** Of an item in a list whose order goes by ids: which others it may stand for. Null: the list has an order. */
  keyOf(at: string, item: unknown): string | null;
  /** A text without what goes by time or by place. */
  mask(text: string): string;
  /** Gets each pair of objects that stand for one another. */
  learn(recorded: object, asked: object): void;
}

const SHOWN_CHARACTERS = 900;
const FORMS: readonly (readonly [string, RegExp])[] = [
  ["decimal", /^-?\d+$/],
  ["hex", /^0x[0-9a-f]*$/],
  ["time", /^\d{4}-\d\d-\d\dT[\d:.]+Z$/],
];

function formOf(value: unknown): string {
  if (typeof value !== "string") return value === null ? "null" : typeof value;
  return FORMS.find(([, form]) => form.test(value))?.[0] ?? "text";
}

function shown(value: unknown): string {
  return value === undefined ? "nothing" : JSON.stringify(value).slice(0, SHOWN_CHARACTERS);
}

function isRecord(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

/** Compares an answer with the recorded one. An id that no answer has named before gets its name here. */
export function compare(names: Names, rules: Rules, recorded: unknown, asked: unknown): readonly Difference[] {
  return [...differences("", recorded, asked, true)];

  function* differences(at: string, one: unknown, other: unknown, binds: boolean): Generator<Difference> {
    if (Array.isArray(one) && Array.isArray(other)) yield* ofLists(at, one, other, binds);
    else if (isRecord(one) && isRecord(other)) yield* ofRecords(at, one, other, binds);
    else if (!isSame(at, one, other, binds)) yield { at, recorded: shown(one), asked: shown(other) };
  }

  function isSame(at: string, one: unknown, other: unknown, binds: boolean): boolean {
    if (one === other) return true;
    if (one === undefined || other === undefined) return false;
    if (typeof one === "string" && typeof other === "string" && isId(one) && isId(other)) {
      const known = names.of(one);
      if (known !== undefined) return known === other || rules.isFree(at);
      if (binds) names.bind(one, other);
      return true;
    }
    // The node's own tests blank what differs from run to run.
    if (rules.isFree(at)) return one === "" || formOf(one) === formOf(other);
    if (typeof one !== "string" || typeof other !== "string") return false;
    return rules.mask(names.translate(one)) === rules.mask(other);
  }

  function* ofRecords(
    at: string,
    one: Readonly<Record<string, unknown>>,
    other: Readonly<Record<string, unknown>>,
    binds: boolean,
  ): Generator<Difference> {
    for (const name of new Set([...Object.keys(one), ...Object.keys(other)]))
      yield* differences(`${at}.${name}`, one[name], other[name], binds);
    if (binds) rules.learn(one, other);
  }

  function* ofLists(
    at: string,
    one: readonly unknown[],
    other: readonly unknown[],
    binds: boolean,
  ): Generator<Difference> {
    if (rules.keyOf(at, one[0] ?? other[0]) !== null) return yield* ofSets(at, one, other, binds);
    if (one.length !== other.length)
      yield { at: `${at}.length`, recorded: String(one.length), asked: String(other.length) };
    for (const [index, item] of one.entries())
      if (index < other.length) yield* differences(`${at}[]`, item, other[index], binds);
  }

  function* ofSets(
    at: string,
    one: readonly unknown[],
    other: readonly unknown[],
    binds: boolean,
  ): Generator<Difference> {
    const left = new Set(other.keys());
    const pairs = closest(at, one, other);
    const unnamed = pairs.filter(([index]) => isUnnamed(one[index]));
    for (const [index, place] of pairs) {
      left.delete(place);
      // Of several ids that nothing tells apart, any may stand for any.
      if (unnamed.length > 1 && isUnnamed(one[index])) continue;
      yield* differences(`${at}[]`, one[index], other[place], binds);
    }
    const paired = new Set(pairs.map(([index]) => index));
    for (const [index, item] of one.entries())
      if (!paired.has(index)) yield { at: `${at}[${rules.keyOf(at, item)}]`, recorded: shown(item), asked: "nothing" };
    for (const place of left)
      yield { at: `${at}[${rules.keyOf(at, other[place])}]`, recorded: "nothing", asked: shown(other[place]) };
  }

  /** For each item the one of its key that differs least from it, each taken once. */
  function closest(at: string, one: readonly unknown[], other: readonly unknown[]) {
    const pairs = one.flatMap((item, index) =>
      [...other.entries()]
        .filter(([, candidate]) => rules.keyOf(at, candidate) === rules.keyOf(at, item))
        .map(([place, candidate]) => ({
          index,
          place,
          count: [...differences(`${at}[]`, item, candidate, false)].length - known(item, candidate),
        })),
    );
    const taken = new Map<number, number>();
    for (const { index, place } of pairs.toSorted((a, b) => a.count - b.count || a.index - b.index))
      if (!taken.has(index) && ![...taken.values()].includes(place)) taken.set(index, place);
    return [...taken];
  }

  function isUnnamed(item: unknown): boolean {
    return typeof item === "string" && isId(item) && names.of(item) === undefined;
  }

  /** How many ids of an item have their counterpart in the other: two items without any may be the same by chance. */
  function known(item: unknown, candidate: unknown): number {
    const text = JSON.stringify(candidate);
    return idsIn(JSON.stringify(item)).filter((id) => text.includes(names.of(id) ?? " ")).length;
  }
}
