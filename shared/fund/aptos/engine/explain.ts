import { readTraits } from "../../../chain/aptos/transaction-traits.ts";
import { readAbort } from "../../../chain/aptos/vm-status.ts";
import type { ArchiveReader } from "../../archive/reader.ts";
import type { ExplainedSponsorship, OnChain } from "../../explain/story.ts";
import { boundedTimeMs } from "../../explain/trace-bounds.ts";
import { decodeSponsorship } from "../archived.ts";
import { sponsorshipViewOf } from "../sponsorship-rows.ts";
import type { AptosSponsorship } from "../store.ts";
import type { AptosFundCore } from "./chain.ts";

/** Finds a sponsorship by its hash or its id, also in the archives. Null if none matches. */
export async function explainSponsorship(
  { store }: AptosFundCore,
  rows: ArchiveReader,
  name: string,
): Promise<ExplainedSponsorship | null> {
  const live = store.sponsorship(store.referenceOf(name));
  if (live !== null) return explained(live);
  const archived = await rows.sponsorship(name);
  if (!archived.ok) throw new Error(archived.error.details);
  return archived.value && explained(decodeSponsorship(archived.value.record));
}

function explained(row: AptosSponsorship): ExplainedSponsorship {
  const { id: reference, rawTransaction } = row;
  const view = sponsorshipViewOf(row);
  const targets = view.targets ?? (rawTransaction.length === 0 ? null : readTraits(rawTransaction).targets);
  const stored = { trace: row.trace ?? null, ledgerPlace: row.committedVersion?.toString() ?? null };
  return { ...view, reference, signedAtMs: row.createdAtMs, gasObjectId: null, targets, ...stored };
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
  const [failure, abort] = success ? [null, null] : [vmStatus, readAbort(vmStatus)];
  const atMs = boundedTimeMs(timestampMs);
  const execution = { success, failure, abort, gas, ledgerPlace: String(version), atMs };
  return { endpoint, execution };
}
