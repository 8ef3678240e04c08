// Aptos only (lastSeenOf, isAnotherLedger, isStale, weighLedger, SPARE_VERSIONS): Aptos has ledger versions and times, and no epochs that matter here.

import type { AptosLedgerState, AptosSeen } from "../../chain/aptos/seen.ts";
import { SECOND_LOOK_MS } from "../../chain/failover.ts";
import { lags } from "../../chain/lag.ts";
import type { LastSeenChain } from "../last-seen.ts";

/** The stored facts of the ledger are written anew once they are older than this. */
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
 * Tells whether a ledger is not the fund's. It has another chain id, or was begun anew under the same id.
 * An endpoint that only lags shows a lower version at an earlier time. It cannot show one at a later time.
 */
export function isAnotherLedger(ledger: AptosSeen<unknown>, seen: LastSeenChain | null): boolean {
  if (seen === null) return false;
  const { chainIdentifier, epoch, seenAtMs } = lastSeenOf(ledger);
  return chainIdentifier !== seen.chainIdentifier || (epoch < seen.epoch && seenAtMs > seen.seenAtMs);
}

/** Tells whether the stored facts are old enough to write anew. Each write costs, so not every answer causes one. */
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
  /** The last look that fits the clock and the looks before it. Null if there is none yet. */
  readonly look: LedgerLook | null;
  /** Looks that are too far ahead, one for each endpoint. Each waits for another endpoint, or for a second look. */
  readonly claims: readonly LedgerLook[];
}

/** The fund's judgement after one more look. */
export interface WeighedLedger extends LedgerBelief {
  readonly isUsable: boolean;
  /** The look that may be stored, because two looks agree on it. Null if none agree, or not yet. */
  readonly agreed: LedgerLook | null;
}

/** The most that a ledger may be ahead of our clock, or of its own earlier time. */
const MAX_AHEAD_MS = 5_000;
/** No known ledger grows faster for long. One that does needs two looks. */
const VERSIONS_PER_MS = 5n;
/** One reply's version is believed although it is this far ahead. So a bound from below subtracts as many. */
export const SPARE_VERSIONS = 50_000n;

/**
 * Weighs how far a ledger of the fund's chain has come. One reply that is too far ahead proves nothing.
 * Its time would end live sponsorships, and its version would make earlier readings worthless.
 * So a second endpoint must have come as far, or a second look at the same endpoint must agree.
 * Of two endpoints that differ, the further one may lie. Of two looks that agree, the earlier one may be stored.
 * The fund uses it to distinguish its chain from one that was begun anew.
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
  // The version is lower at a later time, so one of the two is wrong. An endpoint that only lags is behind in both.
  const isAtOdds = look !== null && told.version < look.version && told.timestampMs > look.timestampMs;
  const isNext = look === null || agreed !== null || isAtOdds || told.chain !== look.chain;
  // One endpoint could claim the same again and again. An endpoint that is up to date refutes it.
  return { look: isNext ? told : look, claims: lags(told.timestampMs, atMs) ? others : [], isUsable: true, agreed };
}

/**
 * Moves a look back to the time of a later one, if our clock went back between the two.
 * The second look is then off by no more than any other.
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
