import { env } from "cloudflare:workers";
import { createHash } from "node:crypto";
import { toBase64 } from "@mysten/sui/utils";
import { Hono } from "hono";
import { afterEach, beforeEach, describe, expect, test, vi } from "vitest";
import { createWorkflowsApp } from "../../functions/workflows.ts";
import { createDeps } from "../../shared/bindings/deps.ts";
import { wrapKind } from "../../shared/chain/sui/transaction.ts";
import { allowMoveCalls, perUserCap } from "../../shared/policy/rules.ts";
import type { AppPolicy } from "../../shared/workflow/handler.ts";
import { DEMO_PACKAGE } from "../devchain/demo.ts";
import { lengthPrefixed } from "../support/length-prefixed.ts";
import { mintKind } from "../support/sui-transactions.ts";

const variables = {
  FLOWS_CALLER_SECRET: "0123456789012345678901234",
  FLOWS_SUI_KEY: "us1_sui_localnet_key",
  FLOWS_BASE_URL: "https://service.test",
};

const transactionKind = await mintKind();
const gas = { owner: "0x6", payment: [], priceMist: 1_000n, budgetMist: 1_000_000n };
const txBytes = wrapKind(transactionKind, "0x5", gas, { kind: "epoch", epoch: 1n });

const bodies = {
  sponsor: { transactionKind: toBase64(transactionKind), sender: "0x5" },
  "execute-sponsored": { txBytes: toBase64(txBytes), signature: "AAAA" },
};
type FlowName = keyof typeof bodies;
const names: readonly FlowName[] = ["sponsor", "execute-sponsored"];

/** What a workflow answers when the service answers its call with this error, and which key it sent on. */
async function run(name: FlowName, user: string, key: string | null, error: object = { code: -32603 }) {
  const sent: (string | null)[] = [];
  const base = createDeps(variables);
  const deps = {
    ...base,
    fetch: async (_url: unknown, init?: RequestInit) => {
      sent.push(new Headers(init?.headers).get("idempotency-key"));
      return Response.json({ jsonrpc: "2.0", id: 1, error: { message: "no", ...error } });
    },
  };
  const headers = {
    "content-type": "application/json",
    authorization: `Bearer ${variables.FLOWS_CALLER_SECRET}`,
    "x-user-id": user,
    ...(key === null ? {} : { "idempotency-key": key }),
  };
  const flows = base.config.flows;
  if (flows === null) throw new Error("the workflows are not configured");
  const app = createWorkflowsApp(deps, flows, new Hono());
  const init = { method: "POST", headers, body: JSON.stringify(bodies[name]) };
  const response = await app.request(`/flows/${name}`, init, env);
  const body: unknown = await response.json();
  return { status: response.status, body, sent };
}

async function sentKey(name: FlowName, user: string, key: string | null): Promise<string | null> {
  const { sent } = await run(name, user, key);
  expect(sent).toHaveLength(1);
  return sent[0] ?? null;
}

describe("the key that a workflow sends on", () => {
  test("is a hash over the user's wallet id, workflow and the caller's key", async () => {
    for (const name of names) {
      const wallet = createHash("sha256")
        .update(Buffer.concat(["gasworks:flows:caller-secret", "ada"].map(lengthPrefixed)))
        .digest("base64url");
      const named = Buffer.concat([wallet, name, "attempt 1"].map(lengthPrefixed));
      expect(await sentKey(name, "ada", "attempt 1")).toBe(createHash("sha256").update(named).digest("base64url"));
    }
  });

  test("differs between users, workflows and keys, however these are cut", async () => {
    const keys = await Promise.all([
      sentKey("sponsor", "ada", "1"),
      sentKey("sponsor", "bob", "1"),
      sentKey("sponsor", "ada", "2"),
      sentKey("sponsor", "ad", "a1"),
      sentKey("sponsor", "adasponsor", "1"),
      sentKey("execute-sponsored", "ada", "1"),
    ]);
    expect(new Set(keys).size).toBe(keys.length);
  });

  test("is none where the caller sent none and needs none", async () => {
    expect(await sentKey("sponsor", "ada", null)).toBe(null);
  });
});

