import { env } from "cloudflare:workers";
import { AccountAddress, MultiAgentTransaction, SimpleTransaction } from "@aptos-labs/ts-sdk";
import { expect } from "vitest";
import * as z from "zod";
import { APT_OCTAS, committedAs, type Draft, giveOctas } from "../../support/aptos-chain.ts";
import { SIGN_AND_SUBMIT, wireBody } from "../../support/aptos-station.ts";
import { until } from "../../support/sui-fund.ts";
import { admin, apps, newProject, requestAt } from "../../support/wallets.ts";

/** A fund on Aptos with an access key, and the gas station interface of the service in this runtime. */

const NETWORK = "APTOS_LOCALNET";
export const ZERO = "0x0";
const made = z.object({ id: z.string(), key: z.string().exactOptional(), depositAddress: z.string().nullish() });

export interface Station {
  readonly projectId: string;
  readonly fundId: string;
  readonly address: string;
  readonly key: string;
  readonly keyId: string;
}

export async function newKeyOf(projectId: string, fundId: string, fields: object = {}) {
  const all = {
    name: "app",
    network: NETWORK,
    rights: ["gas"],
    fundId,
    limits: { qps: 1_000, cups: 1_000 },
    ...fields,
  };
  const { id, key = "" } = made.parse(await admin("POST", `/projects/${projectId}/keys`, all));
  return { keyId: id, key };
}

/** The fund has one APT. */
export async function newStation(fundFields: object = {}, keyFields: object = {}): Promise<Station> {
  const projectId = await newProject();
  const fund = { name: "gas", network: NETWORK, ...fundFields };
  const { id: fundId, depositAddress } = made.parse(await admin("POST", `/projects/${projectId}/funds`, fund));
  const address = depositAddress ?? "";
  await giveOctas(address, APT_OCTAS);
  await env.FUND.getByName(fundId).refresh();
  return { projectId, fundId, address, ...(await newKeyOf(projectId, fundId, keyFields)) };
}

export const send = (path: string, init: RequestInit) => requestAt(apps.kv, path, init);

/** The answer to a request of the wire. */
export async function submit(key: string, body: unknown, headers: Readonly<Record<string, string>> = {}) {
  const all = { authorization: `Bearer ${key}`, "content-type": "application/json", ...headers };
  const text = typeof body === "string" ? body : JSON.stringify(body);
  const response = await send(SIGN_AND_SUBMIT, { method: "POST", headers: all, body: text });
  return { status: response.status, body: (await response.json()) as unknown, headers: response.headers };
}

export function refusal(status: number, error_code: string, more: object = {}) {
  return { status, body: { message: expect.any(String), error_code, ...more } };
}

/** The transaction as the SDK builds it, and the signatures over the fee payer that it names. */
export function simple(draft: Draft, feePayer: string | null = ZERO) {
  const payer = feePayer === null ? undefined : AccountAddress.from(feePayer);
  const transaction = new SimpleTransaction(draft.raw, payer);
  return { transaction, senderAuthenticator: draft.sender.account.signTransactionWithAuthenticator(transaction) };
}

export function multiAgent(draft: Draft, feePayer: string | null = ZERO, addresses: readonly string[] | null = null) {
  const payer = feePayer === null ? undefined : AccountAddress.from(feePayer);
  const others = addresses ?? draft.secondaries.map(({ address }) => address);
  const transaction = new MultiAgentTransaction(
    draft.raw,
    others.map((address) => AccountAddress.from(address)),
    payer,
  );
  const sign = ({ account }: Draft["sender"]) => account.signTransactionWithAuthenticator(transaction);
  return {
    transaction,
    senderAuthenticator: sign(draft.sender),
    additionalSignersAuthenticators: draft.secondaries.map(sign),
  };
}

export function bodyOf({ transaction, senderAuthenticator }: ReturnType<typeof simple>) {
  return wireBody(transaction.bcsToBytes(), senderAuthenticator);
}

const listSchema = z.object({ items: z.array(z.object({ digest: z.string(), state: z.string() })) });

export async function rowsOf({ fundId }: Pick<Station, "fundId">) {
  return listSchema.parse(await admin("GET", `/funds/${fundId}/sponsorships`)).items;
}

export async function inFlightOf({ fundId }: Pick<Station, "fundId">) {
  return z.object({ inFlight: z.string() }).parse(await admin("GET", `/funds/${fundId}`)).inFlight;
}

export async function committed(hash: string) {
  await until(async () => (await committedAs(hash)) !== null);
  return committedAs(hash);
}
