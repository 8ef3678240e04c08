import { env } from "cloudflare:workers";
import { fromBase64, toBase64 } from "@mysten/sui/utils";
import { Hono } from "hono";
import { exportJWK, generateKeyPair, SignJWT } from "jose";
import { describe, expect } from "vitest";
import * as z from "zod";
import { createWorkflowsApp } from "../../functions/workflows.ts";
import { executeExample } from "../../shared/api/sui-gas-examples.ts";
import { createDeps } from "../../shared/bindings/deps.ts";
import type { Env } from "../../shared/bindings/env.ts";
import { transactionDigest, wrapKind } from "../../shared/chain/sui/transaction.ts";
import type { AppEnv } from "../../shared/http/app.ts";
import type { Rule } from "../../shared/policy/rule.ts";
import { allowMoveCalls, perUserCap } from "../../shared/policy/rules.ts";
import { DEMO_PACKAGE } from "../devchain/demo.ts";
import { FLOWS_SECRET } from "../support/app-secret.ts";
import { longTest, shortCases, shortTest } from "../support/rounds.ts";
import { nextEpoch } from "../support/sui-chain.ts";
import { mintKind } from "../support/sui-transactions.ts";

const variables = {
  FLOWS_CALLER_SECRET: "0123456789012345678901234",
  FLOWS_SECRET,
  FLOWS_SUI_KEY: "us1_sui_localnet_key",
  FLOWS_APTOS_KEY: "us1_aptos_localnet_key",
  FLOWS_BASE_URL: "https://service.test",
};

const called = z.object({ method: z.string(), params: z.array(z.unknown()) });
const missing = { error: { code: -32601, message: "Method not found" } };

type Answer = object | "none";

/** The workflows before a service that answers each method like this, call by call, or not at all. */
function newApp(
  answers: Readonly<Record<string, readonly Answer[]>>,
  more: Readonly<Record<string, string>> = {},
  rules: readonly Rule[] = [],
) {
  const base = createDeps({ ...variables, ...more });
  const { flows } = base.config;
  if (flows === null) throw new Error("the workflows are not configured");
  const methods: string[] = [];
  const sent: (readonly unknown[])[] = [];
  const logged: string[] = [];
  const fetch = async (_url: unknown, init?: RequestInit) => {
    const { method, params } = called.parse(JSON.parse(String(init?.body)));
    const answer = answers[method]?.[methods.filter((one) => one === method).length] ?? missing;
    methods.push(method);
    sent.push(params);
    if (answer === "none") throw new Error("connection reset");
    return Response.json({ jsonrpc: "2.0", id: 1, ...answer });
  };
  const allowed = allowMoveCalls(["SUI_LOCALNET"], [`${DEMO_PACKAGE}::*`]);
  const terms = { policy: [allowed, ...rules], callsPerSecondPerUser: 100 };
  const log = (event: string) => void logged.push(event);
  return { app: createWorkflowsApp({ ...base, fetch, log }, flows, new Hono(), terms), methods, sent, logged };
}

async function post(
  app: ReturnType<typeof newApp>["app"],
  name: string,
  body: BodyInit,
  {
    bindings = env,
    headers = {},
  }: { readonly bindings?: Env; readonly headers?: Readonly<Record<string, string>> } = {},
) {
  const caller = { authorization: `Bearer ${variables.FLOWS_CALLER_SECRET}`, "x-user-id": "ada" };
  const response = await app.request(
    `/flows/${name}`,
    { method: "POST", headers: { ...caller, "idempotency-key": crypto.randomUUID(), ...headers }, body },
    bindings,
  );
  const answer: unknown = await response.json();
  return { status: response.status, body: answer };
}

const refusal = (status: number, code: string, message: RegExp) => ({
  status,
  body: { error: { code, message: expect.stringMatching(message) } },
});

const SENDER = `0x${"5".repeat(64)}`;
const FUND = `0x${"6".repeat(64)}`;
const transactionKind = await mintKind();

function heldFor(owner: string, budgetMist = 1_000_000n, epoch = 1n) {
  const coin = { objectId: `0x${"7".repeat(64)}`, version: 1n, digest: "11111111111111111111111111111111" };
  const gas = { owner, payment: [coin], priceMist: 1_000n, budgetMist };
  const txBytes = wrapKind(transactionKind, SENDER, gas, { kind: "epoch", epoch });
  return { txBytes: toBase64(txBytes), txDigest: transactionDigest(txBytes), expireAtTime: 2_000_000_000 };
}

const sponsoredBody = z.object({ sponsorship: z.string() });
const sponsorBody = JSON.stringify({ transactionKind: toBase64(transactionKind), sender: SENDER });
const executeBody = JSON.stringify({ txBytes: heldFor(FUND).txBytes, signature: "AAAA" });

