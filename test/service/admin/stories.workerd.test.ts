import { exports } from "cloudflare:workers";
import { beforeEach, describe, expect, test } from "vitest";
import * as z from "zod";
import { explainedAnswerSchema } from "../../../functions/service/admin/cli/commands/explained-answer.ts";
import { hashKeySecret, parseAccessKey } from "../../../shared/access/key-format.ts";
import { explainInWords } from "../../../shared/fund/explain/words/explain.ts";
import { newRequestId } from "../../../shared/http/request-id.ts";
import { defaultKeyPolicy } from "../../../shared/policy/fund-policy-defaults.ts";
import { alterReplies } from "../../byzantine-node/altered-sui-node.ts";
import { DEMO_PACKAGE } from "../../devchain/demo.ts";
import { failing } from "../../support/failing-executions.ts";
import { sponsorshipOf } from "../../support/fund-books.ts";
import { longTest, shortTest } from "../../support/rounds.ts";
import { call, explain, type ListedFund, newListedFund } from "../../support/stories.ts";
import { nodeDown, SUBMIT } from "../../support/sui-chain.ts";
import {
  bindings,
  execute,
  executeOnChain,
  liveFor,
  MINUTE_MS,
  newFundOfCoins,
  pass,
  prepare,
  sponsor,
  sponsorInput,
  stateOf,
  stub,
  until,
  user,
  useStoppedClock,
  withOurTime,
} from "../../support/sui-fund.ts";
import { badToken, newFundKey, newProject, SECRET, call as walletCall } from "../../support/wallets.ts";

const KEY_POLICY = defaultKeyPolicy("sui");

let requests = 0;
let requestId = "";

useStoppedClock();
beforeEach(() => {
  requests += 1;
  requestId = `request-${requests}`;
});

