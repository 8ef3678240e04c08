import type { Row } from "../../durable/sql.ts";
import { batchesOf } from "../../paging.ts";
import type { FundTotals, Usage } from "./books.ts";
import { utcDay } from "./usage.ts";

type TotalsRow = Row<{
  balance_atoms: string;
  address_balance_atoms: string;
  in_flight_atoms: string;
  accrued_fees_atoms: string;
  nonce: number;
}>;

type UsageRow = Row<{
  day: number;
  in_flight_count: number;
  in_flight_atoms: string;
  spent_atoms: string;
  abandon_cost_atoms: string;
}>;

const NONCES = 2 ** 32;
/** The most scopes of one statement. The platform allows 100 bindings. */
const SCOPES_AT_ONCE = 16;
/** Writes the usage of this many scopes. A sponsorship changes two: its key and the whole fund. */
const PUT_USAGE = Array.from(
  { length: SCOPES_AT_ONCE + 1 },
  (_, count) =>
    `INSERT OR REPLACE INTO usage (scope, day, in_flight_count, in_flight_atoms, spent_atoms, abandon_cost_atoms)
     VALUES ${Array.from({ length: count }, () => "(?, ?, ?, ?, ?, ?)").join(", ")}`,
);

interface Counters {
  readonly totals: FundTotals;
  readonly nonce: number;
}

/**
 * Keeps the counters that every transition of a fund changes: totals, nonces, usage.
 * They live in memory beside their rows, and are written once at the end of each transaction.
 */
export class SqliteCounters {
  readonly #sql: SqlStorage;
  readonly #onRollback: (undo: () => void) => void;
  #counters: Counters | null = null;
  #countersChanged = false;
  readonly #usage = new Map<string, Usage>();
  readonly #usageChanged = new Set<string>();

  /** @param onRollback registers a step that takes back a memory change if the transaction under way is rolled back. */
  constructor(sql: SqlStorage, onRollback: (undo: () => void) => void) {
    this.#sql = sql;
    this.#onRollback = onRollback;
  }

  /** Adds a ledger row to the totals. */
  add(row: FundTotals): void {
    const { totals, nonce } = this.#loadedCounters();
    this.#setCounters({
      nonce,
      totals: {
        balanceAtoms: totals.balanceAtoms + row.balanceAtoms,
        addressBalanceAtoms: totals.addressBalanceAtoms + row.addressBalanceAtoms,
        inFlightAtoms: totals.inFlightAtoms + row.inFlightAtoms,
        accruedFeesAtoms: totals.accruedFeesAtoms + row.accruedFeesAtoms,
      },
    });
  }

  /** Reads the sums of all ledger rows. */
  totals(): FundTotals {
    return this.#loadedCounters().totals;
  }

  /** Takes the next nonce. After 2^32 nonces they begin anew. */
  takeNonce(): number {
    const { totals, nonce } = this.#loadedCounters();
    this.#setCounters({ totals, nonce: (nonce + 1) % NONCES });
    return nonce;
  }

  /** Skips this many nonces, which forgotten transactions may have. */
  skipNonces(count: number): void {
    const { totals, nonce } = this.#loadedCounters();
    this.#setCounters({ totals, nonce: (nonce + count) % NONCES });
  }

  /** Reads the usage of a scope, which is a key or the whole fund. */
  usage(scope: string): Usage {
    const known = this.#usage.get(scope);
    if (known !== undefined) return known;
    const [row] = this.#sql.exec<UsageRow>("SELECT * FROM usage WHERE scope = ?", scope).toArray();
    const usage: Usage = {
      day: row?.day ?? utcDay(0),
      inFlightCount: row?.in_flight_count ?? 0,
      inFlightAtoms: BigInt(row?.in_flight_atoms ?? 0),
      spentTodayAtoms: BigInt(row?.spent_atoms ?? 0),
      abandonCostTodayAtoms: BigInt(row?.abandon_cost_atoms ?? 0),
    };
    this.#usage.set(scope, usage);
    return usage;
  }

  /** Changes the usage of a scope, in memory until `write`. */
  putUsage(scope: string, usage: Usage): void {
    const before = this.usage(scope);
    this.#onRollback(() => this.#usage.set(scope, before));
    this.#usage.set(scope, usage);
    this.#usageChanged.add(scope);
  }

  #loadedCounters(): Counters {
    if (this.#counters !== null) return this.#counters;
    const [row] = this.#sql.exec<TotalsRow>("SELECT * FROM totals").toArray();
    this.#counters = {
      nonce: row?.nonce ?? 0,
      totals: {
        balanceAtoms: BigInt(row?.balance_atoms ?? 0),
        addressBalanceAtoms: BigInt(row?.address_balance_atoms ?? 0),
        inFlightAtoms: BigInt(row?.in_flight_atoms ?? 0),
        accruedFeesAtoms: BigInt(row?.accrued_fees_atoms ?? 0),
      },
    };
    return this.#counters;
  }

  #setCounters(counters: Counters): void {
    const before = this.#counters;
    this.#onRollback(() => {
      this.#counters = before;
    });
    this.#counters = counters;
    this.#countersChanged = true;
  }

  /** Writes the changes of the transaction under way. */
  write(): void {
    if (this.#countersChanged) {
      const { totals, nonce } = this.#loadedCounters();
      this.#sql.exec(
        `INSERT OR REPLACE INTO totals (only_row, balance_atoms, address_balance_atoms, in_flight_atoms,
           accrued_fees_atoms, nonce) VALUES (1, ?, ?, ?, ?, ?)`,
        totals.balanceAtoms.toString(),
        totals.addressBalanceAtoms.toString(),
        totals.inFlightAtoms.toString(),
        totals.accruedFeesAtoms.toString(),
        nonce,
      );
    }
    for (const scopes of batchesOf([...this.#usageChanged], SCOPES_AT_ONCE))
      this.#sql.exec(
        PUT_USAGE[scopes.length] ?? "",
        ...scopes.flatMap((scope) => bindingsOf(scope, this.usage(scope))),
      );
    this.#countersChanged = false;
    this.#usageChanged.clear();
  }
}

function bindingsOf(scope: string, usage: Usage): readonly (string | number)[] {
  return [
    scope,
    usage.day,
    usage.inFlightCount,
    usage.inFlightAtoms.toString(),
    usage.spentTodayAtoms.toString(),
    usage.abandonCostTodayAtoms.toString(),
  ];
}
