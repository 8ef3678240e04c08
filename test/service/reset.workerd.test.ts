import { runInDurableObject } from "cloudflare:test";
import { env } from "cloudflare:workers";
import { Ed25519Keypair } from "@mysten/sui/keypairs/ed25519";
import { fromBase64, toBase64 } from "@mysten/sui/utils";
import { afterEach, describe, expect, test } from "vitest";
import * as z from "zod";
import { createServiceApp } from "../../functions/service/app.ts";
import { createDeps } from "../../shared/bindings/deps.ts";
import { STORAGE_FAILED } from "../../shared/errors.ts";
import { authorization } from "../support/admin-access.ts";
import { callsOf, clearFaults, DRY_RUN, give, orderFault, SUBMIT } from "../support/sui-chain.ts";
import { SUI_MIST } from "../support/sui-fund.ts";
import { mintKind } from "../support/sui-transactions.ts";

const POLL_MS = 20;

const events: string[] = [];
const deps = { ...createDeps(env), log: (event: string) => void events.push(event) };
const app = createServiceApp(deps);
const user = new Ed25519Keypair();

afterEach(async () => {
  events.length = 0;
  await clearFaults();
});

async function send(path: string, headers: Readonly<Record<string, string>>, body: object): Promise<unknown> {
  const init = {
    method: "POST",
    headers: { ...headers, "content-type": "application/json" },
    body: JSON.stringify(body),
  };
  return (await app.request(path, init, env)).json();
}

async function made(path: string, body: object) {
  const created = await send(`/admin/v1${path}`, { authorization }, body);
  return z
    .object({ id: z.string(), depositAddress: z.string().exactOptional(), key: z.string().exactOptional() })
    .parse(created);
}

/** A fund of one coin, and a caller that holds an access key for it. */
async function newCaller() {
  const network = "SUI_LOCALNET";
  const { id: projectId } = await made("/projects", { name: "app" });
  const { id: fundId, depositAddress = "" } = await made(`/projects/${projectId}/funds`, { name: "gas", network });
  await give(depositAddress, SUI_MIST);
  await env.FUND.getByName(fundId).refresh();
  const { key = "" } = await made(`/projects/${projectId}/keys`, { name: "app", network, rights: ["gas"], fundId });
  const call = (method: string, params: readonly unknown[]) =>
    send("/sui/gas/v1", { "x-api-key": key }, { jsonrpc: "2.0", id: 1, method, params });
  return { fundId, call };
}

/** Runs a call of the fund, and once it waits for the node in this method, the fund aborts itself. */
async function resetDuring(method: string, fundId: string, reason: string, call: () => Promise<unknown>) {
  await orderFault(method, "hang");
  const before = await callsOf(method);
  const answer = call();
  while ((await callsOf(method)) === before) await new Promise((resolve) => setTimeout(resolve, POLL_MS));
  await runInDurableObject(env.FUND.getByName(fundId), (_, state) => state.abort(reason)).catch(() => {});
  return answer;
}

function refusal(code: number, reason: string, more: object = {}) {
  const data = { reason, details: expect.any(String), ...more };
  return { jsonrpc: "2.0", error: { code, message: expect.any(String), data }, id: 1 };
}

const storageFailed = `${STORAGE_FAILED}: SQLITE_FULL`;

describe("a fund that aborts itself because a commit failed", () => {
  test("answers that nothing was sent, and the call can be repeated", async () => {
    const { fundId, call } = await newCaller();
    const params = [toBase64(await mintKind()), user.toSuiAddress()];
    const prepare = () => call("gas_prepareTransactionBlock", params);
    expect(await resetDuring(DRY_RUN, fundId, storageFailed, prepare)).toEqual(refusal(-32016, "storage"));
    expect(events).toEqual(["fund.failed", "fault"]);
    await clearFaults();
    expect(await prepare()).toMatchObject({ result: { txDigest: expect.any(String) } });
  });

  test("does not deny an execution that had been submitted: its outcome is unknown, and a repeat shows it", async () => {
    const { fundId, call } = await newCaller();
    const params = [toBase64(await mintKind()), user.toSuiAddress(), "5000000"];
    const prepared = await call("gas_prepareTransactionBlock", params);
    const { txBytes, txDigest } = z
      .object({ result: z.object({ txBytes: z.base64(), txDigest: z.string() }) })
      .parse(prepared).result;
    const { signature } = await user.signTransaction(fromBase64(txBytes));
    const execute = () => call("gas_executeTransactionBlock", [txDigest, signature]);
    expect(await resetDuring(SUBMIT, fundId, storageFailed, execute)).toEqual(
      refusal(-32017, "outcome_unknown", { digest: txDigest }),
    );
    expect(events).toEqual(["fund.failed", "fund.execution_reset"]);
    await clearFaults();
    expect(await execute()).toMatchObject({ result: { digest: txDigest } });
  });
});

test("a fund that was reset for another reason promises nothing", async () => {
  const { fundId, call } = await newCaller();
  const params = [toBase64(await mintKind()), user.toSuiAddress()];
  const answer = await resetDuring(DRY_RUN, fundId, "its memory is full", () =>
    call("gas_prepareTransactionBlock", params),
  );
  expect(answer).toEqual(refusal(-32603, "internal"));
});
