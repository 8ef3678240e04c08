import type { FundEvent } from "../../../shared/fund/events.ts";
import type {
  DueKind,
  FundBooks,
  FundTotals,
  IdempotencyRecord,
  LedgerRow,
  Usage,
} from "../../../shared/fund/ledger/books.ts";
import { addCounts, type DailyDimension, type DailyRow } from "../../../shared/fund/ledger/daily.ts";
import type { SenderUsage } from "../../../shared/policy/fund-policy.ts";

const NOTHING: Usage = { day: 0, inFlightCount: 0, inFlightAtoms: 0n, spentTodayAtoms: 0n, abandonCostTodayAtoms: 0n };

/** `FundBooks` in plain maps: for property tests, which read its fields to check the guarantees. */
export class MemoryFundBooks implements FundBooks {
  readonly ledger: LedgerRow[] = [];
  readonly usages = new Map<string, Usage>();
  readonly idempotencies = new Map<string, IdempotencyRecord>();
  readonly revoked = new Set<string>();
  readonly due = new Map<string, number>();
  readonly events: FundEvent[] = [];

  readonly senders = new Map<
    string,
    SenderUsage & { readonly sender: string; readonly day: number; readonly keyId: string }
  >();

  senderUsage(sender: string, keyId: string | null, day: number): SenderUsage {
    const rows = [...this.senders.values()].filter(
      (row) => row.sender === sender && row.day === day && (keyId === null || row.keyId === keyId),
    );
    return {
      spentAtoms: rows.reduce((sum, { spentAtoms }) => sum + spentAtoms, 0n),
      stopped: rows.some(({ stopped }) => stopped),
    };
  }

  addSenderSpend(sender: string, keyId: string, day: number, changeAtoms: bigint): void {
    const { spentAtoms, stopped } = this.senderUsage(sender, keyId, day);
    this.senders.set(`${day} ${sender} ${keyId}`, {
      sender,
      keyId,
      day,
      stopped,
      spentAtoms: spentAtoms + changeAtoms,
    });
  }

  stopSender(sender: string, keyId: string, day: number): void {
    const { spentAtoms } = this.senderUsage(sender, keyId, day);
    this.senders.set(`${day} ${sender} ${keyId}`, { sender, keyId, day, spentAtoms, stopped: true });
  }

  readonly dailyRows = new Map<string, DailyRow & { readonly dimension: DailyDimension }>();

  addDaily(dimension: DailyDimension, row: DailyRow): void {
    const at = `${dimension} ${row.day} ${row.name}`;
    const before = this.dailyRows.get(at);
    this.dailyRows.set(at, { dimension, ...row, ...(before !== undefined && addCounts(before, row)) });
  }

  daily(dimension: DailyDimension, fromDay: number, toDay: number): readonly DailyRow[] {
    return [...this.dailyRows.values()].filter(
      (row) => row.dimension === dimension && row.day >= fromDay && row.day <= toDay,
    );
  }

  addLedger(row: LedgerRow): number {
    return this.ledger.push(row);
  }

  totals(): FundTotals {
    const sum = (column: keyof FundTotals) => this.ledger.reduce((total, row) => total + row[column], 0n);
    return {
      balanceAtoms: sum("balanceAtoms"),
      addressBalanceAtoms: sum("addressBalanceAtoms"),
      inFlightAtoms: sum("inFlightAtoms"),
      accruedFeesAtoms: sum("accruedFeesAtoms"),
    };
  }

  usage(scope: string): Usage {
    return this.usages.get(scope) ?? NOTHING;
  }

  putUsage(scope: string, usage: Usage): void {
    this.usages.set(scope, usage);
  }

  isRevoked(keyId: string): boolean {
    return this.revoked.has(keyId);
  }

  setRevoked(keyId: string, revoked: boolean): void {
    if (revoked) this.revoked.add(keyId);
    else this.revoked.delete(keyId);
  }

  idempotency(scope: string): IdempotencyRecord | null {
    return this.idempotencies.get(scope) ?? null;
  }

  putIdempotency(record: IdempotencyRecord): void {
    this.idempotencies.set(record.scope, record);
  }

  isReferredTo(reference: string): boolean {
    return [...this.idempotencies.values()].some((record) => record.reference === reference);
  }

  raise(event: FundEvent): void {
    this.events.push(event);
  }

  setDue(kind: DueKind, reference: string, atMs: number | null, when: "then" | "by_then" = "then"): void {
    const name = `${kind} ${reference}`;
    if (atMs === null) this.due.delete(name);
    else this.due.set(name, when === "then" ? atMs : Math.min(atMs, this.due.get(name) ?? atMs));
  }
}
