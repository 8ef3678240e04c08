import { readShownAbort } from "../../chain/sui/shown-abort.ts";
import type { Refusal } from "../../errors.ts";
import { abortText } from "./abort-text.ts";

/** A call that a fund refused, as it is kept. It has no body, no secret and no signature. */
export interface RefusedCall {
  readonly atMs: number;
  /** The `x-request-id` of the answer. Null if an earlier build sent the call. */
  readonly requestId: string | null;
  readonly keyId: string;
  /** Null if the call names no sender. */
  readonly sender: string | null;
  /** The method of the fund. */
  readonly method: string;
  readonly reason: string;
  /** The field of the policy that refused, or the limit of a rate. Null for other refusals. */
  readonly rule: string | null;
  /** The policy that refused. Null if none did. */
  readonly scope: "fund" | "key" | null;
  /** The first Move targets. */
  readonly targets: readonly string[];
  /** Null if a dry run was to set it. */
  readonly gasBudgetAtoms: bigint | null;
  /** The digest that the call named, or that its refusal names. */
  readonly digest: string | null;
  /** The text that the caller saw, up to a bound. An abort in a dry run comes before it in words. */
  readonly details: string;
}

/** The part of a refused call that its input shows. */
export type AskedCall = Pick<
  RefusedCall,
  "requestId" | "keyId" | "sender" | "method" | "targets" | "gasBudgetAtoms" | "digest"
>;

/** The refused calls of a fund that are kept in full. */
export const MAX_REFUSED_CALLS = 1_000;

const MAX_TARGETS = 8;
const MAX_TARGET_CHARACTERS = 200;
const MAX_DETAILS_CHARACTERS = 500;
const MAX_WORD_CHARACTERS = 100;

/** Makes the row of a refused call. Bounds every text of a caller or a node. */
export function refusedCall(asked: AskedCall, { reason, details, data, scope }: Refusal, atMs: number): RefusedCall {
  return {
    atMs,
    requestId: bounded(asked.requestId),
    keyId: asked.keyId,
    sender: bounded(asked.sender),
    method: asked.method,
    reason,
    rule: bounded(textIn(data, "rule") ?? textIn(data, "limit")),
    scope: scope ?? null,
    targets: asked.targets.slice(0, MAX_TARGETS).map((target) => target.slice(0, MAX_TARGET_CHARACTERS)),
    gasBudgetAtoms: asked.gasBudgetAtoms,
    digest: bounded(asked.digest ?? textIn(data, "digest") ?? textIn(data, "hash")),
    details: `${abortIn(data)}${details}`.slice(0, MAX_DETAILS_CHARACTERS),
  };
}

/** Returns the words for the abort that a refusal shows. Empty if it shows none. */
function abortIn(data: Refusal["data"]): string {
  const abort = readShownAbort(data?.abort);
  if (abort === null) return "";
  return `it aborted in ${abortText({ ...abort, code: abort.abortCode, constant: abort.constant ?? null })}: `;
}

function bounded(text: string | null): string | null {
  return text === null ? null : text.slice(0, MAX_WORD_CHARACTERS);
}

function textIn(data: Refusal["data"], name: string): string | null {
  const value = data?.[name];
  return typeof value === "string" ? value : null;
}

/**
 * Decides how many of each key's oldest rows are dropped, so that at most `most` stay. Drops rows of the key with the
 * most rows first. So a flood of one key leaves the rows of the others.
 *
 * @param counts the rows of each key. The result has only keys that lose rows.
 */
export function rowsToDrop(counts: ReadonlyMap<string, number>, most: number): ReadonlyMap<string, number> {
  const sorted = [...counts].toSorted(([, a], [, b]) => b - a);
  let excess = sorted.reduce((sum, [, count]) => sum + count, 0) - most;
  const dropped = new Map<string, number>();
  if (excess <= 0) return dropped;
  // The keys with the most rows are cut to a common height: the greatest at which the sum fits.
  let height = 0;
  for (let taller = 1, sum = 0; taller <= sorted.length; taller += 1) {
    sum += sorted[taller - 1]?.[1] ?? 0;
    const next = sorted[taller]?.[1] ?? 0;
    if (sum - taller * next < excess) continue;
    height = Math.floor((sum - excess) / taller);
    break;
  }
  for (const [keyId, count] of sorted) {
    const gives = Math.min(Math.max(count - height, 0), excess);
    if (gives > 0) dropped.set(keyId, gives);
    excess -= gives;
  }
  return dropped;
}
