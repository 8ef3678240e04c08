import { readMoveTargets } from "../../../chain/aptos/move-target.ts";
import { sleep } from "../../../timing.ts";
import type { ArchiveReader } from "../../archive/reader.ts";
import type { ExplainedSponsorship, OnChain } from "../../explain/story.ts";
import { EXAMINED_IN_FUND } from "../../lists/bounds.ts";
import { decodeSponsorship } from "../archived.ts";
import { sponsorshipViewOf } from "../sponsorship-rows.ts";
import type { AptosSponsorship } from "../store.ts";
import type { AptosFundCore } from "./chain.ts";

/** The most steps of a search for a hash: a million rows. */
const MAX_STEPS = 50;

/** Finds a sponsorship by its hash or its id, also in the archives. Null if there is none. */
export async function explainSponsorship(
  { store }: AptosFundCore,
  rows: ArchiveReader,
  name: string,
): Promise<ExplainedSponsorship | null> {
  const live = store.sponsorship(name.startsWith("0x") ? ((await idOfHash(store, name)) ?? name) : name);
  if (live !== null) return explained(live);
  const archived = await rows.sponsorship(name);
  if (!archived.ok) throw new Error(archived.error.details);
  return archived.value && explained(decodeSponsorship(archived.value.record));
}

/**
 * Finds the id of a hash, newest rows first. No index serves a hash, so it examines a bounded number of rows a step, and
 * calls that wait for the fund run between two steps.
 *
 * @throws if the fund has more rows than it examines. Nobody knows then that the hash is unknown.
 */
async function idOfHash(store: AptosFundCore["store"], hash: string): Promise<string | null> {
  let below = Number.MAX_SAFE_INTEGER;
  for (let steps = 0; steps < MAX_STEPS; steps += 1) {
    const { id, reached } = store.idOfHash(hash, below, EXAMINED_IN_FUND);
    if (id !== null || reached === null) return id;
    below = reached;
    await sleep(0);
  }
  throw new Error(`the hash is none of the newest ${MAX_STEPS * EXAMINED_IN_FUND} sponsorships of the fund`);
}

function explained(row: AptosSponsorship): ExplainedSponsorship {
  const { id: reference, rawTransaction } = row;
  const targets = rawTransaction.length === 0 ? null : readMoveTargets(rawTransaction);
  return { ...sponsorshipViewOf(row), reference, signedAtMs: row.createdAtMs, gasObjectId: null, targets };
}

/** Looks a hash up. It books nothing. */
export async function lookUpOnChain({ node }: AptosFundCore, hash: string): Promise<OnChain> {
  const seen = await node.lookUp(hash);
  if (!seen.ok) return { endpoint: null, execution: null };
  const { endpoint, value } = seen.value;
  if (value.kind !== "committed") return { endpoint, execution: null };
  const { success, vmStatus, gasUsedUnits, gasUnitPriceOctas, storageRefundOctas, version, timestampMs } =
    value.execution;
  const gas = {
    gasUsedUnits: String(gasUsedUnits),
    gasUnitPrice: String(gasUnitPriceOctas),
    storageRefund: String(storageRefundOctas),
  };
  const failure = success ? null : vmStatus;
  const execution = { success, failure, abort: null, gas, ledgerPlace: String(version), atMs: timestampMs };
  return { endpoint, execution };
}
