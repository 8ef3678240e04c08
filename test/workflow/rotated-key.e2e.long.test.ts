import { toBase64 } from "@mysten/sui/utils";
import { afterEach, beforeAll, expect, test } from "vitest";
import * as z from "zod";
import { policy } from "../../functions/policy.ts";
import { adminCall } from "../../shared/cli/client/admin.ts";
import type { ProjectFund } from "../../shared/cli/client/funds.ts";
import { expectAnswer, http } from "../../shared/cli/client/http.ts";
import { rpcCall } from "../../shared/cli/client/rpc.ts";
import { alignWorkflowKeys } from "../../shared/cli/workflow-keys.ts";
import { keyMoveTargets } from "../../shared/policy/key-policy.ts";
import { allowMoveCalls, allowPlainTransfers } from "../../shared/policy/rules.ts";
import {
  callerSecret,
  flowsSecret,
  gasUrl,
  harness,
  newFund,
  newKey,
  serviceUrl,
  setServiceVars,
} from "../harness/harness.ts";
import { clearFaults, EXECUTE, LOOK_UP, orderFault } from "../support/chain-control.ts";
import { mintKind } from "../support/sui-transactions.ts";

const listedSchema = z.object({
  policy: z.object({ moveTargets: z.object({ allow: z.array(z.string()).nullable() }) }),
});
const RIGHTS = { rights: ["wallet", "gas"] };
let fund: ProjectFund;
/** Of the same project, and so of the same wallets. */
let otherFundId: string;
beforeAll(async () => {
  fund = await newFund();
  const fields = { name: "the next one", network: "SUI_LOCALNET" };
  const made = await adminCall(harness, "POST", `/projects/${fund.projectId}/funds`, fields);
  otherFundId = expectAnswer("a fund", made, z.object({ id: z.string() })).id;
});
afterEach(clearFaults);

async function useKeyOf(fundId: string): Promise<void> {
  const { key } = await newKey({ ...fund, fundId }, RIGHTS);
  const FLOWS_SECRET = flowsSecret.toString("base64");
  await setServiceVars({ FLOWS_CALLER_SECRET: callerSecret, FLOWS_SECRET, FLOWS_SUI_KEY: key });
}

function post(name: string, body: object) {
  return http(`${serviceUrl}/flows/${name}`, {
    method: "POST",
    headers: {
      "content-type": "application/json",
      authorization: `Bearer ${callerSecret}`,
      "x-user-id": "rotated",
      "idempotency-key": JSON.stringify(body).slice(-40),
    },
    body: JSON.stringify(body),
  });
}

test("an attempt whose end is unknown is told it under a new access key, of the same fund and of another one", async () => {
  await useKeyOf(fund.fundId);
  expectAnswer("a wallet", await post("create-wallet-on-chain", { chain: "sui" }), z.unknown());
  const body = { chain: "sui", transactionKind: toBase64(await mintKind("rotated")) };
  await orderFault(EXECUTE, "drop_after_commit", 1_000);
  await orderFault(LOOK_UP, "unavailable", 1_000);
  const lost = await post("sponsor-and-execute", body);
  expect(lost).toMatchObject({ status: 504, body: { error: { code: "outcome_unknown", retryable: true } } });
  const { digest } = z.object({ error: z.object({ digest: z.string() }) }).parse(lost.body).error;

  await useKeyOf(otherFundId);
  await orderFault(LOOK_UP, "unavailable", 1_000);
  const asked = await post("sponsor-and-execute", body);
  expect(asked, "while no node shows it").toMatchObject({ status: 504, body: { error: { digest, retryable: true } } });
  await clearFaults();
  const executed = { status: 200, body: { digest, status: "success" } };
  expect(await post("sponsor-and-execute", body), "another fund").toMatchObject(executed);
  await useKeyOf(fund.fundId);
  expect(await post("sponsor-and-execute", body), "the same fund").toMatchObject(executed);
});

test("a deployment brings the workflows' keys to what the app's policy says, and says so, and a stolen key does no more", async () => {
  const { keyId, key } = await newKey(fund, RIGHTS);
  const vars = { FLOWS_SUI_KEY: key, ADMIN_TOKEN: harness.adminToken };
  const lines: string[] = [];
  const align = (rules: typeof policy, env: Record<string, string> = vars, url: string | null = `${serviceUrl}/`) => {
    lines.length = 0;
    const tell = (line: string) => void lines.push(line);
    return alignWorkflowKeys(env, url, { rules, mayChange: true, adminToken: harness.adminToken, tell, warn: tell });
  };
  const listed = async () => {
    const read = expectAnswer("the key", await adminCall(harness, "GET", `/keys/${keyId}`), listedSchema);
    return read.policy.moveTargets.allow;
  };
  expect(await align(policy)).toBe(true);
  expect(lines).toEqual([expect.stringContaining(`${keyId}) allows from now on what functions/policy.ts allows`)]);
  expect(await listed()).toEqual(keyMoveTargets(policy, "SUI_LOCALNET"));
  await align(policy);
  expect(lines, "and nothing to do").toEqual([expect.stringContaining("allows, as before,")]);

  expect(await align([allowMoveCalls(["SUI_LOCALNET"], ["0x2::coin::zero"])])).toBe(true);
  const refused = await rpcCall(gasUrl, key, "gas_sponsorTransactionBlock", [
    toBase64(await mintKind("x")),
    `0x${"5".repeat(64)}`,
  ]);
  expect(refused).toMatchObject({ body: { error: { data: { reason: "policy_refused", rule: "moveTargets" } } } });

  expect(await align([allowPlainTransfers(["SUI_LOCALNET"])])).toBe(true);
  expect([await listed(), lines[0]]).toEqual([null, expect.stringMatching(/any Move call on SUI_LOCALNET: a rule of/)]);

  expect(await align(policy, vars, null), "where nobody knows whom to ask").toBe(true);
  expect(lines).toEqual([expect.stringMatching(/was not compared .* --url/)]);
  expect(await align(policy, { ...vars, FLOWS_BASE_URL: serviceUrl }, null), "apart from the service").toBe(true);
  expect(await listed()).toEqual(keyMoveTargets(policy, "SUI_LOCALNET"));
  expect(await align(policy, { ...vars, ADMIN_TOKEN: "another" })).toBe(false);
  expect(lines).toEqual([expect.stringMatching(/could not be compared .* answered 401/)]);
  const stranger = { ...vars, FLOWS_SUI_KEY: key.replace(keyId.slice(4), "0".repeat(20)) };
  expect(await align(policy, stranger)).toBe(false);
  expect(lines).toEqual([expect.stringContaining("none of the access keys")]);
});
