import { AccountAuthenticator, Deserializer, Ed25519PublicKey, generateSigningMessage } from "@aptos-labs/ts-sdk";
import { Ed25519Keypair } from "@mysten/sui/keypairs/ed25519";
import { Transaction } from "@mysten/sui/transactions";
import { fromBase64, toBase64 } from "@mysten/sui/utils";
import { verifyTransactionSignature } from "@mysten/sui/verify";
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from "vitest";
import * as z from "zod";
import { build, SERVICE } from "../../shared/cli/build.ts";
import type { ProjectFund } from "../../shared/cli/client/funds.ts";
import { expectAnswer, type HttpAnswer, http } from "../../shared/cli/client/http.ts";
import { localNodes, type ServicePlatform, startService } from "../../shared/cli/platform.ts";
import { APTOS_DEMO_MODULE, DEMO_PACKAGE } from "../devchain/demo.ts";
import {
  callerSecret,
  chainUrl,
  flowsSecret,
  newFund,
  newKey,
  serviceUrl,
  setServiceVars,
  sui,
  untilShown,
} from "../harness/harness.ts";
import {
  aptos,
  entryFunction,
  newAptosFund,
  newAptosKey,
  rawTransaction,
  sponsorshipsOf,
  transferTo,
} from "../support/aptos.ts";
import { clearFaults, EXECUTE, orderFault } from "../support/chain-control.ts";
import { AUDIENCE, ISSUER, JWKS_HOST, JWKS_URL, newSigningKey, startIssuer, tokenOf } from "../support/issuer.ts";
import { sponsorshipRows } from "../support/sui-gas.ts";
import { incrementKind, kindOf, mintKind } from "../support/sui-transactions.ts";
import { startLackingService } from "./lacking-service.ts";

const APP_ORIGIN = "https://app.example.com";

const key = await newSigningKey("key 1");
const retired = await newSigningKey("key 0");
let suiFund: ProjectFund;
let aptosFund: ProjectFund;
let flowVars: Record<string, string>;
const platforms: { stop(): unknown }[] = [];

async function startFlows(baseUrl: string, issuerUrl: string): Promise<ServicePlatform> {
  const platform = await startService({
    service: await build(SERVICE),
    serviceVars: { ...localNodes(chainUrl), ...flowVars, FLOWS_BASE_URL: baseUrl },
    publicNames: { [JWKS_HOST]: issuerUrl },
  });
  platforms.push(platform);
  return platform;
}

const urls: Record<string, string> = {};
beforeAll(async () => {
  suiFund = await newFund();
  aptosFund = await newAptosFund();
  flowVars = {
    FLOWS_CALLER_SECRET: callerSecret,
    FLOWS_SECRET: flowsSecret.toString("base64"),
    FLOWS_SUI_KEY: (await newKey(suiFund, { rights: ["wallet", "gas"] })).key,
    FLOWS_APTOS_KEY: (await newAptosKey(aptosFund)).key,
    FLOWS_ORIGINS: `${APP_ORIGIN} http://localhost:5173`,
    JWT_ISSUER: ISSUER,
    JWT_AUDIENCE: AUDIENCE,
    JWT_JWKS_URL: JWKS_URL,
  };
  const issuer = await startIssuer([key]);
  const lacking = await startLackingService(serviceUrl);
  platforms.push(issuer, lacking);
  await setServiceVars(flowVars);
  urls["in process"] = serviceUrl;
  urls["at a second instance by URL"] = (await startFlows(serviceUrl, issuer.url)).serviceUrl;
  urls["of a service without prepare and execute"] = (await startFlows(lacking.url, issuer.url)).serviceUrl;
});
afterAll(() => Promise.all(platforms.map((platform) => platform.stop())));

let names = 0;
function unique(prefix: string): string {
  names += 1;
  return `${prefix}-${process.pid}-${names}`;
}

interface Caller {
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
}

function backEnd(deployment: string, user = unique("user")): Caller {
  const headers = { authorization: `Bearer ${callerSecret}`, "x-user-id": user };
  return { url: urls[deployment] ?? "", headers };
}

function post({ url, headers }: Caller, name: string, body: unknown, idempotencyKey?: string): Promise<HttpAnswer> {
  return http(`${url}/flows/${name}`, {
    method: "POST",
    headers: {
      "content-type": "application/json",
      ...headers,
      ...(idempotencyKey !== undefined && { "idempotency-key": idempotencyKey }),
    },
    body: JSON.stringify(body),
  });
}

