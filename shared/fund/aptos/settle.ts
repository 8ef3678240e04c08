// Aptos only (closeUnresolvable): a used sequence number ends a row, although no node may show by what.

import type { AptosExecution, AptosSequenceReading } from "../../chain/aptos/node.ts";
import { addChargeEntry, addUnresolvableEntry } from "../ledger/entries.ts";
import { UNRESOLVABLE } from "../views.ts";
import { chargeOf } from "./gas.ts";
import { closeDead, lookUpLater } from "./sponsorships.ts";
import type { AptosFundStore, AptosSponsorship, AptosSponsorshipState } from "./store.ts";

/** The chain was asked, and what it showed decides nothing: when to ask again. */
export function recordNotFound(store: AptosFundStore, id: string, nowMs: number): void {
  const row = store.sponsorship(id);
  if (row !== null && row.state === "signed") lookUpLater(store, row, nowMs);
}

/**
 * The chain shows it committed, under whatever hash: books the charge and the fee (guarantee 5).
 *
 * @param address the fund's.
 * @returns whether it is booked; false, having written nothing, when this cannot be what the fund has signed.
 */
export function settle(
  store: AptosFundStore,
  id: string,
  execution: AptosExecution,
  address: string,
  nowMs: number,
): boolean {
  const row = store.sponsorship(id);
  if (row === null || row.state === "dead" || row.state === UNRESOLVABLE) return false;
  if (!isExecutionOf(row, execution, address)) return false;
  if (row.state === "complete") return true;
  const chargedAtoms = chargeOf(execution, row);
  if (chargedAtoms === null) return false;
  const { hash, version: committedVersion, storageRefundOctas: rebateAtoms } = execution;
  const complete = { ...row, state: "complete", hash, chargedAtoms, rebateAtoms, committedVersion } as const;
  store.putSponsorship({ ...complete, rawTransaction: new Uint8Array(), authenticators: null });
  addChargeEntry(store, id, complete, 0n, nowMs);
  const { keyId, sender, feeAtoms } = complete;
  store.raise({ type: "sponsorship.completed", digest: hash, keyId, sender, chargedAtoms, feeAtoms });
  store.setDue("settle", id, null);
  return true;
}

/**
 * Only one promise at a sequence number is not dead, and those that are dead have another expiration, or other gas
 * (`checkSequence`, and `chargeOf`): these fields tell which of ours it is.
 */
function isExecutionOf(row: AptosSponsorship, execution: AptosExecution, address: string): boolean {
  const { secondarySigners } = execution;
  return (
    isAtSequenceOf(row, execution) &&
    execution.feePayer === address &&
    execution.expirationSecs * 1_000n === BigInt(row.expiresAtMs) &&
    secondarySigners.length === row.secondaryAddresses.length &&
    secondarySigners.every((signer, index) => signer === row.secondaryAddresses[index])
  );
}

function isAtSequenceOf({ sender, sequenceNumber }: AptosSponsorship, execution: AptosExecution): boolean {
  return execution.sender === sender && execution.sequenceNumber === sequenceNumber;
}

/**
 * What an endpoint shows at the sender's sequence number closes a sponsorship, or leaves it as it is (guarantee 4):
 * our transaction completes it; one that the fund does not pay for makes it dead; none makes it dead once that ledger
 * is past the expiration, from which on no block takes it. That the number is used, by whatever, waits for the balance
 * that shows what it has cost (`closeUnresolvable`).
 *
 * @param address the fund's.
 * @returns its state after that; null: no such sponsorship.
 */
export function closeByEvidence(
  store: AptosFundStore,
  id: string,
  seen: AptosSequenceReading,
  address: string,
  nowMs: number,
): AptosSponsorshipState | null {
  const row = store.sponsorship(id);
  if (row === null || row.state !== "signed") return row?.state ?? null;
  if (seen.kind === "used") return "signed";
  if (seen.kind === "unused") return seen.ledger.timeMs < row.expiresAtMs ? "signed" : closeExpired(store, row, nowMs);
  const { execution } = seen;
  if (!isAtSequenceOf(row, execution)) return "signed";
  if (execution.feePayer === address) return settle(store, id, execution, address, nowMs) ? "complete" : "signed";
  return closeDead(store, row, nowMs);
}

/**
 * Its sequence number is used, and nobody shows by what. In the commit that books a balance which it has changed: before
 * that it withholds what it can have cost.
 */
export function closeUnresolvable(store: AptosFundStore, id: string, nowMs: number): void {
  const row = store.sponsorship(id);
  if (row === null || row.state !== "signed") return;
  store.putSponsorship({ ...row, state: UNRESOLVABLE, rawTransaction: new Uint8Array(), authenticators: null });
  addUnresolvableEntry(store, id, row, nowMs);
  store.setDue("settle", id, null);
}

/** From here on no block takes it. */
function closeExpired(store: AptosFundStore, row: AptosSponsorship, nowMs: number): "dead" {
  const { id, hash, keyId, sender, expiresAtMs } = row;
  store.raise({ type: "sponsorship.expired", digest: hash ?? id, keyId, sender, expiresAtMs });
  return closeDead(store, row, nowMs);
}
