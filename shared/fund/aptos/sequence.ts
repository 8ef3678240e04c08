// Aptos only: a sequence number takes the place of the coin that a sponsorship on Sui locks.

import { formatAddress } from "../../chain/aptos/address.ts";
import { ACCOUNT_CREATION_GAS_UNITS, ACCOUNT_CREATION_STORAGE_OCTAS } from "../../chain/aptos/limits.ts";
import { payloadTraits } from "../../chain/aptos/payload.ts";
import type { RawTransaction } from "../../chain/aptos/raw-transaction.ts";
import { refuse } from "../../errors.ts";
import { UNRESOLVABLE } from "../views.ts";
import type { AptosSponsorRequest, Refused } from "./checks.ts";
import { gasBudgetOf } from "./checks.ts";
import { isRefused } from "./sponsorships.ts";
import type { AptosFundStore, AptosShown, AptosSponsorship } from "./store.ts";

/**
 * Refuses a first transaction that cannot pay for its account's creation. Refuses a later one if no account exists. An
 * orderless transaction needs no account, and creates none.
 */
export function checkAccount({ account, rawTransaction }: AptosSponsorRequest): Refused | null {
  if (account.exists || payloadTraits(rawTransaction.payload).nonce !== null) return null;
  const { sender, sequenceNumber, maxGasAmount, gasUnitPriceOctas } = rawTransaction;
  if (sequenceNumber > 0n)
    return refuse(
      "account_not_found",
      `${formatAddress(sender)} has no account on chain: its first transaction has sequence number 0`,
    );
  const storageUnits = (ACCOUNT_CREATION_STORAGE_OCTAS + gasUnitPriceOctas - 1n) / gasUnitPriceOctas;
  const leastUnits = ACCOUNT_CREATION_GAS_UNITS + storageUnits;
  return maxGasAmount < leastUnits
    ? refuse(
        "gas_budget_out_of_range",
        `the transaction creates its sender's account: at this price max_gas_amount must be at least ${leastUnits} units`,
        { minMaxGasAmount: leastUnits.toString() },
      )
    : null;
}

/**
 * Returns true if a request may take the sequence number of a row, which the sender's account shows as unused. A ledger
 * past the expiration with an unused number proves that an unresolvable row was never executed. A remembered account
 * proves nothing: a node may have executed a transaction that it has refused.
 */
function givesWay(row: AptosSponsorship, { account }: AptosSponsorRequest): boolean {
  if (account.isRemembered) return false;
  return row.state === UNRESOLVABLE ? account.ledgerTimeMs >= row.expiresAtMs : isRefused(row);
}

/** Converts a transaction's expiration to milliseconds. */
export function expiresAtMsOf({ expirationTimestampSeconds }: RawTransaction): number {
  return Number(expirationTimestampSeconds) * 1_000;
}

function showsAlike(one: AptosShown, other: AptosShown): boolean {
  return one.expiresAtMs === other.expiresAtMs && one.gasBudgetAtoms === other.gasBudgetAtoms;
}

/** Refuses a used sequence number, and names the next one. */
export function refuseUsedSequence(sequenceNumber: bigint, next: bigint): Refused {
  return refuse("sequence_conflict", `sequence number ${sequenceNumber} is used: use the sender's next one`, {
    nextSequenceNumber: next.toString(),
  });
}

/**
 * Refuses a nonce that another sponsorship of the sender has. The chain executes one transaction with a nonce, until
 * long after its expiration. A refused row keeps its nonce: it ends within a minute, and others may have its bytes.
 */
function checkNonce(store: AptosFundStore, sender: string, nonce: bigint): Refused | null {
  return store.sponsorshipAtNonce(sender, nonce) === null
    ? null
    : refuse("sequence_conflict", `another transaction with the nonce ${nonce} is sponsored already: use another one`);
}

/**
 * Refuses a used sequence number or nonce, and a sequence number that leaves a gap. A gap could keep a transaction in
 * the mempool endlessly, and its sponsorship live.
 *
 * @param other the sender's sponsorship at this sequence number that is not dead. Null if there is none.
 */
export function checkSequence(
  store: AptosFundStore,
  request: AptosSponsorRequest,
  other: AptosSponsorship | null,
): Refused | null {
  const { account, rawTransaction } = request;
  const { sender, sequenceNumber } = rawTransaction;
  const { nonce } = payloadTraits(rawTransaction.payload);
  if (nonce !== null) return checkNonce(store, sender, nonce);
  const next = account.sequenceNumber;
  // The endpoint that showed the sender's account may not know the latest executions yet.
  if (sequenceNumber < next || (other !== null && other.state !== "signed" && !givesWay(other, request)))
    return refuseUsedSequence(sequenceNumber, next);
  if (other !== null && !givesWay(other, request))
    return refuse(
      "sequence_conflict",
      `another transaction with sequence number ${sequenceNumber} is sponsored already: wait until it expires`,
      { expiresAtMs: other.expiresAtMs },
    );
  // A node may execute a transaction that it has refused. Only the facts on chain distinguish the two.
  const shown = { expiresAtMs: expiresAtMsOf(rawTransaction), gasBudgetAtoms: gasBudgetOf(rawTransaction) };
  if ((other !== null && showsAlike(other, shown)) || store.hasDeadAtSequence(sender, sequenceNumber, shown))
    return refuse(
      "sequence_conflict",
      `another transaction with sequence number ${sequenceNumber}, the same expiration and the same gas is sponsored already: use another expiration_timestamp_secs`,
    );
  const highest = next + BigInt(store.countLiveAtOrAfter(sender, next));
  return sequenceNumber > highest
    ? refuse("sequence_conflict", `sequence number ${sequenceNumber} leaves a gap: use at most ${highest}`)
    : null;
}
