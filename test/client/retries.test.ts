import { describe, expect, test } from "vitest";
import * as z from "zod";
import { apiContracts } from "../../shared/api/apis.ts";
import { aptosGas } from "../../shared/api/aptos-gas.ts";
import { aptosKey, aptosWallet } from "../../shared/api/aptos-wallet.ts";
import type { ApiContract } from "../../shared/api/contract.ts";
import { suiGas } from "../../shared/api/sui-gas.ts";
import { SUI_WALLET_V2_PATH, suiWalletContracts } from "../../shared/api/sui-wallet-aliases.ts";
import {
  createAptosGasClient,
  createAptosWalletClient,
  createDeployedSuiWalletClient,
  createSuiGasClient,
  createSuiWalletClient,
  createSuiWalletV2Client,
  type RpcClientOptions,
  tokenInMemory,
  withToken,
} from "../../shared/client/index.ts";
import type { Reply } from "../../shared/client/rpc-client.ts";
import { waitBefore } from "../../shared/client/rpc-client.ts";
import { decodeParams } from "../../shared/rpc/params.ts";

const baseUrl = "https://service.test";
const accessKey = "us1_sui_localnet_key";
const kind = { transactionBytes: Uint8Array.of(0), sender: "0x5", gasBudget: undefined, gasPrice: undefined };

const refusal = (code: number, data: object = {}) =>
  Response.json({ jsonrpc: "2.0", id: 1, error: { code, message: "no", data } });
const fund = () =>
  Response.json({
    jsonrpc: "2.0",
    id: 1,
    result: { network: "SUI_LOCALNET", name: "fund", balance: 1, inFlight: 0, depositAddress: null },
  });

/** A client whose service gives these answers, the last of them for ever, and how often it was called. */
function scripted(...answers: readonly (() => Response)[]) {
  const calls: string[] = [];
  const fetch = async (_url: unknown, init?: RequestInit): Promise<Response> => {
    calls.push(z.object({ method: z.string() }).parse(JSON.parse(String(init?.body))).method);
    const answer = answers[Math.min(calls.length, answers.length) - 1];
    if (answer === undefined) throw new Error("no answer");
    return answer();
  };
  return { calls, client: createSuiGasClient({ baseUrl, accessKey, fetch, random: () => 0 }) };
}

const down = () => {
  throw new Error("connection reset");
};

const PAST = "Wed, 21 Oct 2015 07:28:00 GMT";

describe("a call is made again", () => {
  test.each([
    ["rate limited", () => refusal(-32010, { retryAfterMs: 5 })],
    ["temporarily unavailable", () => refusal(-32016)],
    ["HTTP 429 of a proxy", () => new Response("slow down", { status: 429, headers: { "retry-after": "0" } })],
    ["HTTP 429 that names a date", () => new Response("", { status: 429, headers: { "retry-after": PAST } })],
    ["an HTML page with HTTP 502", () => new Response("<html>", { status: 502 })],
    ["an HTML page with HTTP 503", () => new Response("<html>", { status: 503, headers: { "retry-after": "0" } })],
    ["an empty HTTP 504", () => new Response(null, { status: 504 })],
    ["a broken connection", down],
  ])("after %s", async (_, failure) => {
    const { client, calls } = scripted(failure, fund);
    expect((await client.getFund({})).ok).toBe(true);
    expect(calls).toEqual(["gas_getFund", "gas_getFund"]);
  });

  test("twice at most, and then its answer is the last one", async () => {
    const { client, calls } = scripted(() => refusal(-32010, { reason: "rate_limited" }));
    expect(await client.getFund({})).toMatchObject({ ok: false, error: { code: -32010 } });
    expect(calls).toHaveLength(3);
  });

  test("with an effect only under an Idempotency-Key", async () => {
    const { client, calls } = scripted(down);
    await client.sponsorTransactionBlock(kind);
    expect(calls).toHaveLength(1);
    await client.sponsorTransactionBlock(kind, { idempotencyKey: "attempt" });
    expect(calls).toHaveLength(4);
  });

  test("and a refusal does not hide that an earlier try may have had its effect", async () => {
    const options = { idempotencyKey: "attempt" };
    const lost = { ok: false, error: { kind: "unreachable" } };
    for (const refused of [
      () => refusal(-32010, { reason: "rate_limited", retryAfterMs: 60_000 }),
      () => refusal(-32016, { reason: "overloaded" }),
      () => refusal(-32602, { details: "Bad session token" }),
      () => refusal(-32001, { reason: "bad_key" }),
      () => new Response("slow down", { status: 429 }),
      () => new Response("not JSON"),
    ]) {
      const { client } = scripted(down, refused);
      expect(await client.sponsorTransactionBlock(kind, options)).toMatchObject(lost);
    }
    const known = scripted(down, () => refusal(-32017, { reason: "outcome_unknown", digest: "digest" }));
    expect(await known.client.sponsorTransactionBlock(kind, options)).toMatchObject({
      error: { reason: "outcome_unknown", data: { digest: "digest" } },
    });
    const reading = scripted(down, () => refusal(-32001, { reason: "bad_key" }));
    expect(await reading.client.getFund({}), "without an effect").toMatchObject({ error: { reason: "bad_key" } });
  });

  test("not after an answer that another one would not change, nor after a wait that is too long", async () => {
    for (const failure of [
      () => refusal(-32602),
      () => refusal(-32603),
      () => refusal(-32017),
      () => refusal(-32010, { retryAfterMs: 60_000 }),
      () => new Response("not JSON"),
    ]) {
      const { client, calls } = scripted(failure);
      expect((await client.getFund({})).ok).toBe(false);
      expect(calls).toHaveLength(1);
    }
  });
});