function get({ url, headers }: Caller, path: string): Promise<HttpAnswer> {
  return http(`${url}/flows/${path}`, { headers });
}

const walletSchema = z.strictObject({ chain: z.string(), walletId: z.string(), address: z.string() });
const sponsoredSchema = z.strictObject({
  txBytes: z.base64(),
  txDigest: z.string(),
  expiresAtMs: z.int(),
  network: z.literal("SUI_LOCALNET"),
  sponsorship: z.string().optional(),
});
const executedSchema = z.strictObject({
  digest: z.string(),
  status: z.enum(["success", "failure"]),
  effects: z.looseObject({}),
});
const submittedSchema = z.strictObject({
  hash: z.string(),
  status: z.literal("pending"),
  pendingTransaction: z.looseObject({ sender: z.string() }),
});

async function walletOn(caller: Caller, chain: "sui" | "aptos"): Promise<string> {
  for (;;) {
    const answer = await post(caller, "create-wallet-on-chain", { chain });
    // An access key opens one session a second.
    if (answer.status === 429) await new Promise((resolve) => setTimeout(resolve, 300));
    else return expectAnswer("create-wallet-on-chain", answer, walletSchema).address;
  }
}

const mintPayload = (owner: string, name = unique("badge")) => ({
  function: `${APTOS_DEMO_MODULE}::mint`,
  arguments: [name, owner],
});

async function isCommitted(hash: string): Promise<boolean> {
  const found = await aptos.getTransactionByHash({ transactionHash: hash });
  return found.type === "user_transaction" && found.success;
}

function refused(answer: HttpAnswer, status: number, code: string, words = /./) {
  const { status: answered, body } = answer;
  expect({ status: answered, body }).toMatchObject({
    status,
    body: { error: { code, message: expect.stringMatching(words) } },
  });
}

const deployments = ["in process", "at a second instance by URL", "of a service without prepare and execute"] as const;

