import { request } from "node:http";
import { connect } from "node:net";
import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { transactionHash } from "../../shared/chain/aptos/transaction.ts";
import { admin, harness, setServiceVars } from "../harness/harness.ts";
import { newNodeKey, REST_URL } from "./gateways.ts";
import {
  answers,
  breaksOff,
  breaksOffInChunks,
  type Hostile,
  LEDGER_INFO,
  startHostile,
  TESTNET_HEADERS,
} from "./hostile.ts";

let testnet: Hostile;
let mainnet: Hostile;
let key: string;
beforeAll(async () => {
  [testnet, mainnet] = await Promise.all([startHostile(), startHostile()]);
  await setServiceVars({
    APTOS_TESTNET_NODES: `${testnet.url}/v1`,
    APTOS_MAINNET_NODES: `${mainnet.url}/v1/`,
    NODE_KEYS: `${mainnet.url}=authorization:of-the-provider`,
  });
  key = (await newNodeKey({ network: "APTOS_TESTNET" })).key;
});
afterAll(() => Promise.all([testnet.stop(), mainnet.stop()]));
beforeEach(() => {
  testnet.behave(answers());
  testnet.reached.length = 0;
  mainnet.reached.length = 0;
});

const { hostname, port } = new URL(harness.serviceUrl);

/** Without a client that tidies the path up: only what the line says is sent. */
function rawRequest(line: string, headers: Readonly<Record<string, string>> = {}): Promise<string> {
  return new Promise((resolve, reject) => {
    const socket = connect(Number(port), hostname, () => {
      const all = { host: `${hostname}:${port}`, "x-api-key": key, connection: "close", ...headers };
      const lines = Object.entries(all).map(([name, value]) => `${name}: ${value}\r\n`);
      socket.write(`${line} HTTP/1.1\r\n${lines.join("")}\r\n`);
    });
    let text = "";
    socket.on("data", (chunk) => {
      text += chunk;
    });
    socket.on("end", () => resolve(text));
    socket.on("error", reject);
  });
}

const statusOf = (answer: string) => Number(/^HTTP\/1\.1 ([0-9]{3})/.exec(answer)?.[1]);

test("what reaches the node is the allow list, and no key", async () => {
  const sent = {
    "x-api-key": key,
    authorization: `Bearer ${key}`,
    cookie: "session=1",
    "x-aptos-client": "stock/1",
    "x-forwarded-for": "10.0.0.1",
    "cf-connecting-ip": "10.0.0.1",
    "x-anything": "else",
    accept: "application/x-bcs",
    "content-type": "application/json",
  };
  const body = JSON.stringify({ function: "0x1::a::b", type_arguments: [], arguments: [] });
  await fetch(`${REST_URL}/view?ledger_version=7`, { method: "POST", headers: sent, body });
  const [reached] = testnet.reached;
  expect(reached?.target).toBe("/v1/view?ledger_version=7");
  expect(reached?.body.toString()).toBe(body);
  expect(JSON.stringify(reached)).not.toContain(key);
  // What HTTP itself needs stands beside the list, and the platform's name for the Worker.
  const { host: _, connection: __, "cf-worker": ___, ...headers } = reached?.headers ?? {};
  expect(headers).toEqual({
    accept: "application/x-bcs",
    "content-type": "application/json",
    "content-length": String(body.length),
    "x-aptos-client": "stock/1",
  });
});

test("a provider's own key reaches that provider, and nobody whom it names", async () => {
  const { key: ofMainnet } = await newNodeKey({ network: "APTOS_MAINNET" });
  mainnet.behave(answers({ status: 307, headers: { location: `${testnet.url}/v1` } }));
  const response = await fetch(REST_URL, { headers: { authorization: `Bearer ${ofMainnet}` } });
  expect(response.status).toBe(503);
  expect(mainnet.reached.map(({ headers }) => headers.authorization)).toEqual(["Bearer of-the-provider"]);
  expect(testnet.reached).toEqual([]);
  await fetch(REST_URL, { headers: { "x-api-key": key } });
  expect(testnet.reached.map(({ headers }) => headers.authorization)).toEqual([undefined]);
});

test("what comes back is the allow list, whatever the node sends", async () => {
  const more = {
    "x-aptos-cursor": "c",
    "x-aptos-gas-used": "3",
    "retry-after": "1",
    "access-control-allow-origin": "*",
    "access-control-allow-credentials": "true",
    "set-cookie": "session=1",
    location: "http://evil.test/",
    server: "nginx",
    "x-powered-by": "hope",
    "www-authenticate": "Basic",
  };
  testnet.behave(answers({ headers: { ...TESTNET_HEADERS, ...more } }));
  const response = await fetch(REST_URL, { headers: { "x-api-key": key } });
  expect(await response.text()).toBe(LEDGER_INFO);
  const names = [...response.headers.keys()].filter((name) => !name.startsWith("x-aptos-"));
  expect(names.toSorted()).toEqual(["cache-control", "content-length", "content-type", "retry-after", "x-request-id"]);
  expect(response.headers.get("x-aptos-cursor")).toBe("c");
});

test("the base path works with and without a slash at its end, and what is below it arrives as it was sent", async () => {
  const paths = [
    ["", "/v1"],
    ["/", "/v1/"],
    ["/accounts/0x1/resource/0x1::coin::CoinStore%3C0x1::aptos_coin::AptosCoin%3E", null],
    ["/accounts/0x1/resource/0x1%3a%3acoin::X?ledger_version=%31", null],
    ["/-/healthy?duration_secs=1", null],
  ] as const;
  for (const [path, target] of paths) {
    testnet.reached.length = 0;
    expect(statusOf(await rawRequest(`GET /aptos/node/v1${path}`))).toBe(200);
    expect(testnet.reached[0]?.target).toBe(target ?? `/v1${path}`);
  }
});

