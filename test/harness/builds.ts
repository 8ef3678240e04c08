import { SERVICE, type WorkerSources } from "../../shared/cli/build.ts";
import { blindSources } from "../bench/blind-sources.ts";
import { seventhWorkflow } from "../workflow/seventh-workflow.ts";

/** Builds that only tests and benches run. `shared/cli/build.ts` has the two that ship. */

/** The service with one commit for each transition. The bench shows what a group commit saves. */
export const UNGROUPED: WorkerSources = {
  ...SERVICE,
  name: "ungrouped",
  replaced: { "shared/durable/group-commit.ts": "test/bench/no-group-commit.ts" },
};

/** The service that keeps, while it is told so, nothing for an operator: no log, no refused call, no daily counter. */
export const BLIND: WorkerSources = { ...SERVICE, name: "blind", written: blindSources };

/** The service with bare handlers in place of its gateways. */
export const BARE_GATEWAY: WorkerSources = {
  ...SERVICE,
  name: "bare-gateway",
  replaced: { "functions/service/gateway/call-upstream.ts": "test/bench/bare/gateway.ts" },
};

/** The service with the workflow that functions/README.md shows. */
export const SEVENTH_WORKFLOW: WorkerSources = { ...SERVICE, name: "seventh", written: seventhWorkflow };

/** The floor that benches measure the service's methods against. */
export const FLOOR: WorkerSources = {
  name: "floor",
  config: "test/bench/floor/wrangler.toml",
  sources: ["test/bench/floor", "shared"],
};

/** Everything here, for the test that each of them still bundles. */
export const BUILDS_OF_TESTS = [UNGROUPED, BLIND, BARE_GATEWAY, SEVENTH_WORKFLOW, FLOOR] as const;
