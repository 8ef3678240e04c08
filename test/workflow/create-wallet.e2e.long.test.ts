import { createHash, createHmac, randomBytes } from "node:crypto";
import { beforeAll, describe, expect, onTestFinished, test } from "vitest";
import * as z from "zod";
import { createKey, createProject } from "../../shared/cli/client/admin.ts";
import type { ProjectFund } from "../../shared/cli/client/funds.ts";
import { expectAnswer, type HttpAnswer, http } from "../../shared/cli/client/http.ts";
import { rpcCall } from "../../shared/cli/client/rpc.ts";
import {
  admin,
  callerSecret,
  flowsSecret,
  harness,
  keepSecret,
  serviceUrl,
  setServiceVars,
  uniqueName,
} from "../harness/harness.ts";
import { call, newSession } from "../service/aptos-wallet/app.ts";
import { aptos, expectReconciled, newAptosFund, newAptosKey, refusalOf, sponsorshipsOf } from "../support/aptos.ts";
import { clearFaults, orderFault } from "../support/chain-control.ts";
import { lengthPrefixed } from "../support/length-prefixed.ts";

const vars = { FLOWS_CALLER_SECRET: callerSecret, FLOWS_SECRET: flowsSecret.toString("base64") };

let fund: ProjectFund;
let aptosKey: string;
let suiKey: string;
beforeAll(async () => {
  fund = await newAptosFund();
  aptosKey = (await newAptosKey(fund)).key;
  const projectId = await createProject(harness, uniqueName("project"), { secretDerivation: "hkdf" });
  suiKey = (await createKey(harness, projectId, { name: "wallets", rights: ["wallet"] })).key;
  await setServiceVars({ ...vars, FLOWS_SUI_KEY: suiKey, FLOWS_APTOS_KEY: aptosKey });
});

const rateLimited = z.object({ error: z.object({ code: z.literal("rate_limited"), retryable: z.literal(true) }) });

/** A caller that is told to come back does so: an access key opens one session a second. */
async function createWallet(chain: unknown, user: string): Promise<HttpAnswer> {
  for (;;) {
    const answer = await http(`${serviceUrl}/flows/create-wallet-on-chain`, {
      method: "POST",
      headers: {
        "content-type": "application/json",
        authorization: `Bearer ${callerSecret}`,
        "x-user-id": user,
      },
      body: JSON.stringify({ chain }),
    });
    if (!rateLimited.safeParse(answer.body).success) return answer;
    await new Promise((resolve) => setTimeout(resolve, 250));
  }
}

const made = z.strictObject({ chain: z.enum(["sui", "aptos"]), walletId: z.string(), address: z.string() });

async function walletOf(chain: "sui" | "aptos", user: string) {
  return expectAnswer("the workflow", await createWallet(chain, user), made);
}

/** As shared/workflow/README.md says that ids and secrets are made, so that an app can do without the workflows. */
function expected(user: string) {
  const named = Buffer.concat([lengthPrefixed("gasworks:flows:caller-secret"), lengthPrefixed(user)]);
  const walletId = createHash("sha256").update(named).digest("base64url");
  const secret = createHmac("sha256", flowsSecret).update(`wallet${walletId}`).digest("base64url");
  return { walletId, secret: keepSecret(secret) };
}

async function isOnChain(address: string): Promise<boolean> {
  const resourceType = "0x1::account::Account";
  return aptos.getAccountResource({ accountAddress: address, resourceType }).then(
    () => true,
    () => false,
  );
}

describe("a user gets a wallet", () => {
  test("on Aptos with its account on chain, once, under the id and the secret that follow from FLOWS_SECRET", async () => {
    const user = uniqueName("user").replaceAll(" ", "-");
    const wallet = await walletOf("aptos", user);
    const { walletId, secret } = expected(user);
    expect(wallet).toEqual({ chain: "aptos", walletId, address: expect.stringMatching(/^0x[0-9a-f]{64}$/) });
    await expect.poll(() => isOnChain(wallet.address), { timeout: 60_000 }).toBe(true);
    for (const again of await Promise.all([walletOf("aptos", user), walletOf("aptos", user)]))
      expect(again).toEqual(wallet);
    expect((await sponsorshipsOf(fund.fundId)).filter(({ sender }) => sender === wallet.address)).toHaveLength(1);

    const token = await newSession(aptosKey, secret);
    expect(refusalOf(await call(aptosKey, "wal_initializeWalletOnChain", [walletId, token])).code).toBe(-32013);
    await expectReconciled(fund);
  });

  test("on Sui, under the same id", async () => {
    const user = uniqueName("user").replaceAll(" ", "-");
    const wallet = await walletOf("sui", user);
    expect(wallet).toMatchObject({ chain: "sui", walletId: expected(user).walletId });
    expect(await walletOf("sui", user)).toEqual(wallet);
    const known = await rpcCall(`${serviceUrl}/wallet/v1`, suiKey, "svc_wal_getWallet", [wallet.walletId]);
    expect(known.body).toMatchObject({ result: wallet.address });
  });

  test("which is nobody else's", async () => {
    const [one, two] = [await walletOf("aptos", "ada"), await walletOf("aptos", "bob")];
    expect(one.walletId).not.toBe(two.walletId);
    expect(one.address).not.toBe(two.address);
  });

  test("once, however many requests come together", async () => {
    const answers = await Promise.all(Array.from({ length: 4 }, () => walletOf("aptos", "in-a-hurry")));
    expect(new Set(answers.map(({ address }) => address)).size).toBe(1);
    const [{ address }] = [answers[0] ?? { address: "" }];
    expect((await sponsorshipsOf(fund.fundId)).filter(({ sender }) => sender === address)).toHaveLength(1);
  });
});

