import type { AptosExecution, AptosSequenceReading } from "../../chain/aptos/node.ts";
import { addEntry } from "../ledger/usage.ts";
import { type TreasuryState, UNRESOLVABLE } from "../views.ts";
import { chargeOf } from "./gas.ts";
import type { AptosFundStore } from "./store.ts";

/** A closed withdrawal keeps no bytes, since it is never submitted again. */
const NO_BYTES = { signedTransaction: new Uint8Array() };

/**
 * Books a committed withdrawal. An aborted one has cost its gas, and moved nothing.
 *
 * @param address the fund's address.
 * @returns true if it is booked. False, with nothing written, if the fund cannot have signed this transaction.
 */
export function settleTreasury(
  store: AptosFundStore,
  execution: AptosExecution,
  address: string,
  nowMs: number,
): boolean {
  const transaction = store.treasuryTransaction(execution.hash);
  if (transaction === null || transaction.state === "dead" || transaction.state === UNRESOLVABLE) return false;
  if (transaction.state !== "pending") return true;
  if (execution.sender !== address || execution.sequenceNumber !== transaction.sequenceNumber) return false;
  const chargedAtoms = chargeOf(execution, transaction);
  if (chargedAtoms === null) return false;
  const { success, version: committedVersion } = execution;
  const { hash, amountAtoms, collectedFeesAtoms } = transaction;
  const state = success ? "complete" : "failed";
  store.putTreasuryTransaction({ ...transaction, ...NO_BYTES, state, chargedAtoms, committedVersion });
  store.setDue("own", hash, null);
  addEntry(store, {
    atMs: nowMs,
    kind: "withdraw",
    reference: hash,
    balanceAtoms: -chargedAtoms - (success ? amountAtoms : 0n),
    accruedFeesAtoms: success ? -collectedFeesAtoms : 0n,
  });
  return true;
}

/**
 * Closes a withdrawal by an endpoint's evidence about its sequence number, or leaves it unchanged. The rules are those
 * of `closeByEvidence` for sponsorships.
 *
 * @param address the fund's address.
 * @returns the state after that. Null if no such withdrawal exists.
 */
export function closeTreasuryByEvidence(
  store: AptosFundStore,
  hash: string,
  seen: AptosSequenceReading,
  address: string,
  nowMs: number,
): TreasuryState | null {
  const transaction = store.treasuryTransaction(hash);
  if (transaction === null || transaction.state !== "pending") return transaction?.state ?? null;
  const use = seen.value;
  if (use.kind === "used") return "pending";
  if (use.kind === "unused") {
    if (seen.timestampMs < transaction.expiresAtMs) return "pending";
  } else {
    const { execution } = use;
    if (execution.sender !== address || execution.sequenceNumber !== transaction.sequenceNumber) return "pending";
    if (execution.hash === hash) {
      settleTreasury(store, execution, address, nowMs);
      return store.treasuryTransaction(hash)?.state ?? null;
    }
  }
  store.putTreasuryTransaction({ ...transaction, ...NO_BYTES, state: "dead" });
  store.setDue("own", hash, null);
  return "dead";
}

/**
 * Closes a withdrawal whose sequence number is used and that no endpoint shows. Only the fund has the key. Only the
 * balance shows whether it paid. Fees that it was to collect are accrued no more, so they are not collected again.
 */
export function closeTreasuryUnresolvable(store: AptosFundStore, hash: string, nowMs: number): void {
  const transaction = store.treasuryTransaction(hash);
  if (transaction === null || transaction.state !== "pending") return;
  const { collectedFeesAtoms } = transaction;
  store.putTreasuryTransaction({ ...transaction, ...NO_BYTES, state: UNRESOLVABLE });
  if (collectedFeesAtoms > 0n)
    addEntry(store, { atMs: nowMs, kind: "correction", reference: hash, accruedFeesAtoms: -collectedFeesAtoms });
  store.raise({ type: "fund.unresolvable", digest: hash });
  store.setDue("own", hash, null);
}
