import type { WalletView } from "../bindings/wallet.ts";
import { equals, type FilteredTable, filteredPage } from "../durable/filtered-page.ts";
import type { Row } from "../durable/sql.ts";
import { done, type Outcome, refuse } from "../errors.ts";
import { IDEMPOTENCY_TTL_MS } from "../idempotency.ts";
import { type Chain, chains } from "../networks.ts";
import type { RaisedEvent } from "../observe/events.ts";
import { type FilteredPage, type FilteredRequest, pageOf } from "../paging.ts";
import { corruptRecord } from "../wallet/inner-layer.ts";
import { idempotencyConflict } from "../wallet/rules.ts";
import type { WalletFilter } from "./filters.ts";
import type { ProjectParts } from "./parts.ts";
import { monthOf, WalletQuota } from "./quota.ts";
import type { ProjectSealed } from "./sealed.ts";
import type { ProjectStorage } from "./storage.ts";
import type { AdmissionTerms, WalletEntry, WalletRow } from "./views.ts";

/** The project checks whether the wallet exists after this time without a confirmation. */
export const PENDING_MS = 600_000;
const RETRY_MS = 60_000;
/** Wallets that one alarm calls. */
const CALLS_PER_ALARM = 20;
const UNANSWERED = "unanswered";
/** A wallet without its record raises one event in this time. */
const MISSING_TOLD_EVERY_MS = 86_400_000;

/** The parts of a project that its wallets use. */
export interface WalletParts extends ProjectParts {
  readonly sealed: ProjectSealed;
  readonly budget: ProjectStorage;
  /** Writes an event of the project itself. Called within a commit. */
  readonly raise: (event: RaisedEvent) => void;
}

/** Returns the address that a project lists for the name of a wallet. Null without one. */
export function addressOfWallet(sql: SqlStorage, name: string): string | null {
  const [row] = sql.exec<{ address: string | null }>("SELECT address FROM wallet WHERE name = ?", name).toArray();
  return row?.address ?? null;
}

/** A row of a wallet that exists. */
type StoredWallet = Row<{
  seq: number;
  name: string;
  chain: string;
  wallet_id: string;
  address: string;
  admitted_at_ms: number;
}>;

const TABLE: FilteredTable = { name: "wallet", number: "seq", order: "lowest first", time: "admitted_at_ms" };
/** The wallet exists. A row without an address is a creation under way. */
const CONFIRMED = { sql: "address IS NOT NULL", bindings: [] };

/**
 * Keeps the index of a project's wallets, and counts those of a month. A creation is admitted before its wallet
 * exists, as a pending row that counts. The wallet confirms it after its own commit. The project checks whether the
 * wallet of a row that stays pending exists. So a crash neither loses a wallet nor counts one that does not exist.
 */
export class ProjectWallets {
  readonly #sql: ProjectParts["sql"];
  readonly #due: ProjectParts["due"];
  readonly #env: ProjectParts["env"];
  readonly #sealed: ProjectSealed;
  readonly #budget: ProjectStorage;
  readonly #quota: WalletQuota;
  readonly #raise: WalletParts["raise"];

  constructor({ sql, due, env, sealed, budget, raise }: WalletParts) {
    this.#sql = sql;
    this.#due = due;
    this.#env = env;
    this.#sealed = sealed;
    this.#budget = budget;
    this.#quota = new WalletQuota(sql, raise);
    this.#raise = raise;
  }

