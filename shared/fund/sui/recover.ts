// Sui only (isLateEnough, canNeverExecute, assumeSigned, closeForgotten, closeTreasuryForgotten, adoptMoney): a coin that has moved ends a signature, and each coin is adopted.

import type { CoinVersion } from "../../chain/sui/coins.ts";
import type { SuiLedgerState } from "../../chain/sui/seen.ts";
import { addEntry } from "../ledger/usage.ts";
import { returnPartyCoins } from "./party-coins.ts";
import { coversLife, type InputEvidence, isInOrder, isPastEpoch, type Missed, observedIn, shownIn } from "./payment.ts";
import { closeDead, isOver } from "./sponsorships.ts";
import type { FundCoin, SuiFundStore } from "./store.ts";
import { closeTreasuryUnresolvable, quarantineAgain } from "./treasury-settle.ts";

/**
 * The transitions of a recovery. When they run, no transaction that the restored state has forgotten can execute: a
 * sweep has moved every coin, or the last epoch of every signature is over. They close the open rows, and adopt the
 * books from the chain. Every change of the balance is a ledger row of kind `correction`.
 */

/**
 * The least that an endpoint must show before a row is closed. `whole_life`: it still has every checkpoint in which the
 * transaction may be. `moved`: a coin of the transaction has moved, or its last epoch is over. The transaction can then
 * never execute any more. It may have executed before, and then its cost is in the corrections.
 */
export type Proof = "whole_life" | "moved";

/** An object that a transaction takes, at the version that it names. */
type FundInput = Pick<FundCoin, "objectId" | "version">;

/** The time of a checkpoint may be in whole seconds. */
const CLOCK_MARGIN_MS = 1_000;

/** The least state of the chain that a recovery adopts. An earlier reply may lack a forgotten transaction. */
export interface LeastState {
  /** The time at which the fund was closed. */
  readonly atMs: number;
  /** The last epoch in which a forgotten transaction may execute. Null if no epoch ends them. */
  readonly afterEpoch: bigint | null;
}

/** Checks whether a reply is late enough for a recovery. */
export function isLateEnough({ timestampMs, epoch }: SuiLedgerState, { atMs, afterEpoch }: LeastState): boolean {
  return timestampMs >= atMs - CLOCK_MARGIN_MS && (afterEpoch === null || epoch > afterEpoch);
}

/** Treats a prepared sponsorship as signed. The restored state may have forgotten the signature. */
export function assumeSigned(store: SuiFundStore, digest: string, nowMs: number): void {
  const sponsorship = store.sponsorship(digest);
  if (sponsorship?.state === "prepared") store.putSponsorship({ ...sponsorship, state: "signed", signedAtMs: nowMs });
}

/**
 * Closes a sponsorship that the chain does not show, once it can never execute any more. If a recycling of its coins is
 * under way, that decides first.
 *
 * @returns true if it is over.
 */
export function closeForgotten(
  store: SuiFundStore,
  digest: string,
  evidence: InputEvidence,
  proof: Proof,
  nowMs: number,
): boolean {
  const sponsorship = store.sponsorship(digest);
  if (sponsorship === null || isOver(sponsorship)) return true;
  const held = store.coinsHeldBy(digest);
  if (held.some(({ state }) => state === "recycling")) return false;
  if (sponsorship.state === "prepared" || !canNeverExecute(sponsorship, held, evidence, proof)) return false;
  free(store, held);
  closeDead(store, sponsorship, nowMs);
  return true;
}

/**
 * Closes a treasury transaction as `closeForgotten` does. The Idempotency-Key of a withdrawal stays spent. Coins that
 * it was to recycle are quarantined again. If the endpoint does not prove that it was not executed, it is
 * `unresolvable`. A later sweep replaces each sweep, so a sweep is `dead`.
 *
 * @returns true if it is over.
 */
export function closeTreasuryForgotten(
  store: SuiFundStore,
  digest: string,
  evidence: InputEvidence,
  proof: Proof,
  nowMs: number,
): boolean {
  const transaction = store.treasuryTransaction(digest);
  if (transaction === null || transaction.state !== "pending") return true;
  const held = store.coinsHeldBy(digest);
  const inputs = [...held, ...transaction.bumpedCoins];
  if (!canNeverExecute(transaction, inputs, evidence, proof)) return false;
  free(store, held);
  if (transaction.purpose !== "recover" && !isDead(transaction, inputs, evidence)) {
    closeTreasuryUnresolvable(store, digest, nowMs);
    return true;
  }
  quarantineAgain(store, transaction, nowMs);
  returnPartyCoins(store, store.partyCoinsHeldBy(digest));
  store.putTreasuryTransaction({ ...transaction, state: "dead", transactionBytes: new Uint8Array() });
  store.setDue("own", digest, null);
  return true;
}

