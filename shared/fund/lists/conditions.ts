import type { ArchivedCondition } from "../../bindings/fund-archive.ts";
import { type Condition, NO_ROW, type TimeSpan } from "../../durable/scan.ts";
import type { WordNumbers } from "../../durable/sql.ts";
import { endingNumbers } from "../endings.ts";
import type { KeyNumbers } from "../ledger/key-numbers.ts";
import { pack, packUuid } from "../packed.ts";
import type { LedgerFilter, SponsorshipFilter } from "./filter.ts";

/** The places of an archived sponsorship's fields in its record. */
export interface SponsorshipPlaces {
  readonly state: number;
  readonly sender: number;
  readonly keyId: number;
  readonly createdAtMs: number;
  readonly requestId: number;
  readonly ending: number;
  readonly targets: number;
}

/**
 * Builds SQL that compares a text with the wanted target, or with the wanted package or module. Bound:
 * `targetBindings`.
 */
export function isTargetSql(name: string): string {
  return `(${name} = ? OR substr(${name}, 1, ?) = ?)`;
}

/** Returns the bindings of `isTargetSql`. */
export function targetBindings(target: string): readonly (string | number)[] {
  const prefix = `${target}::`;
  return [target, prefix.length, prefix];
}

/** A target of a row is its number in `trace_text`, or its text. */
const HAS_TARGET = `EXISTS (
  SELECT 1 FROM json_each(targets) AS named LEFT JOIN trace_text ON trace_text.number = named.value
  WHERE ${isTargetSql("COALESCE(trace_text.text, named.value)")})`;

/**
 * Returns the conditions of a filter on a table of sponsorships, without those of the time. Both chains name these
 * columns alike. A state that the chain does not have matches no row.
 */
export function sponsorshipConditions<State extends string>(
  { keyId, sender, states, requestId, ending, target }: SponsorshipFilter,
  keys: KeyNumbers,
  numbers: WordNumbers<State>,
): readonly Condition[] {
  const wanted = states?.flatMap((state) => numbers.find(state) ?? []) ?? null;
  return [
    ...keyCondition(keyId, keys),
    ...(sender === null ? [] : [{ sql: "sender = ?", bindings: [pack(sender)] }]),
    ...(requestId === undefined ? [] : [{ sql: "request_id = ?", bindings: [packUuid(requestId)] }]),
    ...(ending === undefined ? [] : [{ sql: "ending = ?", bindings: [endingNumbers.numberOf(ending)] }]),
    ...(target === undefined ? [] : [{ sql: HAS_TARGET, bindings: targetBindings(target) }]),
    ...(wanted === null ? [] : [{ sql: `state IN (${wanted.map(() => "?").join(", ")})`, bindings: wanted }]),
  ];
}

/** Returns the conditions of a filter on archived sponsorships. */
export function archivedSponsorshipConditions(
  filter: SponsorshipFilter,
  places: SponsorshipPlaces,
): readonly ArchivedCondition[] {
  const { keyId, sender, states, requestId, ending, target } = filter;
  return [
    ...(keyId === null ? [] : [{ place: places.keyId, oneOf: [keyId] }]),
    ...(sender === null ? [] : [{ place: places.sender, oneOf: [sender] }]),
    ...(states === null ? [] : [{ place: places.state, oneOf: states }]),
    ...(requestId === undefined ? [] : [{ place: places.requestId, oneOf: [requestId] }]),
    ...(ending === undefined ? [] : [{ place: places.ending, oneOf: [ending] }]),
    ...(target === undefined ? [] : [{ place: places.targets, target }]),
    ...archivedSpan(filter, places.createdAtMs),
  ];
}

/** Returns the condition of an access key on a table that names keys by their numbers. */
export function keyCondition(keyId: string | null, keys: KeyNumbers): readonly Condition[] {
  if (keyId === null) return [];
  const number = keys.find(keyId);
  return [number === null ? NO_ROW : { sql: "key_number = ?", bindings: [number] }];
}

/** The places of an archived ledger row's fields in its record: `encodeLedgerRow` writes them. */
export const LEDGER_PLACES = { atMs: 0, kind: 1, reference: 2, keyId: 3 };

/** Returns the conditions of a filter on archived ledger rows. */
export function archivedLedgerConditions(filter: LedgerFilter): readonly ArchivedCondition[] {
  const { keyId, kind, reference } = filter;
  return [
    ...(keyId === null ? [] : [{ place: LEDGER_PLACES.keyId, oneOf: [keyId] }]),
    ...(kind === null ? [] : [{ place: LEDGER_PLACES.kind, oneOf: [kind] }]),
    ...(reference === null ? [] : [{ place: LEDGER_PLACES.reference, oneOf: [reference] }]),
    ...archivedSpan(filter, LEDGER_PLACES.atMs),
  ];
}

function archivedSpan({ fromMs, toMs }: TimeSpan, place: number): readonly ArchivedCondition[] {
  return [...(fromMs === null ? [] : [{ place, atLeast: fromMs }]), ...(toMs === null ? [] : [{ place, below: toMs }])];
}
