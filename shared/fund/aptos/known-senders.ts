// Aptos only: on Sui a sender needs no account, so no account is read.

import { isLeftToNode, keyOfSigner, refuseOtherKey } from "../../chain/aptos/fee-payer.ts";
import type { AptosAccount, AptosExecution } from "../../chain/aptos/node.ts";
import type { AptosSeen } from "../../chain/aptos/seen.ts";
import { lags } from "../../chain/lag.ts";
import type { SenderFacts } from "./checks.ts";
import type { AptosFundStore, AptosSponsorship } from "./store.ts";

/** An account takes about 300 bytes. */
const MAX_SENDERS = 10_000;
const KNOWN_FOR_MS = 60_000;
/**
 * An execution replaces what is kept of its sender only if that is older. Its key has to be derived, which costs CPU. A
 * younger one counts its number alone, so that the next reservation need not read its row.
 */
const REPLACED_AFTER_MS = 20_000;

type ExecutedRow = Pick<
  AptosSponsorship,
  "hash" | "nonce" | "sender" | "sequenceNumber" | "authenticators" | "createdAtMs"
>;

interface KnownSender {
  /** As the reply showed it. Later calls count on from here. The next number is not lower. */
  readonly sequenceNumber: bigint;
  readonly authenticationKey: string;
  /** A time from which on a ledger has shown this key. */
  readonly ledgerTimeMs: number;
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
  note(sender: string, { value, timestampMs }: AptosSeen<AptosAccount>): void {
    this.#known.delete(sender);
    const { sequenceNumber, authenticationKey } = value;
    if (sequenceNumber > 0n) this.#keep(sender, { sequenceNumber, authenticationKey, ledgerTimeMs: timestampMs });
  }

  /**
   * Keeps what an execution shows of its sender's account: its key, and that the row's sequence number is used. The
   * chain has accepted both, because the hash covers them. It did so after the row was made, whose time counts.
   * The transaction may have changed the key itself. A node then refuses the next one with the old key, as after any
   * change within the minute.
   *
   * @param row as it was while it was live.
   * @param execution that completed the row.
   */
  noteExecuted(row: ExecutedRow, execution: Pick<AptosExecution, "hash">): void {
    const { hash, nonce, sender, authenticators, createdAtMs: ledgerTimeMs } = row;
    if (authenticators === null || nonce !== null || execution.hash !== hash) return;
    const known = this.#known.get(sender);
    const next = row.sequenceNumber + 1n;
    const sequenceNumber = known !== undefined && known.sequenceNumber > next ? known.sequenceNumber : next;
    if (known !== undefined && ledgerTimeMs < known.ledgerTimeMs + REPLACED_AFTER_MS) {
      this.#known.set(sender, { ...known, sequenceNumber });
      return;
    }
    const authenticationKey = keyOfSigner(authenticators.sender);
    if (authenticationKey === null) return;
    this.#known.delete(sender);
    this.#keep(sender, { sequenceNumber, authenticationKey, ledgerTimeMs }, known?.isReused);
  }

  #keep(
    sender: string,
    account: Pick<KnownSender, "sequenceNumber" | "authenticationKey" | "ledgerTimeMs">,
    isReused = false,
  ): void {
    this.#known.set(sender, { ...account, sinceMs: performance.now(), isReused });
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
    const { authenticationKey, ledgerTimeMs, sinceMs } = known;
    const isOld = lags(ledgerTimeMs, nowMs) || performance.now() - sinceMs >= KNOWN_FOR_MS;
    if (isOld) {
      this.#known.delete(sender);
      return null;
    }
    if (isLeftToNode(authenticator) || refuseOtherKey(authenticator, authenticationKey) !== null) return null;
    let { sequenceNumber } = known;
    while (store.sponsorshipAtSequence(sender, sequenceNumber)?.state === "complete") sequenceNumber += 1n;
    this.#known.set(sender, { ...known, sequenceNumber, isReused: true });
    return { sequenceNumber, exists: true, ledgerTimeMs, isRemembered: true };
  }

  /** Forgets a sender. Returns true if a reservation has used the kept account. */
  forget(sender: string): boolean {
    const isReused = this.#known.get(sender)?.isReused ?? false;
    this.#known.delete(sender);
    return isReused;
  }
}
