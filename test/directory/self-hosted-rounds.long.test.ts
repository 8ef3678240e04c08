import { afterAll, beforeAll, expect, test } from "vitest";
import { createFund, createProject } from "../../shared/cli/client/admin.ts";
import { http } from "../../shared/cli/client/http.ts";
import { type SelfHosted, startSelfHosted } from "../harness/self-hosted.ts";

let hosted: SelfHosted;
beforeAll(async () => {
  hosted = await startSelfHosted();
});
afterAll(() => hosted.stop());

const ready = () => http(`${hosted.serviceUrl}/ready`);

test("a self-hosted service, for which nothing fires crons, notices that no node answers", async () => {
  const projectId = await createProject(hosted, "app");
  await createFund(hosted, projectId, { name: "gas", network: "SUI_LOCALNET", createDepositAddress: false });
  expect(await ready()).toMatchObject({ status: 200 });
  await hosted.chain.kill();
  await hosted.service.restart({ STAGE: "test", CLOCK_OFFSET_MS: "360000" });
  await expect
    .poll(ready, { timeout: 30_000, interval: 1_000 })
    .toMatchObject({ status: 503, body: { causes: [{ cause: "no_node_answers", count: 1 }] } });
});
