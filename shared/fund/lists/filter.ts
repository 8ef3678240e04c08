import type { TimeSpan } from "../../durable/scan.ts";
import type { Ending } from "../endings.ts";
import type { LedgerKind } from "../ledger/books.ts";
import { type SponsorshipView, UNRESOLVABLE } from "../views.ts";

/** The state of a sponsorship as lists show it. */
export type ListedState = SponsorshipView["state"];

/** The ways in which a sponsorship ends, and the state of each. The daily counters have the same words. */
export const sponsorshipOutcomes = { executed: "complete", abandoned: "dead", [UNRESOLVABLE]: UNRESOLVABLE } as const;
/** One way in which a sponsorship ends. */
export type SponsorshipOutcome = keyof typeof sponsorshipOutcomes;

/** Selects sponsorships. They must match all fields. Null matches any value. The span is the time of their making. */
export interface SponsorshipFilter extends TimeSpan {
  readonly keyId: string | null;
  /** A full address with lower-case digits. */
  readonly sender: string | null;
  readonly states: readonly ListedState[] | null;
  /** The `x-request-id` of the call that reserved it. Absent for any. */
  readonly requestId?: string;
  /** Absent for any. Rows of a build that kept no endings have none. */
  readonly ending?: Ending;
  /** A whole Move target, or the package or the module before `::`. Absent for any. */
  readonly target?: string;
}

/** Selects ledger rows. They must match all fields. Null matches any value. */
export interface LedgerFilter extends TimeSpan {
  readonly keyId: string | null;
  readonly kind: LedgerKind | null;
  /** The digest, hash or object id of the cause. */
  readonly reference: string | null;
}

/** Returns true if a sponsorship has the target of a filter. */
export function hasTarget({ targets }: SponsorshipView, { target }: SponsorshipFilter): boolean {
  return target === undefined || (targets ?? []).some((name) => name === target || name.startsWith(`${target}::`));
}
