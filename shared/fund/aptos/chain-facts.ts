// Aptos only (lastSeenOf, isAnotherLedger, isStale, weighLedger): Aptos has ledger versions and times, and no epochs that matter here.

import type { LedgerState } from "../../chain/aptos/node.ts";
import { SECOND_LOOK_MS } from "../../chain/failover.ts";
import type { LastSeenChain } from "../last-seen.ts";

/** Older than this, what is remembered of the ledger is written anew. */
const REMEMBER_AGAIN_AFTER_MS = 600_000;

/** What a fund remembers of an Aptos ledger: its version stands where another chain has an epoch. */
export function lastSeenOf({
  chainId,
  version,
  timeMs,
}: Pick<LedgerState, "chainId" | "version" | "timeMs">): LastSeenChain {
  return { chainIdentifier: String(chainId), epoch: version, seenAtMs: timeMs };
}

/**
 * Whether a ledger is another one than the fund's: of another chain id, or one that was begun again under the same. An
 * endpoint that only lags shows a lower version at an earlier time; at a later time it cannot.
 */
export function isAnotherLedger(ledger: LedgerState, seen: LastSeenChain | null): boolean {
  if (seen === null) return false;
  const { chainIdentifier, epoch, seenAtMs } = lastSeenOf(ledger);
  return chainIdentifier !== seen.chainIdentifier || (epoch < seen.epoch && seenAtMs > seen.seenAtMs);
}

/** Not with each answer: it costs a write. */
export function isStale({ timeMs }: Pick<LedgerState, "timeMs">, seen: LastSeenChain | null): boolean {
  return seen === null || timeMs - seen.seenAtMs > REMEMBER_AGAIN_AFTER_MS;
}

/** What an endpoint has said of its ledger. */
export interface LedgerLook extends Pick<LedgerState, "chainId" | "version" | "timeMs"> {
  /** Its URL. */
  readonly endpoint: string;
  /** By our clock. */
  readonly atMs: number;
}

/** What a fund makes of the ledgers that nodes tell it. */
export interface LedgerBelief {
  /** The last one that fits the clock and those before it; null: none yet. */
  readonly look: LedgerLook | null;
  /** Those that are further than they should be, one an endpoint. Each waits for another endpoint, or a second look. */
  readonly claims: readonly LedgerLook[];
}

export interface WeighedLedger extends LedgerBelief {
  readonly isUsable: boolean;
  /** Two looks agree on it: what may be remembered; null: they do not, or not yet. */
  readonly agreed: LedgerLook | null;
}

/** An endpoint's ledger may be so far ahead of our clock, or of what it has told before. */
const MAX_AHEAD_MS = 5_000;
/** No ledger is known to grow faster for long. One that does needs two looks. */
const VERSIONS_PER_MS = 5n;
const SPARE_VERSIONS = 50_000n;

/**
 * Weighs how far a ledger of the fund's chain has come. One reply that is too far proves nothing: promises die by its
 * time, and readings before its version count no more. It takes a second endpoint that has come as far, or a second look
 * at the same one: of two endpoints that are apart, the further one may lie. Of two looks that agree, the earlier one may
 * be remembered: by it the fund tells its chain from one that was begun anew.
 */
export function weighLedger(told: LedgerLook, { look: last, claims: made }: LedgerBelief): WeighedLedger {
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
  // A lower version at a later time: one of the two is wrong. An endpoint that only lags is behind in both.
  const isAtOdds = look !== null && told.version < look.version && told.timeMs > look.timeMs;
  const isNext = look === null || agreed !== null || isAtOdds || told.chainId !== look.chainId;
  return { look: isNext ? told : look, claims: others, isUsable: true, agreed };
}

/** A clock that goes back between two looks puts the second one off by no more than any other. */
function pulledBack(look: LedgerLook, { atMs }: LedgerLook): LedgerLook {
  return look.atMs <= atMs ? look : { ...look, atMs };
}

function isTooFar({ version, timeMs, atMs }: LedgerLook, look: LedgerLook | null): boolean {
  if (timeMs > Math.max(atMs, look === null ? atMs : look.timeMs + atMs - look.atMs) + MAX_AHEAD_MS) return true;
  if (look === null) return false;
  const elapsedMs = BigInt(Math.max(timeMs - look.timeMs, 0));
  return version > look.version + VERSIONS_PER_MS * elapsedMs + SPARE_VERSIONS;
}

function isLater(told: LedgerLook, before: LedgerLook): boolean {
  return told.chainId === before.chainId && told.version >= before.version && told.timeMs >= before.timeMs;
}

function isSecondLook(told: LedgerLook, before: LedgerLook): boolean {
  return isLater(told, before) && told.timeMs > before.timeMs && told.atMs - before.atMs >= SECOND_LOOK_MS;
}
