import * as z from "zod";
import { expectAnswer, type HttpAnswer, http, JSON_HEADERS, UnexpectedAnswer } from "./http.ts";

/** The Sui network of the development chain. */
export const SUI_NETWORK = "SUI_LOCALNET";
/** The Aptos network of the development chain. */
export const APTOS_NETWORK = "APTOS_LOCALNET";

/** The address of a running service, and the token that opens its admin API. */
export interface AdminAccess {
  readonly serviceUrl: string;
  readonly adminToken: string;
  /** Absent for a call without a time limit. */
  readonly timeoutMs?: number;
}

/** The parts of one call of the admin API. `path` starts after `/admin/v1`. */
export interface AdminCall {
  readonly method: string;
  readonly path: string;
  readonly body?: unknown;
  readonly idempotencyKey?: string | undefined;
  /** The media type of the answer. */
  readonly accept?: string | undefined;
}

/** Returns the request of a call. A redirection fails, so that the token goes nowhere else. */
export function adminRequest(
  { serviceUrl, adminToken }: AdminAccess,
  { method, path, body, idempotencyKey, accept }: AdminCall,
) {
  const headers: Readonly<Record<string, string>> = {
    ...JSON_HEADERS,
    ...(idempotencyKey !== undefined && { "idempotency-key": idempotencyKey }),
    ...(accept !== undefined && { accept }),
    authorization: `Bearer ${adminToken}`,
  };
  const init = {
    method,
    headers,
    redirect: "error",
    ...(body !== undefined && { body: JSON.stringify(body) }),
  } as const;
  return { url: `${serviceUrl}/admin/v1${path}`, init };
}

/** Calls the admin API. `path` starts after `/admin/v1`. */
export function adminCall(
  access: AdminAccess,
  method: string,
  path: string,
  body?: unknown,
  idempotencyKey?: string,
): Promise<HttpAnswer> {
  const { url, init } = adminRequest(access, { method, path, body, idempotencyKey });
  const { timeoutMs } = access;
  return http(url, { ...init, ...(timeoutMs !== undefined && { signal: AbortSignal.timeout(timeoutMs) }) });
}

/** The schema of an answer of which only the id is read. */
export const idSchema = z.object({ id: z.string() });
const fundSchema = z.object({
  id: z.string(),
  depositAddress: z.string().nullable(),
  balance: z.string(),
  inFlight: z.string(),
  accruedFees: z.string(),
});
const keySchema = z.object({ id: z.string(), key: z.string() });

/** Creates a project and returns its id. `fields` are further members of the request. */
export async function createProject(access: AdminAccess, name: string, fields: object = {}): Promise<string> {
  const answer = await adminCall(access, "POST", "/projects", { name, ...fields });
  return expectAnswer("creating a project", answer, idSchema).id;
}

/** Creates a fund, on Sui unless `fields` name another network. Amounts of the answer are decimal MIST or octas. */
export async function createFund(
  access: AdminAccess,
  projectId: string,
  fields: object,
): Promise<z.output<typeof fundSchema>> {
  const answer = await adminCall(access, "POST", `/projects/${projectId}/funds`, { network: SUI_NETWORK, ...fields });
  return expectAnswer("creating a fund", answer, fundSchema);
}

/** Creates an access key, on Sui unless `fields` name another network. */
export async function createKey(
  access: AdminAccess,
  projectId: string,
  fields: object,
  idempotencyKey?: string,
): Promise<z.output<typeof keySchema>> {
  const body = { network: SUI_NETWORK, ...fields };
  const answer = await adminCall(access, "POST", `/projects/${projectId}/keys`, body, idempotencyKey);
  return expectAnswer("creating an access key", answer, keySchema);
}

/** Reads a fund. Its amounts are decimal MIST or octas. */
export async function getFund(access: AdminAccess, fundId: string): Promise<z.output<typeof fundSchema>> {
  return expectAnswer("reading the fund", await adminCall(access, "GET", `/funds/${fundId}`), fundSchema);
}

const FUNDING_TIMEOUT_MS = 30_000;
const FUNDING_POLL_MS = 100;

/**
 * Has a fund look for deposits until its balance exceeds `balanceAtoms`.
 *
 * @throws UnexpectedAnswer after 30 s.
 */
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

const sponsorshipsSchema = z.object({
  items: z.array(z.object({ digest: z.string(), charged: z.string().nullable() })),
});

/** Reads the cost of a sponsorship from the fund's own books, MIST. Null if they do not know it yet. */
export async function chargedToFund(access: AdminAccess, fundId: string, digest: string): Promise<bigint | null> {
  const answer = await adminCall(access, "GET", `/funds/${fundId}/sponsorships`);
  const { items } = expectAnswer("listing the fund's sponsorships", answer, sponsorshipsSchema);
  const charged = items.find((item) => item.digest === digest)?.charged ?? null;
  return charged === null ? null : BigInt(charged);
}
