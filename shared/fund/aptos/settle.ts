import type { AptosExecution, AptosSequenceReading } from "../../chain/aptos/node.ts";
import { readTraits } from "../../chain/aptos/transaction-traits.ts";
import { readAbort } from "../../chain/aptos/vm-status.ts";
import { firstTargets, traced, tracedExecution } from "../explain/trace.ts";
import { addChargeEntry, addUnresolvableEntry } from "../ledger/entries.ts";
import { UNRESOLVABLE } from "../views.ts";
import { chargeOf } from "./gas.ts";
import { closeDead, lookUpLater, NOTHING_KEPT } from "./sponsorships.ts";
import type { AptosFundStore, AptosSponsorship, AptosSponsorshipState } from "./store.ts";

/** Schedules the next look-up of a live row after a reply that decided nothing. */
export function recordNotFound(store: AptosFundStore, id: string, nowMs: number): void {
  const row = store.sponsorship(id);
  if (row !== null && row.state === "signed") lookUpLater(store, row, nowMs);
}

/**
 * Books the charge and the fee of a committed transaction, under any hash (guarantee 5).
 *
 * @param address the fund's address.
 * @param endpoint the host of the node that shows it. Null if it is not known.
 * @returns true if it is booked. False, with nothing written, if the fund cannot have signed this transaction.
 */
export function settle(
  store: AptosFundStore,
  id: string,
  execution: AptosExecution,
  address: string,
  nowMs: number,
  endpoint: string | null = null,
): boolean {
  const row = store.sponsorship(id);
  if (row === null || row.state === "dead" || row.state === UNRESOLVABLE) return false;
  if (!isExecutionOf(row, execution, address)) return false;
  if (row.state === "complete") return true;
  const chargedAtoms = chargeOf(execution, row);
  if (chargedAtoms === null) return false;
  const { hash, version: committedVersion, storageRefundOctas: rebateAtoms } = execution;
  const complete = { ...row, state: "complete", hash, chargedAtoms, rebateAtoms, committedVersion } as const;
  const { targets, commands } = readTraits(row.rawTransaction);
  const end = { targets, isAborted: !execution.success };
  const endEntry = addChargeEntry(store, id, complete, 0n, end, nowMs);
  const shown = { ...shownBy(execution, endpoint), endEntry, commands, targets: firstTargets(targets) };
  const trace = traced(row, shown);
  store.putSponsorship({ ...complete, ...NOTHING_KEPT, trace });
  const { keyId, sender, feeAtoms } = complete;
  store.raise({ type: "sponsorship.completed", digest: hash, keyId, sender, chargedAtoms, feeAtoms });
  store.setDue("settle", id, null);
  return true;
}

/** Returns the trace that an execution adds. The row itself has the version. */
function shownBy({ success, vmStatus, timestampMs: executedAtMs }: AptosExecution, endpoint: string | null) {
  const [failure, abort] = success ? [null, null] : [vmStatus, readAbort(vmStatus)];
  return tracedExecution({ endpoint, failure, abort, checkpoint: null, executedAtMs });
}

/**
 * Returns true if an execution belongs to a row. Only one row at a sequence number is not dead. Dead rows have another
 * expiration or other gas (`checkSequence`, and `chargeOf`). So these fields identify the row.
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

/** Returns true if an execution has used the sequence number of a row, or its nonce until its expiration. */
function isAtSequenceOf(row: AptosSponsorship, execution: AptosExecution): boolean {
  const { sender, nonce, expirationSecs } = execution;
  if (sender !== row.sender || nonce !== row.nonce) return false;
  return nonce === null
    ? execution.sequenceNumber === row.sequenceNumber
    : expirationSecs * 1_000n === BigInt(row.expiresAtMs);
}

/**
 * Closes a sponsorship by an endpoint's evidence about its sequence number, or leaves it unchanged (guarantee 4). Our
 * transaction completes it. A transaction that the fund does not pay for makes it dead. An unused number or nonce makes
 * it dead after the ledger is past the expiration, because no block includes it then. A used number without a
 * transaction waits for the balance that shows its cost (`closeUnresolvable`).
 *
 * @param address the fund's address.
 * @returns the state after that. Null if no such sponsorship exists.
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
  const use = seen.value;
  if (use.kind === "used") return "signed";
  if (use.kind === "unused") return seen.timestampMs < row.expiresAtMs ? "signed" : closeExpired(store, row, nowMs);
  const { execution } = use;
  if (!isAtSequenceOf(row, execution)) return "signed";
  if (execution.feePayer === address)
    return settle(store, id, execution, address, nowMs, seen.endpoint) ? "complete" : "signed";
  return closeDead(store, row, "replaced", nowMs);
}

/**
 * Closes a row whose sequence number is used, by a transaction that no endpoint shows. The caller does it in the commit
 * that books the changed balance. Until then the row withholds its possible cost.
 */
export function closeUnresolvable(store: AptosFundStore, id: string, nowMs: number): void {
  const row = store.sponsorship(id);
  if (row === null || row.state !== "signed") return;
  const { targets, commands } = readTraits(row.rawTransaction);
  const endEntry = addUnresolvableEntry(store, id, row, { targets }, nowMs);
  const trace = traced(row, { ending: UNRESOLVABLE, endEntry, commands, targets: firstTargets(targets) });
  store.putSponsorship({ ...row, ...NOTHING_KEPT, state: UNRESOLVABLE, trace });
  store.raise({ type: "fund.unresolvable", digest: row.hash ?? id });
  store.setDue("settle", id, null);
}

/** Closes a row that has expired, because no block includes it any more. */
function closeExpired(store: AptosFundStore, row: AptosSponsorship, nowMs: number): "dead" {
  const { id, hash, keyId, sender, expiresAtMs } = row;
  store.raise({ type: "sponsorship.expired", digest: hash ?? id, keyId, sender, expiresAtMs });
  return closeDead(store, row, "expired", nowMs);
}
