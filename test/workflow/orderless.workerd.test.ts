import { createExecutionContext, waitOnExecutionContext } from "cloudflare:test";
import { env } from "cloudflare:workers";
import { Hono } from "hono";
import { expect, test, vi } from "vitest";
import * as z from "zod";
import { createServiceApp } from "../../functions/service/app.ts";
import { createWorkflowsApp } from "../../functions/workflows.ts";
import { createDeps } from "../../shared/bindings/deps.ts";
import { READ_TIMEOUT_MS } from "../../shared/chain/failover.ts";
import { type AppEnv, requestLog } from "../../shared/http/app.ts";
import { allowMoveCalls, allowWallets } from "../../shared/policy/rules.ts";
import { sleep } from "../../shared/timing.ts";
import { refusedByValidation } from "../byzantine-node/altered-aptos-node.ts";
import { APTOS_DEMO_MODULE } from "../devchain/demo.ts";
import { FLOWS_SECRET } from "../support/app-secret.ts";
import { APT_OCTAS, committedAs, giveOctas, sequenceOnChain } from "../support/aptos-chain.ts";
import { aptosStatesOf, expectExactAptosBooks } from "../support/aptos-fund.ts";
import { longTest, rounds, variants } from "../support/rounds.ts";
import { admin, newProject } from "../support/wallets.ts";

const CALLER_SECRET = "0123456789012345678901234";
const NETWORK = "APTOS_LOCALNET";
const ATTEMPTS = rounds(50);

/** The workflows of an app whose Aptos key has this policy, and its fund. */
async function newApp(policy: object) {
  const projectId = await newProject();
  const made = await admin("POST", `/projects/${projectId}/funds`, { name: "app", network: NETWORK });
  const { id, depositAddress: address } = z.object({ id: z.string(), depositAddress: z.string() }).parse(made);
  await giveOctas(address, 20n * APT_OCTAS);
  await env.FUND.getByName(id).refresh();
  const fields = {
    name: "app",
    network: NETWORK,
    rights: ["wallet", "gas", "node"],
    limits: { qps: 1_000, cups: 1_000 },
  };
  const created = await admin("POST", `/projects/${projectId}/keys`, { ...fields, fundId: id, policy });
  const { key } = z.object({ key: z.string() }).parse(created);
  const deps = createDeps({
    ...env,
    FLOWS_CALLER_SECRET: CALLER_SECRET,
    FLOWS_SECRET,
    FLOWS_APTOS_KEY: key,
  });
  if (deps.config.flows === null) throw new Error("the workflows are not configured");
  const rootApp = new Hono<AppEnv>();
  rootApp.use(requestLog(deps));
  rootApp.route("/", createServiceApp(deps));
  const rules = [allowMoveCalls([NETWORK], [`${APTOS_DEMO_MODULE}::*`]), allowWallets()];
  const terms = { policy: rules, callsPerSecondPerUser: 1_000 };
  rootApp.route("/", createWorkflowsApp(deps, deps.config.flows, rootApp, terms));
  async function post(user: string, name: string, body: object, key = "once") {
    const context = createExecutionContext();
    const headers = {
      "content-type": "application/json",
      authorization: `Bearer ${CALLER_SECRET}`,
      "x-user-id": user,
      "idempotency-key": key,
    };
    const init = { method: "POST", headers, body: JSON.stringify(body) };
    const response = await rootApp.request(`/flows/${name}`, init, env, context);
    await waitOnExecutionContext(context);
    return { status: response.status, body: answerSchema.parse(await response.json()) };
  }
  /** A user whose wallet is on chain. Returns its address. */
  async function newUser(user: string): Promise<string> {
    const made = await post(user, "create-wallet-on-chain", { chain: "aptos" });
    const { address } = made.body;
    if (address === undefined) throw new Error(JSON.stringify(made));
    while ((await sequenceOnChain(address)) === 0n) await sleep(50);
    return address;
  }
  const increment = {
    chain: "aptos",
    payload: { function: `${APTOS_DEMO_MODULE}::increment`, max_gas_amount: "6000" },
  };
  return {
    fund: { id, address },
    post,
    newUser,
    /**
     * Repeats a call that waited for a node in vain, as its error says: a test machine may pause for longer than that.
     * A node that is unavailable at once is an answer.
     */
    async execute(user: string, key: string) {
      for (;;) {
        const beganMs = performance.now();
        const answer = await post(user, "sponsor-and-execute", increment, key);
        const hasWaited = performance.now() - beganMs >= READ_TIMEOUT_MS;
        if (answer.body.error?.code !== "node_unavailable" || !hasWaited) return answer;
      }
    },
  };
}