describe.each(deployments)("the workflows %s", (deployment) => {
  test("sponsor and execute for a user with keys of their own, once", async () => {
    const caller = backEnd(deployment);
    const user = new Ed25519Keypair();
    const transactionKind = toBase64(await mintKind(unique("badge")));
    const asked = { transactionKind, sender: user.toSuiAddress(), gasBudget: "5000000" };
    const answer = expectAnswer("sponsor", await post(caller, "sponsor", asked), sponsoredSchema);
    expect(answer.sponsorship !== undefined).toBe(deployment === "of a service without prepare and execute");
    const { txBytes, txDigest, sponsorship } = answer;
    const { signature } = await user.signTransaction(fromBase64(txBytes));
    const body = { txBytes, signature, ...(sponsorship !== undefined && { sponsorship }) };
    const answers = await Promise.all([1, 2].map(() => post(caller, "execute-sponsored", body, "attempt 1")));
    for (const one of answers)
      expect(expectAnswer("execute", one, executedSchema)).toMatchObject({ digest: txDigest, status: "success" });
  });

  test("execute for an embedded wallet on Sui: one transaction for a double click and for a repeat", async () => {
    const caller = backEnd(deployment);
    refused(await get(caller, "wallet?chain=sui"), 404, "wallet_not_found");
    const address = await walletOn(caller, "sui");
    expect(expectAnswer("wallet", await get(caller, "wallet?chain=sui"), walletSchema).address).toBe(address);
    const rows = (await sponsorshipRows(suiFund.fundId)).length;
    const body = { chain: "sui", transactionKind: toBase64(await mintKind(unique("badge"))) };
    const run = () => post(caller, "sponsor-and-execute", body, "the click");
    const clicks = [...(await Promise.all([run(), run()])), await run()];
    const executed = clicks.map((click) => expectAnswer("sponsor-and-execute", click, executedSchema));
    expect(new Set(executed.map(({ digest }) => digest)).size).toBe(1);
    const [{ digest }] = [executed[0] ?? { digest: "" }];
    await untilShown(digest);
    const onChain = await sui.getTransaction({ digest, include: { effects: true } });
    expect(onChain.Transaction?.status.success).toBe(true);
    expect((await sponsorshipRows(suiFund.fundId)).length - rows).toBe(1);

    const other = { ...body, transactionKind: toBase64(await mintKind(unique("badge"))) };
    refused(await post(caller, "sponsor-and-execute", other, "the click"), 409, "idempotency_conflict");
  });

  test("execute for an embedded wallet on Aptos: one transaction for a double click and for a repeat", async () => {
    const caller = backEnd(deployment);
    const address = await walletOn(caller, "aptos");
    const body = { chain: "aptos", payload: mintPayload(address) };
    const run = () => post(caller, "sponsor-and-execute", body, "the click");
    const clicks = [...(await Promise.all([run(), run()])), await run()];
    const submitted = clicks.map((click) => expectAnswer("sponsor-and-execute", click, submittedSchema));
    expect(new Set(submitted.map(({ hash }) => hash)).size).toBe(1);
    const [{ hash }] = [submitted[0] ?? { hash: "" }];
    await expect.poll(() => isCommitted(hash), { timeout: 60_000 }).toBe(true);
    // Its account, and the badge.
    expect((await sponsorshipsOf(aptosFund.fundId)).filter(({ sender }) => sender === address)).toHaveLength(2);
  });

  test("sign for an embedded wallet what the policy allows, verified by the chains' SDKs", async () => {
    const caller = backEnd(deployment);
    const [suiAddress, aptosAddress] = [await walletOn(caller, "sui"), await walletOn(caller, "aptos")];
    const transaction = new Transaction();
    transaction.moveCall({ target: `${DEMO_PACKAGE}::demo::mint`, arguments: [transaction.pure.string("mine")] });
    transaction.setSender(suiAddress);
    transaction.setGasBudget(5_000_000);
    transaction.setGasPrice(1_000);
    const digest = "11111111111111111111111111111111";
    transaction.setGasPayment([{ objectId: `0x${"7".repeat(64)}`, version: "1", digest }]);
    transaction.setExpiration({ None: true });
    const bytes = await transaction.build();
    const signatureSchema = z.strictObject({ signature: z.string() });
    const signed = await post(caller, "sign-transaction", { chain: "sui", transaction: toBase64(bytes) });
    const { signature } = expectAnswer("sign-transaction", signed, signatureSchema);
    expect((await verifyTransactionSignature(bytes, signature)).toSuiAddress()).toBe(suiAddress);

    const payload = entryFunction(`${APTOS_DEMO_MODULE}::increment`, []);
    const raw = await rawTransaction(aptosAddress, payload);
    const onAptos = await post(caller, "sign-transaction", {
      chain: "aptos",
      transaction: raw.bcsToHex().toString(),
    });
    const authenticator = AccountAuthenticator.deserialize(
      Deserializer.fromHex(expectAnswer("sign-transaction", onAptos, signatureSchema).signature),
    );
    if (!authenticator.isEd25519()) throw new Error("not an Ed25519 authenticator");
    const publicKey = new Ed25519PublicKey(authenticator.public_key.toUint8Array());
    const message = generateSigningMessage(raw.bcsToBytes(), "APTOS::RawTransaction");
    expect(publicKey.verifySignature({ message, signature: authenticator.signature })).toBe(true);
  });
});

test("a policy that says no keeps everything from being held, executed and signed, on both chains", async () => {
  const caller = backEnd("at a second instance by URL");
  const addresses = { sui: await walletOn(caller, "sui"), aptos: await walletOn(caller, "aptos") };
  const held = async () => (await sponsorshipRows(suiFund.fundId)).length;
  const before = await held();
  const foreign = await kindOf((transaction) => {
    transaction.moveCall({ target: "0x2::coin::zero", typeArguments: ["0x2::sui::SUI"] });
  });
  const suiBody = { chain: "sui", transactionKind: toBase64(foreign) };
  refused(await post(caller, "sponsor-and-execute", suiBody, unique("try")), 403, "policy_refused", /no rule/);
  const transfer = { function: "0x1::aptos_account::transfer", arguments: [addresses.aptos, "1"] };
  const aptosBody = { chain: "aptos", payload: transfer };
  refused(await post(caller, "sponsor-and-execute", aptosBody, unique("try")), 403, "policy_refused", /no rule/);
  const costly = { chain: "aptos", payload: { ...mintPayload(addresses.aptos), max_gas_amount: "100001" } };
  refused(await post(caller, "sponsor-and-execute", costly, unique("try")), 403, "policy_refused", /maxGasBudget/);
  const raw = await rawTransaction(addresses.aptos, transferTo(addresses.aptos, 1n));
  const toSign = { chain: "aptos", transaction: raw.bcsToHex().toString() };
  refused(await post(caller, "sign-transaction", toSign), 403, "policy_refused", /no rule/);
  expect(await held()).toBe(before);
});

