// Sui only: an Aptos fund owns one balance, and no coins.

import { limitedTo, u64Text } from "../../durable/sql.ts";
import { SqliteFundBooks } from "../ledger/sqlite-books.ts";
import { pack } from "../packed.ts";
import { type CoinRow, coinOf, type PartyCoinRow, partyCoinOf } from "./rows.ts";
import { GAS_OBJECT_ID } from "./sponsorship-rows.ts";
import type { FundCoin, PartyCoin } from "./store.ts";

/**
 * Part of version 6. A coin that is gone keeps its row, since a listing that lags still shows the coin. The time is set
 * by the first sweep that finds the row.
 */
export const COINS_MIGRATION_6 = `
  ALTER TABLE coin ADD COLUMN gone_at_ms INTEGER;
  CREATE INDEX coin_gone ON coin (gone_at_ms) WHERE state = 'gone';
`;

/**
 * Part of version 12. Almost every sponsorship has one coin, which its own row names. So only coins of several, and
 * those of treasury transactions, are in the index of digests, whose order is random: each changes a page of its own.
 * Coins of an earlier version stay in it while they are held. `coin_taken` counts all, and is in the order of coins.
 */
export const COINS_MIGRATION_12 = `
  ALTER TABLE coin ADD COLUMN is_sole INTEGER NOT NULL DEFAULT 0;
  DROP INDEX coin_by_holder;
  CREATE INDEX coin_by_holder ON coin (holder) WHERE holder IS NOT NULL AND is_sole = 0;
  CREATE INDEX coin_taken ON coin (state) WHERE holder IS NOT NULL;
`;

/** The time for which the row of a gone coin is kept. No honest listing lags longer. */
const GONE_KEPT_MS = 30 * 86_400_000;
/** The number of gone coins that one sweep looks at. */
const SWEPT_AT_ONCE = 1_000;

const FREE = "state = 'free' AND maintenance = 0";

/**
 * The coins and party coins of a Sui fund. The few maintenance coins are also kept in memory, because every transition
 * reads them.
 */
export abstract class SqliteSuiCoins extends SqliteFundBooks {
  #maintenance: readonly FundCoin[] | null = null;
  #partyMist: bigint | null = null;

  coin(objectId: string): FundCoin | null {
    return this.#coins("WHERE object_id = ?", objectId)[0] ?? null;
  }

  /** One statement reads all. A scan reads each coin of the fund. */
  coinsOf(objectIds: readonly string[]): ReadonlyMap<string, FundCoin> {
    const found = this.#coins("WHERE object_id IN (SELECT value FROM json_each(?))", JSON.stringify(objectIds));
    return new Map(found.map((coin) => [coin.objectId, coin]));
  }

  coinsHeldBy(digest: string): readonly FundCoin[] {
    const indexed = this.#coins("WHERE holder = ? AND is_sole = 0 ORDER BY object_id", digest);
    if (indexed.length > 0) return indexed;
    return this.sql
      .exec<CoinRow>(
        `SELECT coin.* FROM sponsorship_row JOIN coin ON coin.object_id = ${GAS_OBJECT_ID}
         WHERE sponsorship_row.digest = ? AND coin.is_sole = 1 AND coin.holder = ?`,
        pack(digest),
        digest,
      )
      .toArray()
      .map(coinOf);
  }

  /** Returns the digests that hold more than one coin. One statement reads all. */
  holdersOfSeveral(digests: readonly string[]): ReadonlySet<string> {
    const rows = this.sql
      .exec<{ holder: string }>(
        `SELECT holder FROM coin WHERE is_sole = 0 AND holder IN (SELECT value FROM json_each(?))
         GROUP BY holder HAVING COUNT(*) > 1`,
        JSON.stringify(digests),
      )
      .toArray();
    return new Set(rows.map(({ holder }) => holder));
  }

