import type { DueKind, LedgerRow } from "../../../shared/fund/ledger/books.ts";
import type {
  FundCoin,
  PartyCoin,
  SuiFundStore,
  SuiSponsorship,
  SuiTreasuryTransaction,
} from "../../../shared/fund/sui/store.ts";
import type { CommittingStore } from "./faulty-world.ts";

/** Everything that a fund has stored, but for its ledger. */
export interface Rows {
  readonly coins: readonly FundCoin[];
  readonly partyCoins: readonly PartyCoin[];
  readonly sponsorships: readonly SuiSponsorship[];
  readonly ownTransactions: readonly SuiTreasuryTransaction[];
  readonly due: readonly DueRow[];
  /** What Idempotency-Keys refer to. */
  readonly referredTo: ReadonlySet<string>;
}

export interface DueRow {
  readonly kind: DueKind;
  readonly reference: string;
  readonly atMs: number;
}

/** A fund's store whose rows the checks can see, whatever holds them. */
export interface VisibleStore extends CommittingStore<SuiFundStore> {
  /** The same object as before means that nothing was written since. */
  rows(): Rows;
  /** Ledger rows in order, without the first so many. */
  ledgerFrom(index: number): readonly LedgerRow[];
}

/** A row as text: comparing objects in depth is what would take most of the time. */
export function textOf(row: unknown): string {
  return JSON.stringify(row, (_, value: unknown) => {
    if (typeof value === "bigint") return `${value}`;
    return value instanceof Uint8Array || value instanceof ArrayBuffer ? value.byteLength : value;
  });
}