describe("by its digest, a transaction that did not work is explained in one call", () => {
  shortTest("it aborted with a named constant", async () => {
    const fund = await newListedFund();
    const sponsored = await sponsor(fund, "aborts", { keyId: fund.keyId });
    const location = { package: DEMO_PACKAGE, module: "demo", functionName: "mint" };
    const abort = {
      abortCode: 7n,
      location,
      cleverError: { constantName: "ESoldOut", value: { oneofKind: undefined } },
    };
    alterReplies(withOurTime, failing({ kind: 13, command: 0n, errorDetails: { oneofKind: "abort", abort } }));
    await executeOnChain(sponsored);
    const told = await explain(`/${sponsored.digest}`);
    expect(told.cause).toMatch(
      /^It was executed and aborted in 0x[0-9a-f]{64}::demo::mint with code 7 \(ESoldOut\) \(checkpoint \d+\)\. The gas is charged\.$/,
    );
    expect(told.stories[0]).toMatchObject({
      fundId: fund.id,
      chain: { endpoint: expect.any(String), execution: { abort: { constant: "ESoldOut", code: "7", command: 0 } } },
    });
  });

  longTest("it aborted, and no node shows it any more: the fund has kept what its node showed", async () => {
    const fund = await newListedFund();
    const requestId = newRequestId(Date.now());
    const sponsored = await sponsor(fund, "pruned", { keyId: fund.keyId, requestId });
    const location = { package: DEMO_PACKAGE, module: "demo", functionName: "mint" };
    const abort = {
      abortCode: 7n,
      location,
      cleverError: { constantName: "ESoldOut", value: { oneofKind: undefined } },
    };
    alterReplies(withOurTime, failing({ kind: 13, command: 0n, errorDetails: { oneofKind: "abort", abort } }));
    await executeOnChain(sponsored);
    await until(async () => {
      await stub(fund).status(sponsored.digest);
      return (await stateOf(fund, sponsored.digest)) === "complete";
    });
    await nodeDown();
    const cause =
      /^It was executed and aborted in 0x[0-9a-f]{64}::demo::mint with code 7 \(ESoldOut\) \(checkpoint \d+\)\. The gas is charged\.$/;
    const told = await explain(`/${sponsored.digest}`);
    expect(told.cause).toMatch(cause);
    expect(told.stories[0]).toMatchObject({
      chain: { endpoint: null, execution: null },
      ledger: [{ kind: "reserve" }, { kind: "charge" }],
      sponsorships: [
        {
          outcome: "aborted",
          requestId,
          targets: [expect.stringMatching(/^0x[0-9a-f]{64}::demo::\w+$/)],
          commands: expect.arrayContaining(["MoveCall"]),
          endpoint: "chain.test",
          ledgerPlace: expect.stringMatching(/^\d+$/),
          executedAt: expect.any(String),
          abort: { code: "7", constant: "ESoldOut", function: "mint", command: 0 },
        },
      ],
    });
    const answered = explainedAnswerSchema.parse(await call("GET", `/transactions/${sponsored.digest}`));
    const [explanation] = explainInWords(answered).explanations;
    expect(explanation).toMatchObject({ status: "Aborted on chain", subject: { requestId } });
    expect(explanation?.steps.find(({ title }) => title === "Aborted on chain")?.text).toMatch(
      /::demo::mint aborted with ESoldOut \(code 7\), at checkpoint \d+\. Seen at chain\.test\.$/,
    );
    expect((await explain(`?requestId=${requestId}`)).cause).toMatch(cause);
    expect(await explain(`?requestId=${newRequestId(Date.now())}`)).toMatchObject({ stories: [] });
  });

  shortTest("its gas budget was too low", async () => {
    const fund = await newListedFund();
    const sponsored = await sponsor(fund, "expensive", { keyId: fund.keyId });
    alterReplies(withOurTime, failing({ kind: 1, errorDetails: { oneofKind: undefined } }));
    await executeOnChain(sponsored);
    expect((await explain(`/${sponsored.digest}`)).cause).toMatch(
      /^It was executed and failed: its gas budget was too low \(checkpoint \d+\)\. The gas is charged\.$/,
    );
  });

  shortTest("its sender never signed it", async () => {
    const fund = await newListedFund();
    const prepared = await prepare(fund, "never signed", { keyId: fund.keyId });
    await liveFor(fund, 11 * MINUTE_MS);
    const told = await explain(`/${prepared.digest}`);
    expect(told.cause).toBe(
      `It was prepared, but nobody executed it before ${new Date(prepared.expiresAtMs).toISOString()}. The fund never signed it. Nothing is charged.`,
    );
    expect(told.stories[0]?.ledger.map(({ kind }) => kind)).toEqual(["reserve", "release"]);
    pass(2 * MINUTE_MS);
    await call("POST", `/keys/${fund.keyId}/revoke`, { outstanding: true });
    expect((await explain(`/${prepared.digest}`)).cause).toBe(told.cause);
  });

  longTest("an operator revoked its key", async () => {
    const fund = await newListedFund(3);
    const sponsored = await sponsor(fund, "revoked", { keyId: fund.keyId });
    await call("POST", `/keys/${fund.keyId}/revoke`, { outstanding: true });
    const { maintenanceAtoms } = await sponsorshipOf(fund, sponsored);
    expect(maintenanceAtoms).toBeGreaterThan(0n);
    expect((await explain(`/${sponsored.digest}`)).cause).toBe(
      `An operator revoked ${fund.keyId} at ${new Date().toISOString()}, so it can never execute. Its gas is not charged. To take its coin back has cost its key ${maintenanceAtoms} MIST.`,
    );
  });

  longTest("an operator disabled its key, and that ended nothing", async () => {
    const fund = await newListedFund(3);
    const sponsored = await sponsor(fund, "disabled", { keyId: fund.keyId });
    await call("POST", `/keys/${fund.keyId}/revoke`, { outstanding: false });
    await liveFor(fund, 71 * MINUTE_MS);
    const told = await explain(`/${sponsored.digest}`);
    expect(told.cause).toMatch(/^It was signed at .+ To take its coin back has cost its key \d+ MIST\.$/);
    expect(told.stories[0]).toMatchObject({ revocations: [] });
  });

  longTest("it was executed elsewhere: no fund of the service knows it, and the chain does", async () => {
    await newListedFund(0);
    const elsewhere = await sponsor(await newFundOfCoins(1), "elsewhere");
    await executeOnChain(elsewhere);
    const told = await explain(`/${elsewhere.digest}`);
    expect(told.isOnlyOnChain).toBe(true);
    expect(told.cause).toMatch(
      /^No fund of this service has paid for it\. The chain shows it: It was executed with success \(checkpoint \d+\)\.$/,
    );
  });

  shortTest("nothing is wrong with it: it was executed", async () => {
    const fund = await newListedFund();
    const prepared = await prepare(fund, "good", { keyId: fund.keyId });
    expect((await execute(fund, prepared)).ok).toBe(true);
    const told = await explain(`/${prepared.digest}`);
    expect(told.cause).toMatch(/^It was executed with success \(checkpoint \d+\)\.$/);
    expect(told.stories[0]?.ledger.map(({ kind }) => kind)).toEqual(["reserve", "charge"]);
  });
});

