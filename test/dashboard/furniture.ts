import { randomBytes } from "node:crypto";
import { toBase64 } from "@mysten/sui/utils";
import * as z from "zod";
import { createFundInProject, deposit } from "../../shared/cli/client/funds.ts";
import { expectAnswer, type HttpAnswer } from "../../shared/cli/client/http.ts";
import { rpcResult } from "../../shared/cli/client/rpc.ts";
import {
  admin,
  gas,
  harness,
  keepSecret,
  newEmptyFund,
  newFund,
  newKey,
  scheduled,
  serviceUrl,
  uniqueName,
} from "../harness/harness.ts";
import {
  aptosGas,
  hexOf,
  newAccount,
  newAptosFund,
  newAptosKey,
  rawTransaction,
  transferTo,
} from "../support/aptos.ts";
import { BUDGET, newUser, sponsor, sponsorshipRows, submitSponsored } from "../support/sui-gas.ts";
import { incrementKind, mintKind } from "../support/sui-transactions.ts";
import { SUI_WALLET_PATH } from "../support/wallet-client.ts";

const ONE_SUI_MIST = 1_000_000_000n;
const POLL_MS = 100;
const PATIENCE_MS = 60_000;
/** Resolves nowhere: the domain is reserved for examples, and has no such host. */
const NOBODY = "https://hooks.example.com/gasworks";
const idSchema = z.object({ id: z.string() });

async function until<T>(what: string, read: () => Promise<T | null>): Promise<T> {
  for (const endMs = Date.now() + PATIENCE_MS; Date.now() < endMs; ) {
    const found = await read();
    if (found !== null) return found;
    await new Promise((resolve) => setTimeout(resolve, POLL_MS));
  }
  throw new Error(`there is no ${what} in ${PATIENCE_MS} ms`);
}

/** A fund with a transaction of each ending: executed, aborted, open and refused. */
async function newBusyFund() {
  const fund = await newFund([3n * ONE_SUI_MIST, 2n * ONE_SUI_MIST]);
  const { key, keyId } = await newKey(fund, { name: "backend of the shop" });
  const user = newUser();
  const sender = user.toSuiAddress();
  const executed = await sponsor(key, await mintKind("Ada"), sender, BUDGET);
  await submitSponsored(user, executed);
  const aborted = await sponsor(key, await incrementKind(0n), sender, BUDGET);
  await submitSponsored(user, aborted);
  const open = await sponsor(key, await mintKind("Bob"), sender, BUDGET);
  const tooMuch = (9n * ONE_SUI_MIST).toString();
  const refused = await gas(key, "gas_sponsorTransactionBlock", [toBase64(await mintKind()), sender, tooMuch]);
  const requestId = refused.headers.get("x-request-id") ?? "";
  for (const digest of [executed.txDigest, aborted.txDigest])
    await until("end of a sponsorship", async () => {
      await gas(key, "gas_getSponsoredTransactionBlockStatus", [digest]);
      return (await sponsorshipRows(fund.fundId)).some((row) => row.digest === digest && row.state === "complete")
        ? true
        : null;
    });
  const digests = { executed: executed.txDigest, aborted: aborted.txDigest, open: open.txDigest };
  return { ...fund, keyId, sender, requestId, ...digests };
}

/** A key that is disabled. */
async function newDisabledKey(fund: { projectId: string; fundId: string }): Promise<string> {
  const { keyId } = await newKey(fund, { name: "an app that is no more" });
  expectAnswer("disabling a key", await admin("PATCH", `/keys/${keyId}`, { status: "disabled" }), idSchema);
  return keyId;
}

/** A wallet, in a project that takes random secrets. */
async function newWallet() {
  const answered = await admin("POST", "/projects", { name: uniqueName("app with wallets"), secretDerivation: "hkdf" });
  const { id: projectId } = expectAnswer("creating a project", answered, idSchema);
  const fields = { name: "wallets", network: "SUI_LOCALNET", rights: ["wallet"] };
  const made = await admin("POST", `/projects/${projectId}/keys`, fields);
  const { key } = expectAnswer("creating a key", made, z.object({ key: z.string() }));
  keepSecret(key);
  const url = serviceUrl + SUI_WALLET_PATH;
  const walletId = uniqueName("user 7");
  const secret = keepSecret(randomBytes(32).toString("hex"));
  const token = await rpcResult(url, key, "svc_key_createSession", [secret], z.string());
  await rpcResult(url, key, "svc_wal_createWallet", [walletId, token], z.string());
  return { projectId, walletId };
}

/** A webhook that nobody receives, with a delivery that was tried. */
async function newWebhook() {
  const fund = await createFundInProject(harness, uniqueName("watched"));
  const hooks = `/projects/${fund.projectId}/webhooks`;
  const body = { url: NOBODY, events: ["fund.deposit", "fund.low_balance"] };
  const { id } = expectAnswer("creating a webhook", await admin("POST", hooks, body), idSchema);
  await deposit(harness, fund, [ONE_SUI_MIST]);
  const listed = z.object({ items: z.array(z.looseObject({ attempts: z.int() })) });
  await until("delivery that was tried", async () => {
    const { items } = expectAnswer("the deliveries", await admin("GET", `${hooks}/${id}/deliveries`), listed);
    return items.some(({ attempts }) => attempts > 0) ? true : null;
  });
  return `/projects/${fund.projectId}/webhooks/${id}`;
}

/** A fund on Aptos with a sponsorship that is open. */
async function newBusyAptosFund() {
  const fund = await newAptosFund();
  const { key, keyId } = await newAptosKey(fund, { name: "backend on Aptos" });
  const account = newAccount();
  const raw = await rawTransaction(account.accountAddress.toString(), transferTo(`0x${"7".repeat(64)}`, 1n));
  const answered = await aptosGas(key, "gas_sponsorTransaction", [hexOf(raw)]);
  if (!("result" in Object(answered.body))) throw new Error(JSON.stringify(answered.body));
  return { ...fund, keyId };
}

const tokenSchema = z.object({ id: z.string(), token: z.string() });

/** A token of a role, which ends in a month. */
export async function newToken(role: string): Promise<z.output<typeof tokenSchema>> {
  const expiresAt = new Date(Date.now() + 30 * 86_400_000).toISOString();
  const made: HttpAnswer = await admin("POST", "/tokens", { name: uniqueName(`Ada, ${role}`), role, expiresAt });
  return expectAnswer("creating a token", made, tokenSchema);
}

/** One of each thing that a page shows, each in the state that shows most. */
export async function furnish() {
  const [busy, empty, wallet, webhook, aptos, viewer] = [
    await newBusyFund(),
    await newEmptyFund({ name: `<b>"'&${uniqueName("empty")}` }),
    await newWallet(),
    await newWebhook(),
    await newBusyAptosFund(),
    await newToken("viewer"),
  ];
  // It finds which networks are in use.
  for (const cron of harness.crons) await scheduled(cron);
  const paused = await newEmptyFund();
  await admin("PATCH", `/funds/${paused.fundId}`, { paused: true });
  return { busy, disabledKeyId: await newDisabledKey(busy), paused, empty, wallet, webhook, aptos, viewer };
}
