import { spentAtoms, withheldAtoms } from "./books.ts";
import type { FundCoin, FundStore, OwnTransaction, Sponsorship } from "./fund-store.ts";
import { MemoryFundBooks } from "./memory-fund-books.ts";

/** A `FundStore` in plain maps. */
export class MemoryFundStore extends MemoryFundBooks implements FundStore {
  readonly coins = new Map<string, FundCoin>();
  readonly sponsorships = new Map<string, Sponsorship>();
  readonly ownTransactions = new Map<string, OwnTransaction>();
  #nonce = 0;

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

  dust(belowMist: bigint, limit: number): readonly FundCoin[] {
    return this.#free()
      .filter(({ balanceMist }) => balanceMist < belowMist)
      .slice(0, limit);
  }

  countFree(atLeastMist: bigint, belowMist: bigint, limit: number): number {
    const counted = this.#free().filter(({ balanceMist }) => balanceMist >= atLeastMist && balanceMist < belowMist);
    return Math.min(counted.length, limit);
  }

  maintenanceCoins(): readonly FundCoin[] {
    return [...this.coins.values()].filter(({ maintenance }) => maintenance).sort(byObjectId);
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

  recyclable(limit: number): readonly Pick<Sponsorship, "digest" | "expiresAtMs">[] {
    return [...this.sponsorships.values()]
      .filter(({ state, gasObjectId }) => state === "expired" && this.coin(gasObjectId ?? "")?.state === "quarantined")
      .sort((a, b) => a.expiresAtMs - b.expiresAtMs)
      .slice(0, limit);
  }

  live(keyId: string | null): readonly string[] {
    return [...this.sponsorships.values()]
      .filter(({ state }) => state !== "complete" && state !== "dead")
      .filter((row) => keyId === null || row.keyId === keyId)
      .map(({ digest }) => digest);
  }

  spentBySenderAtoms(sender: string, keyId: string | null, sinceMs: number): bigint {
    return [...this.sponsorships.values()]
      .filter((row) => row.sender === sender && row.createdAtMs >= sinceMs && row.state !== "dead")
      .filter((row) => keyId === null || row.keyId === keyId)
      .reduce((sum, row) => sum + (row.state === "complete" ? spentAtoms(row) : withheldAtoms(row)), 0n);
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

  takeNonce(): number {
    return this.#nonce++;
  }

  #free(): FundCoin[] {
    return [...this.coins.values()]
      .filter(({ state, maintenance }) => state === "free" && !maintenance)
      .sort(byBalance);
  }
}

function byObjectId(a: FundCoin, b: FundCoin): number {
  return a.objectId < b.objectId ? -1 : 1;
}

function byBalance(a: FundCoin, b: FundCoin): number {
  return a.balanceMist === b.balanceMist ? byObjectId(a, b) : a.balanceMist < b.balanceMist ? -1 : 1;
}
