import { MIST_PER_SUI, OCTAS_PER_APT } from "../amounts.ts";
import type { Chain } from "../networks.ts";
import type { FundPolicy, PolicyLists } from "./fund-policy.ts";

const NO_LISTS: PolicyLists = { allow: null, deny: null };

/** The policy without any limit or list. */
export const NO_LIMITS: FundPolicy = {
  moveTargets: NO_LISTS,
  senders: NO_LISTS,
  orderless: true,
  maxGasBudgetAtoms: null,
  maxStorageCostAtoms: null,
  maxInFlightCount: null,
  maxInFlightAmountAtoms: null,
  maxSpendPerDayAtoms: null,
  maxSpendPerSenderPerDayAtoms: null,
  maxAbandonCostPerDayAtoms: null,
};

const FUND_DEFAULTS: Readonly<Record<Chain, FundPolicy>> = {
  sui: { ...NO_LIMITS, maxGasBudgetAtoms: MIST_PER_SUI / 2n, maxSpendPerDayAtoms: 100n * MIST_PER_SUI },
  aptos: { ...NO_LIMITS, maxGasBudgetAtoms: 2n * OCTAS_PER_APT, maxSpendPerDayAtoms: 100n * OCTAS_PER_APT },
};

const KEY_DEFAULTS: Readonly<Record<Chain, FundPolicy>> = {
  sui: {
    ...NO_LIMITS,
    orderless: false,
    maxInFlightCount: 1_000,
    maxInFlightAmountAtoms: 50n * MIST_PER_SUI,
    maxAbandonCostPerDayAtoms: MIST_PER_SUI / 2n,
  },
  // An abandoned sponsorship on Aptos costs nothing to take back.
  aptos: { ...NO_LIMITS, orderless: false, maxInFlightCount: 1_000, maxInFlightAmountAtoms: 20n * OCTAS_PER_APT },
};

/**
 * Returns the default policy of a fund. Its limits are finite: one mistake cannot empty an unconfigured fund in a day.
 */
export function defaultFundPolicy(chain: Chain): FundPolicy {
  return FUND_DEFAULTS[chain];
}

/**
 * Returns the default policy of a key. Its limits are finite: one leaked key can neither hold the whole fund nor burn
 * it by abandoned sponsorships.
 */
export function defaultKeyPolicy(chain: Chain): FundPolicy {
  return KEY_DEFAULTS[chain];
}