test("a wait that a proxy names by a date is kept to, or told where it is too long", async () => {
  const later = new Date(Date.now() + 3_600_000).toUTCString();
  for (const status of [429, 503]) {
    const { client, calls } = scripted(() => new Response("", { status, headers: { "retry-after": later } }));
    expect((await client.getFund({})).ok).toBe(false);
    expect(calls).toHaveLength(1);
  }
});

test("a page in the place of an answer leaves it open whether an effect happened", async () => {
  const { client, calls } = scripted(() => new Response("<html>", { status: 502 }));
  expect(await client.sponsorTransactionBlock(kind)).toEqual({
    ok: false,
    error: { kind: "unreachable", details: "HTTP 502" },
  });
  expect(calls).toHaveLength(1);
});

test("params that are missing altogether are refused, and nothing rejects", async () => {
  const { client, calls } = scripted(fund);
  const { getFund, sponsorTransactionBlock } = client as unknown as Record<string, () => Promise<unknown>>;
  expect(await sponsorTransactionBlock?.()).toMatchObject({ ok: false, error: { reason: "bad_params" } });
  expect(await getFund?.()).toMatchObject({ ok: true });
  expect(calls).toEqual(["gas_getFund"]);
});

test("waits grow, differ at random, and are never shorter than the service asks for", () => {
  const unreachable = { kind: "unreachable", details: "" } as const;
  expect([0, 1, 2].map((repeated) => waitBefore(unreachable, repeated, 0))).toEqual([100, 200, 400]);
  expect([0, 1, 2].map((repeated) => waitBefore(unreachable, repeated, 1))).toEqual([200, 400, 800]);
  const limited = { kind: "refused", code: -32010, reason: null, details: "", data: { retryAfterMs: 900 } } as const;
  expect(waitBefore(limited, 0, 0)).toBe(900);
  expect(waitBefore(limited, 0, 1)).toBeGreaterThan(900);
});

test("every method of every interface has its place in a client", async () => {
  const sent: string[] = [];
  const options: RpcClientOptions = {
    baseUrl,
    accessKey,
    fetch: async (url, init) => {
      const { method } = z.object({ method: z.string() }).parse(JSON.parse(String(init?.body)));
      sent.push(`${new URL(String(url)).pathname} ${method}`);
      return refusal(-32602);
    },
  };
  const named = z.record(z.string(), z.unknown());
  const clients: readonly (readonly [Readonly<Record<string, unknown>>, readonly ApiContract[]])[] = [
    [createSuiGasClient(options), [suiGas]],
    [createSuiWalletClient(options), suiWalletContracts],
    [createDeployedSuiWalletClient(options), suiWalletContracts],
    [createSuiWalletV2Client(options), suiWalletContracts.filter(({ path }) => path === SUI_WALLET_V2_PATH)],
    [createAptosWalletClient(options), [aptosKey, aptosWallet]],
    [createAptosGasClient(options), [aptosGas]],
  ];
  for (const [client, contracts] of clients) {
    for (const [name, method] of Object.entries(client)) {
      const contract = contracts.flatMap(({ methods }) => methods).find((one) => one.name.endsWith(`_${name}`));
      if (contract === undefined || typeof method !== "function") throw new Error(`${name} is no method`);
      const decoded = decodeParams(contract, contract.example.params);
      if (!decoded.ok) throw new Error(decoded.error.details);
      await method(named.parse(decoded.value));
    }
  }
  // An alias: the sessions of `/wallet/v1`.
  const offered = apiContracts
    .filter(({ path }) => path !== "/key/v1")
    .flatMap(({ path, methods }) => methods.map(({ name }) => `${path} ${name}`));
  expect(sent.sort()).toEqual([...offered].sort());
});

describe("a session", () => {
  const bad: Reply<string> = {
    ok: false,
    error: { kind: "refused", code: -32602, reason: "bad_session_token", details: "Bad session token", data: {} },
  };

  test("is made once, kept, and made again where its token is not taken any more", async () => {
    let sessions = 0;
    const create = async (): Promise<Reply<string>> => {
      sessions += 1;
      return { ok: true, value: `token ${sessions}` };
    };
    let taken = "token 1";
    const use = async (token: string): Promise<Reply<string>> => (token === taken ? { ok: true, value: token } : bad);
    const tokens = tokenInMemory();
    expect(await withToken(tokens, create, use)).toEqual({ ok: true, value: "token 1" });
    expect(await withToken(tokens, create, use)).toEqual({ ok: true, value: "token 1" });
    taken = "token 2";
    expect(await withToken(tokens, create, use)).toEqual({ ok: true, value: "token 2" });
    expect(sessions).toBe(2);
    taken = "none";
    expect(await withToken(tokens, create, use)).toEqual(bad);
    expect(sessions).toBe(3);
  });

  test("is not kept for as long as the service keeps it", async () => {
    let nowMs = 0;
    const tokens = tokenInMemory(() => nowMs);
    await tokens.put("token");
    nowMs = 539_999;
    expect(await tokens.get()).toBe("token");
    nowMs = 540_000;
    expect(await tokens.get()).toBe(null);
  });
});