test.each([
  "/accounts/../set_failpoint",
  "/accounts/%2e%2e/x",
  "/accounts/.%2E/x",
  "/./x",
  "/a%2fb",
  "/a%2Fb",
  "/a%5cb",
  "/a\\b",
  "/a%00b",
  "/%252e%252e/x",
  "/a%252fb",
  "/a%ff",
  "/a%zz",
  "//accounts",
  "/set_failpoint",
  "/SET_FAILPOINT/",
  "/%73et_failpoint?name=x",
])("the path trick %s reaches no node", async (path) => {
  const answer = await rawRequest(`GET /aptos/node/v1${path}`);
  expect([400, 404]).toContain(statusOf(answer));
  expect(testnet.reached).toEqual([]);
});

test("a path that is too long reaches no node", async () => {
  expect(statusOf(await rawRequest(`GET /aptos/node/v1/${"a".repeat(9_000)}`))).toBe(400);
  expect(testnet.reached).toEqual([]);
});

test("a path that only decodes to the interface is none of it", async () => {
  expect(statusOf(await rawRequest("GET /aptos/n%6fde/v1/accounts/0x1"))).toBe(404);
  expect(testnet.reached).toEqual([]);
});

test("the same URL asks testnet for one key and mainnet for the other", async () => {
  const { key: ofMainnet } = await newNodeKey({ network: "APTOS_MAINNET" });
  const body = JSON.stringify({ chain_id: 1 });
  mainnet.behave(answers({ headers: { ...TESTNET_HEADERS, "x-aptos-chain-id": "1" }, body }));
  const chainOf = async (one: string) =>
    (await fetch(REST_URL, { headers: { authorization: `Bearer ${one}` } })).json();
  expect(await chainOf(key)).toEqual({ chain_id: 2 });
  expect(await chainOf(ofMainnet)).toEqual({ chain_id: 1 });
});

/** What a caller sees of a body: all of it, or that it broke off. */
function received(): Promise<{
  readonly bytes: number;
  readonly complete: boolean;
  readonly length: string | undefined;
}> {
  return new Promise((resolve, reject) => {
    const sent = request(REST_URL, { headers: { "x-api-key": key } }, (response) => {
      let bytes = 0;
      const end = () => resolve({ bytes, complete: response.complete, length: response.headers["content-length"] });
      response.on("data", (chunk: Buffer) => {
        bytes += chunk.length;
      });
      response.on("end", end);
      response.on("error", end);
    });
    sent.on("error", reject);
    sent.end();
  });
}

describe("a long body", () => {
  const body = JSON.stringify("x".repeat(3_000_000));
  test("arrives whole, with its length where the node said it", async () => {
    testnet.behave(answers({ headers: { ...TESTNET_HEADERS, "content-length": String(body.length) }, body }));
    expect(await received()).toEqual({ bytes: body.length, complete: true, length: String(body.length) });
    testnet.behave((_, response) => {
      response.writeHead(200, TESTNET_HEADERS);
      response.write(body.slice(0, 1_000_000));
      response.end(body.slice(1_000_000));
    });
    expect(await received()).toEqual({ bytes: body.length, complete: true, length: undefined });
  });

  test.each([
    ["with a length", breaksOff({ body })],
    ["without one", breaksOffInChunks({ body })],
  ])("that breaks off, %s, reaches the caller as a broken one", async (_, behaviour) => {
    testnet.behave(behaviour);
    const { bytes, complete } = await received();
    expect(complete).toBe(false);
    expect(bytes).toBeLessThan(body.length);
  });
});

test("a lost submission is a 504 in the node's shape, with the hash", async () => {
  await fetch(REST_URL, { headers: { "x-api-key": key } });
  testnet.reached.length = 0;
  testnet.behave((_, response) => void response.destroy());
  const headers = { "x-api-key": key, "content-type": "application/x.aptos.signed_transaction+bcs" };
  const response = await fetch(`${REST_URL}/transactions`, { method: "POST", headers, body: "bytes" });
  expect(response.status).toBe(504);
  expect(await response.json()).toEqual({
    message: expect.stringMatching(/0x[0-9a-f]{64}/),
    error_code: "internal_error",
    vm_error_code: null,
    hash: transactionHash(new TextEncoder().encode("bytes")),
  });
  expect(testnet.reached.length).toBe(1);
});

test("a rate that is reached is a 429 whose Retry-After holds, and a raised one holds at once", async () => {
  const slow = await newNodeKey({ network: "APTOS_TESTNET", limits: { qps: 1, cups: 1 } });
  const call = () => fetch(REST_URL, { headers: { "x-api-key": slow.key } });
  // The bucket fills meanwhile, so that nobody can say which call is the first to be refused.
  let refused = await call();
  for (; refused.status !== 429; refused = await call()) expect(refused.status).toBe(200);
  expect(await refused.json()).toMatchObject({ error_code: "rate_limited", vm_error_code: null });
  const waitSeconds = Number(refused.headers.get("retry-after"));
  expect(Number.isSafeInteger(waitSeconds) && waitSeconds > 0).toBe(true);
  await new Promise((resolve) => setTimeout(resolve, waitSeconds * 1_000));
  expect((await call()).status).toBe(200);
  await admin("PATCH", `/keys/${slow.keyId}`, { limits: { qps: 1_000, cups: 1 } });
  const after = await Promise.all(Array.from({ length: 6 }, call));
  expect(after.map(({ status }) => status)).toContain(200);
});
