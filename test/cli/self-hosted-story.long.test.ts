import { randomBytes } from "node:crypto";
import { join } from "node:path";
import { afterAll, beforeAll, test } from "vitest";
import { createLocalDemo, furnishWorkflows } from "../../shared/cli/demo-state.ts";
import { loadPolicy } from "../../shared/cli/policy.ts";
import { readDemoContracts } from "../../shared/cli/story/demo-contracts.ts";
import { tellStory } from "../../shared/cli/story/story.ts";
import { type SelfHosted, startSelfHosted } from "../harness/self-hosted.ts";

let hosted: SelfHosted;
beforeAll(async () => {
  hosted = await startSelfHosted();
});
afterAll(() => hosted.stop());

test("the built bundle runs the whole demo on plain workerd, which has neither KV nor crons", async () => {
  const path = join(hosted.serviceState, "demo.json");
  const made = await createLocalDemo(hosted, path, "");
  const { demo } = await furnishWorkflows(hosted, made, { rules: await loadPolicy(), path, tell: () => {} });
  const [suiKey, aptosKey] = demo.workflowKeys;
  const callerSecret = randomBytes(32).toString("base64");
  await hosted.service.restart({
    FLOWS_SECRET: randomBytes(32).toString("base64"),
    FLOWS_CALLER_SECRET: callerSecret,
    FLOWS_SUI_KEY: suiKey?.key ?? "",
    FLOWS_APTOS_KEY: aptosKey?.key ?? "",
  });
  const contracts = await readDemoContracts(hosted.chainUrl);
  // It throws as soon as anything is not as it must be.
  await tellStory({ ...hosted, callerSecret, demo, contracts, advance: null });
});
