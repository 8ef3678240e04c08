import { networkSchema } from "../networks.ts";
import type { AssembledProject } from "./assemble.ts";
import type { ProjectMetrics } from "./views.ts";

/** Reads the counters of a project. The cost does not grow with its wallets or deliveries. */
export function projectMetrics({ sql, deps, due, budget, transfer }: AssembledProject): ProjectMetrics {
  const { pending, dropped, active, disabled } = sql
    .exec<{ pending: number; dropped: number; active: number; disabled: number }>(
      `SELECT IFNULL(SUM(waiting), 0) AS pending, IFNULL(SUM(dropped), 0) AS dropped,
         COUNT(*) FILTER (WHERE disabled_cause IS NULL) AS active,
         COUNT(*) FILTER (WHERE disabled_cause IS NOT NULL) AS disabled
       FROM webhook`,
    )
    .one();
  const networks = sql.exec<{ network: string }>("SELECT DISTINCT network FROM member ORDER BY network").toArray();
  return {
    networks: networks.map(({ network }) => networkSchema.parse(network)),
    storage: { ...budget.use(), isFull: budget.isFull() },
    deliveriesPending: pending,
    deliveriesDropped: dropped,
    webhooks: { active, disabled },
    // A closed project does nothing until it is opened, or has moved.
    lateMs: transfer.isOpen ? due.lateMs(deps.clock.nowMs()) : 0,
  };
}
