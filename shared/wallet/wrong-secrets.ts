import { hasTable } from "../durable/sql.ts";
import { type Outcome, refuse } from "../errors.ts";
import { fractionsOf, jittered } from "../jitter.ts";
import {
  afterWrongSecret,
  isReportable,
  NO_WRONG_SECRETS,
  WRONG_SECRETS_FORGOTTEN_AFTER_MS,
  type WrongSecrets,
  waitAfterWrongSecretsMs,
} from "./back-off.ts";
import type { WalletRef } from "./context.ts";
import type { WalletParts } from "./parts.ts";
import { createRareTables } from "./schema.ts";

/** Counts wrong secrets of one wallet by access key, on disk and in memory. */
export class WrongSecretCounts {
  readonly #parts: WalletParts;
  /** Null if it was not read yet. */
  #byKey: Map<string, WrongSecrets> | null = null;

  constructor(parts: WalletParts) {
    this.#parts = parts;
  }

  /** Ends the row of wrong secrets after the right one of this access key. Writes nothing if no row exists. */
  forget(keyId: string): void {
    if (!this.#counts().delete(keyId)) return;
    this.#parts.storage.sql.exec("DELETE FROM wrong_secret WHERE key_id = ?", keyId);
  }

  /**
   * Counts one wrong secret, and raises an event if guessing may have begun.
   *
   * @returns `rate_limited`, uncounted, after too many wrong secrets of this access key. Null if it was counted.
   */
  count(ref: WalletRef, keyId: string): Outcome<never> | null {
    const nowMs = this.#parts.deps.clock.nowMs();
    const before = this.#counts().get(keyId) ?? NO_WRONG_SECRETS;
    const retryAfterMs = waitAfterWrongSecretsMs(before, nowMs);
    if (retryAfterMs > 0)
      return refuse("rate_limited", "too many wrong secrets for this wallet: repeat later, with the right one", {
        limit: "wrong_secret",
        retryAfterMs: jittered(retryAfterMs, fractionsOf(this.#parts.deps.randomBytes)),
      });
    this.#store(ref, keyId, afterWrongSecret(before, nowMs), nowMs);
    return null;
  }

  #store({ chain, walletId }: WalletRef, keyId: string, wrong: WrongSecrets, nowMs: number): void {
    const { storage, outbox, deps, name } = this.#parts;
    const { count: inARow, lastAtMs } = wrong;
    storage.transactionSync(() => {
      const { sql } = storage;
      createRareTables(sql);
      sql.exec("DELETE FROM wrong_secret WHERE last_at_ms <= ?", nowMs - WRONG_SECRETS_FORGOTTEN_AFTER_MS);
      sql.exec(
        "INSERT OR REPLACE INTO wrong_secret (key_id, count, last_at_ms) VALUES (?, ?, ?)",
        keyId,
        inARow,
        lastAtMs,
      );
      if (isReportable(wrong))
        outbox.raise({ type: "security.secret_mismatch", data: { chain, walletId, keyId, inARow } });
    });
    this.#byKey = null;
    if (isReportable(wrong)) deps.log("security.secret_mismatch", { wallet: name, key: keyId, inARow });
  }

  #counts(): Map<string, WrongSecrets> {
    this.#byKey ??= this.#load();
    return this.#byKey;
  }

  #load(): Map<string, WrongSecrets> {
    const { sql } = this.#parts.storage;
    // Most wallets have had no wrong secret, and have no such table.
    if (!hasTable(sql, "wrong_secret")) return new Map();
    return new Map(
      sql
        .exec<{ key_id: string; count: number; last_at_ms: number }>("SELECT * FROM wrong_secret")
        .toArray()
        .map((row) => [row.key_id, { count: row.count, lastAtMs: row.last_at_ms }]),
    );
  }
}