const answerSchema = z.object({
  address: z.string().optional(),
  hash: z.string().optional(),
  pendingTransaction: z.looseObject({ replay_protection_nonce: z.string().nullable() }).optional(),
  error: z.looseObject({ code: z.string(), hash: z.string().optional() }).optional(),
});

async function committed(hash: string) {
  for (;;) {
    const found = await committedAs(hash);
    if (found !== null) return found;
    await sleep(50);
  }
}

/** Each sponsorship of the fund ends as executed, and its books are the chain's. */
async function untilComplete(fund: { readonly id: string; readonly address: string }, count: number): Promise<void> {
  const isDone = async () => {
    await env.FUND.getByName(fund.id).reconcile();
    return (await aptosStatesOf(fund)).every((state) => state === "complete");
  };
  while (!(await isDone())) await sleep(100);
  expect(await aptosStatesOf(fund)).toHaveLength(count);
  await expectExactAptosBooks(fund);
}

const keys = Array.from({ length: ATTEMPTS }, (_, index) => `attempt ${index}`);

test("attempts of one user at once are as many orderless transactions, if the key allows them", async () => {
  const { fund, newUser, execute } = await newApp({ orderless: true, maxInFlightCount: null });
  const address = await newUser("ada");
  const before = await sequenceOnChain(address);
  const answers = await Promise.all(keys.map((key) => execute("ada", key)));
  expect(new Set(answers.map(({ status, body }) => `${status} ${body.error?.code ?? ""}`))).toEqual(new Set(["200 "]));
  const nonces = answers.map(({ body }) => body.pendingTransaction?.replay_protection_nonce ?? null);
  expect(nonces).not.toContain(null);
  const hashes = new Set(answers.flatMap(({ body }) => body.hash ?? []));
  expect(hashes.size).toBe(ATTEMPTS);
  for (const hash of hashes) expect(await committed(hash)).toMatchObject({ success: true });
  expect(await sequenceOnChain(address), "no sequence number is used").toBe(before);
  const again = await Promise.all(keys.map((key) => execute("ada", key)));
  expect(new Set(again.flatMap(({ body }) => body.hash ?? [])), "a repeat is the same transaction").toEqual(hashes);
  await untilComplete(fund, ATTEMPTS + 1);
});

/** The node refuses each submission, until `vi.restoreAllMocks`. It goes on to simulate and to read. */
function refuseSubmissions(): void {
  const honest = globalThis.fetch;
  vi.spyOn(globalThis, "fetch").mockImplementation(async (input, init) => {
    const url = input instanceof Request ? input.url : String(input);
    const refused = url.endsWith("/transactions") ? refusedByValidation("MEMPOOL_IS_FULL", 4_000).instead?.() : null;
    return refused ?? honest(input, init);
  });
}

test.each(
  variants(
    [
      ["orderless ones", { orderless: true }],
      ["ones with a sequence number", {}],
    ],
    1,
  ),
)("after a node's refusal a repeat is the same transaction, and no second nonce: %s", async (_, policy) => {
  const { newUser, execute } = await newApp(policy);
  await newUser("eve");
  refuseSubmissions();
  const refused = await execute("eve", "order");
  expect(refused).toMatchObject({ status: 422, body: { error: { code: "transaction_failed", retryable: true } } });
  const hash = refused.body.error?.hash ?? "";
  // The node that has refused it may have passed it on.
  expect(await execute("eve", "order")).toMatchObject({
    status: 504,
    body: { error: { code: "outcome_unknown", retryable: true, hash } },
  });
  vi.restoreAllMocks();
  expect(await execute("eve", "order")).toMatchObject({ status: 200, body: { hash } });
  expect(await committed(hash)).toMatchObject({ success: true });
});

longTest(
  "attempts of one user at once come in order or conflict, if the key does not allow orderless ones",
  async () => {
    const { fund, newUser, execute } = await newApp({ maxInFlightCount: null });
    const address = await newUser("bob");
    const before = await sequenceOnChain(address);
    const answers = await Promise.all(keys.map((key) => execute("bob", key)));
    const codes = new Set(answers.map(({ body }) => body.error?.code ?? "executed"));
    expect(
      [...codes].every((code) => code === "executed" || code === "sequence_conflict"),
      [...codes].join(),
    ).toBe(true);
    for (const { body } of answers) expect(body.pendingTransaction?.replay_protection_nonce ?? null).toBe(null);
    const hashes = answers.flatMap(({ body }) => body.hash ?? []);
    expect(hashes.length).toBeGreaterThan(0);
    expect(new Set(hashes).size, "each attempt has its own transaction").toBe(hashes.length);
    for (const hash of hashes) expect(await committed(hash)).toMatchObject({ success: true });
    expect((await sequenceOnChain(address)) - before, "each is executed once, and nothing else").toBe(
      BigInt(hashes.length),
    );
    await untilComplete(fund, hashes.length + 1);
  },
);
