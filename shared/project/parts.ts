import type { Deps } from "../bindings/deps.ts";
import type { Env } from "../bindings/env.ts";
import type { DueTable } from "../durable/due-table.ts";
import type { Transfer } from "../durable/transfer/state.ts";

/** Parts of one project's object that its other parts share. */
export interface ProjectParts {
  readonly env: Env;
  readonly deps: Deps;
  readonly storage: DurableObjectStorage;
  readonly sql: SqlStorage;
  readonly due: DueTable;
  readonly transfer: Transfer;
}

/** Time until a failed part of the alarm's work runs again. */
export const RETRY_MS = 15_000;