test("an argument that does not fit is refused by its name, and what the chain does not have by its own", async () => {
  const caller = backEnd("at a second instance by URL");
  const address = await walletOn(caller, "aptos");
  const mint = mintPayload(address);
  for (const [payload, words] of [
    [{ ...mint, arguments: [7, address] }, /payload\.arguments\[0\]: must be a string/],
    [{ ...mint, arguments: ["name", "0xzz"] }, /payload\.arguments\[1\]: must be an address/],
    [{ ...mint, arguments: ["name"] }, /payload\.arguments: the function takes 2, not 1/],
    [{ ...mint, type_arguments: ["u8"] }, /payload\.type_arguments: the function takes 0, not 1/],
    [{ ...mint, function: `${APTOS_DEMO_MODULE}::nothing` }, /payload\.function: the chain has no/],
    [{ ...mint, function: "mint" }, /must be 0x/],
    [{ function: `${APTOS_DEMO_MODULE}::counter`, arguments: [address] }, /is not an entry function/],
    [{ function: `${APTOS_DEMO_MODULE}::pay_together`, arguments: [address, 1, 1] }, /more signers than one/],
  ] as const)
    refused(
      await post(caller, "sponsor-and-execute", { chain: "aptos", payload }, unique("try")),
      400,
      "bad_request",
      words,
    );
  const notMine = await post(caller, "sign-transaction", {
    chain: "aptos",
    transaction: (await rawTransaction(`0x${"5".repeat(64)}`, transferTo(address, 1n))).bcsToHex().toString(),
  });
  refused(notMine, 400, "bad_request", /its sender must be the user's wallet/);
});

test("what a dry run shows to fail is 422, and nothing is executed", async () => {
  const caller = backEnd("in process");
  await walletOn(caller, "sui");
  const body = { chain: "sui", transactionKind: toBase64(await incrementKind(0n)) };
  refused(await post(caller, "sponsor-and-execute", body, unique("try")), 422, "transaction_failed", /abort/i);
});

test("a user in a hurry gets both transactions on Aptos, one after the other", async () => {
  const caller = backEnd("in process");
  const address = await walletOn(caller, "aptos");
  const runs = [1, 2].map(() => {
    const body = { chain: "aptos", payload: mintPayload(address) };
    return post(caller, "sponsor-and-execute", body, unique("try"));
  });
  const hashes = (await Promise.all(runs)).map(
    (answer) => expectAnswer("sponsor-and-execute", answer, submittedSchema).hash,
  );
  expect(new Set(hashes).size).toBe(2);
  for (const hash of hashes) await expect.poll(() => isCommitted(hash), { timeout: 60_000 }).toBe(true);
});

describe("after a lost answer the attempt is repeated, and there is one transaction", () => {
  const bodyOn = {
    sui: async () => ({ chain: "sui", transactionKind: toBase64(await mintKind(unique("badge"))) }),
    aptos: async (address: string) => ({ chain: "aptos", payload: mintPayload(address) }),
  };
  test.each([
    ["sui", "in process", EXECUTE],
    ["sui", "of a service without prepare and execute", EXECUTE],
    ["aptos", "in process", "POST /transactions"],
  ] as const)("on %s, %s", async (chain, deployment, method) => {
    const caller = backEnd(deployment);
    const address = await walletOn(caller, chain);
    const body = await bodyOn[chain](address);
    onTestFinished(clearFaults);
    await orderFault(method, "drop_after_commit", 1_000);
    const lost = await post(caller, "sponsor-and-execute", body, "the click");
    expect([200, 504]).toContain(lost.status);
    await clearFaults();
    const again = await post(caller, "sponsor-and-execute", body, "the click");
    const repeated = await post(caller, "sponsor-and-execute", body, "the click");
    expect(again.status, JSON.stringify(again.body)).toBe(200);
    expect(repeated.body).toEqual(again.body);
    const named = z.object({ digest: z.string().optional(), hash: z.string().optional() });
    const { error } = z.looseObject({ error: named.optional() }).parse(lost.body);
    const { digest, hash } = named.parse(again.body);
    if (error?.digest !== undefined) expect(error.digest).toBe(digest);
    if (error?.hash !== undefined) expect(error.hash).toBe(hash);
  });
});

describe("a user with a token of their own, from a page of the app", () => {
  const page = async (token: string | null, origin: string | null = APP_ORIGIN): Promise<Caller> => ({
    url: urls["at a second instance by URL"] ?? "",
    headers: { ...(token !== null && { authorization: `Bearer ${token}` }), ...(origin !== null && { origin }) },
  });

  test("has a wallet, and mints", async () => {
    const sub = unique("user");
    const caller = await page(await tokenOf(key, { sub }));
    const address = await walletOn(caller, "sui");
    const body = { chain: "sui", transactionKind: toBase64(await mintKind(unique("badge"))) };
    const executed = await post(caller, "sponsor-and-execute", body, "the click");
    expect(expectAnswer("sponsor-and-execute", executed, executedSchema).status).toBe("success");
    // Whom the back end calls by the same name is somebody else.
    refused(await get(backEnd("at a second instance by URL", sub), "wallet?chain=sui"), 404, "wallet_not_found");
    expect(await walletOn(await page(await tokenOf(key, { sub, aud: ["other", AUDIENCE] })), "sui")).toBe(address);
  });

  test("is refused without a token, or with one that is expired, another's or of an unknown key", async () => {
    const now = Math.floor(Date.now() / 1_000);
    for (const [token, reason] of [
      [null, "no_token"],
      ["not.a.token", "bad_token"],
      [await tokenOf(key, { sub: "ada", exp: now - 120 }), "token_expired"],
      [await tokenOf(key, { sub: "ada", nbf: now + 120 }), "token_not_yet_valid"],
      [await tokenOf(key, { sub: "ada", aud: "another app" }), "wrong_audience"],
      [await tokenOf(key, { sub: "ada", iss: "https://example.org" }), "wrong_issuer"],
      [await tokenOf(key, {}), "no_subject"],
      [await tokenOf(retired, { sub: "ada" }), "unknown_key"],
      [await tokenOf({ ...retired, kid: key.kid }, { sub: "ada" }), "bad_signature"],
    ] as const) {
      const { status, body } = await get(await page(token), "wallet?chain=sui");
      expect({ status, body }).toMatchObject({ status: 401, body: { error: { code: "unauthenticated", reason } } });
    }
  });

  test("is answered to the app's origins only, and never with credentials", async () => {
    const token = await tokenOf(key, { sub: "ada" });
    const url = `${urls["at a second instance by URL"]}/flows/wallet?chain=sui`;
    const preflight = await fetch(url, {
      method: "OPTIONS",
      headers: { origin: APP_ORIGIN, "access-control-request-method": "GET" },
    });
    expect(preflight.status).toBe(204);
    expect(Object.fromEntries(preflight.headers)).toMatchObject({
      "access-control-allow-origin": APP_ORIGIN,
      "access-control-allow-methods": "GET, POST",
      "access-control-allow-headers": "authorization, content-type, idempotency-key",
      vary: "Origin",
    });
    for (const origin of [APP_ORIGIN, "http://localhost:5173"]) {
      const answer = await fetch(url, { headers: { origin, authorization: `Bearer ${token}` } });
      expect(answer.headers.get("access-control-allow-origin")).toBe(origin);
      expect(answer.headers.get("vary")).toBe("Origin");
      expect(answer.headers.has("access-control-allow-credentials")).toBe(false);
    }
    for (const origin of ["https://evil.example.com", "http://app.example.com", `${APP_ORIGIN}:8443`, "null"])
      for (const method of ["GET", "OPTIONS"]) {
        const answer = await fetch(url, { method, headers: { origin, authorization: `Bearer ${token}` } });
        expect(answer.status, origin).toBe(403);
        expect(await answer.json()).toMatchObject({ error: { code: "origin_refused" } });
        expect(answer.headers.has("access-control-allow-origin")).toBe(false);
        expect(answer.headers.get("vary")).toBe("Origin");
      }
    const service = await fetch(`${serviceUrl}/wallet/v1`, { method: "OPTIONS", headers: { origin: APP_ORIGIN } });
    expect(service.headers.has("access-control-allow-origin"), "the service itself answers no page").toBe(false);
  });

  test("does not share the back end's secret", async () => {
    const caller = backEnd("at a second instance by URL");
    const headers = { ...caller.headers, origin: APP_ORIGIN };
    refused(await get({ ...caller, headers }, "wallet?chain=sui"), 403, "origin_refused", /back end/);
  });
});
