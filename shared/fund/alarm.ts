import type { Deps } from "../bindings/deps.ts";
import type { Env } from "../bindings/env.ts";
import { answerAlarm } from "../durable/alarm.ts";
import type { DueTable } from "../durable/due-table.ts";
import type { Outbox } from "../durable/outbox.ts";
import type { Transfer } from "../durable/transfer/state.ts";
import type { BalanceChecks } from "./balance-checks.ts";
import type { FundEngine } from "./engine.ts";

/** The parts of a fund that an alarm works with. */
interface AlarmParts {
  readonly deps: Pick<Deps, "clock" | "log">;
  readonly due: DueTable;
  readonly transfer: Pick<Transfer, "isOpen">;
  readonly outbox: Outbox;
}

/** Answers an alarm. A failure is logged, and the due table arms the next alarm. */
export async function answerFundAlarm(
  fund: string | null,
  { deps, due, transfer, outbox }: AlarmParts,
  env: Pick<Env, "PROJECT">,
  load: () => FundEngine | null,
  checks: BalanceChecks,
): Promise<void> {
  if (!transfer.isOpen) return;
  const logFailure = (error: unknown) => deps.log("fund.alarm_failed", { fund, error: String(error) });
  await answerAlarm({ due, clock: deps.clock, logFailure }, () => runDue(load(), checks, outbox, env));
}

/** Does the due work: the engine's work, then the checks, then the events that the project has not taken. */
async function runDue(
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
