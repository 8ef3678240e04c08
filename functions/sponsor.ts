import * as z from "zod";
import { u64Input } from "../shared/amounts.ts";
import { toBase64 } from "../shared/api/base64.ts";
import { suiAddress, transactionBytes } from "../shared/api/sui-values.ts";
import { equalBytes } from "../shared/bytes.ts";
import { inspectKind } from "../shared/chain/sui/kind.ts";
import { readSponsored } from "../shared/chain/sui/sponsored.ts";
import { createGasClient } from "../shared/client/gas-client.ts";
import { judge, lowestGasBudgetCap } from "../shared/policy/rules.ts";
import type { Flow } from "./flow.ts";
import { flowFailed, flowFailureOf } from "./flow-failure.ts";
import { policy } from "./policy.ts";

const bodySchema = z.strictObject({
  transactionKind: transactionBytes,
  sender: suiAddress,
  gasBudget: u64Input.optional(),
});

/**
 * A user of the app wants a transaction sponsored. The app's policy decides; the answer is what the user signs. No
 * signature of the fund exists yet: `execute-sponsored` asks for it once the user has signed.
 */
export const sponsor: Flow<typeof bodySchema> = {
  name: "sponsor",
  bodySchema,
  needsIdempotencyKey: false,
  run: async ({ body: { transactionKind, sender, gasBudget }, user, service, idempotencyKey }) => {
    const sui = service.sui();
    if (!sui.ok) return sui;
    const { network, options } = sui.value;
    const gas = createGasClient(options);
    const kind = inspectKind(transactionKind);
    if (!kind.ok) return flowFailed(400, "bad_request", kind.refusal.details);
    const { moveTargets, publishesCode } = kind.value;
    const asked = { network, user, sender, moveTargets, publishesCode };
    const first = judge(policy, { ...asked, gasBudgetMist: gasBudget ?? null });
    if (!first.allowed) return flowFailed(403, "policy_refused", `${first.rule}: ${first.why}`);

    // With the cap, the service refuses what the policy would, before it holds a coin for it.
    const maxGasBudget = lowestGasBudgetCap(policy) ?? undefined;
    const request = { transactionBytes: transactionKind, sender, gasBudget, maxGasBudget };
    const prepared = await gas.prepareTransactionBlock(request, { idempotencyKey });
    if (!prepared.ok) {
      const { error } = prepared;
      const overCap = error.kind === "refused" && error.reason === "gas_budget_out_of_range" && gasBudget === undefined;
      return overCap
        ? flowFailed(403, "policy_refused", `maxGasBudget: ${error.details}`)
        : flowFailureOf(error, "sui");
    }
    const { txBytes, txDigest, expireAtTime } = prepared.value;
    const sponsored = readSponsored(txBytes);
    // The user is about to sign this: it must be what was asked for, whoever the service is.
    if (sponsored === null || sponsored.sender !== sender || !equalBytes(sponsored.kindBytes, transactionKind))
      return flowFailed(503, "node_unavailable", "the service answered with another transaction than was asked for");
    const second = judge(policy, { ...asked, gasBudgetMist: sponsored.gasBudgetMist });
    if (!second.allowed) return flowFailed(403, "policy_refused", `${second.rule}: ${second.why}`);
    return { ok: true, body: { txBytes: toBase64(txBytes), txDigest, expiresAtMs: expireAtTime * 1_000 } };
  },
};
