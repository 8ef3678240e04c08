import type { FundCall } from "../../bindings/fund-calls.ts";
import { payloadTraits } from "../../chain/aptos/payload.ts";
import { decodeRawTransaction } from "../../chain/aptos/raw-transaction.ts";
import { inspectKind } from "../../chain/sui/kind.ts";
import type { Reason } from "../../errors.ts";
import { gasBudgetOf } from "../aptos/checks.ts";
import type { AptosInitializationInput } from "../aptos/engine/initialize.ts";
import type { AptosScreenInput } from "../aptos/engine/reserve.ts";
import type { ExecuteInput } from "../sui/engine/execution.ts";
import type { SponsorInput } from "../sui/engine/sponsor-input.ts";
import type { AskedCall } from "./refused-call.ts";

/** The key of a call of an earlier build, whose executions carry no key. */
const UNKNOWN_KEY = "";

interface Sent {
  readonly keyId?: string;
  readonly requestId?: string;
}

function ofCall(method: string, { keyId, requestId }: Sent): AskedCall {
  return {
    requestId: requestId ?? null,
    keyId: keyId ?? UNKNOWN_KEY,
    method,
    sender: null,
    targets: [],
    gasBudgetAtoms: null,
    digest: null,
  };
}

/**
 * The refusals that concern the content or the cost of a transaction. Only these decode the transaction, because a
 * flood of others must cost little.
 */
const DECODED: ReadonlySet<Reason> = new Set([
  "policy_refused",
  "dry_run_failed",
  "balance_too_low",
  "gas_budget_out_of_range",
  "gas_price_out_of_range",
]);

/** Describes a call that sponsors or prepares on Sui. */
export function askedSponsoring(method: string, input: SponsorInput, reason: Reason): AskedCall {
  const { sender, gasBudgetMist: gasBudgetAtoms } = input;
  const asked = { ...ofCall(method, input), sender, gasBudgetAtoms };
  const inspected = DECODED.has(reason) ? inspectKind(input.kindBytes) : null;
  return inspected?.ok ? { ...asked, targets: inspected.value.moveTargets } : asked;
}

/** Describes an execution on Sui. */
export function askedExecution(input: ExecuteInput, row: { readonly sender: string; readonly keyId: string } | null) {
  const { digest } = input;
  const keyId = input.keyId ?? row?.keyId;
  const sent = { ...input, ...(keyId !== undefined && { keyId }) };
  return { ...ofCall("execute", sent), digest, sender: row?.sender ?? null };
}

/** Describes a call with a raw transaction on Aptos. */
export function askedOnAptos(method: string, input: AptosScreenInput, reason: Reason): AskedCall {
  if (!DECODED.has(reason)) return ofCall(method, input);
  const decoded = decodeRawTransaction(input.rawTransaction);
  if (!decoded.ok) return ofCall(method, input);
  const { sender, payload } = decoded.value;
  const { moveTarget } = payloadTraits(payload);
  const targets = moveTarget === null ? [] : [moveTarget];
  return { ...ofCall(method, input), sender, gasBudgetAtoms: gasBudgetOf(decoded.value), targets };
}

/** Describes the initialisation of an account. */
export function askedInitialization(input: AptosInitializationInput): AskedCall {
  return { ...ofCall("aptosInitialization", input), sender: input.sender };
}

/**
 * Describes a call that was not admitted. Does not decode its transaction, because a flood of them must cost little.
 */
export function askedUnadmitted(call: FundCall | null, sent: Sent): AskedCall {
  const input = call?.input ?? null;
  const sender = input !== null && "sender" in input ? input.sender : null;
  const digest = input !== null && "digest" in input ? input.digest : null;
  return { ...ofCall(call?.method ?? "admission", sent), sender, digest };
}
