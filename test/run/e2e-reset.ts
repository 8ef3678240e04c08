import { afterAll } from "vitest";
import { expectNoSecretInLog, resetServiceVars } from "../harness/harness.ts";

// Files share a service. A variable that one of them leaves set would fail another one.
// A later search reads the lines that come after this one.
afterAll(async () => {
  await resetServiceVars();
  await expectNoSecretInLog();
});
