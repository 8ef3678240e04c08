// Aptos only: on Sui a sender needs no account, so no account is read.

import { isLeftToNode, refuseOtherKey } from "../../chain/aptos/fee-payer.ts";
import type { AptosAccount } from "../../chain/aptos/node.ts";
import type { AptosSeen } from "../../chain/aptos/seen.ts";
import { lags } from "../../chain/lag.ts";
import type { SenderFacts } from "./checks.ts";
import type { AptosFundStore } from "./store.ts";

/** An account takes about 300 bytes. */
const MAX_SENDERS = 10_000;
const KNOWN_FOR_MS = 60_000;

interface KnownSender {
  readonly account: AptosSeen<AptosAccount>;
  /** The least that the next sequence number can be. Later calls count on from here, and not from the reply. */
  readonly sequenceNumber: bigint;
  /** The time of the reply, by `performance.now()`, which is the wall clock in workerd. */
  readonly sinceMs: number;
  /** True once a reservation has used it instead of a read. */
  readonly isReused: boolean;
}

/**
 * Keeps the accounts that nodes have shown, so that a sender's next transaction needs no read. A sequence number never
 * decreases, so the kept one is a lower bound. It counts for as long as a node's reply of the same age would be
 * believed. Two cases always need a read: a refusal, and a signature that leaves the service.
 */
export class KnownSenders {
  readonly #known = new Map<string, KnownSender>();

  /** Keeps an account that exists. Forgets the oldest one if there are too many. */
  note(sender: string, account: AptosSeen<AptosAccount>): void {
    this.#known.delete(sender);
    if (account.value.sequenceNumber === 0n) return;
    const { sequenceNumber } = account.value;
    this.#known.set(sender, { account, sequenceNumber, sinceMs: performance.now(), isReused: false });
    const [oldest] = this.#known.keys();
    if (this.#known.size > MAX_SENDERS && oldest !== undefined) this.#known.delete(oldest);
  }

  /**
   * Returns the facts about a sender. Complete sponsorships have used the numbers after the known one.
   *
   * @param authenticator the sender's, BCS. A caller can invent one that only a node can judge.
   * @returns null if the account must be read.
   */
  factsOf(sender: string, authenticator: Uint8Array, store: AptosFundStore, nowMs: number): SenderFacts | null {
    const known = this.#known.get(sender);
    if (known === undefined) return null;
    const { account, sinceMs } = known;
    const isOld = lags(account.timestampMs, nowMs) || performance.now() - sinceMs >= KNOWN_FOR_MS;
    if (isOld) {
      this.#known.delete(sender);
      return null;
    }
    if (isLeftToNode(authenticator) || refuseOtherKey(authenticator, account.value.authenticationKey) !== null)
      return null;
    let { sequenceNumber } = known;
    while (store.sponsorshipAtSequence(sender, sequenceNumber)?.state === "complete") sequenceNumber += 1n;
    this.#known.set(sender, { ...known, sequenceNumber, isReused: true });
    return { sequenceNumber, exists: true, ledgerTimeMs: account.timestampMs, isRemembered: true };
  }

  /** Forgets a sender. Returns true if a reservation has used the kept account. */
  forget(sender: string): boolean {
    const isReused = this.#known.get(sender)?.isReused ?? false;
    this.#known.delete(sender);
    return isReused;
  }
}
