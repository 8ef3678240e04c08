import { execFile } from "node:child_process";
import { promisify } from "node:util";
import { Aptos, AptosConfig, Network } from "@aptos-labs/ts-sdk";
import { afterAll, beforeAll, expect, test } from "vitest";
import * as z from "zod";
import { APTOS_NETWORK, createKey, createProject } from "../../shared/cli/client/admin.ts";
import { createAptosFund } from "../../shared/cli/client/funds.ts";
import { randomSecrets } from "../../shared/cli/secrets.ts";
import { SEVENTH_WORKFLOW } from "../harness/builds.ts";
import { type SelfHosted, startSelfHosted } from "../harness/self-hosted.ts";
import { blocksOf } from "./seventh-workflow.ts";

const APT_OCTAS = 100_000_000n;
const { FLOWS_CALLER_SECRET = "", FLOWS_SECRET = "" } = randomSecrets();

let hosted: SelfHosted;
beforeAll(async () => {
  hosted = await startSelfHosted({ worker: SEVENTH_WORKFLOW });
  const projectId = await createProject(hosted, "seventh");
  const { fundId } = await createAptosFund(hosted, projectId, "seventh", 10n * APT_OCTAS);
  const rights = ["wallet", "gas", "node"];
  const { key } = await createKey(hosted, projectId, { name: "seventh", network: APTOS_NETWORK, rights, fundId });
  await hosted.service.restart({ FLOWS_CALLER_SECRET, FLOWS_SECRET, FLOWS_APTOS_KEY: key });
});
afterAll(async () => {
  await hosted.stop();
});

const pending = z.object({ hash: z.string() });

async function post(name: string, body: object): Promise<unknown> {
  const response = await fetch(`${hosted.serviceUrl}/flows/${name}`, {
    method: "POST",
    headers: { authorization: `Bearer ${FLOWS_CALLER_SECRET}`, "x-user-id": "user-1", "idempotency-key": "first" },
    body: JSON.stringify(body),
  });
  return response.json();
}

test("a workflow written from functions/README.md alone runs: one file, and one line", async () => {
  expect(await post("create-wallet-on-chain", { chain: "aptos" })).toMatchObject({ chain: "aptos" });
  const [command = ""] = await blocksOf("sh");
  const run = () =>
    promisify(execFile)("bash", ["-c", command.replace(/http:\/\/127\.0\.0\.1:8787/, hosted.serviceUrl)], {
      env: { ...process.env, FLOWS_CALLER_SECRET },
    }).then(({ stdout }): unknown => JSON.parse(stdout));
  const first = await run();
  expect(first).toMatchObject({ hash: expect.any(String), status: "pending" });
  const { hash } = pending.parse(first);
  const aptos = new Aptos(new AptosConfig({ network: Network.LOCAL, fullnode: `${hosted.chainUrl}/aptos/v1` }));
  expect(await aptos.waitForTransaction({ transactionHash: hash })).toMatchObject({ success: true });
  expect(await run()).toMatchObject({ hash });
  expect(await post("mint-badge", { badge: "" })).toMatchObject({ error: { code: "bad_request" } });
});