shortTest(
  "a user has gas held for so many transactions at once, whatever came of the others, and another user as many",
  async () => {
    const noCoin = { error: { code: -1, message: "No gas object available", data: { reason: "no_gas_object" } } };
    const results = [1_000_000n, 2_000_000n, 3_000_000n, 4_000_000n].map((mist) => ({ result: heldFor(FUND, mist) }));
    const answers = {
      gas_prepareTransactionBlock: [noCoin, ...results],
      gas_executeTransactionBlock: [{ result: executeExample.result }],
    };
    const { app, methods } = newApp(answers, {}, [perUserCap("sui", { heldAtOnce: 2 })]);
    const statuses = [];
    for (let call = 0; call < 4; call += 1) statuses.push((await post(app, "sponsor", sponsorBody)).status);
    expect(statuses).toEqual([503, 200, 200, 429]);
    expect(methods, "and the service is not asked beyond it").toHaveLength(3);
    expect(await post(app, "sponsor", sponsorBody)).toMatchObject(
      refusal(429, "user_cap_reached", /^this user has reached 2 /),
    );
    expect(await post(app, "sponsor", sponsorBody, { headers: { "x-user-id": "bob" } })).toMatchObject({ status: 200 });
    await post(app, "execute-sponsored", executeBody);
    expect(await post(app, "sponsor", sponsorBody), "once one is executed").toMatchObject({ status: 200 });
  },
);

longTest("without a budget, the service may hold what is left of the user's share, and no more", async () => {
  const tooMuch = { error: { code: -32602, message: "no", data: { reason: "gas_budget_out_of_range" } } };
  const answers = {
    gas_prepareTransactionBlock: [
      { result: heldFor(FUND, 60_000_000n) },
      tooMuch,
      { result: heldFor(FUND, 40_000_000n) },
    ],
  };
  const { app, sent } = newApp(answers, {}, [perUserCap("sui", { heldGasAtoms: 100_000_000n })]);
  const headers = { "x-user-id": "erin" };
  expect((await post(app, "sponsor", sponsorBody, { headers })).status).toBe(200);
  expect(await post(app, "sponsor", sponsorBody, { headers }), "more than is left").toMatchObject(
    refusal(429, "user_cap_reached", /^this user has reached 0.1 SUI of gas for transactions that wait/),
  );
  expect((await post(app, "sponsor", sponsorBody, { headers })).status).toBe(200);
  expect((await post(app, "sponsor", sponsorBody, { headers })).status, "nothing is left").toBe(429);
  expect(sent.map((params) => params[4])).toEqual(["100000000", "40000000", "40000000"]);
});

longTest(
  "the policy is told what a simulation says that anybody but the fund gains or loses, and of none where there is none",
  async () => {
    const change = (address: string, amount: string) => ({ address, coinType: "0x2::sui::SUI", amount });
    const balanceChanges = [change(FUND, "-1000"), change(SENDER, "-7")];
    const told = { ...heldFor(FUND), simulation: { gasUsed: "1000", balanceChanges } };
    const asked: unknown[] = [];
    const rule: Rule = {
      name: "losesNothing",
      mayAllow: null,
      judge: (request) => {
        if (request.action === "create_wallet") return { verdict: "pass" };
        asked.push(request.simulation);
        const loses = request.simulation?.balanceChanges?.some(
          ({ address, amount }) => address === SENDER && amount < 0n,
        );
        return loses === true ? { verdict: "refuse", why: "the sender loses coins" } : { verdict: "pass" };
      },
    };
    const { app, sent } = newApp({ gas_prepareTransactionBlock: [{ result: told }, { result: heldFor(FUND) }] }, {}, [
      rule,
    ]);
    expect(await post(app, "sponsor", sponsorBody)).toMatchObject(
      refusal(403, "policy_refused", /losesNothing: the sender loses/),
    );
    expect(await post(app, "sponsor", sponsorBody)).toMatchObject({ status: 200 });
    const simulation = { gasUsedAtoms: 1_000n, balanceChanges: [{ ...change(SENDER, ""), amount: -7n }] };
    expect(asked).toEqual([undefined, simulation, undefined, undefined]);
    expect(sent.map((params) => params[5])).toEqual([true, true]);
  },
);

longTest("what is held keeps its place, and a refused repeat does not free it", async () => {
  const conflict = { error: { code: -32018, message: "conflict", data: { reason: "idempotency_conflict" } } };
  const answers = { gas_prepareTransactionBlock: [{ result: heldFor(FUND) }, conflict] };
  const { app } = newApp(answers, {}, [perUserCap("sui", { heldAtOnce: 1 })]);
  const headers = { "x-user-id": "carol", "idempotency-key": "click" };
  expect((await post(app, "sponsor", sponsorBody, { headers })).status).toBe(200);
  expect((await post(app, "sponsor", sponsorBody, { headers })).status).toBe(409);
  const another = { headers: { "x-user-id": "carol" } };
  expect(await post(app, "sponsor", sponsorBody, another)).toMatchObject(
    refusal(429, "user_cap_reached", /reached 1 /),
  );
});

