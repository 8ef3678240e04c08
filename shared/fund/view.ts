import type { FundEngine } from "./engine.ts";
import { runwayDays } from "./ledger/runway.ts";
import { recoveryView } from "./recovery.ts";
import type { FundView } from "./views.ts";

/** Shows a fund without its key, for an operator and for `gas_getFund`. */
export function viewOf(engine: FundEngine): FundView {
  const { record, store, address } = engine.core;
  const { key: _, seen: __, recovery, storageHigh: isHigh, ...settings } = record;
  const { balanceAtoms, inFlightAtoms, accruedFeesAtoms } = store.totals();
  const availableAtoms = engine.availableAtoms();
  return {
    ...settings,
    storage: { ...engine.core.storageUse(), isHigh },
    balanceAtoms,
    inFlightAtoms,
    accruedFeesAtoms,
    availableAtoms,
    runwayDays: runwayDays(availableAtoms, store.dailyCounts, engine.core.nowMs()),
    unconverted: engine.unconverted(),
    maintenanceReserveAtoms: engine.maintenanceReserveAtoms(),
    depositAddress: address,
    recovery: recovery === null ? null : recoveryView(recovery),
  };
}