describe.each(names)("what the service refuses, %s answers", (name) => {
  test.each([
    ["idempotency_conflict", -32018, 409, "idempotency_conflict", false],
    ["policy_refused", -32602, 403, "policy_refused", false],
    ["account_not_found", -32014, 422, "transaction_failed", true],
    ["storage", -32016, 503, "node_unavailable", true],
    ["overloaded", -32016, 503, "node_unavailable", true],
  ])("%s", async (reason, code, status, flowCode, retryable) => {
    const { body, ...answer } = await run(name, "ada", reason, { code, data: { reason, details: "because" } });
    expect(answer.status).toBe(status);
    expect(body).toEqual({ error: { code: flowCode, message: "because", retryable } });
  });
});

test("an unknown outcome may be asked for again under the same key, and names what was sent", async () => {
  const digest = "7".repeat(43);
  const data = { reason: "outcome_unknown", details: "because", digest };
  const { status, body } = await run("execute-sponsored", "ada", "unknown", { code: -32017, data });
  expect(status).toBe(504);
  expect(body).toEqual({ error: { code: "outcome_unknown", message: "because", retryable: true, digest } });
});

describe("a service that gives no reasons", () => {
  test.each([
    ["a rate limit", -32010, "rate_limited", true],
    ["the month's wallets", -32012, "quota_reached", false],
  ])("is understood about %s by the code", async (_, code, flowCode, retryable) => {
    for (const name of names) {
      const { status, body } = await run(name, "ada", flowCode, { code, message: "no" });
      expect({ status, body }).toEqual({ status: 429, body: { error: { code: flowCode, message: "no", retryable } } });
    }
  });
});

describe("beyond what the policy gives one user", () => {
  // No test runs into the next second or day by itself.
  beforeEach(() => {
    vi.useFakeTimers({ toFake: ["Date"] });
  });
  afterEach(() => {
    vi.useRealTimers();
  });

  const allowed = allowMoveCalls(["SUI_LOCALNET"], [`${DEMO_PACKAGE}::*`]);

  function newApp(terms: AppPolicy) {
    const base = createDeps(variables);
    const { flows } = base.config;
    if (flows === null) throw new Error("the workflows are not configured");
    const broken = async () => Response.json({ jsonrpc: "2.0", id: 1, error: { code: -32603, message: "no" } });
    return createWorkflowsApp({ ...base, fetch: broken }, flows, new Hono(), terms);
  }

  async function execute(app: ReturnType<typeof newApp>, user: string, budgetMist: bigint, key: string) {
    const bytes = wrapKind(transactionKind, "0x5", { ...gas, budgetMist }, { kind: "epoch", epoch: 1n });
    const response = await app.request(
      "/flows/execute-sponsored",
      {
        method: "POST",
        headers: {
          authorization: `Bearer ${variables.FLOWS_CALLER_SECRET}`,
          "x-user-id": user,
          "idempotency-key": key,
        },
        body: JSON.stringify({ txBytes: toBase64(bytes), signature: "AAAA" }),
      },
      env,
    );
    const body: unknown = await response.json();
    return { status: response.status, body, retryAfter: response.headers.get("retry-after") };
  }

  test.each([
    ["transactions", { transactionsPerDay: 2 }, /2 transactions a day/],
    ["gas", { gasPerDayAtoms: 2_000_001n }, /0.002000001 SUI of gas a day/],
  ])("in %s a day, an execution is 429, and says when to come back", async (what, cap, words) => {
    const app = newApp({ policy: [allowed, perUserCap("sui", cap)], callsPerSecondPerUser: 100 });
    // The service's fault leaves it open whether these were executed: they count.
    expect((await execute(app, what, 1_000_000n, "1")).status).toBe(504);
    expect((await execute(app, what, 1_000_001n, "2")).status).toBe(504);
    const refused = await execute(app, what, 1_000_002n, "3");
    expect(refused).toMatchObject({
      status: 429,
      body: { error: { code: "user_cap_reached", message: expect.stringMatching(words), retryable: false } },
      retryAfter: expect.stringMatching(/^[1-9][0-9]{0,4}$/),
    });
    expect((await execute(app, what, 1_000_000n, "1")).status, "a repeat counts once").toBe(504);
    expect((await execute(app, `not-${what}`, 1_000_000n, "1")).status, "another user").toBe(504);
  });

  test("in calls a second, every workflow is 429, and says when to come back", async () => {
    const app = newApp({ policy: [allowed], callsPerSecondPerUser: 1 });
    const calls = await Promise.all(Array.from({ length: 6 }, (_, call) => execute(app, "eager", 1n, `${call}`)));
    const refused = calls.filter(({ status }) => status === 429);
    expect(refused).toHaveLength(1);
    expect(refused[0]).toMatchObject({ body: { error: { code: "rate_limited" } }, retryAfter: "1" });
  });
});
