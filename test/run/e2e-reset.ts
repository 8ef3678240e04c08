import { afterAll } from "vitest";
import { resetServiceVars } from "../harness/harness.ts";

// All files share one service: what one of them leaves set would fail another, by the order in which they happen to run.
afterAll(resetServiceVars);
