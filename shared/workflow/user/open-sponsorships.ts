import * as z from "zod";
import { PREPARED_TTL_MS, SPONSORSHIP_TTL_MS } from "../../fund/sui/limits.ts";
import type { Chain } from "../../networks.ts";
import type { HeldCap } from "../../policy/rules.ts";

export const HELD_GAS_MIGRATION = `
  CREATE TABLE held_gas (
    place TEXT PRIMARY KEY,
    digest TEXT,
    until_ms INTEGER NOT NULL
  ) STRICT, WITHOUT ROWID`;

export const HELD_AMOUNT_MIGRATION = `
  ALTER TABLE held_gas ADD COLUMN chain TEXT NOT NULL DEFAULT 'sui';
  ALTER TABLE held_gas ADD COLUMN gas_atoms TEXT NOT NULL DEFAULT '0'`;

const heldRow = z.object({ place: z.string(), until_ms: z.number(), gas_atoms: z.string().transform(BigInt) });

export interface OpenSponsorship {
  readonly chain: Chain;
  /** Of the sponsorship. */
  readonly digest: string;
  readonly untilMs: number;
  /** MIST or octas. */
  readonly gasAtoms: bigint;
}

/** What is to be held for a user. */
export interface WantedSponsorship {
  readonly chain: Chain;
  /** MIST or octas. Null: the service sets it. */
  readonly gasAtoms: bigint | null;
  /** What the service sets is not above this. Null: nobody knows. */
  readonly atMostAtoms: bigint | null;
  /** Until when it is held, where nobody tells what came of it. Null: for as long as an unsigned one is. */
  readonly untilMs: number | null;
}

/**
 * `isNew`: no earlier call of the attempt has taken it. `maxGasAtoms`: what may be held in it; null: nobody has set a
 * limit. `isRest`: that is less than `atMostAtoms`, because the user has the rest of the share. `freeAtMs`: when more
 * will be free, at the latest.
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

/** What funds hold for one user: sponsorships that are neither executed nor over, and those that are being asked for. */
export class OpenSponsorships {
  readonly #sql: SqlStorage;

  constructor(sql: SqlStorage) {
    this.#sql = sql;
  }

  /**
   * Takes a place within the caps, where it is not taken by this name already. Whoever never tells what came of it may
   * have had gas held, so it stays taken for as long as that would be.
   */
  reserve(
    place: string,
    wanted: WantedSponsorship,
    { heldAtOnce, heldGasAtoms }: HeldCap,
    nowMs: number,
  ): ReservedSlot {
    this.forget(nowMs);
    const untilMs = Math.min(wanted.untilMs ?? nowMs + PREPARED_TTL_MS, nowMs + SPONSORSHIP_TTL_MS);
    const held = this.#held(wanted.chain);
    const freeAtMs = held.length === 0 ? untilMs : Math.min(...held.map((row) => row.until_ms));
    const none = (cap: keyof HeldCap): ReservedSlot => ({ kind: "none", cap, freeAtMs });
    const known = held.find((row) => row.place === place);
    if (heldAtOnce !== null && (known === undefined ? held.length >= heldAtOnce : held.length > heldAtOnce))
      return none("heldAtOnce");
    // A place that was taken while there was no limit has no amount of its own yet.
    const ownAtoms = known === undefined || known.gas_atoms === 0n ? null : known.gas_atoms;
    const leftAtoms = heldGasAtoms === null ? null : (ownAtoms ?? heldGasAtoms - total(held));
    if (ownAtoms === null && leftAtoms !== null && (leftAtoms <= 0n || (wanted.gasAtoms ?? 0n) > leftAtoms))
      return none("heldGasAtoms");
    const maxGasAtoms = wanted.gasAtoms ?? lowest(wanted.atMostAtoms, leftAtoms);
    if (known === undefined)
      this.#put(place, { chain: wanted.chain, digest: null, untilMs, gasAtoms: maxGasAtoms ?? 0n });
    else if (ownAtoms === null)
      this.#sql.exec(
        "UPDATE held_gas SET gas_atoms = ? WHERE place = ? AND digest IS NULL",
        (maxGasAtoms ?? 0n).toString(),
        place,
      );
    const isRest = wanted.gasAtoms === null && maxGasAtoms !== wanted.atMostAtoms;
    return { kind: "taken", isNew: known === undefined, maxGasAtoms, isRest, freeAtMs };
  }

  /**
   * What came of it; null: nothing more is held than is known. The same sponsorship has one place, however often it was
   * asked for; another one that a service made of a repeat has one of its own. No service holds gas for longer than an
   * hour, whatever it says.
   */
  confirm(place: string, held: OpenSponsorship | null, nowMs: number): void {
    this.#sql.exec(
      "DELETE FROM held_gas WHERE (place = ? AND digest IS NULL) OR digest = ?",
      place,
      held?.digest ?? null,
    );
    if (held === null) return;
    const untilMs = Math.min(held.untilMs, nowMs + SPONSORSHIP_TTL_MS);
    const isOthers = this.#sql.exec("SELECT 1 FROM held_gas WHERE place = ?", place).toArray().length > 0;
    this.#put(isOthers ? held.digest : place, { ...held, untilMs });
  }

  /** The sponsorship was executed, or may have been. */
  remove(digest: string): void {
    this.#sql.exec("DELETE FROM held_gas WHERE digest = ?", digest);
  }

  forget(nowMs: number): void {
    this.#sql.exec("DELETE FROM held_gas WHERE until_ms <= ?", nowMs);
  }

  /** Null: nothing is held. */
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
    place: string,
    { chain, digest, untilMs, gasAtoms }: Omit<OpenSponsorship, "digest"> & { digest: string | null },
  ) {
    this.#sql.exec(
      "INSERT INTO held_gas (place, digest, until_ms, chain, gas_atoms) VALUES (?, ?, ?, ?, ?)",
      place,
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