  smallestFree(atLeastMist: bigint, atMostMist: bigint): FundCoin | null {
    const rows = this.#coins(
      `WHERE ${FREE} AND balance_mist BETWEEN ? AND ? ORDER BY balance_mist, object_id LIMIT 1`,
      u64Text(atLeastMist),
      u64Text(atMostMist),
    );
    return rows[0] ?? null;
  }

  largestFree(atMostMist: bigint, limit: number): readonly FundCoin[] {
    return this.#coins(
      `WHERE ${FREE} AND balance_mist <= ? ORDER BY balance_mist DESC, object_id DESC ${limitedTo(limit)}`,
      u64Text(atMostMist),
    );
  }

  dust(belowMist: bigint, limit: number): readonly FundCoin[] {
    return this.#coins(
      `WHERE ${FREE} AND balance_mist < ? ORDER BY balance_mist, object_id ${limitedTo(limit)}`,
      u64Text(belowMist),
    );
  }

  countFree(atLeastMist: bigint, belowMist: bigint, limit: number): number {
    const [row] = this.sql
      .exec<{ count: number }>(
        `SELECT COUNT(*) AS count FROM
          (SELECT 1 FROM coin WHERE ${FREE} AND balance_mist >= ? AND balance_mist < ? LIMIT ?)`,
        u64Text(atLeastMist),
        u64Text(belowMist),
        limit,
      )
      .toArray();
    return row?.count ?? 0;
  }

  countTaken(state: "held" | "quarantined", limit: number): number {
    // Only a coin with a holder has such a state. The condition on the holder selects the index `coin_taken`.
    const [row] = this.sql
      .exec<{ count: number }>(
        `SELECT COUNT(*) AS count FROM
          (SELECT 1 FROM coin WHERE holder IS NOT NULL AND state = ? ${limitedTo(limit)})`,
        state,
      )
      .toArray();
    return row?.count ?? 0;
  }

  maintenanceCoins(): readonly FundCoin[] {
    this.#maintenance ??= this.#coins("WHERE maintenance = 1 ORDER BY object_id");
    return this.#maintenance;
  }

  lendCoins(coins: readonly FundCoin[], digest: string): void {
    for (const { objectId } of coins) {
      const lent = this.sql.exec(
        `UPDATE coin SET state = 'held', holder = ?, is_sole = ? WHERE object_id = ? AND ${FREE}`,
        digest,
        coins.length === 1 ? 1 : 0,
        objectId,
      );
      if (lent.rowsWritten === 0) throw new Error(`coin ${objectId} is not free to be lent to ${digest}`);
    }
  }

  putCoin(coin: FundCoin): void {
    this.sql.exec(
      `INSERT INTO coin (object_id, version, digest, balance_mist, state, holder, maintenance)
       VALUES (?, ?, ?, ?, ?, ?, ?)
       ON CONFLICT (object_id) DO UPDATE SET version = excluded.version, digest = excluded.digest,
         balance_mist = excluded.balance_mist, state = excluded.state, holder = excluded.holder,
         maintenance = excluded.maintenance, gone_at_ms = NULL,
         is_sole = is_sole AND excluded.holder IS holder`,
      coin.objectId,
      u64Text(coin.version),
      coin.digest,
      u64Text(coin.balanceMist),
      coin.state,
      coin.heldByDigest,
      coin.maintenance ? 1 : 0,
    );
    this.#forgetMaintenance(coin);
  }

  /** Drops some coins that have been gone for 30 days, and notes the time of those that are newly gone. */
  dropGoneCoins(nowMs: number): void {
    this.sql.exec(
      `DELETE FROM coin WHERE object_id IN
         (SELECT object_id FROM coin WHERE state = 'gone' AND gone_at_ms <= ?
          ORDER BY gone_at_ms ${limitedTo(SWEPT_AT_ONCE)})`,
      nowMs - GONE_KEPT_MS,
    );
    this.sql.exec(
      `UPDATE coin SET gone_at_ms = ? WHERE object_id IN
         (SELECT object_id FROM coin WHERE state = 'gone' AND gone_at_ms IS NULL ${limitedTo(SWEPT_AT_ONCE)})`,
      nowMs,
    );
  }

  dropCoin(objectId: string): void {
    this.sql.exec("DELETE FROM coin WHERE object_id = ?", objectId);
    this.#forgetMaintenance({ objectId, maintenance: false });
  }

  #forgetMaintenance(coin: Pick<FundCoin, "objectId" | "maintenance">): void {
    if (coin.maintenance || this.#maintenance?.some(({ objectId }) => objectId === coin.objectId))
      this.forget(() => {
        this.#maintenance = null;
      });
  }

  partyCoin(objectId: string): PartyCoin | null {
    return this.#partyCoins("WHERE object_id = ?", objectId)[0] ?? null;
  }

  partyCoinsHeldBy(digest: string): readonly PartyCoin[] {
    return this.#partyCoins("WHERE holder = ? ORDER BY object_id", digest);
  }

  waitingPartyCoins(limit: number): readonly PartyCoin[] {
    return this.#partyCoins(
      `WHERE holder IS NULL ORDER BY tries, balance_mist DESC, object_id DESC ${limitedTo(limit)}`,
    );
  }

  partyMist(): bigint {
    this.#partyMist ??= this.#partyCoins("").reduce((sum, { balanceMist }) => sum + balanceMist, 0n);
    return this.#partyMist;
  }

  putPartyCoin({ objectId, startVersion, balanceMist, tries, heldByDigest }: PartyCoin): void {
    this.sql.exec(
      "INSERT OR REPLACE INTO party_coin (object_id, start_version, balance_mist, tries, holder) VALUES (?, ?, ?, ?, ?)",
      objectId,
      u64Text(startVersion),
      u64Text(balanceMist),
      tries,
      heldByDigest,
    );
    this.#forgetPartyMist();
  }

  dropPartyCoin(objectId: string): void {
    this.sql.exec("DELETE FROM party_coin WHERE object_id = ?", objectId);
    this.#forgetPartyMist();
  }

  #forgetPartyMist(): void {
    this.forget(() => {
      this.#partyMist = null;
    });
  }

  #partyCoins(where: string, ...bindings: SqlStorageValue[]): PartyCoin[] {
    return this.sql
      .exec<PartyCoinRow>(`SELECT * FROM party_coin ${where}`, ...bindings)
      .toArray()
      .map(partyCoinOf);
  }

  /** Returns free coins in the order of their ids, beyond this one. */
  freeCoinIdsAfter(objectId: string, limit: number): readonly string[] {
    return this.sql
      .exec<{ object_id: string }>(
        "SELECT object_id FROM coin WHERE object_id > ? AND state = 'free' ORDER BY object_id LIMIT ?",
        objectId,
        limit,
      )
      .toArray()
      .map(({ object_id }) => object_id);
  }

  partyCoinIds(): readonly string[] {
    return this.#partyCoins("").map(({ objectId }) => objectId);
  }

  /** Returns every coin that is not gone, in the order of their ids. */
  ownedCoins(): readonly FundCoin[] {
    return this.#coins("WHERE state <> 'gone' ORDER BY object_id");
  }

  /** Lists coins in the order of their ids, after this one. */
  coinsAfter(objectId: string, limit: number): readonly FundCoin[] {
    return this.#coins("WHERE object_id > ? ORDER BY object_id LIMIT ?", objectId, limit);
  }

  #coins(where: string, ...bindings: SqlStorageValue[]): FundCoin[] {
    return this.sql
      .exec<CoinRow>(`SELECT * FROM coin ${where}`, ...bindings)
      .toArray()
      .map(coinOf);
  }
}
