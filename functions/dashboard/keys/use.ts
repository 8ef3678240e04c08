import type { Fund, Key, RefusalCount, Spend } from "../answers.ts";

const DAY_MS = 86_400_000;
/** A key that has done nothing for so long may be forgotten. */
const IDLE_DAYS = 30;
/** Below this number of sponsorships, a share has no meaning. */
const MIN_COUNT = 10;
const HALF = 0.5;

type SpendRow = Spend["items"][number];

/** The use of a key in some days. */
export interface KeyUse {
  /** The sum of `spent` of the API: MIST or octas. */
  readonly spentAtoms: bigint;
  readonly sponsored: number;
  readonly failed: number;
  readonly abandoned: number;
  readonly refused: number;
  /** The gas of taking abandoned ones back: MIST or octas. */
  readonly maintenanceAtoms: bigint;
}

/** The use of a key without a row. */
export const NO_USE: KeyUse = {
  spentAtoms: 0n,
  sponsored: 0,
  failed: 0,
  abandoned: 0,
  refused: 0,
  maintenanceAtoms: 0n,
};

/** Sums what each key has done, by its id. */
export function useByKey(rows: readonly SpendRow[], refusals: readonly RefusalCount[]): ReadonlyMap<string, KeyUse> {
  const uses = new Map<string, KeyUse>();
  const add = (keyId: string, change: Partial<KeyUse>) => {
    const use = uses.get(keyId) ?? NO_USE;
    uses.set(keyId, {
      spentAtoms: use.spentAtoms + (change.spentAtoms ?? 0n),
      sponsored: use.sponsored + (change.sponsored ?? 0),
      failed: use.failed + (change.failed ?? 0),
      abandoned: use.abandoned + (change.abandoned ?? 0),
      refused: use.refused + (change.refused ?? 0),
      maintenanceAtoms: use.maintenanceAtoms + (change.maintenanceAtoms ?? 0n),
    });
  };
  for (const row of rows) {
    const { name, sponsored, failed, abandoned } = row;
    const maintenanceAtoms = BigInt(row.maintenance);
    add(name, { spentAtoms: BigInt(row.spent), sponsored, failed, abandoned, maintenanceAtoms });
  }
  for (const { keyId, calls } of refusals) add(keyId, { refused: calls });
  return uses;
}

/** A key with everything that its list shows. */
export interface ListedKey {
  readonly key: Key;
  readonly projectName: string;
  /** Null if the key has no fund, or if the fund does not answer. */
  readonly fund: Fund | null;
  /** The last seven days. Null if they are not known. */
  readonly week: KeyUse | null;
  /** The last thirty days. Null if they are not known. */
  readonly month: KeyUse | null;
}

/** A reason to look at a key. */
export interface KeyDoubt {
  readonly tone: "warn" | "bad";
  /** One or two words. */
  readonly tag: string;
  /** Completes a sentence that begins with the key's name. */
  readonly text: string;
}

function share(part: number, whole: number): string {
  return `${Math.round((part / whole) * 100)} %`;
}

/** Explains why a key may have to be disabled. Null if it need not be, or if it is disabled. */
export function doubtOf(
  { key, week, month }: Pick<ListedKey, "key" | "week" | "month">,
  nowMs: number,
): KeyDoubt | null {
  if (key.status === "disabled" || week === null || month === null) return null;
  if (week.sponsored >= MIN_COUNT && week.abandoned > week.sponsored * HALF)
    return {
      tone: "bad",
      tag: "Never executed",
      text: `asks for sponsorships that nobody executes: ${share(week.abandoned, week.sponsored)} of ${week.sponsored} in 7 days. It may be leaked, or its app is broken.`,
    };
  if (week.refused >= MIN_COUNT && week.refused > week.sponsored)
    return {
      tone: "warn",
      tag: "Refused",
      text: `was refused ${week.refused} times in 7 days, and sponsored ${week.sponsored}. Look at what it asks for.`,
    };
  if (week.sponsored >= MIN_COUNT && week.failed > week.sponsored * HALF)
    return {
      tone: "warn",
      tag: "Aborts",
      text: `pays for transactions that abort: ${share(week.failed, week.sponsored)} of ${week.sponsored} in 7 days.`,
    };
  const isOld = nowMs - Date.parse(key.createdAt) > IDLE_DAYS * DAY_MS;
  if (isOld && key.rights.includes("gas") && month.sponsored + month.refused === 0)
    return {
      tone: "warn",
      tag: "Unused",
      text: `has asked for nothing in ${IDLE_DAYS} days. Disable it if its app is gone.`,
    };
  return null;
}

/** Names the thresholds of `doubtOf`, so that a list without a doubt is not read as a proof. */
export const DOUBT_THRESHOLDS = `A key stands out if most of at least ${MIN_COUNT} sponsorships in 7 days are never executed or abort. It also does after ${MIN_COUNT} refusals in 7 days, if they outnumber its sponsorships, or after ${IDLE_DAYS} days without a call.`;

/** Orders keys by their spending in the last week, the largest first. Keeps keys of one chain together. */
export function bySpent(one: ListedKey, other: ListedKey): number {
  const chain = one.key.network.split("_", 1)[0] ?? "";
  const otherChain = other.key.network.split("_", 1)[0] ?? "";
  if (chain !== otherChain) return chain < otherChain ? 1 : -1;
  const difference = (other.week?.spentAtoms ?? 0n) - (one.week?.spentAtoms ?? 0n);
  if (difference !== 0n) return difference > 0n ? 1 : -1;
  return (other.week?.sponsored ?? 0) - (one.week?.sponsored ?? 0);
}
