import { expect, test } from "vitest";
import * as z from "zod";
import { expectAnswer } from "../../shared/cli/client/http.ts";
import { admin, resetServiceVars, setServiceVars } from "./harness.ts";

test("a service is what it was at the beginning once its variables are reset, whatever a file has left set", async () => {
  const asked = () => admin("GET", "/projects");
  // The workflows half mounted: such a service refuses every call.
  await setServiceVars({ FLOWS_SUI_KEY: "left by another file", SUI_LOCALNET_NODES: "" });
  expect(await asked()).toMatchObject({ status: 503, body: { error: { code: "not_configured" } } });
  await resetServiceVars();
  expectAnswer("the projects", await asked(), z.object({ items: z.array(z.unknown()) }));
});