test("after the app's sessions were ended, the token that was kept is replaced", async () => {
  const wallet = await walletOf("aptos", "returning");
  expect((await admin("POST", `/projects/${fund.projectId}/revoke-sessions`)).status).toBe(200);
  expect(await walletOf("aptos", "returning")).toEqual(wallet);
});

test("a wallet whose account could not be made is made the next time", async () => {
  onTestFinished(clearFaults);
  await orderFault("POST /transactions", "unavailable_before_commit", 1_000);
  expect((await createWallet("aptos", "unlucky")).status).toBe(504);
  await clearFaults();
  const { address } = await walletOf("aptos", "unlucky");
  await expect.poll(() => isOnChain(address), { timeout: 60_000 }).toBe(true);
});

describe("is refused", () => {
  const refused = async (answer: Promise<HttpAnswer>, status: number, code: string, words: RegExp) => {
    const { status: answered, body } = await answer;
    expect({ status: answered, body }).toMatchObject({
      status,
      body: { error: { code, message: expect.stringMatching(words) } },
    });
  };

  test("for a chain that is none", async () => {
    for (const chain of ["bitcoin", "APTOS", null, undefined])
      await refused(createWallet(chain, "ada"), 400, "bad_request", /chain/);
  });

  test("where the fund is paused, or the month's wallets are made", async () => {
    await admin("PATCH", `/funds/${fund.fundId}`, { paused: true });
    await refused(createWallet("aptos", "paused"), 503, "fund_unavailable", /paused/);
    await admin("PATCH", `/funds/${fund.fundId}`, { paused: false });
    await admin("PATCH", `/projects/${fund.projectId}`, { walletsPerMonth: 0 });
    await refused(createWallet("aptos", "late"), 429, "quota_reached", /./);
    await admin("PATCH", `/projects/${fund.projectId}`, { walletsPerMonth: null });
  });

  test("by naming the variable that is missing, or wrong", async () => {
    const onlyWallets = (await newAptosKey(fund, { rights: ["wallet"], fundId: null })).key;
    for (const [changed, chain, words] of [
      [{ FLOWS_APTOS_KEY: "" }, "aptos", /^FLOWS_APTOS_KEY is not set/],
      [{ FLOWS_APTOS_KEY: suiKey }, "aptos", /^FLOWS_APTOS_KEY is not an access key for one of APTOS_MAINNET/],
      [{ FLOWS_APTOS_KEY: onlyWallets }, "aptos", /^the service refuses FLOWS_APTOS_KEY.*lacks the right/],
      [{ FLOWS_APTOS_KEY: aptosKey, FLOWS_SUI_KEY: "" }, "sui", /^FLOWS_SUI_KEY is not set/],
      [{ FLOWS_SECRET: "" }, "aptos", /^FLOWS_SECRET is not set/],
    ] as const) {
      await setServiceVars({ ...vars, FLOWS_SUI_KEY: suiKey, FLOWS_APTOS_KEY: aptosKey, ...changed });
      await refused(createWallet(chain, uniqueName("user").replaceAll(" ", "-")), 503, "not_configured", words);
    }
  });

  test("with another FLOWS_SECRET: the users' wallets do not open with it", async () => {
    await setServiceVars({ ...vars, FLOWS_SUI_KEY: suiKey, FLOWS_APTOS_KEY: aptosKey });
    await walletOf("aptos", "ada");
    await setServiceVars({ FLOWS_SECRET: randomBytes(32).toString("base64") });
    await refused(createWallet("aptos", "ada"), 503, "not_configured", /^FLOWS_SECRET differs from the one/);
    await setServiceVars({ FLOWS_SECRET: vars.FLOWS_SECRET });
    await walletOf("aptos", "ada");
  });
});
