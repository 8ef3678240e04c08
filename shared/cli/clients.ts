import * as z from "zod";
import { untilCommitted, untilShown } from "./shown.ts";

/**
 * How the outside talks to a running service and to the development chain. Deliberately plain `fetch`: what the launcher
 * and the end-to-end tests see is what any caller sees.
 */

export const SUI_GAS_PATH = "/sui/gas/v1";
export const NETWORK = "SUI_LOCALNET";
export const APTOS_NETWORK = "APTOS_LOCALNET";
export const APTOS_KEY_PATH = "/aptos/key/v1";
export const APTOS_WALLET_PATH = "/aptos/wallet/v1";
export const APTOS_GAS_PATH = "/aptos/gas/v1";

export interface HttpAnswer {
  readonly status: number;
  readonly headers: Headers;
  /** Parsed where it is JSON, the text otherwise, null where empty. */
  readonly body: unknown;
}

export async function http(url: string, init: RequestInit = {}): Promise<HttpAnswer> {
  const response = await fetch(url, init);
  const text = await response.text();
  const isJson = /[/+]json\b/.test(response.headers.get("content-type") ?? "");
  return {
    status: response.status,
    headers: response.headers,
    body: isJson && text !== "" ? JSON.parse(text) : text || null,
  };
}

const JSON_HEADERS = { "content-type": "application/json" };

/** What an operator needs to know of a running service. */
export interface AdminAccess {
  readonly serviceUrl: string;
  readonly adminToken: string;
  /** Left out: a call may take as long as it takes. */
  readonly timeoutMs?: number;
}

/** One call of the admin API. `path` starts after `/admin/v1`. The token follows no redirection. */
export function adminCall(
  { serviceUrl, adminToken, timeoutMs }: AdminAccess,
  method: string,
  path: string,
  body?: unknown,
  idempotencyKey?: string,
): Promise<HttpAnswer> {
  const named = idempotencyKey === undefined ? {} : { "idempotency-key": idempotencyKey };
  const headers = { ...JSON_HEADERS, ...named, authorization: `Bearer ${adminToken}` };
  return http(`${serviceUrl}/admin/v1${path}`, {
    method,
    headers,
    redirect: "error",
    ...(timeoutMs !== undefined && { signal: AbortSignal.timeout(timeoutMs) }),
    ...(body !== undefined && { body: JSON.stringify(body) }),
  });
}

/** A JSON-RPC call with positional parameters, the key in the header. */
export function rpcCall(
  url: string,
  key: string,
  method: string,
  params: readonly unknown[],
  idempotencyKey?: string,
): Promise<HttpAnswer> {
  const body = JSON.stringify({ jsonrpc: "2.0", id: 1, method, params });
  const named = idempotencyKey === undefined ? {} : { "idempotency-key": idempotencyKey };
  return http(url, { method: "POST", headers: { ...JSON_HEADERS, ...named, "x-api-key": key }, body });
}

/** A refusal that a person should read, without the stack trace of the code that met it. */
export class UnexpectedAnswer extends Error {
  override readonly name = "UnexpectedAnswer";
}

/** Checks the status and the shape of an answer. */
export function expectAnswer<Schema extends z.ZodType>(
  what: string,
  { status, body }: HttpAnswer,
  schema: Schema,
): z.output<Schema> {
  const parsed = schema.safeParse(body);
  if (status >= 200 && status < 300 && parsed.success) return parsed.data;
  throw new UnexpectedAnswer(`${what} answered ${status}: ${JSON.stringify(body)}`);
}

const rpcResultSchema = z.object({ result: z.unknown() });

/** The `result` of a JSON-RPC call that must succeed. */
export async function rpcResult<Schema extends z.ZodType>(
  url: string,
  key: string,
  method: string,
  params: readonly unknown[],
  schema: Schema,
  idempotencyKey?: string,
): Promise<z.output<Schema>> {
  const answer = await rpcCall(url, key, method, params, idempotencyKey);
  const { result } = expectAnswer(method, answer, rpcResultSchema);
  return expectAnswer(method, { ...answer, body: result }, schema);
}

