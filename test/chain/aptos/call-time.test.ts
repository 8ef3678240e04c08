import { afterEach, beforeEach, describe, expect, test, vi } from "vitest";
import { createDeps } from "../../../shared/bindings/deps.ts";
import { createAptosNode } from "../../../shared/chain/aptos/rest/node.ts";
import { CALL_TIME_MS, Deadline } from "../../../shared/deadline.ts";
import { buildTransaction } from "../../../shared/workflow/aptos.ts";
import { aptosPayload } from "../../../shared/workflow/aptos-payload.ts";
import { simulateSigned } from "../../../shared/workflow/aptos-simulate.ts";

/** Three endpoints that hang, as a call sees them whose time is bound. */

const NETWORK = "APTOS_LOCALNET";
const URLS = ["http://a.test/v1", "http://b.test/v1", "http://c.test/v1"];
const SENDER = `0x${"5".repeat(64)}`;
const LEDGER = {
  "x-aptos-chain-id": "4",
  "x-aptos-ledger-version": "7",
  "x-aptos-ledger-timestampusec": "7000000",
  "x-aptos-epoch": "1",
  "x-aptos-block-height": "7",
  "x-aptos-ledger-oldest-version": "0",
};

let asked: string[];
beforeEach(() => {
  asked = [];
  vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout", "performance"] });
  vi.stubGlobal("fetch", hang);
});
afterEach(() => {
  vi.unstubAllGlobals();
  vi.useRealTimers();
});

const hang: typeof fetch = (input, init) => {
  asked.push(String(input));
  const { promise, reject } = Promise.withResolvers<Response>();
  init?.signal?.addEventListener("abort", () => reject(init.signal?.reason));
  return promise;
};

/** How long work takes that ends with the timers of this test. */
async function durationOf(work: Promise<unknown>): Promise<number> {
  const beganAtMs = performance.now();
  let endedAtMs: number | null = null;
  const end = work.then(() => {
    endedAtMs = performance.now();
  });
  while (endedAtMs === null) await vi.advanceTimersByTimeAsync(100);
  await end;
  return endedAtMs - beganAtMs;
}

describe("a call's questions end with its time, all of them together", () => {
  test("one after the other: what has no time left asks nobody", async () => {
    const node = createAptosNode({ network: NETWORK, urls: URLS, fetch: hang }).within(new Deadline());
    expect(await durationOf(node.account(SENDER))).toBe(CALL_TIME_MS);
    expect(asked).toHaveLength(URLS.length);
    expect(await node.estimateGasPrice()).toMatchObject({ ok: false, error: { reason: "node_unavailable" } });
    expect(await node.submit(new Uint8Array(1), "0x1")).toMatchObject({ kind: "unknown" });
    expect(asked).toHaveLength(URLS.length);
  });

  test("a question that asks an endpoint twice", async () => {
    const node = createAptosNode({
      network: NETWORK,
      urls: URLS.slice(0, 1),
      fetch: async (input, init) =>
        String(input).includes("/transactions") ? Response.json([], { headers: LEDGER }) : hang(input, init),
    });
    expect(await durationOf(node.within(new Deadline(3_000)).transactionAtSequence(SENDER, 0n))).toBe(3_000);
    expect(asked).toHaveLength(1);
  });

  test("of a workflow: what it builds, and what a user has signed", async () => {
    const secret = `1:${btoa("x".repeat(32))}`;
    const secrets = { MASTER_KEYS: secret, KEY_PEPPERS: secret, ADMIN_TOKEN: "a".repeat(24) };
    const depsOf = () => createDeps({ ...secrets, STAGE: "test", APTOS_LOCALNET_NODES: URLS.join(" ") });
    const payload = aptosPayload.parse({ function: "0x1::coin::transfer" });
    const context = {
      policy: [],
      user: { issuer: "https://issuer.test", subject: "user", claims: {} },
      deps: depsOf(),
    };
    const building = buildTransaction(payload, { action: "sponsor", network: NETWORK, sender: SENDER }, context);
    expect(await durationOf(building)).toBe(CALL_TIME_MS);
    expect(await building).toMatchObject({ ok: false, error: { code: "node_unavailable" } });
    expect(await durationOf(simulateSigned(new Uint8Array(1), NETWORK, depsOf()))).toBe(CALL_TIME_MS);
  });
});