/** Checks whether an endpoint's evidence shows that a transaction it missed can never execute any more. */
export function canNeverExecute(
  transaction: Missed,
  inputs: readonly FundInput[],
  evidence: InputEvidence,
  proof: Proof,
): boolean {
  if (!isInOrder(evidence)) return false;
  const isOver = isPastEpoch(transaction.expirationEpoch, evidence);
  let isMoved = false;
  for (const { objectId, version } of inputs) {
    const observed = observedIn(evidence, objectId);
    if (observed === "no_answer") return false;
    isMoved ||= observed === null || observed.version > version || observed.owner.kind !== "address";
  }
  return (isMoved || isOver) && (proof === "moved" || coversLife(transaction, evidence.miss));
}

/**
 * Checks whether a transaction that can never execute any more was not executed before. A higher version of an input
 * proves nothing: the recovery's own sweeps move every coin. The transaction is dead in two cases:
 *
 * - The endpoint still has its whole life.
 * - Its last epoch is over, and each of its inputs stands at the version that it names.
 */
function isDead(transaction: Missed, inputs: readonly FundInput[], evidence: InputEvidence): boolean {
  if (coversLife(transaction, evidence.miss)) return true;
  const areUnmoved = inputs.every(({ objectId, version }) => shownIn(evidence, objectId)?.version === version);
  return inputs.length > 0 && areUnmoved && isInOrder(evidence) && isPastEpoch(transaction.expirationEpoch, evidence);
}

function free(store: SuiFundStore, coins: readonly FundCoin[]): void {
  for (const coin of coins) store.putCoin({ ...coin, state: "free", heldByDigest: null });
}

/** Money on the chain, on which the endpoints agree. */
export interface ChainMoney {
  /** The coins that the fund owns alone. */
  readonly coins: readonly CoinVersion[];
  /** Null if no endpoint knows address balances. */
  readonly addressBalanceMist: bigint | null;
}

/**
 * Takes the chain's coins and address balance into the books. No row may be open. A repeat changes nothing.
 *
 * @param booked every coin of the books that is not gone.
 * @returns the sum of the corrections, MIST.
 */
export function adoptMoney(
  store: SuiFundStore,
  booked: readonly FundCoin[],
  { coins, addressBalanceMist }: ChainMoney,
  nowMs: number,
): bigint {
  const before = store.totals().balanceAtoms;
  const correct = (reference: string, balanceAtoms: bigint, addressBalanceAtoms = 0n) => {
    if (balanceAtoms !== 0n)
      addEntry(store, { atMs: nowMs, kind: "correction", reference, balanceAtoms, addressBalanceAtoms });
  };
  const bookedById = new Map(booked.map((coin) => [coin.objectId, coin]));
  for (const coin of coins) {
    const known = bookedById.get(coin.objectId);
    bookedById.delete(coin.objectId);
    const adopted = { ...coin, state: "free", heldByDigest: null, maintenance: known?.maintenance ?? false } as const;
    if (known === undefined || !isSame(known, adopted)) store.putCoin(adopted);
    correct(coin.objectId, coin.balanceMist - (known?.balanceMist ?? 0n));
  }
  for (const coin of bookedById.values()) {
    store.putCoin({ ...coin, state: "gone", heldByDigest: null, balanceMist: 0n, maintenance: false });
    correct(coin.objectId, -coin.balanceMist);
  }
  const bookedMist = store.totals().addressBalanceAtoms;
  const changeMist = (addressBalanceMist ?? bookedMist) - bookedMist;
  correct("address balance", changeMist, changeMist);
  const { balanceAtoms, addressBalanceAtoms } = store.totals();
  const rowsMist = coins.reduce((sum, { balanceMist }) => sum + balanceMist, addressBalanceAtoms);
  correct("coins and ledger", rowsMist - balanceAtoms);
  return store.totals().balanceAtoms - before;
}

function isSame(one: FundCoin, other: FundCoin): boolean {
  const hasSameContents = one.version === other.version && one.digest === other.digest;
  return hasSameContents && one.balanceMist === other.balanceMist && one.state === other.state;
}
