import { enokiExecuteSponsoredTransaction } from "../../../shared/api/enoki.ts";
import { done } from "../../../shared/errors.ts";
import { fundHandler } from "../../../shared/rpc/handler.ts";
import { executeSponsored } from "../calls/sui-fund.ts";

/** Has the fund sign a sponsorship that its sender has signed, and executes it. */
export const enoki_executeSponsoredTransaction = fundHandler(
  enokiExecuteSponsoredTransaction,
  async ({ digest, signature: senderSignature }, context) => {
    const { arrivedAtMs } = context;
    const input = { arrivedAtMs, digest, senderSignature, waitForLocalExecution: false };
    const executed = await executeSponsored(input, context);
    return executed.ok ? done({ digest }) : executed;
  },
);
