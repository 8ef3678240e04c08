import type { Chain } from "../../../shared/networks.ts";
import type { PolicyView } from "../../../shared/policy/policy-schema.ts";
import { amountText, grouped } from "../parts/amount-text.ts";
import type { OpenOfKey } from "./open.ts";
import type { KeyUse } from "./use.ts";

/** A limit, and how much of it is used. */
export interface LimitUse {
  readonly label: string;
  readonly used: bigint;
  /** Null if there is no limit. */
  readonly limit: bigint | null;
  readonly isAmount: boolean;
}

/**
 * Lists the limits that fill up. As in the policy, the limit of a day counts withheld amounts. The gas of taking back
 * has a limit of its own.
 */
export function limitUses(policy: PolicyView, today: KeyUse | null, open: OpenOfKey): readonly LimitUse[] {
  const limitOf = (text: string | null) => (text === null ? null : BigInt(text));
  const { maxInFlightCount } = policy;
  return [
    {
      label: "Open sponsorships",
      used: BigInt(open.signed + open.prepared),
      limit: maxInFlightCount === null ? null : BigInt(maxInFlightCount),
      isAmount: false,
    },
    {
      label: "Kept for open sponsorships",
      used: open.withheldAtoms,
      limit: limitOf(policy.maxInFlightAmount),
      isAmount: true,
    },
    {
      label: "Counted for today's limit",
      used: (today?.spentAtoms ?? 0n) - (today?.maintenanceAtoms ?? 0n) + open.withheldAtoms,
      limit: limitOf(policy.maxSpendPerDay),
      isAmount: true,
    },
    {
      label: "Cost of unused sponsorships, today",
      used: today?.maintenanceAtoms ?? 0n,
      limit: limitOf(policy.maxAbandonCostPerDay),
      isAmount: true,
    },
  ];
}

/** Returns how full a limit is, 0 to 100. A limit of zero is full. */
export function percentOf({ used, limit }: Pick<LimitUse, "used" | "limit">): number {
  if (limit === null || used <= 0n) return limit === 0n ? 100 : 0;
  return limit === 0n ? 100 : Math.min(100, Number((used * 100n) / limit));
}

/** Shows each limit that fills up as a meter, and in words. */
export function UseAgainstLimits(props: {
  readonly policy: PolicyView;
  readonly chain: Chain;
  readonly today: KeyUse | null;
  readonly open: OpenOfKey;
}) {
  const { policy, chain, today, open } = props;
  return (
    <dl class="facts">
      {limitUses(policy, today, open).map((each) => {
        const { label, used, limit, isAmount } = each;
        const text = (value: bigint) => (isAmount ? amountText(chain, value).shown : grouped(value.toString()));
        const percent = percentOf(each);
        return (
          <>
            <dt>{label}</dt>
            <dd>
              {limit === null ? `${text(used)}, without a limit` : `${text(used)} of ${text(limit)}: ${percent} %`}
              {limit !== null && (
                <meter
                  min="0"
                  max="100"
                  low={60}
                  high={85}
                  optimum={0}
                  value={percent}
                  aria-label={`${label}, percent`}
                >
                  {percent} %
                </meter>
              )}
            </dd>
          </>
        );
      })}
      {!open.isWhole && (
        <>
          <dt>Note</dt>
          <dd>More are open than this page reads.</dd>
        </>
      )}
    </dl>
  );
}
