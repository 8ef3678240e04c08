import type { CoinStore, DueKind, FundCoin, LedgerRow, OwnTransaction, Sponsorship } from "./coin-store.ts";

/** A `CoinStore` in plain maps: for property tests, which read its fields to check the guarantees. */
export class MemoryCoinStore implements CoinStore {
  readonly coins = new Map<string, FundCoin>();
  readonly sponsorships = new Map<string, Sponsorship>();
  readonly ownTransactions = new Map<string, OwnTransaction>();
  readonly ledger: LedgerRow[] = [];
  readonly due = new Map<string, number>();

  coin(objectId: string): FundCoin | null {
    return this.coins.get(objectId) ?? null;
  }

  coinsOf(holder: string): readonly FundCoin[] {
    return [...this.coins.values()].filter((coin) => coin.holder === holder).sort(byObjectId);
  }

  smallestFree(atLeastMist: bigint, atMostMist: bigint): FundCoin | null {
    const fitting = this.#free().filter(({ balanceMist }) => balanceMist >= atLeastMist && balanceMist <= atMostMist);
    return fitting[0] ?? null;
  }

  largestFree(atMostMist: bigint, limit: number): readonly FundCoin[] {
    return this.#free()
      .filter(({ balanceMist }) => balanceMist <= atMostMist)
      .reverse()
      .slice(0, limit);
  }

  countFree(atLeastMist: bigint, belowMist: bigint, limit: number): number {
    const counted = this.#free().filter(({ balanceMist }) => balanceMist >= atLeastMist && balanceMist < belowMist);
    return Math.min(counted.length, limit);
  }

  putCoin(coin: FundCoin): void {
    this.coins.set(coin.objectId, coin);
  }

  sponsorship(digest: string): Sponsorship | null {
    return this.sponsorships.get(digest) ?? null;
  }

  putSponsorship(sponsorship: Sponsorship): void {
    this.sponsorships.set(sponsorship.digest, sponsorship);
  }

  ownTransaction(digest: string): OwnTransaction | null {
    return this.ownTransactions.get(digest) ?? null;
  }

  pendingOwnTransactions(): readonly OwnTransaction[] {
    return [...this.ownTransactions.values()].filter(({ state }) => state === "pending");
  }

  putOwnTransaction(transaction: OwnTransaction): void {
    this.ownTransactions.set(transaction.digest, transaction);
  }

  addLedger(row: LedgerRow): void {
    this.ledger.push(row);
  }

  totals(): { balanceMist: bigint; inFlightMist: bigint } {
    return {
      balanceMist: this.ledger.reduce((sum, row) => sum + row.balanceMist, 0n),
      inFlightMist: this.ledger.reduce((sum, row) => sum + row.inFlightMist, 0n),
    };
  }

  setDue(kind: DueKind, reference: string, atMs: number | null): void {
    if (atMs === null) this.due.delete(`${kind} ${reference}`);
    else this.due.set(`${kind} ${reference}`, atMs);
  }

  #free(): FundCoin[] {
    return [...this.coins.values()].filter(({ state }) => state === "free").sort(byBalance);
  }
}

function byObjectId(a: FundCoin, b: FundCoin): number {
  return a.objectId < b.objectId ? -1 : 1;
}

function byBalance(a: FundCoin, b: FundCoin): number {
  return a.balanceMist === b.balanceMist ? byObjectId(a, b) : a.balanceMist < b.balanceMist ? -1 : 1;
}
