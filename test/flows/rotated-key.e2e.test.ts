import { toBase64 } from "@mysten/sui/utils";
import { afterEach, beforeAll, expect, test } from "vitest";
import * as z from "zod";
import { adminCall, expectAnswer, type FundedFund, http } from "../local/clients.ts";
import { callerSecret, flowsSecret, harness, newFund, newKey, serviceUrl, setServiceVars } from "../local/harness.ts";
import { clearFaults, EXECUTE, LOOK_UP, orderFault } from "../sui-gas/chain-control.ts";
import { mintKind } from "../sui-gas/transactions.ts";

const RIGHTS = { rights: ["wallet", "gas"] };
let fund: FundedFund;
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
  await orderFault(EXECUTE, "drop_after_commit");
  await orderFault(LOOK_UP, "unavailable");
  const lost = await post("sponsor-and-execute", body);
  expect(lost).toMatchObject({ status: 504, body: { error: { code: "outcome_unknown", retryable: true } } });
  const { digest } = z.object({ error: z.object({ digest: z.string() }) }).parse(lost.body).error;

  await useKeyOf(otherFundId);
  await orderFault(LOOK_UP, "unavailable");
  const asked = await post("sponsor-and-execute", body);
  expect(asked, "while no node shows it").toMatchObject({ status: 504, body: { error: { digest, retryable: true } } });
  await clearFaults();
  const executed = { status: 200, body: { digest, status: "success" } };
  expect(await post("sponsor-and-execute", body), "another fund").toMatchObject(executed);
  await useKeyOf(fund.fundId);
  expect(await post("sponsor-and-execute", body), "the same fund").toMatchObject(executed);
});
