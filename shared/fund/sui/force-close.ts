// Sui only: an Aptos fund owns no coins. Its balance ends a row (`aptos/adopt.ts`).

import { lags } from "../../chain/lag.ts";
import { isSameCoin, type Observed, type ObservedCoin } from "../../chain/sui/coins.ts";
import type { SuiSeen } from "../../chain/sui/seen.ts";
import { done, type Outcome, refuse } from "../../errors.ts";
import { addEntry } from "../ledger/usage.ts";
import type { DroppedCoin } from "../views.ts";
import { returnPartyCoins } from "./party-coins.ts";
import { type InputEvidence, isPastEpoch, shownIn, takeOverPayment } from "./payment.ts";
import { canNeverExecute } from "./recover.ts";
import { closeDead } from "./sponsorships.ts";
import type { FundCoin, SuiFundStore, SuiSponsorship, SuiTreasuryTransaction } from "./store.ts";
import { quarantineAgain } from "./treasury-settle.ts";

/**
 * The transitions with which an operator ends a row that no node can show. Every endpoint that answers must agree. The
 * silence of a lagging endpoint proves nothing. Each change of the balance is a ledger row of kind `correction`.
 */

/** An endpoint may not show a younger transaction and its coins yet. Clocks differ by less. */
const YOUNG_MS = 300_000;

/** The fund at the time of a decision. */
interface Now {
  /** The fund's address. */
  readonly address: string;
  readonly nowMs: number;
}

/**
 * Drops a coin that no endpoint shows as the fund's. If a later listing shows it, the fund takes it back.
 *
 * @param coin the coin before the endpoints were called.
 * @param shown one reading of each endpoint that answered.
 * @returns the booked amount. `bad_params` if a transaction holds the coin or an endpoint shows it, `node_unavailable`.
 */
export function dropCoin(
  store: SuiFundStore,
  coin: FundCoin,
  shown: readonly SuiSeen<Observed>[],
  { address, nowMs }: Now,
): Outcome<DroppedCoin> {
  const { objectId, balanceMist, heldByDigest } = coin;
  const dropped = { objectId, amountAtoms: balanceMist };
  if (coin.state === "gone") return done(dropped);
  if (heldByDigest !== null)
    return refuse("bad_params", `the transaction ${heldByDigest} holds the coin: wait for its end, or force-close it`);
  const known = store.coin(objectId);
  if (known === null || known.state !== "free" || known.version !== coin.version)
    return refuse("node_unavailable", "the coin has changed during the call: repeat the call");
  let misses = 0;
  for (const { value, endpoint, timestampMs } of shown) {
    if (value === "no_answer") continue;
    if (value !== null && isOwnedBy(value, address))
      return refuse(
        "bad_params",
        `${endpoint} shows the coin as the fund's at version ${value.version}, the books have ${coin.version}: ${remedyOf(value, coin)}`,
      );
    const isBehind = value !== null && value.version < coin.version;
    if (!isBehind && !lags(timestampMs, nowMs)) misses += 1;
  }
  if (misses === 0)
    return refuse("node_unavailable", "no endpoint that is up to date answers about the coin: repeat later");
  if (balanceMist > 0n) store.putCoin({ ...coin, state: "gone", maintenance: false });
  else store.dropCoin(objectId);
  addEntry(store, { atMs: nowMs, kind: "correction", reference: objectId, balanceAtoms: -balanceMist });
  return done(dropped);
}

/** The books never take a version back. Only a recovery adopts the chain's coins. */
function remedyOf(shown: ObservedCoin, coin: FundCoin): string {
  return shown.version < coin.version ? "repeat later, and run recover if it stays so" : "run reconcile instead";
}

function isOwnedBy({ owner }: ObservedCoin, address: string): boolean {
  return (owner.kind === "address" || owner.kind === "consensus") && owner.address === address;
}

/**
 * Closes a sponsorship that every endpoint misses, and that can never execute any more, as `dead`.
 *
 * @param evidence the coins and the miss of each endpoint that answered both.
 * @returns `bad_params` if it may still end by itself, `node_unavailable`.
 */
export function forceClose(
  store: SuiFundStore,
  sponsorship: SuiSponsorship,
  evidence: readonly InputEvidence[],
  { address, nowMs }: Now,
): Outcome<null> {
  const { digest, createdAtMs, expiresAtMs, keyId, gasObjectId } = sponsorship;
  if (gasObjectId === null) return refuseAddressBalance();
  const fromMs = Math.max(expiresAtMs, createdAtMs + YOUNG_MS);
  if (nowMs < fromMs) return refuseYoung(fromMs);
  const held = store.coinsHeldBy(digest);
  const recycling = held.find(({ state }) => state === "recycling");
  if (recycling !== undefined) {
    const takes = ({ bumpedCoins }: SuiTreasuryTransaction) =>
      bumpedCoins.some(({ objectId }) => objectId === recycling.objectId);
    const taker = store.pendingTreasury().find(takes)?.digest ?? "of the fund";
    return refuse("bad_params", `the transaction ${taker} takes its coin back: wait for its end, or force-close it`);
  }
  const fresh = upToDate(evidence, fromMs, nowMs);
  const closable = judge(sponsorship, held, held, fresh, "moved");
  if (!closable.ok) return closable;
  const correctedMist = takeOverPayment(store, held, closable.value, address);
  closeDead(store, sponsorship, nowMs);
  addEntry(store, { atMs: nowMs, kind: "correction", reference: digest, keyId, balanceAtoms: correctedMist });
  return done(null);
}

