import * as z from "zod";
import { accountAuthenticatorBytes, rawTransactionBytes } from "../shared/api/aptos-values.ts";
import { base64Bytes, serializedSignatureSchema } from "../shared/api/sui-values.ts";
import { toHex } from "../shared/bytes.ts";
import { isLeftToNode } from "../shared/chain/aptos/fee-payer.ts";
import { MAX_UNJUDGED_SECONDS } from "../shared/chain/aptos/limits.ts";
import { decodeRawTransaction, type RawTransaction } from "../shared/chain/aptos/raw-transaction.ts";
import { readCommands } from "../shared/chain/sui/commands.ts";
import { inspectKind } from "../shared/chain/sui/kind.ts";
import { readSponsoredBytes } from "../shared/chain/sui/read-sponsored-bytes.ts";
import { transactionDigest } from "../shared/chain/sui/transaction.ts";
import { createAptosGasClient } from "../shared/client/gas-client.ts";
import type { Reply } from "../shared/client/rpc-client.ts";
import { toBase64 } from "../shared/crypto/base64.ts";
import { aptosTransactionRequest } from "../shared/policy/aptos-transaction.ts";
import { judge } from "../shared/policy/evaluate.ts";
import { pendingOnAptos, pinAptosTransaction } from "../shared/workflow/aptos.ts";
import { simulateSigned } from "../shared/workflow/aptos-simulate.ts";
import type { WorkflowOutcome } from "../shared/workflow/errors.ts";
import {
  mayHaveSent,
  policyRefused,
  type WorkflowResult,
  workflowFailed,
  workflowFailureOf,
} from "../shared/workflow/errors.ts";
import { type ExecutingContext, workflow } from "../shared/workflow/handler.ts";

import { executeOnSui } from "../shared/workflow/sui-submit.ts";

const MAX_SPONSORSHIP_CHARACTERS = 1_024;
const MS_PER_SECOND = 1_000;

const suiInput = z.strictObject({
  chain: z.literal("sui").optional(),
  txBytes: base64Bytes,
  signature: serializedSignatureSchema,
  sponsorship: z.string().min(1).max(MAX_SPONSORSHIP_CHARACTERS).optional(),
});
const aptosInput = z.strictObject({
  chain: z.literal("aptos"),
  rawTransaction: rawTransactionBytes,
  senderAuthenticator: accountAuthenticatorBytes,
});

/**
 * Executes a transaction that `sponsor` answered and the user has signed: the fund signs too. A repeat answers its
 * outcome. A transaction that aborts on chain has been executed: on Sui, `status` is `failure`.
 */
export const executeSponsored = workflow({
  name: "execute-sponsored",
  input: z.discriminatedUnion("chain", [suiInput, aptosInput]),
  needsKey: true,
  handle(context) {
    const { input } = context;
    return input.chain === "aptos" ? executePayload({ ...context, input }) : executeKind({ ...context, input });
  },
});

/**
 * Executes on Sui. Accepts only a transaction of `sponsor`: the digest must belong to the fund, or to its sealed
 * signature. The policy still judges it, once for each attempt.
 */
async function executeKind(call: ExecutingContext<z.output<typeof suiInput>>): Promise<WorkflowOutcome> {
  const { txBytes, signature, sponsorship = null } = call.input;
  const sui = call.service.sui();
  if (!sui.ok) return sui;
  const sponsored = readSponsoredBytes(txBytes);
  if (sponsored === null)
    return workflowFailed(
      400,
      "bad_request",
      "txBytes differ from the answer of sponsor: send that answer's txBytes unchanged",
    );
  const kind = inspectKind(sponsored.kindBytes);
  if (!kind.ok) return workflowFailed(400, "bad_request", kind.error.details);
  const { network } = sui.value;
  const { policy, user } = call;
  const { sender, gasBudgetMist: gasBudgetAtoms } = sponsored;
  return call.once({
    chain: "sui",
    asked: { txBytes: toBase64(txBytes), signature },
    origin: "brought",
    async buildTransaction() {
      const commands = readCommands(kind.value.bytes);
      const gas = { budgetAtoms: gasBudgetAtoms, payer: "fund" } as const;
      const verdict = judge(policy, { user, action: "execute", chain: "sui", network, sender, commands, gas });
      if (!verdict.allowed) return policyRefused(verdict);
      const charge = { chain: "sui", gasBudgetAtoms } as const;
      return { ok: true, value: { id: transactionDigest(txBytes), content: "", capUsage: charge } };
    },
    execute: (_, wasSent) => executeOnSui({ txBytes, signature, sponsorship, wasSent }, sui.value, call),
  });
}

