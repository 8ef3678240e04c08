import type { FundPatch } from "../bindings/fund.ts";
import { done, type Outcome, refuse } from "../errors.ts";
import { patchPolicy } from "../policy/policy-schema.ts";
import type { FundCore } from "./core.ts";
import type { FundEngine, RevocationResult } from "./engine.ts";
import { confirmWithdrawals, recoveryView, withPause } from "./recovery.ts";
import { viewOf } from "./view.ts";
import { CHAIN_RESET, type FundView, PAUSED_BY_OPERATOR, REVOKED, type RecoveryView } from "./views.ts";

/**
 * Changes a fund's settings, and pauses or resumes the fund. Returns the changed fund. A fund that `chain_reset` has
 * paused resumes only if a node serves the fund's chain again. Otherwise its pause stays. A recovery keeps its own
 * pause, and the change applies after it.
 */
export async function updateFund(
  engine: FundEngine,
  { paused, policy, limits, ...settings }: FundPatch,
): Promise<FundView> {
  const { core } = engine;
  const isReset = core.record.pausedCause === CHAIN_RESET;
  const isSettable = paused !== undefined && (!isReset || (!paused && (await engine.isOnItsChain())));
  const changes = {
    ...settings,
    ...(limits && { limits: { ...core.record.limits, ...limits } }),
    ...(policy && { policy: patchPolicy(core.record.policy, policy) }),
    ...(isSettable && withPause(core.record, paused ? PAUSED_BY_OPERATOR : null)),
  };
  core.commit(() => core.changeRecord(changes));
  return viewOf(engine);
}

/** Reads the fund's money from the chain, and returns the updated fund. */
export async function refreshFund(engine: FundEngine): Promise<Outcome<FundView>> {
  const refreshed = await engine.refresh();
  return refreshed.ok ? done(viewOf(engine)) : refreshed;
}

/**
 * Makes the signatures of one access key worthless. A null key means the whole fund, which is then paused.
 * `chain_reset` stays the cause of a pause, because no operator can end that pause.
 */
export async function revokeSignatures(engine: FundEngine, keyId: string | null): Promise<RevocationResult> {
  const { core } = engine;
  if (keyId === null && core.record.pausedCause !== CHAIN_RESET)
    core.commit(() => core.changeRecord(withPause(core.record, REVOKED)));
  return engine.revoke(keyId);
}

/**
 * Records the operator's confirmation that no Idempotency-Key from before the recovery will be used again.
 *
 * @returns the recovery. `recovery_unconfirmed` without an ended one.
 */
export function confirmAllWithdrawals(core: FundCore): Outcome<RecoveryView> {
  const recovery = confirmWithdrawals(core.record);
  if (recovery === null)
    return refuse("recovery_unconfirmed", "this fund has no finished recovery: confirm withdrawals after one");
  core.commit(() => core.changeRecord({ recovery }));
  return done(recoveryView(recovery));
}

/** Allows a revoked access key again. */
export function unrevokeKey(core: FundCore, keyId: string): void {
  core.commit(() => core.store.setRevoked(keyId, false));
}
