// Aptos only: on Sui an invented signature withholds a coin for minutes, because the fund sets the expiration.

import { mayBeMadeUp } from "../../chain/aptos/fee-payer.ts";
import { MAX_UNJUDGED_SECONDS } from "../../chain/aptos/limits.ts";
import type { RawTransaction } from "../../chain/aptos/raw-transaction.ts";
import { refuse } from "../../errors.ts";
import type { AptosRequestBase, Refused } from "./checks.ts";

/**
 * Refuses a long lifetime if a signature may be invented, because it withholds money until the expiration. A repeat is
 * not judged again.
 *
 * @param request its authenticators have passed `verifyCoSignatures`. Null if our signature is handed out.
 * @returns null if nothing is wrong; `expiration_too_far`.
 */
export function checkUnjudged(
  { expirationTimestampSeconds }: RawTransaction,
  { authenticators, secondaryAddresses }: Pick<AptosRequestBase, "authenticators" | "secondaryAddresses">,
  nowMs: number,
): Refused | null {
  const latestSeconds = BigInt(Math.floor(nowMs / 1_000)) + MAX_UNJUDGED_SECONDS;
  if (authenticators === null || expirationTimestampSeconds <= latestSeconds) return null;
  return mayBeMadeUp(authenticators, secondaryAddresses)
    ? refuse(
        "expiration_too_far",
        `expiration_timestamp_secs must be at most ${MAX_UNJUDGED_SECONDS} seconds ahead with a signature that only a node can judge`,
      )
    : null;
}
