import { readTraits } from "../../../chain/sui/transaction-traits.ts";
import type { ArchiveReader } from "../../archive/reader.ts";
import type { ExplainedSponsorship, OnChain } from "../../explain/story.ts";
import { boundedTimeMs } from "../../explain/trace-bounds.ts";
import { decodeSponsorship } from "../archived.ts";
import { sponsorshipViewOf } from "../sponsorship-rows.ts";
import type { SuiSponsorship } from "../store.ts";
import type { SuiFundCore } from "./chain.ts";
import type { SuiLookUps } from "./look-ups.ts";

/** Finds a sponsorship by its digest, also in the archives. Null if none matches. */
export async function explainSponsorship(
  { store }: SuiFundCore,
  rows: ArchiveReader,
  digest: string,
): Promise<ExplainedSponsorship | null> {
  const live = store.sponsorship(digest);
  if (live !== null) return explained(live);
  const archived = await rows.sponsorship(digest);
  if (!archived.ok) throw new Error(archived.error.details);
  return archived.value && explained(decodeSponsorship(archived.value.record));
}

function explained(row: SuiSponsorship): ExplainedSponsorship {
  const { digest: reference, signedAtMs, gasObjectId, transactionBytes } = row;
  const view = sponsorshipViewOf(row);
  const targets = view.targets ?? (transactionBytes.length === 0 ? null : readTraits(transactionBytes).targets);
  const trace = row.trace ?? null;
  const ledgerPlace = trace?.checkpoint?.toString() ?? null;
  return { ...view, reference, signedAtMs, gasObjectId, targets, trace, ledgerPlace };
}

/** Looks a digest up. It books nothing. */
export async function lookUpOnChain(lookUps: SuiLookUps, digest: string): Promise<OnChain> {
  // An answer now ends the failures, but not what it may be that the fund cannot book.
  const before = lookUps.failuresOf(digest);
  const finding = (await lookUps.find([digest], "full")).findings.get(digest);
  const last = lookUps.failuresOf(digest) ?? before;
  const failures = last === null ? {} : { failures: last };
  if (finding === undefined) return { endpoint: null, execution: null, ...failures };
  const { endpoint, value } = finding;
  if (value === null) return { endpoint, execution: null, ...failures };
  const { success, error: failure, abort, gasUsed, checkpoint, timestampMs } = value;
  const gas = {
    computationCost: String(gasUsed.computationCostMist),
    storageCost: String(gasUsed.storageCostMist),
    storageRebate: String(gasUsed.storageRebateMist),
    nonRefundableStorageFee: String(gasUsed.nonRefundableStorageFeeMist),
  };
  const shown = abort && {
    package: abort.package,
    module: abort.module,
    function: abort.function,
    code: String(abort.abortCode),
    constant: abort.constant ?? null,
    command: abort.command,
  };
  const ledgerPlace = checkpoint === null ? null : String(checkpoint);
  const atMs = boundedTimeMs(timestampMs);
  return { endpoint, ...failures, execution: { success, failure, abort: shown, gas, ledgerPlace, atMs } };
}
