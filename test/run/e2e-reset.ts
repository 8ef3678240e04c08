import { afterAll } from "vitest";
import { resetServiceVars } from "../harness/harness.ts";

// Files share a service. A variable that one of them leaves set would fail another one.
afterAll(resetServiceVars);
