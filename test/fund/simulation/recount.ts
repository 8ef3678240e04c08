import type { LedgerRow } from "../../../shared/fund/ledger/books.ts";
import type { SuiTreasuryTransaction } from "../../../shared/fund/sui/store.ts";
import { type FundMode, type SponsorshipView, UNRESOLVABLE } from "../../../shared/fund/views.ts";
import type { FundPolicy, FundPolicyField } from "../../../shared/policy/fund-policy.ts";
import type { Rows } from "./visible-store.ts";

/** What the fund has counted, counted again over its rows: the slow way, and not by the code under test. */

const DAY_MS = 86_400_000;
/** As promised to operators: in the address balance this much is kept for the fund's own gas. */
const ADDRESS_BALANCE_RESERVE_MIST = 10_000_000n;

export function sumOf<Row>(rows: readonly Row[], amountOf: (row: Row) => bigint): bigint {
  return rows.reduce((sum, row) => sum + amountOf(row), 0n);
}

/** What is counted of a sponsorship, whatever its chain. Only Sui has a gas object, or none. */
type CountedRow = Omit<SponsorshipView, "digest" | "maintenanceAtoms"> & {
  readonly gasObjectId?: string | null;
};

export function isLive({ state }: Pick<CountedRow, "state">): boolean {
  return state === "prepared" || state === "signed" || state === "expired";
}

/** Whether the network charges no gas for it. */
export function isFree({ gasObjectId, gasBudgetAtoms }: CountedRow): boolean {
  return gasObjectId === null && gasBudgetAtoms === 0n;
}

/** Whether its budget and its fee are withheld, and it counts as in flight. A free one is given back when it expires. */
export function isWithheld(row: CountedRow): boolean {
  return isLive(row) && !(isFree(row) && row.state === "expired");
}

/** Budget and fee. */
export function lentMist({ gasBudgetAtoms: gasBudgetMist, feeAtoms: feeMist }: CountedRow): bigint {
  return gasBudgetMist + feeMist;
}

/** What a sponsorship of today counts towards the limits of the day. */
function spentMist(row: CountedRow): bigint {
  if (isLive(row)) return isWithheld(row) ? lentMist(row) : 0n;
  if (row.state === UNRESOLVABLE) return lentMist(row);
  if (row.state === "dead" || row.chargedAtoms === null) return 0n;
  return (row.chargedAtoms > 0n ? row.chargedAtoms : 0n) + row.feeAtoms;
}

export interface Counted {
  readonly inFlightCount: number;
  readonly inFlightAtoms: bigint;
  readonly spentTodayAtoms: bigint;
  readonly abandonCostTodayAtoms: bigint;
}

/** @param keyId null: over the whole fund. */
export function countUsage(
  { sponsorships }: { readonly sponsorships: readonly CountedRow[] },
  ledger: readonly LedgerRow[],
  keyId: string | null,
  nowMs: number,
): Counted {
  const isToday = (atMs: number) => Math.floor(atMs / DAY_MS) === Math.floor(nowMs / DAY_MS);
  const mine = sponsorships.filter((row) => keyId === null || row.keyId === keyId);
  const live = mine.filter(isWithheld);
  const recycled = ledger.filter(
    (row) => row.kind === "recycle" && isToday(row.atMs) && (keyId === null || row.keyId === keyId),
  );
  const abandonCostTodayAtoms = sumOf(recycled, ({ balanceAtoms: balanceMist }) => -balanceMist);
  const today = mine.filter(({ createdAtMs }) => isToday(createdAtMs));
  return {
    inFlightCount: live.length,
    inFlightAtoms: sumOf(live, lentMist),
    spentTodayAtoms: sumOf(today, spentMist) + abandonCostTodayAtoms,
    abandonCostTodayAtoms: abandonCostTodayAtoms,
  };
}

/** What the sponsorships of one sender have cost today, or may still cost. */
export function countSender(
  { sponsorships }: { readonly sponsorships: readonly CountedRow[] },
  sender: string,
  keyId: string | null,
  nowMs: number,
): bigint {
  const startMs = Math.floor(nowMs / DAY_MS) * DAY_MS;
  const today = sponsorships.filter((row) => row.sender === sender && row.createdAtMs >= startMs);
  return sumOf(
    today.filter((row) => keyId === null || row.keyId === keyId),
    spentMist,
  );
}

interface Money {
  readonly balanceMist: bigint;
  readonly addressBalanceMist: bigint;
  readonly inFlightAtoms: bigint;
  readonly accruedFeesAtoms: bigint;
  readonly reserveMist: bigint;
}

