import { toBase64 } from "@mysten/sui/utils";
import { afterEach, expect, test } from "vitest";
import { chainUrl, setServiceVars } from "../../harness/harness.ts";
import { clearFaults, EXECUTE, LOOK_UP, orderFault, SIMULATE } from "../../support/chain-control.ts";
import { expectReconciled } from "../../support/operator.ts";
import { BUDGET, fundWithKey, getFund, newUser, prepare, refused, signatureOf, status } from "../../support/sui-gas.ts";
import { mintKind, transferKind } from "../../support/sui-transactions.ts";

const EXECUTE_METHOD = "gas_executeTransactionBlock";
const PROMISED_MS = 25_000;
const MINUTE_MS = 60_000;
const ENDPOINTS = ["a", "b", "c"] as const;

afterEach(clearFaults);

async function timed<T>(work: () => Promise<T>): Promise<{ readonly value: T; readonly tookMs: number }> {
  const startedAtMs = performance.now();
  const value = await work();
  return { value, tookMs: performance.now() - startedAtMs };
}

test("three nodes hang: every call ends within 25 s, and says whether something was sent", async () => {
  const fund = await fundWithKey(2);
  const user = newUser();
  const sender = user.toSuiAddress();
  const kind = await mintKind();
  const prepared = await prepare(fund.key, kind, sender, BUDGET);
  const signature = await signatureOf(user, prepared);
  await setServiceVars({ SUI_LOCALNET_NODES: ENDPOINTS.map((endpoint) => `${chainUrl}/sui/${endpoint}`).join(" ") });
  try {
    // Facts of the chain are cached by each instance: this one has just started.
    await prepare(fund.key, kind, sender, BUDGET);
    for (const endpoint of ENDPOINTS)
      for (const method of [EXECUTE, SIMULATE, LOOK_UP]) await orderFault(method, "hang", 1_000, 0, endpoint);
    const [executed, asked, simulated] = await Promise.all([
      timed(() => refused(fund.key, EXECUTE_METHOD, [prepared.txDigest, signature])),
      timed(() => status(fund.key, prepared.txDigest)),
      timed(() => refused(fund.key, "gas_sponsorTransactionBlock", [toBase64(kind), sender])),
    ]);
    expect(executed.value).toMatchObject({
      code: -32017,
      data: { reason: "outcome_unknown", digest: prepared.txDigest },
    });
    expect(asked.value).toBe("IN_FLIGHT");
    expect(simulated.value).toMatchObject({ code: -32016, data: { reason: "node_unavailable" } });
    for (const { tookMs } of [executed, asked, simulated]) expect(tookMs).toBeLessThan(PROMISED_MS);
  } finally {
    await clearFaults();
    await setServiceVars({ SUI_LOCALNET_NODES: `${chainUrl}/sui` });
  }
});

test("an object that does not exist, executed: an answer within 25 s, and the coin is free within a minute", async () => {
  const fund = await fundWithKey(4);
  const user = newUser();
  const unknown = { objectId: `0x${"ab".repeat(32)}`, version: "7", digest: "11111111111111111111111111111111" };
  const kind = await transferKind(unknown, user.toSuiAddress());
  const prepared = await prepare(fund.key, kind, user.toSuiAddress(), BUDGET);
  const signature = await signatureOf(user, prepared);
  const startedAtMs = performance.now();
  const { value, tookMs } = await timed(() => refused(fund.key, EXECUTE_METHOD, [prepared.txDigest, signature]));
  expect(value).toMatchObject({ code: -32017, data: { reason: "outcome_unknown", digest: prepared.txDigest } });
  expect(tookMs).toBeLessThan(PROMISED_MS);
  const timeout = MINUTE_MS - (performance.now() - startedAtMs);
  await expect.poll(async () => (await getFund(fund.key)).inFlight, { timeout, interval: 500 }).toBe(0n);
  expect(await status(fund.key, prepared.txDigest)).toBe("INVALID");
  await expectReconciled(fund);
});
