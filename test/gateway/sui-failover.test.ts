import { SuiGrpcClient } from "@mysten/sui/grpc";
import { Transaction } from "@mysten/sui/transactions";
import { beforeEach, describe, expect, test } from "vitest";
import { suiNode } from "../../functions/service/gateway/sui-node.ts";
import { createEndpointHealth, type EndpointHealth } from "../../shared/gateway/endpoint-health.ts";
import { forward } from "../../shared/gateway/forward.ts";
import { parseRequestTarget } from "../../shared/gateway/request-target.ts";
import type { Network } from "../../shared/networks.ts";
import { BASE_URL, signAll, startChain, type TestChain } from "../devchain/testing.ts";
import { bodyOf, impatientOnce, PATIENT } from "./hostile.ts";

const SERVICE = "http://service.test";
const EXECUTE = "TransactionExecutionService/ExecuteTransaction";
const GIVES_UP_MS = 500;

let chain: TestChain;
let patience = PATIENT;
beforeEach(async () => {
  patience = PATIENT;
  chain = await startChain();
});

/** The stock client behind the gateway's core, which has two endpoints of one development chain. */
function client(
  format: "binary" | "text",
  memory: EndpointHealth = createEndpointHealth(Date.now),
  network: Network = "SUI_LOCALNET",
) {
  return new SuiGrpcClient({
    network: "localnet",
    baseUrl: `${SERVICE}${suiNode.path}`,
    format,
    fetch: async (input, init) => {
      const request = new Request(input instanceof URL ? input.href : input, init);
      const target = parseRequestTarget(request.url, suiNode.path);
      if (!target.ok) return suiNode.errorResponse(target.error, request);
      const ask = suiNode.classify(target.value, request);
      if (!ask.ok) return suiNode.errorResponse(ask.error, request);
      const outgoing = {
        method: "POST",
        headers: Object.fromEntries(request.headers),
        body: new Uint8Array(await request.clone().arrayBuffer()),
      };
      const order = {
        ask: ask.value,
        network,
        urls: ["a", "b"].map((name) => `${BASE_URL}/sui/${name}`),
        variable: "X",
        outgoing,
      };
      const reach = (url: string | URL | Request, sent?: RequestInit) => chain.chain.fetch(new Request(url, sent));
      const answer = await forward(suiNode, order, { fetch: reach, health: memory, timeouts: patience });
      if (!answer.ok) return suiNode.errorResponse(answer.error, request);
      const { status, headers } = answer.value;
      return new Response(bodyOf(answer.value), { status, headers });
    },
  });
}

function known(): EndpointHealth {
  const memory = createEndpointHealth(Date.now);
  for (const name of ["a", "b"]) memory.noteVerified("SUI_LOCALNET", `${BASE_URL}/sui/${name}`);
  return memory;
}

async function fault(method: string, mode: string, times = 1): Promise<void> {
  if (mode === "hang") patience = impatientOnce(GIVES_UP_MS, PATIENT);
  const answer = await chain.control("POST", "/control/fault", { endpoint: "a", method, mode, times });
  expect(answer.status, await answer.text()).toBe(200);
}

async function callsOf(endpoint: string, method: string): Promise<number> {
  const calls = await (await chain.control("GET", `/control/calls?endpoint=${endpoint}`)).json();
  return Number(Object(calls)[method] ?? 0);
}

async function transfer() {
  const sender = await chain.account(1_000_000_000n);
  const transaction = new Transaction();
  transaction.setSender(sender.toSuiAddress());
  transaction.transferObjects([transaction.splitCoins(transaction.gas, [1_000n])], `0x${"5".repeat(64)}`);
  const bytes = await transaction.build({ client: chain.client });
  return { transaction: bytes, signatures: [...(await signAll(bytes, sender))], digest: await transaction.getDigest() };
}

const BROKEN = ["unavailable", "hang", "http_500", "garbage", "half_body"] as const;

describe.each(["binary", "text"] as const)("in the %s form", (format) => {
  test.each(BROKEN)("a read passes over an endpoint that is broken by %s", async (mode) => {
    await fault("StateService/GetBalance", mode);
    const owner = (await chain.account(5n)).toSuiAddress();
    expect((await client(format, known()).getBalance({ owner })).balance.balance).toBe("5");
  });

  test.each(BROKEN)("an endpoint that does not say its chain, by %s, sees nothing else", async (mode) => {
    await fault("LedgerService/GetServiceInfo", mode);
    await client(format).getBalance({ owner: `0x${"5".repeat(64)}` });
    expect(await callsOf("a", "StateService/GetBalance")).toBe(0);
    expect(await callsOf("b", "StateService/GetBalance")).toBe(1);
  });
});

describe.each(["hang", "http_500", "garbage", "half_body", "drop_after_commit"] as const)(
  "an execution at an endpoint that is broken by %s",
  (mode) => {
    test("goes out once, and the caller learns what is known", async () => {
      await fault(EXECUTE, mode);
      const { digest, ...sent } = await transfer();
      const told = await client("binary", known())
        .executeTransaction(sent)
        .catch((error: unknown) => ({ code: Object(error).code, message: decodeURIComponent(String(error)) }));
      // Of `drop_after_commit` the node itself says that it does not know.
      if (mode === "drop_after_commit") expect(told).toMatchObject({ code: "UNAVAILABLE" });
      else expect(told).toMatchObject({ code: "DEADLINE_EXCEEDED", message: expect.stringContaining(digest) });
      expect(await callsOf("a", EXECUTE)).toBe(1);
      expect(await callsOf("b", EXECUTE)).toBe(0);
    });
  },
);

test("endpoints of another network are told by their chain, and see nothing else", async () => {
  const told = await client("binary", undefined, "SUI_MAINNET")
    .getBalance({ owner: "0x5" })
    .catch((error: unknown) => Object(error).code);
  expect(told).toBe("UNAVAILABLE");
  expect(await callsOf("a", "StateService/GetBalance")).toBe(0);
});

test("what a node does not have any more is its answer: no other one, and no archive, is asked", async () => {
  const digest = "11111111111111111111111111111111";
  await expect(client("binary", known()).getTransaction({ digest })).rejects.toThrow(/not found/i);
  const calls = async (endpoint: string) => (await chain.control("GET", `/control/calls?endpoint=${endpoint}`)).json();
  expect(await calls("a")).toEqual({ "LedgerService/GetTransaction": 1 });
  expect(await calls("b")).toEqual({});
});