const faucetAnswerSchema = z.object({ digest: z.string(), objectId: z.string() });

async function payFromFaucet<Schema extends z.ZodType>(
  chainUrl: string,
  payment: { readonly address: string; readonly amountMist: bigint; readonly form: "coin" | "address_balance" },
  schema: Schema,
): Promise<z.output<Schema>> {
  const { address, amountMist, form } = payment;
  const body = JSON.stringify({ network: NETWORK, address, amount: amountMist.toString(), form });
  const answer = await http(`${chainUrl}/faucet`, { method: "POST", headers: JSON_HEADERS, body });
  return expectAnswer("the faucet", answer, schema);
}

/** Gives a new coin of this amount to an address of the development chain. */
export function faucet(chainUrl: string, address: string, amountMist: bigint) {
  return payFromFaucet(chainUrl, { address, amountMist, form: "coin" }, faucetAnswerSchema);
}

/** Pays into an address balance: no coin is made. */
export function faucetIntoBalance(chainUrl: string, address: string, amountMist: bigint) {
  return payFromFaucet(chainUrl, { address, amountMist, form: "address_balance" }, z.object({ digest: z.string() }));
}

/** Pays APT to an address of the development chain, and waits until its node shows it. */
export async function faucetApt(chainUrl: string, address: string, amountOctas: bigint): Promise<void> {
  const body = JSON.stringify({ network: APTOS_NETWORK, address, amount: amountOctas.toString() });
  const answer = await http(`${chainUrl}/faucet`, { method: "POST", headers: JSON_HEADERS, body });
  const { hash } = expectAnswer("the faucet", answer, z.object({ hash: z.string() }));
  await untilCommitted(chainUrl, hash);
}

const idSchema = z.object({ id: z.string() });
const fundSchema = z.object({
  id: z.string(),
  depositAddress: z.string().nullable(),
  balance: z.string(),
  inFlight: z.string(),
  accruedFees: z.string(),
});
const keySchema = z.object({ id: z.string(), key: z.string() });

/** A running service beside the development chain. */
export interface ServiceAccess extends AdminAccess {
  readonly chainUrl: string;
}

/** `fields` go to the admin API as they are. */
export async function createProject(access: AdminAccess, name: string, fields: object = {}): Promise<string> {
  const answer = await adminCall(access, "POST", "/projects", { name, ...fields });
  return expectAnswer("creating a project", answer, idSchema).id;
}

export async function createFund(
  access: AdminAccess,
  projectId: string,
  fields: object,
): Promise<z.output<typeof fundSchema>> {
  const answer = await adminCall(access, "POST", `/projects/${projectId}/funds`, { network: NETWORK, ...fields });
  return expectAnswer("creating a fund", answer, fundSchema);
}

export async function createKey(
  access: AdminAccess,
  projectId: string,
  fields: object,
  idempotencyKey?: string,
): Promise<z.output<typeof keySchema>> {
  const body = { network: NETWORK, ...fields };
  const answer = await adminCall(access, "POST", `/projects/${projectId}/keys`, body, idempotencyKey);
  return expectAnswer("creating an access key", answer, keySchema);
}

/** Takes away the default limits that a load would reach. */
export async function raiseLimits(access: AdminAccess, ids: { readonly fundId: string; readonly keyId: string }) {
  const fundPolicy = { maxGasBudget: null, maxSpendPerDay: null };
  const keyPolicy = { maxInFlightCount: null, maxInFlightAmount: null, maxAbandonCostPerDay: null };
  const fund = await adminCall(access, "PATCH", `/funds/${ids.fundId}`, { policy: fundPolicy });
  expectAnswer("raising the fund's limits", fund, idSchema);
  const key = await adminCall(access, "PATCH", `/keys/${ids.keyId}`, { policy: keyPolicy });
  expectAnswer("raising the key's limits", key, idSchema);
}