  /**
   * Counts one wallet, once for each name.
   *
   * @returns `idempotency_conflict` if the key was used for another wallet in the last day, which only the project can
   *   see; `quota_reached` at the month's limit; `storage_budget` if the project has no room for it; `corrupt_record` if this name has another address. Its record is then
   *   lost, and no new key may take its place.
   */
  admit(entry: WalletEntry, terms: AdmissionTerms, nowMs: number): Outcome<null> {
    const { scope } = terms;
    const claimedBy = scope === null ? null : this.#claimedBy(scope, nowMs);
    if (claimedBy !== null && claimedBy !== entry.name) return idempotencyConflict();
    const counted = this.#count(entry, terms, nowMs);
    if (counted.ok && scope !== null)
      this.#sql.exec(
        "INSERT INTO wallet_claim (scope, name, at_ms) VALUES (?, ?, ?) ON CONFLICT (scope) DO NOTHING",
        scope,
        entry.name,
        nowMs,
      );
    return counted;
  }

  /** Names the wallet of an Idempotency-Key of the last day. Null if the key is unused. */
  #claimedBy(scope: string, nowMs: number): string | null {
    this.#sql.exec("DELETE FROM wallet_claim WHERE at_ms <= ?", nowMs - IDEMPOTENCY_TTL_MS);
    const [row] = this.#sql.exec<{ name: string }>("SELECT name FROM wallet_claim WHERE scope = ?", scope).toArray();
    return row?.name ?? null;
  }

  #count(
    { name, chain, walletId }: WalletEntry,
    { perMonth, masterKeyVersion, address }: AdmissionTerms,
    nowMs: number,
  ): Outcome<null> {
    const sealedObject = { kind: "wallet", name } as const;
    const month = monthOf(nowMs);
    const [known] = this.#sql
      .exec<{ address: string | null; month: number }>("SELECT address, month FROM wallet WHERE name = ?", name)
      .toArray();
    if (known !== undefined && known.address !== null && known.address !== address) return this.#missing(name, nowMs);
    // An unfinished creation of an earlier month made no wallet. So this one counts now.
    if (known !== undefined && (known.address !== null || known.month === month)) {
      this.#sealed.recordSealing(sealedObject, masterKeyVersion);
      // A repeated creation gets the whole time again.
      if (known.address === null) this.#due.set("wallet", name, nowMs + PENDING_MS);
      return done(null);
    }
    const overQuota = this.#quota.refusal(month, perMonth);
    if (overQuota !== null) return overQuota;
    if (known === undefined && this.#budget.isFull())
      return refuse(
        "storage_budget",
        "the project's storage is full: existing wallets work, make new ones in another project",
      );
    this.#sql.exec(
      `INSERT INTO wallet (name, chain, wallet_id, month, admitted_at_ms) VALUES (?, ?, ?, ?, ?)
       ON CONFLICT (name) DO UPDATE SET month = excluded.month, admitted_at_ms = excluded.admitted_at_ms`,
      name,
      chain,
      walletId,
      month,
      nowMs,
    );
    this.#sealed.recordSealing(sealedObject, masterKeyVersion);
    this.#due.set("wallet", name, nowMs + PENDING_MS);
    return done(null);
  }

  /**
   * Lists a wallet that exists, also if its row was deleted meanwhile.
   *
   * @returns `corrupt_record` if another address is listed for it.
   */
  confirm({ entry, address, masterKeyVersion }: WalletView, nowMs: number): Outcome<null> {
    const { name, chain, walletId } = entry;
    const known = addressOfWallet(this.#sql, name);
    if (known !== null && known !== address) return this.#missing(name, nowMs);
    const confirmed = this.#sql
      .exec(
        `INSERT INTO wallet (name, chain, wallet_id, month, admitted_at_ms, address) VALUES (?, ?, ?, ?, ?, ?)
         ON CONFLICT (name) DO UPDATE SET address = excluded.address WHERE address IS NULL RETURNING 1`,
        name,
        chain,
        walletId,
        monthOf(nowMs),
        nowMs,
        address,
      )
      .toArray();
    if (confirmed.length > 0) this.#raise({ type: "wallet.created", data: { chain, walletId, address } });
    this.#sealed.recordSealingIfNew({ kind: "wallet", name }, masterKeyVersion);
    this.#due.set("wallet", name, null);
    return done(null);
  }

  /**
   * True if an address is listed for a wallet without a record. Raises `wallet.missing_record`. Called within a
   * commit.
   */
  misses(name: string, nowMs: number): boolean {
    return addressOfWallet(this.#sql, name) !== null && !this.#missing(name, nowMs).ok;
  }

  /** Raises `wallet.missing_record`, at most once a day. Called within a commit. @returns `corrupt_record`. */
  #missing(name: string, nowMs: number) {
    const told = this.#sql
      .exec<{ chain: string; wallet_id: string; address: string }>(
        `UPDATE wallet SET missing_told_at_ms = ? WHERE name = ? AND missing_told_at_ms <= ?
         RETURNING chain, wallet_id, address`,
        nowMs,
        name,
        nowMs - MISSING_TOLD_EVERY_MS,
      )
      .toArray();
    for (const { chain, wallet_id: walletId, address } of told)
      this.#raise({ type: "wallet.missing_record", data: { chain: knownChain(chain), walletId, address } });
    return corruptRecord();
  }

  /** Lists wallets in the order of creation. */
  list({ filter = null, ...page }: FilteredRequest<WalletFilter>): FilteredPage<WalletRow> {
    if (filter?.names !== undefined) return this.#named(filter.names);
    if (filter !== null) {
      const where = [CONFIRMED, ...equals("chain", filter.chain), ...equals("address", filter.address)];
      return filteredPage<StoredWallet, WalletRow>(this.#sql, TABLE, { where, span: filter, page }, walletRowOf);
    }
    const { limit, cursor } = page;
    const rows = this.#sql
      .exec<StoredWallet>(
        `SELECT * FROM wallet WHERE seq > ? AND ${CONFIRMED.sql} ORDER BY seq LIMIT ?`,
        Number(cursor ?? 0),
        limit + 1,
      )
      .toArray();
    return pageOf(rows, limit, walletRowOf);
  }

  /** Lists the wallets of some names, by the index of names. */
  #named(names: readonly string[]): FilteredPage<WalletRow> {
    const places = names.map(() => "?").join(", ");
    const rows = this.#sql.exec<StoredWallet>(
      `SELECT * FROM wallet WHERE name IN (${places}) AND ${CONFIRMED.sql} ORDER BY seq`,
      ...names,
    );
    return { items: rows.toArray().map(walletRowOf), nextCursor: null, isFiltered: true };
  }

  /** Resolves creations without a confirmation. Lists the wallet, or deletes the row if no wallet exists. */
  async resolvePending(nowMs: number): Promise<void> {
    for (const { reference: name } of this.#due.listDue("wallet", nowMs, CALLS_PER_ALARM)) {
      const view = await this.#env.WALLET.getByName(name)
        .view()
        .catch(() => UNANSWERED);
      if (typeof view === "string") this.#due.set("wallet", name, nowMs + RETRY_MS);
      else if (view !== null) this.confirm(view, nowMs);
      else if (this.#isDue(name, nowMs)) {
        const given = this.#sql.exec("DELETE FROM wallet WHERE name = ? AND address IS NULL RETURNING 1", name);
        if (given.toArray().length > 0) this.#sealed.forget(name);
        this.#due.set("wallet", name, null);
      }
    }
  }

  /** False if the wallet was admitted again, or confirmed, during the call. */
  #isDue(name: string, nowMs: number): boolean {
    const atMs = this.#due.dueAt("wallet", name);
    return atMs !== null && atMs <= nowMs;
  }
}

function walletRowOf(row: StoredWallet): WalletRow {
  return {
    name: row.name,
    chain: knownChain(row.chain),
    walletId: row.wallet_id,
    address: row.address,
    createdAtMs: row.admitted_at_ms,
  };
}

function knownChain(text: string): Chain {
  const chain = chains.find((known) => known === text);
  if (chain === undefined) throw new Error("a listed wallet is of no chain");
  return chain;
}