function countMoney({ coins, sponsorships, ownTransactions }: Rows, addressBalanceMist: bigint, mode: FundMode): Money {
  const owned = coins.filter(({ state }) => state !== "gone");
  const aside = owned.filter(({ maintenance }) => maintenance);
  const ofBalanceMist =
    addressBalanceMist < ADDRESS_BALANCE_RESERVE_MIST ? addressBalanceMist : ADDRESS_BALANCE_RESERVE_MIST;
  const earnedMist = sumOf(sponsorships, ({ state, feeAtoms: feeMist }) => (state === "complete" ? feeMist : 0n));
  const collectedMist = sumOf(ownTransactions, (row) => (row.state === "complete" ? row.collectedFeesMist : 0n));
  return {
    balanceMist: sumOf(owned, ({ balanceMist }) => balanceMist) + addressBalanceMist,
    addressBalanceMist,
    inFlightAtoms: sumOf(sponsorships.filter(isWithheld), lentMist),
    accruedFeesAtoms: earnedMist - collectedMist,
    reserveMist: mode === "coin" ? sumOf(aside, ({ balanceMist }) => balanceMist) : ofBalanceMist,
  };
}

function pendingOf({ ownTransactions }: Rows): readonly SuiTreasuryTransaction[] {
  return ownTransactions.filter(({ state }) => state === "pending");
}

/** What may be withdrawn: of the form that pays. Fees that are on their way are no longer available as it is. */
export function countAvailable(rows: Rows, addressBalanceMist: bigint, mode: FundMode): bigint {
  const { balanceMist, inFlightAtoms, accruedFeesAtoms, reserveMist } = countMoney(rows, addressBalanceMist, mode);
  const leavingMist = sumOf(pendingOf(rows), ({ paidOutMist, collectedFeesMist }) => paidOutMist - collectedFeesMist);
  const payingMist = mode === "coin" ? balanceMist - addressBalanceMist : addressBalanceMist;
  return payingMist - inFlightAtoms - accruedFeesAtoms - reserveMist - leavingMist;
}

/** What may be promised: from the address balance, without what treasury transactions will take out of it. */
export function countPayable(rows: Rows, addressBalanceMist: bigint, mode: FundMode): bigint {
  const { balanceMist, inFlightAtoms, accruedFeesAtoms, reserveMist } = countMoney(rows, addressBalanceMist, mode);
  const leavingMist = sumOf(pendingOf(rows), ({ paidOutMist, collectedFeesMist }) => paidOutMist - collectedFeesMist);
  if (mode === "coin") return balanceMist - inFlightAtoms - accruedFeesAtoms - reserveMist - leavingMist;
  const leaving = (mist: bigint) => (mist > 0n ? mist : 0n);
  const takenMist = sumOf(pendingOf(rows), (row) => leaving(row.fromAddressBalanceMist) - row.collectedFeesMist);
  // The reserve pays the gas of what is pending. The rest of the gas cannot be promised either.
  const gasMist = sumOf(pendingOf(rows), (row) => (row.gasObjectId === null ? row.gasBudgetAtoms : 0n));
  const setAsideMist = gasMist > reserveMist ? gasMist : reserveMist;
  return addressBalanceMist - inFlightAtoms - accruedFeesAtoms - setAsideMist - takenMist;
}

/** The fees that nobody has collected, and nobody is collecting. */
export function countCollectable(rows: Rows, addressBalanceMist: bigint, mode: FundMode): bigint {
  const { accruedFeesAtoms } = countMoney(rows, addressBalanceMist, mode);
  return accruedFeesAtoms - sumOf(pendingOf(rows), ({ collectedFeesMist }) => collectedFeesMist);
}

/** The rule that one more sponsorship would break; null: none. */
export function brokenRule(
  policy: FundPolicy,
  counted: Counted,
  { bySenderMist, gasBudgetMist, feeMist }: Asked,
): FundPolicyField | null {
  const lent = gasBudgetMist + feeMist;
  const above = (limit: bigint | null, amount: bigint) => limit !== null && amount > limit;
  if (above(policy.maxGasBudgetAtoms, gasBudgetMist)) return "maxGasBudget";
  if (policy.maxInFlightCount !== null && counted.inFlightCount + 1 > policy.maxInFlightCount)
    return "maxInFlightCount";
  if (above(policy.maxInFlightAmountAtoms, counted.inFlightAtoms + lent)) return "maxInFlightAmount";
  if (above(policy.maxSpendPerDayAtoms, counted.spentTodayAtoms + lent)) return "maxSpendPerDay";
  if (above(policy.maxSpendPerSenderPerDayAtoms, bySenderMist + lent)) return "maxSpendPerSenderPerDay";
  const { maxAbandonCostPerDayAtoms } = policy;
  if (maxAbandonCostPerDayAtoms !== null && counted.abandonCostTodayAtoms >= maxAbandonCostPerDayAtoms)
    return "maxAbandonCostPerDay";
  return null;
}

export interface Asked {
  readonly bySenderMist: bigint;
  readonly gasBudgetMist: bigint;
  readonly feeMist: bigint;
}