longTest("what may be held after an answer was lost keeps its place, too", async () => {
  const conflict = { error: { code: -32018, message: "conflict", data: { reason: "idempotency_conflict" } } };
  const answers: Record<string, readonly Answer[]> = {
    gas_prepareTransactionBlock: ["none", "none", "none", conflict],
  };
  const { app } = newApp(answers, {}, [perUserCap("sui", { heldAtOnce: 1 })]);
  const headers = { "x-user-id": "dave", "idempotency-key": "click" };
  expect((await post(app, "sponsor", sponsorBody, { headers })).status).toBe(503);
  expect((await post(app, "sponsor", sponsorBody, { headers })).status).toBe(409);
  const another = { headers: { "x-user-id": "dave" } };
  expect(await post(app, "sponsor", sponsorBody, another)).toMatchObject(
    refusal(429, "user_cap_reached", /reached 1 /),
  );
});

describe("of a service that is not ours", () => {
  shortTest("a transaction that its sender would pay for is not handed on to be signed", async () => {
    const byFund = newApp({ gas_prepareTransactionBlock: [{ result: heldFor(FUND) }] });
    expect(await post(byFund.app, "sponsor", sponsorBody)).toMatchObject({ status: 200 });
    const bySender = newApp({ gas_prepareTransactionBlock: [{ result: heldFor(SENDER) }] });
    expect(await post(bySender.app, "sponsor", sponsorBody)).toMatchObject(
      refusal(503, "node_unavailable", /another transaction/),
    );
  });

  longTest("which executes nothing, no signature is asked for where nobody else could submit it", async () => {
    const result = { ...heldFor(FUND), signature: "AAAA" };
    const withoutNodes = newApp({ gas_sponsorTransactionBlock: [{ result }] });
    expect(await post(withoutNodes.app, "sponsor", sponsorBody)).toMatchObject(
      refusal(503, "not_configured", /^SUI_LOCALNET_NODES is not set/),
    );
    expect(withoutNodes.methods).toEqual(["gas_prepareTransactionBlock"]);
    const withNodes = newApp(
      { gas_sponsorTransactionBlock: [{ result }] },
      { SUI_LOCALNET_NODES: "https://node.test" },
    );
    expect(await post(withNodes.app, "sponsor", sponsorBody)).toMatchObject({ status: 200 });
  });

  longTest("which executes nothing, an execution without its sponsorship is told what is missing", async () => {
    expect(await post(newApp({}).app, "execute-sponsored", executeBody)).toMatchObject(
      refusal(400, "bad_request", /^sponsorship: /),
    );
  });
});

describe("a signature that another node may execute yet is never told as refused", () => {
  const refused = { error: { code: -32002, message: "refused", data: { reason: "node_refused", details: "no room" } } };
  const gas = { owner: FUND, payment: [], priceMist: 0n, budgetMist: 0n };
  const window = {
    kind: "window",
    from: 1n,
    to: 1n,
    chainIdentifier: "11111111111111111111111111111111",
    nonce: 0,
  } as const;
  const free = toBase64(wrapKind(transactionKind, SENDER, gas, window));

  shortTest("by an older service, if no coin pays", async () => {
    const { app } = newApp({ gas_executeTransactionBlock: [refused, refused] });
    expect(await post(app, "execute-sponsored", executeBody)).toMatchObject(refusal(422, "transaction_failed", /room/));
    expect(await post(app, "execute-sponsored", JSON.stringify({ txBytes: free, signature: "AAAA" }))).toMatchObject(
      refusal(504, "outcome_unknown", /no room.*may still execute/),
    );
  });

  shortCases.each([
    [
      "before its last epoch is over, of a service that has given it out",
      1_000_000n,
      refusal(504, "outcome_unknown", /may still execute/),
    ],
    ["and is afterwards", 0n, refusal(422, "transaction_failed", /INVALID_ARGUMENT/)],
  ])("%s", async (_, lastEpoch, answer) => {
    const result = { ...heldFor(FUND, 1_000_000n, lastEpoch), signature: "AAAA" };
    const { app } = newApp(
      { gas_sponsorTransactionBlock: [{ result }] },
      { SUI_LOCALNET_NODES: "http://chain.test/sui" },
    );
    const { sponsorship } = sponsoredBody.parse((await post(app, "sponsor", sponsorBody)).body);
    const body = JSON.stringify({ txBytes: result.txBytes, signature: "AAAA", sponsorship });
    if (lastEpoch === 0n) await nextEpoch();
    expect(await post(app, "execute-sponsored", body)).toMatchObject(answer);
  });
});

