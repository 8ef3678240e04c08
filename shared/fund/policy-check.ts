import type { CompiledPolicy } from "../policy/compile-fund-policy.ts";
import type { SponsorshipRequest } from "../policy/fund-policy.ts";
import { type FundBooks, WHOLE_FUND } from "./ledger/books.ts";
import { usageToday, utcDay } from "./ledger/usage.ts";
import type { ScopedPolicyRefusal } from "./refusals.ts";

/** A sponsorship request with its access key, in the form that the policies judge. */
export interface PolicyRequest extends SponsorshipRequest {
  readonly keyId: string;
  /** The access key's own policy. */
  readonly keyPolicy: CompiledPolicy;
}

/**
 * Judges a request by both policies, at their present counts. The fund's policy counts over the whole fund. The key's
 * policy counts over that key.
 *
 * @returns the first refusal. Null if neither policy refuses.
 */
export function checkPolicy(
  books: FundBooks,
  asked: PolicyRequest,
  fundPolicy: CompiledPolicy,
  nowMs: number,
): ScopedPolicyRefusal | null {
  const { keyId, keyPolicy, sender } = asked;
  const scopes = [
    { policy: fundPolicy, scope: WHOLE_FUND, ofKey: null },
    { policy: keyPolicy, scope: keyId, ofKey: keyId },
  ] as const;
  for (const { policy, scope, ofKey } of scopes) {
    const ofSender = policy.needsSenderUsage ? books.senderUsage(sender, ofKey, utcDay(nowMs)) : null;
    const refusal = policy.evaluateSponsorship(asked, { ...usageToday(books, scope, nowMs), sender: ofSender });
    if (refusal !== null) return { ...refusal, scope: ofKey === null ? "fund" : "key" };
  }
  return null;
}