export async function getFund(access: AdminAccess, fundId: string): Promise<z.output<typeof fundSchema>> {
  return expectAnswer("reading the fund", await adminCall(access, "GET", `/funds/${fundId}`), fundSchema);
}

const FUNDING_TIMEOUT_MS = 30_000;
const FUNDING_POLL_MS = 100;

/**
 * Puts coins into a fund from the faucet and waits until the fund counts them, told to look now instead of at its next
 * alarm. The balance may then be less than the sum: the fund pays for splitting large deposits into coins to lend.
 */
export async function deposit(
  access: ServiceAccess,
  fund: { readonly fundId: string; readonly depositAddress: string },
  coinsMist: readonly bigint[],
): Promise<void> {
  const { balance: before } = await getFund(access, fund.fundId);
  let digest: string | undefined;
  for (const amountMist of coinsMist) ({ digest } = await faucet(access.chainUrl, fund.depositAddress, amountMist));
  // All of them: a fund that is told to look now might find the first alone.
  if (digest !== undefined) await untilShown(access.chainUrl, digest);
  await refreshPast(access, fund.fundId, BigInt(before));
}

/** Waits until the fund counts more than this. */
export async function refreshPast(access: AdminAccess, fundId: string, balanceAtoms: bigint): Promise<void> {
  const deadline = Date.now() + FUNDING_TIMEOUT_MS;
  for (;;) {
    const answer = await adminCall(access, "POST", `/funds/${fundId}/refresh`);
    const { balance } = expectAnswer("refreshing the fund", answer, fundSchema);
    if (BigInt(balance) > balanceAtoms) return;
    if (Date.now() > deadline) throw new UnexpectedAnswer(`the fund still shows ${balance} after a deposit`);
    await new Promise((resolve) => setTimeout(resolve, FUNDING_POLL_MS));
  }
}

export interface FundedFund {
  readonly projectId: string;
  readonly fundId: string;
  readonly depositAddress: string;
}

/** A project with one fund that owns nothing yet. `fields` and `project` go to the admin API as they are. */
export async function createFundInProject(
  access: AdminAccess,
  name: string,
  fields: object = {},
  project: object = {},
): Promise<FundedFund> {
  const projectId = await createProject(access, name, project);
  const { id: fundId, depositAddress } = await createFund(access, projectId, { name, ...fields });
  if (depositAddress === null) throw new UnexpectedAnswer("the new fund has no deposit address");
  return { projectId, fundId, depositAddress };
}

/** A project with one fund that owns these coins. `project` goes to the admin API as it is. */
export async function createFundedFund(
  access: ServiceAccess,
  name: string,
  coinsMist: readonly bigint[],
  project: object = {},
): Promise<FundedFund> {
  const fund = await createFundInProject(access, name, {}, project);
  if (coinsMist.length > 0) await deposit(access, fund, coinsMist);
  return fund;
}

/** A fund on Aptos that owns this much. */
export async function createAptosFund(
  access: ServiceAccess,
  projectId: string,
  name: string,
  octas: bigint,
): Promise<FundedFund> {
  const { id: fundId, depositAddress } = await createFund(access, projectId, { name, network: APTOS_NETWORK });
  if (depositAddress === null) throw new UnexpectedAnswer("the new fund has no deposit address");
  if (octas > 0n) {
    await faucetApt(access.chainUrl, depositAddress, octas);
    await refreshPast(access, fundId, 0n);
  }
  return { projectId, fundId, depositAddress };
}

const sponsorshipsSchema = z.object({
  items: z.array(z.object({ digest: z.string(), charged: z.string().nullable() })),
});

/** What the fund's own books say that a sponsorship cost, MIST; null while they do not know. */
export async function chargedToFund(access: AdminAccess, fundId: string, digest: string): Promise<bigint | null> {
  const answer = await adminCall(access, "GET", `/funds/${fundId}/sponsorships`);
  const { items } = expectAnswer("listing the fund's sponsorships", answer, sponsorshipsSchema);
  const charged = items.find((item) => item.digest === digest)?.charged ?? null;
  return charged === null ? null : BigInt(charged);
}