longTest("an execution that was without an answer is unknown, although its repeat was only turned away", async () => {
  const limited = { error: { code: -32010, message: "Too many requests", data: { retryAfterMs: 60_000 } } };
  const { app } = newApp({ gas_executeTransactionBlock: ["none", limited] });
  expect(await post(app, "execute-sponsored", executeBody)).toMatchObject(refusal(504, "outcome_unknown", /look/));
});

longTest("what was executed is answered although the books of the user fail afterwards, which is logged", async () => {
  const bindings: Env = env;
  const failing: Env = {
    ...bindings,
    WORKFLOW_USER: {
      getByName(name) {
        const endCall = () => Promise.reject(new Error("the object was reset"));
        return new Proxy(bindings.WORKFLOW_USER.getByName(name), {
          get: (stub, method) => (method === "endCall" ? endCall : Reflect.get(stub, method)),
        });
      },
    },
  };
  const { app, logged } = newApp({ gas_executeTransactionBlock: [{ result: executeExample.result }] });
  const answer = await post(app, "execute-sponsored", executeBody, { bindings: failing });
  const digest = transactionDigest(fromBase64(heldFor(FUND).txBytes));
  expect(answer).toMatchObject({ status: 200, body: { digest } });
  expect(logged).toEqual(["flow.leave_failed"]);
});

longTest("a page of the app hears of a fault, too", async () => {
  const { privateKey, publicKey } = await generateKeyPair("ES256", { extractable: true });
  const origin = "https://app.example.com";
  const base = createDeps({
    ...variables,
    JWT_ISSUER: "issuer",
    JWT_AUDIENCE: "app",
    JWT_JWKS_URL: "https://login.example.com/jwks",
    FLOWS_ORIGINS: origin,
  });
  const { flows } = base.config;
  if (flows === null) throw new Error("the workflows are not configured");
  const keys = [await exportJWK(publicKey)];
  const terms = { policy: [], callsPerSecondPerUser: 1 };
  const whole = new Hono<AppEnv>();
  whole.route("/", createWorkflowsApp({ ...base, fetch: async () => Response.json({ keys }) }, flows, whole, terms));
  whole.onError(() => new Response("fault", { status: 500 }));
  const token = await new SignJWT({ iss: "issuer", aud: "app", sub: "ada" })
    .setProtectedHeader({ alg: "ES256" })
    .setExpirationTime("5m")
    .sign(privateKey);
  const down = { getByName: () => new Proxy({}, { get: () => () => Promise.reject(new Error("reset")) }) };
  const headers = { origin, authorization: `Bearer ${token}` };
  const response = await whole.request("/flows/wallet?chain=sui", { headers }, { ...env, WORKFLOW_USER: down });
  expect(response.status).toBe(500);
  expect(response.headers.get("access-control-allow-origin")).toBe(origin);
  expect(response.headers.get("vary")).toBe("Origin");
});

describe("a body that cannot be read is refused by what is wrong with it", () => {
  const deep = (open: string, close: string) => `${open.repeat(30_000)}1${close.repeat(30_000)}`;
  const call = (argument: string) =>
    `{"chain":"aptos","payload":{"function":"0x1::a::b","arguments":["ok",${argument}]}}`;

  longTest.each<[string, BodyInit, RegExp]>([
    ["no JSON", "{", /body must be valid JSON/],
    ["nothing", "", /body must be valid JSON/],
    ["not UTF-8", Uint8Array.of(0x22, 0xff, 0x22), /body must be UTF-8/],
    ["too long", "a".repeat(262_145), /body must have at most 262144 bytes/],
    ["arrays in arrays", call(deep("[", "]")), /nested deeper than 8[\s\S]*payload\.arguments\[1\]/],
    ["objects in objects", call(deep('{"a":', "}")), /nested deeper than 8[\s\S]*payload\.arguments\[1\]/],
  ])("%s", async (_, body, words) => {
    expect(await post(newApp({}).app, "sponsor-and-execute", body)).toMatchObject(refusal(400, "bad_request", words));
  });

  longTest("an execution without an Idempotency-Key, by what it is for", async () => {
    const { app } = newApp({});
    const response = await app.request(
      "/flows/execute-sponsored",
      {
        method: "POST",
        headers: { authorization: `Bearer ${variables.FLOWS_CALLER_SECRET}`, "x-user-id": "ada" },
        body: executeBody,
      },
      env,
    );
    expect(response.status).toBe(400);
    expect(await response.json()).toMatchObject({
      error: { message: expect.stringMatching(/^send an Idempotency-Key/) },
    });
  });
});
