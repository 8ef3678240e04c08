import { describe, expect, test } from "vitest";
import type { Chain } from "../../shared/networks.ts";
import { forge, type SecurityKeys } from "./suite.ts";

/** What the suite needs to know of a node interface that is no JSON-RPC: how it is called, and how it says no. */
export interface GatewayContract {
  readonly name: string;
  readonly chain: Chain;
  readonly path: string;
  /** Of a call that a live key may make: what follows the path. */
  readonly call: string;
  /** The HTTP status of it for a caller who is let in. */
  readonly answered: number;
  /** Where the access key may be a segment: the same call with it. */
  readonly callWithKey?: (key: string) => string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
  readonly methods: readonly string[];
  readonly maxBodyBytes: number;
  /** Of an answer to one who speaks the interface: what it says of a refusal. */
  refusalOf(status: number, text: string, headers: Headers): string;
  readonly refusals: Readonly<Record<"key" | "region" | "network" | "right" | "origin" | "path" | "length", string>>;
}

export interface GatewayTarget {
  fetch(path: string, init: RequestInit): Promise<Response>;
  keys(chain: Chain): Promise<SecurityKeys>;
  /** How many calls have reached an upstream. */
  upstreamCalls(): Promise<number>;
}

function gatewaySuite(gateway: GatewayContract, made: () => Promise<GatewayTarget>) {
  let state: { target: GatewayTarget; keys: SecurityKeys; callsBefore: number } | null = null;
  const ready = () => {
    if (state === null) throw new Error("the suite's keys were not made");
    return state;
  };
  const { path, call, refusals } = gateway;
  const init = (headers: Readonly<Record<string, string>>, body = gateway.body) => ({
    method: "POST",
    headers: { ...gateway.headers, ...headers },
    body,
  });

  /** Every answer is checked for what none may have: a CORS header, and the key that was sent. */
  async function refused(url: string, request: RequestInit, expected: string, key = "no key") {
    const response = await ready().target.fetch(url, request);
    const text = await response.text();
    expect([...response.headers.keys()].filter((name) => name.startsWith("access-control-"))).toEqual([]);
    expect(text + JSON.stringify([...response.headers])).not.toContain(key);
    expect(gateway.refusalOf(response.status, text, response.headers)).toBe(expected);
  }

  /** Wherever the key may be. */
  async function refusedWith(key: string, expected: string) {
    await refused(`${path}${call}`, init({ "x-api-key": key }), expected, key);
    await refused(`${path}${call}`, init({ authorization: `Bearer ${key}` }), expected, key);
    if (gateway.callWithKey) await refused(`${path}${gateway.callWithKey(key)}`, init({}), expected, key);
  }

  test("keys are made, and a live one is let in", async () => {
    const target = await made();
    const keys = await target.keys(gateway.chain);
    const answer = await target.fetch(`${path}${call}`, init({ "x-api-key": keys.live }));
    expect(answer.status).toBe(gateway.answered);
    await answer.text();
    const callsBefore = await target.upstreamCalls();
    expect(callsBefore).toBeGreaterThan(0);
    state = { target, keys, callsBefore };
  });

  test("without a key", () => refused(`${path}${call}`, init({}), refusals.key));
  test("with a forged key", () => refusedWith(forge(ready().keys.live), refusals.key));
  test("with a key relabelled to another network", () =>
    refusedWith(ready().keys.live.replace(/_[a-z]+_[a-z]+_/, "_aptos_mainnet_"), refusals.key));
  test("with a disabled key", () => refusedWith(ready().keys.disabled, refusals.key));
  test("with a key of another region", () => refusedWith(ready().keys.live.replace(/^[^_]+/, "eu9"), refusals.region));
  test("with a key of another chain", () => refusedWith(ready().keys.otherChain, refusals.network));
  test("with a key without the node right", () => refusedWith(ready().keys.without("node"), refusals.right));
  test("with two different keys", async () => {
    const { live, disabled } = ready().keys;
    const both = init({ "x-api-key": live, authorization: `Bearer ${disabled}` });
    await refused(`${path}${call}`, both, refusals.key, live);
    if (gateway.callWithKey)
      await refused(`${path}${gateway.callWithKey(disabled)}`, init({ "x-api-key": live }), refusals.key, live);
  });

  test("from a browser, whoever asks and whatever for", async () => {
    const { live } = ready().keys;
    for (const origin of ["https://app.example", "null"]) {
      await refused(`${path}${call}`, init({ "x-api-key": live, origin }), refusals.origin);
      await refused(`${path}${call}`, init({ origin }), refusals.origin);
      await refused(`${path.replace(/v1$/, "v2")}`, init({ origin }), refusals.origin);
    }
    const preflight = { origin: "https://app.example", "access-control-request-method": "POST" };
    const { status } = await ready().target.fetch(`${path}${call}`, { method: "OPTIONS", headers: preflight });
    expect(status).toBe(403);
  });

  test.each(["OPTIONS", "PUT", "PATCH", "DELETE", "HEAD"])("by %s: 405", async (method) => {
    const headers = { "x-api-key": ready().keys.live };
    const response = await ready().target.fetch(`${path}${call}`, { method, headers });
    expect([response.status, response.headers.get("allow")]).toEqual([405, gateway.methods.join(", ")]);
  });

  test("in a body that is too long, with its length and without", async () => {
    const { live } = ready().keys;
    const body = "x".repeat(gateway.maxBodyBytes + 1);
    await refused(`${path}${call}`, init({ "x-api-key": live }, body), refusals.length);
    const stream = new Blob([body]).stream();
    const streamed = { ...init({ "x-api-key": live }), body: stream, duplex: "half" };
    await refused(`${path}${call}`, streamed, refusals.length);
  });

  test("at an unknown version", () =>
    refused(path.replace(/v1$/, "v2") + call, init({ "x-api-key": ready().keys.live }), refusals.path));

  test("nothing that was refused has reached an upstream", async () => {
    expect(await ready().target.upstreamCalls()).toBe(ready().callsBefore);
  });
}

/** What every node interface refuses. Call it at the top level of a test file. */
export function gatewaySecuritySuite(gateways: readonly GatewayContract[], target: () => Promise<GatewayTarget>): void {
  describe.each(gateways.map((gateway) => [gateway.name, gateway] as const))("%s", (_name, gateway) => {
    gatewaySuite(gateway, target);
  });
}