describe("by its request id, a refused call is explained in one call", () => {
  type Terms = NonNullable<Parameters<typeof sponsorInput>[1]>;

  async function refused(fund: ListedFund, terms: Terms = {}): Promise<string> {
    const outcome = await stub(fund).sponsor(await sponsorInput("refused", { keyId: fund.keyId, requestId, ...terms }));
    expect(outcome.ok).toBe(false);
    const told = await explain(`?requestId=${requestId}`);
    expect(told.stories).toMatchObject([{ fundId: fund.id }]);
    return told.cause;
  }

  shortTest("a rule of the fund's policy", async () => {
    const fund = await newListedFund(1, { moveTargets: { deny: [`${DEMO_PACKAGE}::demo::*`] } });
    expect(await refused(fund)).toMatch(/^The fund's policy refused it by its rule moveTargets: .+\.$/);
  });

  shortTest("the key's cap", async () => {
    const fund = await newListedFund();
    expect(await refused(fund, { keyPolicy: { ...KEY_POLICY, maxInFlightAmountAtoms: 1n } })).toMatch(
      /^The access key's policy refused it by the cap of the open amount \(maxInFlightAmount\): .+\.$/,
    );
  });

  shortTest("the sender's cap", async () => {
    const fund = await newListedFund();
    expect(await refused(fund, { keyPolicy: { ...KEY_POLICY, maxSpendPerSenderPerDayAtoms: 1n } })).toMatch(
      /^The access key's policy refused it by the sender's cap of the day \(maxSpendPerSenderPerDay\): .+\.$/,
    );
  });

  shortTest("the fund is empty", async () => {
    expect(await refused(await newListedFund(0))).toBe(
      "The fund had too little money: the fund has 0 MIST available, the gas budget is 5000000 MIST: deposit, or lower gasBudget.",
    );
  });

  shortTest("the fund is paused", async () => {
    const fund = await newListedFund();
    await call("PATCH", `/funds/${fund.id}`, { paused: true });
    expect(await refused(fund)).toMatch(/^The fund was paused: the fund is paused: .+ has to resume it\.$/);
  });

  shortTest("no node answers", async () => {
    const fund = await newListedFund();
    await nodeDown();
    expect(await refused(fund, { gasBudgetMist: null })).toMatch(
      /^No node of the network answered, and nothing was sent: .+\.$/,
    );
  });

  shortTest("the Idempotency-Key names another request", async () => {
    const fund = await newListedFund(2);
    const idempotency = { scope: `${fund.keyId}/sponsor/one`, fingerprint: "first" };
    await sponsor(fund, "first", { keyId: fund.keyId, idempotency });
    expect(await refused(fund, { idempotency: { ...idempotency, fingerprint: "second" } })).toMatch(
      /^The Idempotency-Key was used before, for another request or for one that has ended: .+\.$/,
    );
  });

  longTest("the key belongs to another network", async () => {
    const fund = await newListedFund();
    const parsed = parseAccessKey(fund.key);
    if (parsed === null) throw new Error("the key does not parse");
    const request = { secretHash: hashKeySecret(parsed.secret), chain: "aptos", calls: [["gas"]] } as const;
    const asked = { keyId: fund.keyId, request, arrivedAtMs: Date.now(), requestId, call: null };
    const answered = await bindings.FUND.getByName(fund.id).admitAndCall(asked);
    expect(answered).toMatchObject({ admission: { ok: false, error: { reason: "wrong_network" } } });
    expect((await explain(`?requestId=${requestId}`)).cause).toMatch(
      /^The access key belongs to another network: this access key is for SUI_LOCALNET, this path serves aptos: .+\.$/,
    );
  });

  longTest("an object had another version, and its digest says the same", async () => {
    const fund = await newListedFund();
    const prepared = await prepare(fund, "stale", { keyId: fund.keyId });
    const text = "Object 0x7 is unavailable for consumption, current version: 9";
    alterReplies(withOurTime, { method: SUBMIT, request: () => refusing(text) });
    expect((await execute(fund, prepared, { keyId: fund.keyId, requestId })).ok).toBe(false);
    const cause = `The node refused the transaction and did not execute it: ${text}.`;
    expect((await explain(`?requestId=${requestId}`)).cause).toBe(cause);
    expect((await explain(`/${prepared.digest}`)).stories[0]?.causes).toContain(cause);
  });

  longTest("a sender and a time lead to the same", async () => {
    const fund = await newListedFund(0);
    const byRequest = await refused(fund);
    const from = new Date(Date.now() - MINUTE_MS).toISOString();
    const to = new Date(Date.now() + MINUTE_MS).toISOString();
    const told = await explain(`?sender=${user.toSuiAddress()}&from=${from}&to=${to}`);
    expect(told.stories.find(({ fundId }) => fundId === fund.id)?.causes).toEqual([byRequest]);
  });
});

longTest(
  "a wallet's session was over, so its call has reached no fund: its request id leads to the cause",
  async () => {
    const { projectId } = await newListedFund(0);
    const asked = { name: "wallets", network: "SUI_LOCALNET", rights: ["wallet"] };
    const made = await call("POST", `/projects/${projectId}/keys`, asked);
    const { id: keyId, key } = z.object({ id: z.string(), key: z.string() }).parse(made);
    const id = await refusedCall(key, "/wallet/v1", "svc_wal_createWallet", ["a wallet", "over"]);
    await until(async () => (await explainOne(id)).walletRefusals.length > 0);
    const told = await explainOne(id);
    expect(told.cause).toMatch(/^The session was over: .+\.$/);
    expect(told.walletRefusals).toMatchObject([
      { requestId: id, keyId, method: "svc_wal_createWallet", reason: "bad_session_token" },
    ]);
    expect((await explainOne(newRequestId(Date.now()))).walletRefusals, "of another request").toEqual([]);
  },
);

test.for([
  [
    "SUI_LOCALNET",
    "/wallet/v1",
    "svc_key_createSession",
    "svc_wal_createWallet",
    "svc_wal_signPersonalMessage",
    "aGk=",
  ],
  ["APTOS_LOCALNET", "/aptos/wallet/v1", "key_createSession", "wal_createWallet", "wal_initializeWalletOnChain", null],
] as const)(
  "the address of a wallet of %s and a time lead to its call whose session was over",
  async ([network, path, createSession, createWallet, use, message]) => {
    const projectId = await newProject();
    const key = await newFundKey(projectId, network, ["wallet", "gas", "node"]);
    const keys = path.replace(/^\/aptos\/wallet/, "/aptos/key");
    const session = await walletCall(key, createSession, [SECRET], { path: keys });
    const made = await walletCall(key, createWallet, ["a wallet", session], { path });
    const sender = z.union([z.string(), z.object({ accountAddress: z.string() })]).parse(made);
    const address = typeof sender === "string" ? sender : sender.accountAddress;
    const from = Date.now() - MINUTE_MS;
    const params = ["a wallet", "over", ...(message === null ? [] : [message])];
    await refusedCall(key, path, use, params);
    const iso = (ms: number) => new Date(ms).toISOString();
    const ofSender = async (of: string, sinceMs: number) =>
      explainBy(`?sender=${of}&from=${iso(sinceMs)}&to=${iso(Date.now() + MINUTE_MS)}&project=${projectId}`);
    await until(async () => (await ofSender(address, from)).walletRefusals.length > 0);
    const told = await ofSender(address, from);
    expect(told.cause).toMatch(/^The session was over: .+\.$/);
    expect(told.walletRefusals).toMatchObject([{ sender: address, reason: "bad_session_token", method: use }]);
    expect((await ofSender(`0x${"7".repeat(64)}`, from)).walletRefusals, "of another sender").toEqual([]);
    expect((await ofSender(address, Date.now() + 1_000)).walletRefusals, "of another time").toEqual([]);
  },
);

/** Calls the whole service with an ended session. @returns the request id. */
async function refusedCall(key: string, path: string, method: string, params: readonly unknown[]): Promise<string> {
  const response = await exports.default.fetch(`https://service.test${path}`, {
    method: "POST",
    headers: { "content-type": "application/json", "x-api-key": key },
    body: JSON.stringify({ jsonrpc: "2.0", id: 1, method, params }),
  });
  expect(await response.json()).toMatchObject({ error: badToken });
  return response.headers.get("x-request-id") ?? "";
}

async function explainOne(id: string) {
  return explainBy(`?requestId=${id}`);
}

async function explainBy(query: string) {
  const shown = z.object({ cause: z.string(), walletRefusals: z.array(z.looseObject({ requestId: z.string() })) });
  return shown.parse(await call("GET", `/transactions${query}`));
}

/** A node's refusal of a submission. */
function refusing(text: string): Response {
  const headers = {
    "content-type": "application/grpc-web+proto",
    "grpc-status": "9",
    "grpc-message": encodeURIComponent(text),
  };
  return new Response(null, { headers });
}
