// Aptos only (lastSeenOf, isAnotherLedger, isStale, weighLedger, SPARE_VERSIONS): Aptos has ledger versions and times, and no epochs that matter here.

import type { AptosLedgerState, AptosSeen } from "../../chain/aptos/seen.ts";
import { SECOND_LOOK_MS } from "../../chain/failover.ts";
import { lags } from "../../chain/lag.ts";
import type { LastSeenChain } from "../last-seen.ts";

/** If the stored facts of the ledger are older than this, they are written anew. */
const REMEMBER_AGAIN_AFTER_MS = 600_000;

/** Converts a ledger's state to the facts that a fund stores. The version takes the place of another chain's epoch. */
export function lastSeenOf({
  chain,
  version,
  timestampMs,
}: Pick<AptosLedgerState, "chain" | "version" | "timestampMs">): LastSeenChain {
  return { chainIdentifier: String(chain), epoch: version, seenAtMs: timestampMs };
}

/**
 * Returns true if a ledger is not the fund's. It has another chain id, or was begun anew under the same id. A lagging
 * endpoint shows a lower version at an earlier time, never at a later one.
 */
export function isAnotherLedger(ledger: AptosSeen<unknown>, seen: LastSeenChain | null): boolean {
  if (seen === null) return false;
  const { chainIdentifier, epoch, seenAtMs } = lastSeenOf(ledger);
  return chainIdentifier !== seen.chainIdentifier || (epoch < seen.epoch && seenAtMs > seen.seenAtMs);
}

/** Returns true if the stored facts are old enough to write anew. Each write costs, so not every answer causes one. */
export function isStale({ timestampMs }: Pick<AptosLedgerState, "timestampMs">, seen: LastSeenChain | null): boolean {
  return seen === null || timestampMs - seen.seenAtMs > REMEMBER_AGAIN_AFTER_MS;
}

/** A ledger's state as an endpoint showed it once. */
export interface LedgerLook extends Omit<AptosLedgerState, "lowestAvailable"> {
  /** The time of the reply, by our clock. */
  readonly atMs: number;
}

/** The fund's judgement of the ledgers that its nodes show. */
export interface LedgerBelief {
  /** The last look that fits the clock and the looks before it. Null if no look fits yet. */
  readonly look: LedgerLook | null;
  /**
   * Looks that are too far ahead, one for each endpoint. Each waits for confirmation by another endpoint or a second
   * look.
   */
  readonly claims: readonly LedgerLook[];
}

/** The fund's judgement after one more look. */
export interface WeighedLedger extends LedgerBelief {
  readonly isUsable: boolean;
  /** The look that may be stored, because two looks agree on it. Null if no two agree yet. */
  readonly agreed: LedgerLook | null;
}

/** The most that a ledger may be ahead of our clock, or of its own earlier time. */
const MAX_AHEAD_MS = 5_000;
/** No known ledger grows faster for long. A faster one needs two looks. */
const VERSIONS_PER_MS = 5n;
/** The lead of a version up to which one reply is believed. So a lower bound subtracts this number. */
export const SPARE_VERSIONS = 50_000n;

/**
 * Judges the progress of a ledger of the fund's chain. One reply that is too far ahead proves nothing. Its time would
 * end live sponsorships, and its version would make earlier readings worthless. So a second endpoint must be as far, or
 * a second look at the same endpoint must agree. If two endpoints differ, the further one may lie. If two looks agree,
 * the earlier one may be stored. The fund uses it to distinguish its chain from one that was begun anew.
 *
 * @param atMs the time of the reply, by our clock.
 */
export function weighLedger(
  { endpoint, chain, version, timestampMs }: AptosSeen<unknown>,
  { look: last, claims: made }: LedgerBelief,
  atMs: number,
): WeighedLedger {
  const told: LedgerLook = { endpoint, chain, version, timestampMs, atMs };
  const look = last === null ? null : pulledBack(last, told);
  const claims = made.map((claim) => pulledBack(claim, told));
  const own = claims.find(({ endpoint }) => endpoint === told.endpoint);
  const others = claims.filter((claim) => claim !== own);
  if (isTooFar(told, look)) {
    const isSaidAgain = own !== undefined && isSecondLook(told, own);
    const isAgreed = isSaidAgain || others.some((claim) => !isTooFar(told, claim));
    if (isAgreed) return { look: told, claims: [], isUsable: true, agreed: null };
    const stays = own !== undefined && isLater(told, own);
    return { look, claims: stays ? claims : [...others, told], isUsable: false, agreed: null };
  }
  const agreed = look !== null && isSecondLook(told, look) ? look : null;
  // The version is lower at a later time, so one of the two is wrong. A lagging endpoint has both lower.
  const isAtOdds = look !== null && told.version < look.version && told.timestampMs > look.timestampMs;
  const isNext = look === null || agreed !== null || isAtOdds || told.chain !== look.chain;
  // One endpoint could repeat the same claim endlessly. An up-to-date endpoint refutes it.
  return { look: isNext ? told : look, claims: lags(told.timestampMs, atMs) ? others : [], isUsable: true, agreed };
}

/**
 * Moves a look back to the time of a later one, if our clock went back between them. The second look is then no later
 * than usual.
 */
function pulledBack(look: LedgerLook, { atMs }: LedgerLook): LedgerLook {
  return look.atMs <= atMs ? look : { ...look, atMs };
}

function isTooFar({ version, timestampMs: timeMs, atMs }: LedgerLook, look: LedgerLook | null): boolean {
  if (timeMs > Math.max(atMs, look === null ? atMs : look.timestampMs + atMs - look.atMs) + MAX_AHEAD_MS) return true;
  if (look === null) return false;
  const elapsedMs = BigInt(Math.max(timeMs - look.timestampMs, 0));
  return version > look.version + VERSIONS_PER_MS * elapsedMs + SPARE_VERSIONS;
}

function isLater(told: LedgerLook, before: LedgerLook): boolean {
  return told.chain === before.chain && told.version >= before.version && told.timestampMs >= before.timestampMs;
}

function isSecondLook(told: LedgerLook, before: LedgerLook): boolean {
  return isLater(told, before) && told.timestampMs > before.timestampMs && told.atMs - before.atMs >= SECOND_LOOK_MS;
}
