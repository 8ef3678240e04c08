import type { SuiNetwork } from "../networks.ts";

/** The cause of a pause that no operator can end: the fund's chain is gone, with every coin and signature on it. */
export const CHAIN_RESET = "chain_reset";

/** What an operator and `gas_getFund` see of a fund. */
export interface FundView {
  readonly fundId: string;
  readonly projectId: string;
  readonly name: string;
  readonly network: SuiNetwork;
  /** Every coin that the fund owns, lent or not. */
  readonly balanceMist: bigint;
  /** Withheld for sponsorships that can still be executed. */
  readonly inFlightMist: bigint;
  /** Null until one is asked for. */
  readonly depositAddress: string | null;
  /** Why the fund refuses to sponsor; null while it does not. */
  readonly pausedCause: string | null;
  readonly createdAtMs: number;
}

export const sponsorshipStates = ["prepared", "signed", "complete", "expired", "dead"] as const;
export type SponsorshipState = (typeof sponsorshipStates)[number];

/** One row of a fund's sponsorship list. */
export interface SponsorshipView {
  readonly digest: string;
  readonly state: SponsorshipState;
  readonly sender: string;
  readonly keyId: string;
  readonly gasBudgetMist: bigint;
  /** What the chain charged; null until it is known. */
  readonly chargedMist: bigint | null;
  readonly createdAtMs: number;
  readonly expiresAtMs: number;
}
