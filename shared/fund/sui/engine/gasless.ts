/* Sui only: Aptos executes nothing without gas. */

import { mayBeGasless } from "../../../chain/sui/gasless.ts";
import type { InspectedKind } from "../../../chain/sui/kind.ts";
import { wrapKind } from "../../../chain/sui/transaction.ts";
import { precheck, type SuiFundContext, type SuiSponsorTerms, windowEnd } from "../checks.ts";
import { netGasMist } from "../gas.ts";
import { SPONSORSHIP_TTL_MS } from "../limits.ts";
import type { SuiFundCore } from "./chain.ts";
import type { Call } from "./sponsor-input.ts";

/** The longest wait for a node's decision on a transaction without gas. The fund can always pay. */
const TRIAL_MS = 3_000;

/** The time for which the fund pays for a sender whose transaction without gas a node has refused. */
const REFUSED_MS = 3_600_000;
/** The most senders in memory. The one that was refused first is forgotten first. */
const MAX_REFUSED_SENDERS = 1_000;

/**
 * The senders whose transactions without gas a node has refused to execute, although a dry run was free. Validators may
 * have no room for them, or another list of coins. The list ends with the instance, so the next call is tried again.
 */
export class RefusedSenders {
  readonly #untilMs = new Map<string, number>();

  /** Records a refusal. */
  note(sender: string, nowMs: number): void {
    this.#untilMs.delete(sender);
    const [first] = this.#untilMs.keys();
    if (this.#untilMs.size >= MAX_REFUSED_SENDERS && first !== undefined) this.#untilMs.delete(first);
    this.#untilMs.set(sender, nowMs + REFUSED_MS);
  }

  /** Returns true if the fund pays for this sender now. */
  has(sender: string, nowMs: number): boolean {
    const leftMs = (this.#untilMs.get(sender) ?? 0) - nowMs;
    // A clock that was ahead must not extend the time.
    return leftMs > 0 && leftMs <= REFUSED_MS;
  }
}

/**
 * The most expired ones of one access key. Each keeps its bytes until its last epoch is over, a day or so, and counts in
 * no other limit. Whoever may call an app could fill the fund's disk with them, up to 15 KiB each and at no cost.
 */
export const MAX_RELEASED = 1_000;

/** The terms of a transaction without gas. */
export const NO_GAS = { isGasless: true, gasPriceMist: 0n, gasBudgetAtoms: 0n, storageCostAtoms: 0n } as const;

/**
 * Checks whether the network executes a transaction without gas now. If a node refuses a dry run at price 0, or does
 * not answer soon, the fund pays. The fund also pays for a refused sender, and for a key with too many released rows. A
 * caller who names a price pays it, because gas buys precedence.
 */
export async function isGaslessNow(
  core: SuiFundCore,
  call: Call,
  refused: RefusedSenders,
  { kind, ...terms }: Omit<SuiSponsorTerms, "kind"> & { readonly kind: InspectedKind },
  contextNow: () => SuiFundContext,
): Promise<boolean> {
  const { gasPriceMist, lastEpoch, deadline, heard } = call;
  if (gasPriceMist !== null || lastEpoch !== null || !mayBeGasless(kind, core.network)) return false;
  const context = contextNow();
  const { address: owner, facts, nowMs } = context;
  // Such a transaction is bound to two epochs at most. They must be able to last the hour.
  if (facts.epochDurationMs < SPONSORSHIP_TTL_MS) return false;
  if (refused.has(terms.sender, nowMs)) return false;
  if (core.store.countReleased(call.keyId, MAX_RELEASED) >= MAX_RELEASED) return false;
  // The paid way comes next, and gives the refusal.
  if (!precheck(core.store, { ...terms, ...NO_GAS, kind }, context).ok) return false;
  const { epoch: from, chainIdentifier } = facts;
  const window = { kind: "window", from, to: windowEnd(facts, nowMs), chainIdentifier, nonce: 0 } as const;
  const gas = { owner, payment: [], priceMist: 0n, budgetMist: 0n };
  const soon = deadline.atMost(TRIAL_MS);
  const trial = wrapKind(kind.bytes, terms.sender, gas, window);
  const dryRun = await soon.asking(() => core.node.within(soon).dryRun(trial));
  if (!dryRun.ok || !dryRun.value.success || netGasMist(dryRun.value.gasUsed) !== 0n) return false;
  heard(dryRun.value);
  return true;
}