/**
 * Executes on Aptos. The workflow stores nothing when `sponsor` answers, so the policy judges the transaction that the
 * user has signed.
 */
async function executePayload(call: ExecutingContext<z.output<typeof aptosInput>>): Promise<WorkflowOutcome> {
  const { input, policy, user, service, idempotencyKey } = call;
  const { rawTransaction, senderAuthenticator } = input;
  const aptos = service.aptos();
  if (!aptos.ok) return aptos;
  const { network, options } = aptos.value;
  const decoded = decodeRawTransaction(rawTransaction);
  if (!decoded.ok) return workflowFailed(400, "bad_request", decoded.error.details);
  const tooLong = refuseUnjudged(decoded.value, senderAuthenticator, call.deps.clock.nowMs());
  if (tooLong !== null) return tooLong;
  const asked = aptosTransactionRequest(decoded.value, { network, user, action: "execute", payer: "fund" });
  const gasBudgetAtoms = asked.gas.budgetAtoms;
  return call.once({
    chain: "aptos",
    asked: { rawTransaction: toHex(rawTransaction), senderAuthenticator: toHex(senderAuthenticator) },
    origin: "brought",
    async buildTransaction() {
      const verdict = judge(policy, asked);
      if (!verdict.allowed) return policyRefused(verdict);
      const whyNot = await simulateSigned(rawTransaction, network, call.deps);
      return whyNot ?? { ok: true, value: pinAptosTransaction({ rawTransaction, gasBudgetAtoms }) };
    },
    async execute() {
      const signed = { rawTransaction, senderAuthenticator };
      const untilMs = Number(decoded.value.expirationTimestampSeconds) * MS_PER_SECOND;
      const wanted = { chain: "aptos", gasAtoms: gasBudgetAtoms, atMostAtoms: null, untilMs } as const;
      const submit = () => createAptosGasClient(options).sponsorAndSubmitSignedTransaction(signed, { idempotencyKey });
      const submitted = await call.reserveSponsorship(
        wanted,
        async () => heldUntilItExpires(await submit()),
        () => null,
      );
      return submitted.ok ? pendingOnAptos(submitted.value) : submitted;
    },
  });
}

/**
 * Refuses a long lifetime if only a node can judge the signature. The sender may have made the signature up, and the
 * service withholds gas until the transaction has expired.
 */
function refuseUnjudged(
  { expirationTimestampSeconds }: RawTransaction,
  senderAuthenticator: Uint8Array,
  nowMs: number,
) {
  const latestMs = BigInt(nowMs) + MAX_UNJUDGED_SECONDS * 1_000n;
  if (expirationTimestampSeconds * 1_000n <= latestMs || !isLeftToNode(senderAuthenticator)) return null;
  return workflowFailed(
    400,
    "bad_request",
    `rawTransaction: with a signature of this scheme it must expire within ${MAX_UNJUDGED_SECONDS} seconds`,
  );
}

/**
 * Marks a failure after which the fund may withhold gas. The fund has then signed a transaction that no node has taken.
 * It withholds gas until the user's transaction expires.
 */
function heldUntilItExpires<Value>(submitted: Reply<Value>): WorkflowResult<Value> {
  if (submitted.ok) return submitted;
  const failure = workflowFailureOf(submitted.error, "aptos", {});
  const withholds = failure.error.refusedBy === "node" || mayHaveSent(failure);
  return withholds ? { ok: false, error: { ...failure.error, mayWithholdGas: true } } : failure;
}
