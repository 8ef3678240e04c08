import { serviceMasterKeys } from "../bindings/deps.ts";
import type { Env } from "../bindings/env.ts";
import { masterKeyVersionOf, notOpened } from "../crypto/sealing.ts";
import { createSealedKey, openSigner, resealKey } from "../crypto/signer.ts";
import { requireRightKeys } from "../directory/right-secrets.ts";
import { FUND_KEY_LABEL, type FundCore } from "./core.ts";
import type { FundEngine } from "./engine.ts";
import { viewOf } from "./view.ts";
import type { FundView } from "./views.ts";

/**
 * Makes the fund's key unless it has one. Schedules an immediate look for deposits. Throws if the master key differs
 * from the one used before.
 */
async function createFundKey(core: FundCore, env: Env): Promise<void> {
  if (core.record.key !== null) return;
  const { deps } = core;
  await requireRightKeys(env, deps);
  const masterKeys = serviceMasterKeys(deps);
  const { fundId, projectId } = core.record;
  await env.PROJECT.getByName(projectId).recordSealing({ kind: "fund", name: fundId }, masterKeys.current);
  const key = await createSealedKey(FUND_KEY_LABEL, fundId, masterKeys, deps.randomBytes);
  // Another call may have made a key during the await, and its address may already have been shown.
  if (core.record.key !== null) return;
  core.commit(() => {
    core.setKey(key);
    core.due.set("scan", "", core.nowMs());
  });
}

/** Makes the fund's key unless it has one, and shows the fund with its address. */
export async function createDepositAddress(engine: FundEngine, env: Env): Promise<FundView> {
  await createFundKey(engine.core, env);
  return viewOf(engine);
}

/**
 * Returns true if the fund's key opens. Null if no fund exists, if it has no key yet, or if its key is under another
 * master key version.
 */
export async function opensFundKey(engine: FundEngine | null, masterKeyVersion: number): Promise<boolean | null> {
  if (engine === null) return null;
  const { record, deps } = engine.core;
  const { key, fundId } = record;
  if (key === null || masterKeyVersionOf(key.sealedPrivateKey) !== masterKeyVersion) return null;
  return openSigner(key, FUND_KEY_LABEL, fundId, serviceMasterKeys(deps)).then(() => true, notOpened);
}

/** Seals the fund's key, if it has one, under the current master key. Throws if the key does not open. */
export async function resealFundKey(engine: FundEngine | null, env: Env): Promise<void> {
  if (engine === null) return;
  const { core } = engine;
  const { deps } = core;
  const { key, fundId } = core.record;
  if (key === null) return;
  await requireRightKeys(env, deps);
  const masterKeys = serviceMasterKeys(deps);
  const resealed = await resealKey(key, FUND_KEY_LABEL, fundId, masterKeys, deps.randomBytes);
  // A key that another call stored during the await must stay.
  if (resealed !== key && core.record.key === key) core.commit(() => core.setKey(resealed));
}
