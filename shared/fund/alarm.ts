import type { Env } from "../bindings/env.ts";
import type { Outbox } from "../durable/outbox.ts";
import type { BalanceChecks } from "./balance-checks.ts";
import type { FundEngine } from "./engine.ts";

/** Does what is due: the engine's work, then the checks, then the events that the project has not taken. */
export async function runAlarm(
  engine: FundEngine | null,
  checks: BalanceChecks,
  outbox: Outbox,
  env: Pick<Env, "PROJECT">,
): Promise<void> {
  if (engine === null) return;
  await engine.runDue();
  checks.runIfDue(engine);
  const { fundId, projectId } = engine.core.record;
  await outbox.runDue(fundId, env.PROJECT.getByName(projectId));
}
