import type { TransferHooks } from "../durable/transfer/moving-object.ts";
import type { FundParts } from "./core.ts";
import type { EngineLoader } from "./engine-loader.ts";
import { hasOldRows } from "./migrations.ts";
import { readFundRecord } from "./record.ts";

type MovingParts = Pick<FundParts, "deps" | "state" | "due" | "transfer">;

/** Returns the parts of a fund that its transfer needs. */
export function transferHooksOf({ deps, state, due, transfer }: MovingParts, engine: EngineLoader): TransferHooks {
  const { sql } = state.storage;
  return {
    transfer,
    due,
    nowMs: () => deps.clock.nowMs(),
    isUsed: () => readFundRecord(sql) !== null,
    reload: () => engine.forget(),
    isMigrated: () => !hasOldRows(sql),
  };
}
