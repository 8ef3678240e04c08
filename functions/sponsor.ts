import * as z from "zod";
import { u64Input } from "../shared/amounts.ts";
import { aptosAddress } from "../shared/api/aptos-values.ts";
import { base64Bytes, suiAddress } from "../shared/api/sui-values.ts";
import { toHex } from "../shared/bytes.ts";
import { inspectKind } from "../shared/chain/sui/kind.ts";
import type { AptosSponsored, SuiSponsored } from "../shared/client/flows/wire.ts";
import { toBase64 } from "../shared/crypto/base64.ts";
import { buildTransaction } from "../shared/workflow/aptos.ts";
import { aptosGasUnits, aptosPayload, aptosPayloadBytes } from "../shared/workflow/aptos-payload.ts";
import type { WorkflowOutcome } from "../shared/workflow/errors.ts";
import { workflowFailed } from "../shared/workflow/errors.ts";
import { type WorkflowContext, workflow } from "../shared/workflow/handler.ts";
import { sponsorOnSui } from "../shared/workflow/sui.ts";

const suiInput = z.strictObject({
  chain: z.literal("sui").optional(),
  transactionKind: base64Bytes,
  sender: suiAddress,
  gasBudget: u64Input.optional(),
});
const ONE_PAYLOAD = "send either payload or payloadBytes, and maxGasAmount only with payloadBytes";
const aptosInput = z
  .strictObject({
    chain: z.literal("aptos"),
    sender: aptosAddress,
    payload: aptosPayload.optional(),
    payloadBytes: aptosPayloadBytes.optional(),
    maxGasAmount: aptosGasUnits.optional(),
  })
  .refine(
    ({ payload, payloadBytes, maxGasAmount }) =>
      payload === undefined ? payloadBytes !== undefined : payloadBytes === undefined && maxGasAmount === undefined,
    ONE_PAYLOAD,
  );

const NO_BYTES = new Uint8Array();

/**
 * Sponsors a transaction of a user's own key. The app's policy decides, and the answer is the transaction that the user
 * signs. The answer holds no open signature of the fund. `execute-sponsored` requests that signature once the user has
 * signed. If the service gave it before (Sui only), the answer holds it sealed.
 */
export const sponsor = workflow({
  name: "sponsor",
  input: z.discriminatedUnion("chain", [suiInput, aptosInput]),
  handle(context) {
    const { input } = context;
    return input.chain === "aptos" ? sponsorPayload({ ...context, input }) : sponsorKind({ ...context, input });
  },
});

async function sponsorKind(call: WorkflowContext<z.output<typeof suiInput>>): Promise<WorkflowOutcome> {
  const { transactionKind, sender, gasBudget } = call.input;
  const sui = call.service.sui();
  if (!sui.ok) return sui;
  const kind = inspectKind(transactionKind);
  if (!kind.ok) return workflowFailed(400, "bad_request", kind.error.details);
  const sponsored = await sponsorOnSui(
    { action: "sponsor", kind: kind.value, sender, gasBudgetMist: gasBudget },
    sui.value,
    call,
  );
  if (!sponsored.ok) return sponsored;
  const { txBytes, txDigest, expiresAtMs, sponsorship } = sponsored.value;
  const { network } = sui.value;
  const body = { txBytes: toBase64(txBytes), txDigest, expiresAtMs, network };
  const answer: SuiSponsored = sponsorship === null ? body : { ...body, sponsorship };
  return { ok: true, value: answer };
}

/**
 * Builds the transaction on Aptos. The user signs with `0x0` as the fee payer (AIP-53). The paying fund is known only
 * when it signs, and no fund waits until then.
 */
async function sponsorPayload(call: WorkflowContext<z.output<typeof aptosInput>>): Promise<WorkflowOutcome> {
  const { sender, payload, payloadBytes, maxGasAmount } = call.input;
  const aptos = call.service.aptos();
  if (!aptos.ok) return aptos;
  const { network } = aptos.value;
  const content = payload ?? { payloadBytes: payloadBytes ?? NO_BYTES, max_gas_amount: maxGasAmount };
  const built = await buildTransaction(content, { action: "sponsor", network, sender }, call);
  if (!built.ok) return built;
  const { rawTransaction, expiresAtMs } = built.value;
  const answer: AptosSponsored = { rawTransaction: `0x${toHex(rawTransaction)}`, expiresAtMs, network };
  return { ok: true, value: answer };
}
