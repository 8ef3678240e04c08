import type { FundDays } from "../gather.ts";

const DAY_MS = 86_400_000;
const DAY_CHARACTERS = 10;
const DAYS = 30;

/** The work of all funds by day, for a plot. */
export interface DaySeries {
  /** The oldest first. */
  readonly days: readonly string[];
  readonly completed: readonly number[];
  readonly failed: readonly number[];
  readonly abandoned: readonly number[];
  readonly refused: readonly number[];
  /** The spending of Sui funds in SUI, and of Aptos funds in APT. It is for a drawing, and not exact. */
  readonly spentSui: readonly number[];
  readonly spentApt: readonly number[];
}

const MIST_PER_SUI = 1e9;
const OCTAS_PER_APT = 1e8;

/** Adds the funds up by day, up to today. */
export function seriesOf(funds: readonly FundDays[], nowMs: number): DaySeries {
  const days = Array.from({ length: DAYS }, (_, index) =>
    new Date(nowMs - (DAYS - 1 - index) * DAY_MS).toISOString().slice(0, DAY_CHARACTERS),
  );
  const sum = (amountOf: (fund: FundDays, day: string) => number) =>
    days.map((day) => funds.reduce((total, fund) => total + amountOf(fund, day), 0));
  const spendOn = ({ spend }: FundDays, day: string) => spend?.items.find(({ name }) => name === day);
  const coinsOn = (each: FundDays, day: string, chain: string, perCoin: number) =>
    each.fund.network.startsWith(chain) ? Math.max(0, Number(spendOn(each, day)?.spent ?? 0)) / perCoin : 0;
  return {
    days,
    completed: sum((each, day) => (spendOn(each, day)?.executed ?? 0) - (spendOn(each, day)?.failed ?? 0)),
    failed: sum((each, day) => spendOn(each, day)?.failed ?? 0),
    abandoned: sum((each, day) => (spendOn(each, day)?.abandoned ?? 0) + (spendOn(each, day)?.unresolvable ?? 0)),
    refused: sum(({ refusals }, day) =>
      (refusals ?? []).filter((count) => count.day === day).reduce((total, { calls }) => total + calls, 0),
    ),
    spentSui: sum((each, day) => coinsOn(each, day, "SUI", MIST_PER_SUI)),
    spentApt: sum((each, day) => coinsOn(each, day, "APTOS", OCTAS_PER_APT)),
  };
}
