import { isStorageHigh } from "../durable/storage-budget.ts";
import type { FundCore } from "./core.ts";

/**
 * Raises and logs `fund.storage_high` or `fund.storage_recovered` when the fund's storage has crossed its threshold.
 */
export function reportStorage(core: FundCore): void {
  const { storageHigh: wasHigh, fundId } = core.record;
  const use = core.storageUse();
  const storageHigh = isStorageHigh(use, wasHigh);
  if (storageHigh === wasHigh) return;
  const type = storageHigh ? "fund.storage_high" : "fund.storage_recovered";
  core.commit(() => {
    core.changeRecord({ storageHigh });
    core.store.raise({ type, ...use });
  });
  core.deps.log(type, { fund: fundId, ...use });
}
