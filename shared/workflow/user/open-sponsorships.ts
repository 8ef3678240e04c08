import * as z from "zod";
import { PREPARED_TTL_MS, SPONSORSHIP_TTL_MS } from "../../fund/sui/limits.ts";
import type { Chain } from "../../networks.ts";
import type { HeldCap } from "../../policy/rule.ts";

const heldRow = z.object({ place: z.string(), until_ms: z.number(), gas_atoms: z.string().transform(BigInt) });

/** A sponsorship that waits to be executed, and the gas that the fund holds for it. */
export interface OpenSponsorship {
  readonly chain: Chain;
  /** The id of the sponsorship: its transaction's digest. */
  readonly digest: string;
  /** The time until which the fund holds gas. */
  readonly untilMs: number;
  /** MIST or octas. */
  readonly gasAtoms: bigint;
}

/** A sponsorship that a user is about to get. */
export interface WantedSponsorship {
  readonly chain: Chain;
  /** MIST or octas. Null if the service sets the budget. */
  readonly gasAtoms: bigint | null;
  /** The upper bound of a budget that the service sets, MIST or octas. Null if it is unknown. */
  readonly atMostAtoms: bigint | null;
  /**
   * The end of the slot if it is never confirmed. Null if the slot lasts as long as a fund holds an unsigned
   * sponsorship.
   */
  readonly untilMs: number | null;
}

/**
 * A slot for a sponsorship, or the cap that leaves none. `isNew`: no earlier call of the attempt reserved it.
 * `maxGasAtoms`: the most gas in it, MIST or octas; null means no limit. `isRest`: `maxGasAtoms` is below
 * `atMostAtoms`, because the user holds the rest of their share. `freeAtMs`: the latest time at which more becomes
 * free.
 */
export type ReservedSlot =
  | {
      readonly kind: "taken";
      readonly isNew: boolean;
      readonly maxGasAtoms: bigint | null;
      readonly isRest: boolean;
      readonly freeAtMs: number;
    }
  | { readonly kind: "none"; readonly cap: keyof HeldCap; readonly freeAtMs: number };

/** Keeps one slot for each sponsorship of a user that is requested, or neither executed nor expired. */
export class OpenSponsorships {
  readonly #sql: SqlStorage;

  constructor(sql: SqlStorage) {
    this.#sql = sql;
  }

  /**
   * Reserves a slot within the caps, or finds the slot of an earlier call. A slot that is never confirmed stays reserved
   * as long as its gas may be held.
   */
  reserve(slot: string, wanted: WantedSponsorship, { heldAtOnce, heldGasAtoms }: HeldCap, nowMs: number): ReservedSlot {
    this.forget(nowMs);
    const untilMs = Math.min(wanted.untilMs ?? nowMs + PREPARED_TTL_MS, nowMs + SPONSORSHIP_TTL_MS);
    const held = this.#held(wanted.chain);
    const freeAtMs = held.length === 0 ? untilMs : Math.min(...held.map((row) => row.until_ms));
    const none = (cap: keyof HeldCap): ReservedSlot => ({ kind: "none", cap, freeAtMs });
    const known = held.find((row) => row.place === slot);
    if (heldAtOnce !== null && (known === undefined ? held.length >= heldAtOnce : held.length > heldAtOnce))
      return none("heldAtOnce");
    // A slot that was reserved without a limit has no amount yet.
    const ownAtoms = known === undefined || known.gas_atoms === 0n ? null : known.gas_atoms;
    const leftAtoms = heldGasAtoms === null ? null : (ownAtoms ?? heldGasAtoms - total(held));
    if (ownAtoms === null && leftAtoms !== null && (leftAtoms <= 0n || (wanted.gasAtoms ?? 0n) > leftAtoms))
      return none("heldGasAtoms");
    const maxGasAtoms = wanted.gasAtoms ?? lowest(wanted.atMostAtoms, leftAtoms);
    if (known === undefined)
      this.#put(slot, { chain: wanted.chain, digest: null, untilMs, gasAtoms: maxGasAtoms ?? 0n });
    else if (ownAtoms === null)
      this.#sql.exec(
        "UPDATE held_gas SET gas_atoms = ? WHERE place = ? AND digest IS NULL",
        (maxGasAtoms ?? 0n).toString(),
        slot,
      );
    const isRest = wanted.gasAtoms === null && maxGasAtoms !== wanted.atMostAtoms;
    return { kind: "taken", isNew: known === undefined, maxGasAtoms, isRest, freeAtMs };
  }

  /**
   * Stores the result of a slot. Null frees the slot, unless it holds a known sponsorship. One sponsorship has one
   * slot, for any number of requests. If a repeat got another sponsorship, that one gets its own slot. No slot lasts
   * longer than an hour, whatever the service answers.
   */
  confirm(slot: string, held: OpenSponsorship | null, nowMs: number): void {
    this.#sql.exec(
      "DELETE FROM held_gas WHERE (place = ? AND digest IS NULL) OR digest = ?",
      slot,
      held?.digest ?? null,
    );
    if (held === null) return;
    const untilMs = Math.min(held.untilMs, nowMs + SPONSORSHIP_TTL_MS);
    const isOthers = this.#sql.exec("SELECT 1 FROM held_gas WHERE place = ?", slot).toArray().length > 0;
    this.#put(isOthers ? held.digest : slot, { ...held, untilMs });
  }

  /** Frees the slot of a sponsorship that was executed, or may have been. */
  remove(digest: string): void {
    this.#sql.exec("DELETE FROM held_gas WHERE digest = ?", digest);
  }

  /** Frees the slots that have expired. One that a fast clock has reserved lasts an hour from now. */
  forget(nowMs: number): void {
    this.#sql.exec("DELETE FROM held_gas WHERE until_ms <= ?", nowMs);
    const latestMs = nowMs + SPONSORSHIP_TTL_MS;
    this.#sql.exec("UPDATE held_gas SET until_ms = ? WHERE until_ms > ?", latestMs, latestMs);
  }

  /** Returns the earliest end of a slot in ms. Null without a slot. */
  soonestMs(): number | null {
    return this.#sql.exec<{ soonestMs: number | null }>("SELECT MIN(until_ms) AS soonestMs FROM held_gas").one()
      .soonestMs;
  }

  #held(chain: Chain) {
    return this.#sql
      .exec("SELECT place, until_ms, gas_atoms FROM held_gas WHERE chain = ?", chain)
      .toArray()
      .map((row) => heldRow.parse(row));
  }

  #put(
    slot: string,
    { chain, digest, untilMs, gasAtoms }: Omit<OpenSponsorship, "digest"> & { digest: string | null },
  ) {
    this.#sql.exec(
      "INSERT INTO held_gas (place, digest, until_ms, chain, gas_atoms) VALUES (?, ?, ?, ?, ?)",
      slot,
      digest,
      untilMs,
      chain,
      gasAtoms.toString(),
    );
  }
}

function total(held: readonly { readonly gas_atoms: bigint }[]): bigint {
  return held.reduce((sum, { gas_atoms }) => sum + gas_atoms, 0n);
}

function lowest(one: bigint | null, other: bigint | null): bigint | null {
  if (one === null || other === null) return one ?? other;
  return one < other ? one : other;
}
