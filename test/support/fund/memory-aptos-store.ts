import type {
  AptosFundStore,
  AptosShown,
  AptosSponsorship,
  AptosTreasuryTransaction,
  UsedSequence,
} from "../../../shared/fund/aptos/store.ts";
import { MemoryFundBooks } from "./memory-books.ts";

/** An `AptosFundStore` in plain maps. */
export class MemoryAptosFundStore extends MemoryFundBooks implements AptosFundStore {
  readonly sponsorships = new Map<string, AptosSponsorship>();
  readonly ownTransactions = new Map<string, AptosTreasuryTransaction>();
  readonly used = new Map<string, UsedSequence>();
  compared = -1n;

  sponsorship(id: string): AptosSponsorship | null {
    return this.sponsorships.get(id) ?? null;
  }

  sponsorshipAtSequence(sender: string, sequenceNumber: bigint): AptosSponsorship | null {
    const rows = [...this.sponsorships.values()].filter(({ state }) => state !== "dead");
    return (
      rows.find((row) => row.nonce === null && row.sender === sender && row.sequenceNumber === sequenceNumber) ?? null
    );
  }

  sponsorshipAtNonce(sender: string, nonce: bigint): AptosSponsorship | null {
    const rows = [...this.sponsorships.values()].filter(({ state }) => state !== "dead");
    return rows.find((row) => row.sender === sender && row.nonce === nonce) ?? null;
  }

  hasDeadAtSequence(sender: string, sequenceNumber: bigint, { expiresAtMs, gasBudgetAtoms }: AptosShown): boolean {
    return [...this.sponsorships.values()].some(
      (row) =>
        row.state === "dead" &&
        row.sender === sender &&
        row.sequenceNumber === sequenceNumber &&
        row.expiresAtMs === expiresAtMs &&
        row.gasBudgetAtoms === gasBudgetAtoms,
    );
  }

  countLiveAtOrAfter(sender: string, sequenceNumber: bigint): number {
    const ordered = this.#live().filter(({ nonce }) => nonce === null);
    return ordered.filter((row) => row.sender === sender && row.sequenceNumber >= sequenceNumber).length;
  }

  putSponsorship(sponsorship: AptosSponsorship): void {
    const { id, state, sender, sequenceNumber, nonce } = sponsorship;
    const atPlace = () =>
      nonce === null ? this.sponsorshipAtSequence(sender, sequenceNumber) : this.sponsorshipAtNonce(sender, nonce);
    const other = state === "dead" ? null : atPlace();
    if (other !== null && other.id !== id) throw new Error(`${other.id} stands at the sequence number of ${id}`);
    this.sponsorships.set(id, sponsorship);
  }

  liveIds(keyId: string | null): readonly string[] {
    return this.#live()
      .filter((row) => keyId === null || row.keyId === keyId)
      .map(({ id }) => id);
  }

  treasuryTransaction(hash: string): AptosTreasuryTransaction | null {
    return this.ownTransactions.get(hash) ?? null;
  }

  nextOwnSequenceNumber(): bigint {
    const used = [...this.ownTransactions.values()].filter(({ state }) => state !== "dead");
    return used.reduce((next, { sequenceNumber }) => (sequenceNumber < next ? next : sequenceNumber + 1n), 0n);
  }

  lastOwnExpiresAtMs(): number | null {
    const last = this.nextOwnSequenceNumber() - 1n;
    const used = [...this.ownTransactions.values()].filter(({ state }) => state !== "dead");
    return used.find(({ sequenceNumber }) => sequenceNumber === last)?.expiresAtMs ?? null;
  }

  pendingTreasury(): AptosTreasuryTransaction | null {
    return [...this.ownTransactions.values()].find(({ state }) => state === "pending") ?? null;
  }

  putTreasuryTransaction(transaction: AptosTreasuryTransaction): void {
    this.ownTransactions.set(transaction.hash, transaction);
  }

  usedSequence(reference: string): UsedSequence | null {
    return this.used.get(reference) ?? null;
  }

  usedSequences(): ReadonlyMap<string, UsedSequence> {
    return this.used;
  }

  putUsedSequence(reference: string, used: UsedSequence | null): void {
    if (used === null) this.used.delete(reference);
    else this.used.set(reference, used);
  }

  balanceChangeAfter(version: bigint): bigint {
    const isLater = ({ committedVersion }: AptosSponsorship | AptosTreasuryTransaction) =>
      committedVersion !== null && committedVersion > version;
    const ofSponsorships = [...this.sponsorships.values()].filter(isLater);
    const ofOwn = [...this.ownTransactions.values()].filter(isLater);
    const paidOut = ofOwn.reduce((sum, row) => sum + (row.state === "complete" ? row.amountAtoms : 0n), 0n);
    return [...ofSponsorships, ...ofOwn].reduce((sum, { chargedAtoms }) => sum - (chargedAtoms ?? 0n), -paidOut);
  }

  reconciledVersion(): bigint {
    return this.compared;
  }

  setReconciledVersion(version: bigint): void {
    this.compared = version;
  }

  #live(): AptosSponsorship[] {
    return [...this.sponsorships.values()].filter(({ state }) => state === "signed");
  }
}