/**
 * Closes a treasury transaction as `forceClose` does. A withdrawal that is `dead` may be paid again. So its death also
 * needs an endpoint that still has its whole life.
 */
export function forceCloseTreasury(
  store: SuiFundStore,
  transaction: SuiTreasuryTransaction,
  evidence: readonly InputEvidence[],
  { address, nowMs }: Now,
): Outcome<null> {
  const { digest, purpose, gasObjectId, fromAddressBalanceMist, paysToAddressBalance, bumpedCoins } = transaction;
  if (gasObjectId === null || fromAddressBalanceMist !== 0n || paysToAddressBalance) return refuseAddressBalance();
  const fromMs = transaction.createdAtMs + YOUNG_MS;
  if (nowMs < fromMs) return refuseYoung(fromMs);
  const held = store.coinsHeldBy(digest);
  const proof = purpose === "withdraw" ? "whole_life" : "moved";
  const fresh = upToDate(evidence, fromMs, nowMs);
  const closable = judge(transaction, held, [...held, ...bumpedCoins], fresh, proof);
  if (!closable.ok) return closable;
  const correctedMist = takeOverPayment(store, held, closable.value, address);
  quarantineAgain(store, transaction, nowMs);
  returnPartyCoins(store, store.partyCoinsHeldBy(digest));
  store.putTreasuryTransaction({ ...transaction, state: "dead", transactionBytes: new Uint8Array() });
  store.setDue("own", digest, null);
  if (purpose === "recycle") store.setDue("recycle", "", nowMs);
  addEntry(store, { atMs: nowMs, kind: "correction", reference: digest, balanceAtoms: correctedMist });
  return done(null);
}

/**
 * Checks that a transaction of the fund which changes the address balance can never execute any more. No version of a
 * coin proves that. So its last epoch must be over at each endpoint that is up to date.
 *
 * @param evidence the coins and the miss of each endpoint that answered both.
 * @returns the evidence of one endpoint, whose coins all others confirm. `bad_params` if it may still end by itself,
 * `node_unavailable`.
 */
export function proveOver(
  store: SuiFundStore,
  transaction: SuiTreasuryTransaction,
  evidence: readonly InputEvidence[],
  nowMs: number,
): Outcome<InputEvidence> {
  const { digest, expirationEpoch, createdAtMs, bumpedCoins } = transaction;
  const fromMs = createdAtMs + YOUNG_MS;
  if (nowMs < fromMs) return refuseYoung(fromMs);
  const fresh = upToDate(evidence, fromMs, nowMs);
  if (fresh.some((one) => !isPastEpoch(expirationEpoch, one))) return refuseBefore(expirationEpoch);
  const held = store.coinsHeldBy(digest);
  return judge(transaction, held, [...held, ...bumpedCoins], fresh, "moved");
}

/** Refuses to close a row that the address balance pays for, before its last epoch is over. */
export function refuseBefore(expirationEpoch: bigint) {
  return refuse(
    "bad_params",
    `the transaction may still execute: repeat after epoch ${expirationEpoch}, or run recover`,
  );
}

function refuseYoung(fromMs: number) {
  const from = new Date(fromMs).toISOString();
  return refuse("bad_params", `it can be closed from ${from}: repeat the call after that`);
}

function refuseAddressBalance() {
  return refuse(
    "bad_params",
    "the transaction changes the address balance, which shows no single transaction: run recover, which closes it",
  );
}

function upToDate(evidence: readonly InputEvidence[], atLeastMs: number, nowMs: number): readonly InputEvidence[] {
  return evidence.filter(({ miss }) => !lags(miss.timestampMs, nowMs) && miss.timestampMs >= atLeastMs);
}

type Row = SuiSponsorship | SuiTreasuryTransaction;

/** Checks the evidence of every endpoint. Returns the evidence of one, whose held coins all others confirm. */
function judge(
  row: Row,
  held: readonly FundCoin[],
  inputs: readonly Pick<FundCoin, "objectId" | "version">[],
  evidence: readonly InputEvidence[],
  proof: "moved" | "whole_life",
): Outcome<InputEvidence> {
  const [first] = evidence;
  if (first === undefined)
    return refuse("node_unavailable", "no endpoint that is up to date answers about it and its coins: repeat later");
  for (const one of evidence) {
    const writer = inputs.find(({ objectId }) => shownIn(one, objectId)?.previousTransaction === row.digest);
    if (writer !== undefined)
      return refuse(
        "bad_params",
        `${one.miss.endpoint} shows that it was executed: wait until epoch ${row.expirationEpoch} is over, when the fund settles it by itself`,
      );
    if (!canNeverExecute(row, inputs, one, proof))
      return refuse(
        "bad_params",
        `the transaction may still execute (node ${one.miss.endpoint}): repeat after epoch ${row.expirationEpoch}, or once its coin moves`,
      );
    if (held.some(({ objectId, version }) => (shownIn(one, objectId)?.version ?? version) < version))
      return refuse("node_unavailable", `${one.miss.endpoint} shows an older version of its coins: repeat later`);
    if (!held.every(({ objectId }) => isSameCoin(shownIn(first, objectId), shownIn(one, objectId))))
      return refuse("node_unavailable", "the endpoints disagree about its coins: repeat later");
  }
  return done(first);
}
