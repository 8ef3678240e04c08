/* Sui only: Aptos executes nothing without gas. */

import { mayBeGasless } from "../../../chain/sui/gasless.ts";
import type { InspectedKind } from "../../../chain/sui/kind.ts";
import { wrapKind } from "../../../chain/sui/transaction.ts";
import { Deadline } from "../../../deadline.ts";
import { WHOLE_FUND } from "../../ledger/books.ts";
import { precheck, type SuiFundContext, type SuiSponsorTerms, windowEnd } from "../checks.ts";
import { netGasMist } from "../gas.ts";
import { SPONSORSHIP_TTL_MS } from "../limits.ts";
import type { SuiFundCore } from "./chain.ts";
import type { Call } from "./sponsor-input.ts";

/** The longest wait for a node's word on a transaction without gas. The fund can always pay. */
const TRIAL_MS = 3_000;

/** The part of a limit that such transactions may fill, because each counts until its last epoch is over. */
const LIMIT_SHARE = 2;

/** True if the key and the fund have so many sponsorships in flight that the paid ones need the rest of the limit. */
function isHalfFull({ store, record }: SuiFundCore, { keyId, keyPolicy }: Call): boolean {
  const limits = [
    [keyId, keyPolicy],
    [WHOLE_FUND, record.policy],
  ] as const;
  return limits.some(
    ([scope, { maxInFlightCount: most }]) =>
      most !== null && LIMIT_SHARE * (store.usage(scope).inFlightCount + 1) > most,
  );
}

/** The terms of a transaction without gas. */
export const NO_GAS = { isGasless: true, gasPriceMist: 0n, gasBudgetAtoms: 0n, storageCostAtoms: 0n } as const;

/**
 * Checks whether the network executes a transaction without gas now. If a node refuses a dry run at price 0, or does
 * not answer soon, the fund pays. It also pays once half of a limit of sponsorships in flight is taken. A caller who
 * names a price pays it, because gas buys precedence.
 */
export async function isGaslessNow(
  core: SuiFundCore,
  call: Call,
  { kind, ...terms }: Omit<SuiSponsorTerms, "kind"> & { readonly kind: InspectedKind },
  contextNow: () => SuiFundContext,
): Promise<boolean> {
  const { gasPriceMist, lastEpoch, deadline, heard } = call;
  if (gasPriceMist !== null || lastEpoch !== null || !mayBeGasless(kind, core.network)) return false;
  const context = contextNow();
  const { address: owner, facts, nowMs } = context;
  // Such a transaction is bound to two epochs at most. They must be able to last the hour.
  if (facts.epochDurationMs < SPONSORSHIP_TTL_MS) return false;
  if (isHalfFull(core, call)) return false;
  // The refusal is that of the paid way, which comes next.
  if (!precheck(core.store, { ...terms, ...NO_GAS, kind }, context).ok) return false;
  const { epoch: from, chainIdentifier } = facts;
  const window = { kind: "window", from, to: windowEnd(facts, nowMs), chainIdentifier, nonce: 0 } as const;
  const gas = { owner, payment: [], priceMist: 0n, budgetMist: 0n };
  const soon = new Deadline(Math.min(TRIAL_MS, deadline.leftMs()));
  const dryRun = await core.node.within(soon).dryRun(wrapKind(kind.bytes, terms.sender, gas, window));
  if (!dryRun.ok || !dryRun.value.success || netGasMist(dryRun.value.gasUsed) !== 0n) return false;
  heard(dryRun.value);
  return true;
}
