import type { IdempotencyRecord } from "../../../shared/fund/ledger/books.ts";
import { NO_CONVERSIONS } from "../../../shared/fund/sui/conversion.ts";
import type {
  Conversions,
  FundCoin,
  PartyCoin,
  SuiFundStore,
  SuiLife,
  SuiSponsorship,
  SuiTreasuryTransaction,
} from "../../../shared/fund/sui/store.ts";
import { MemoryFundBooks } from "./memory-books.ts";

/** A `SuiFundStore` in plain maps. */
export class MemoryFundStore extends MemoryFundBooks implements SuiFundStore {
  readonly coins = new Map<string, FundCoin>();
  readonly partyCoins = new Map<string, PartyCoin>();
  readonly sponsorships = new Map<string, SuiSponsorship>();
  readonly ownTransactions = new Map<string, SuiTreasuryTransaction>();
  #conversions = NO_CONVERSIONS;
  #nonce = 0;

  coin(objectId: string): FundCoin | null {
    return this.coins.get(objectId) ?? null;
  }

  coinsOf(objectIds: readonly string[]): ReadonlyMap<string, FundCoin> {
    const found = objectIds.map((objectId) => this.coins.get(objectId)).filter((coin) => coin !== undefined);
    return new Map(found.map((coin) => [coin.objectId, coin]));
  }

  coinsHeldBy(digest: string): readonly FundCoin[] {
    return [...this.coins.values()].filter((coin) => coin.heldByDigest === digest).sort(byObjectId);
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

  countTaken(state: "held" | "quarantined", limit: number): number {
    return Math.min([...this.coins.values()].filter((coin) => coin.state === state).length, limit);
  }

  maintenanceCoins(): readonly FundCoin[] {
    return [...this.coins.values()].filter(({ maintenance }) => maintenance).sort(byObjectId);
  }

  lendCoins(coins: readonly FundCoin[], digest: string): void {
    for (const { objectId } of coins) {
      const coin = this.#free().find((free) => free.objectId === objectId);
      if (coin === undefined) throw new Error(`coin ${objectId} is not free to be lent to ${digest}`);
      this.putCoin({ ...coin, state: "held", heldByDigest: digest });
    }
  }

  putCoin(coin: FundCoin): void {
    this.coins.set(coin.objectId, coin);
  }

  dropCoin(objectId: string): void {
    this.coins.delete(objectId);
  }

  partyCoin(objectId: string): PartyCoin | null {
    return this.partyCoins.get(objectId) ?? null;
  }

  partyCoinsHeldBy(digest: string): readonly PartyCoin[] {
    return [...this.partyCoins.values()].filter((coin) => coin.heldByDigest === digest).sort(byObjectId);
  }

  waitingPartyCoins(limit: number): readonly PartyCoin[] {
    return [...this.partyCoins.values()]
      .filter(({ heldByDigest }) => heldByDigest === null)
      .sort((a, b) => a.tries - b.tries || byBalance(b, a))
      .slice(0, limit);
  }

  partyMist(): bigint {
    return [...this.partyCoins.values()].reduce((sum, { balanceMist }) => sum + balanceMist, 0n);
  }

  putPartyCoin(coin: PartyCoin): void {
    this.partyCoins.set(coin.objectId, coin);
  }

  dropPartyCoin(objectId: string): void {
    this.partyCoins.delete(objectId);
  }

  life(digest: string): SuiLife | null {
    return this.sponsorship(digest);
  }

  sponsorship(digest: string): SuiSponsorship | null {
    return this.sponsorships.get(digest) ?? null;
  }

  putSponsorship(sponsorship: SuiSponsorship): void {
    this.sponsorships.set(sponsorship.digest, sponsorship);
  }

  addSponsorship(sponsorship: SuiSponsorship): void {
    const { digest } = sponsorship;
    if ((this.sponsorships.get(digest)?.state ?? "dead") !== "dead")
      throw new Error(`another sponsorship has digest ${digest}`);
    this.putSponsorship(sponsorship);
  }

  countReleased(keyId: string, limit: number): number {
    const rows = [...this.sponsorships.values()].filter((row) => row.state === "expired" && row.isReleased);
    return Math.min(rows.filter((row) => row.keyId === keyId).length, limit);
  }

  recyclable(limit: number): readonly Pick<SuiSponsorship, "digest" | "expiresAtMs">[] {
    return [...this.sponsorships.values()]
      .filter(({ state, gasObjectId }) => state === "expired" && this.coin(gasObjectId ?? "")?.state === "quarantined")
      .sort((a, b) => a.expiresAtMs - b.expiresAtMs)
      .slice(0, limit);
  }

  liveIds(keyId: string | null): readonly string[] {
    return [...this.sponsorships.values()]
      .filter(({ state }) => state === "prepared" || state === "signed" || state === "expired")
      .filter((row) => keyId === null || row.keyId === keyId)
      .map(({ digest }) => digest);
  }

  treasuryTransaction(digest: string): SuiTreasuryTransaction | null {
    return this.ownTransactions.get(digest) ?? null;
  }

  pendingTreasury(): readonly SuiTreasuryTransaction[] {
    return [...this.ownTransactions.values()].filter(({ state }) => state === "pending");
  }

  /** What the key referred to before has no repeats any more. */
  override putIdempotency(record: IdempotencyRecord): void {
    const before = this.idempotency(record.scope)?.reference ?? record.reference;
    super.putIdempotency(record);
    const row = this.sponsorship(before);
    if (row?.state === "complete" && !this.isReferredTo(before))
      this.putSponsorship({ ...row, transactionBytes: new Uint8Array() });
  }

  putTreasuryTransaction(transaction: SuiTreasuryTransaction): void {
    this.ownTransactions.set(transaction.digest, transaction);
  }

  conversions(): Conversions {
    return this.#conversions;
  }

  putConversions(conversions: Conversions): void {
    this.#conversions = conversions;
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

type Identified = Pick<FundCoin, "objectId">;
type Held = Pick<FundCoin, "objectId" | "balanceMist">;

function byObjectId(a: Identified, b: Identified): number {
  return a.objectId < b.objectId ? -1 : 1;
}

function byBalance(a: Held, b: Held): number {
  return a.balanceMist === b.balanceMist ? byObjectId(a, b) : a.balanceMist < b.balanceMist ? -1 : 1;
}
