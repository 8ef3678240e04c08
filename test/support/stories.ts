import { env } from "cloudflare:workers";
import { expect } from "vitest";
import * as z from "zod";
import { createAdminApp } from "../../functions/service/admin/app.ts";
import { createDeps } from "../../shared/bindings/deps.ts";
import { authorization } from "./admin-access.ts";
import { APT_OCTAS, giveOctas } from "./aptos-chain.ts";
import { give } from "./sui-chain.ts";
import { stub, type TestFund } from "./sui-fund.ts";

/** Calls of an operator, and funds as an operator makes them. */

const adminApp = createAdminApp(createDeps(env));
const COIN_MIST = 9_000_000n;

const resultSchema = z.object({
  cause: z.string(),
  isOnlyOnChain: z.boolean(),
  stories: z.array(
    z.looseObject({
      fundId: z.string(),
      causes: z.array(z.string()),
      ledger: z.array(z.looseObject({ kind: z.string() })),
      chain: z.looseObject({ endpoint: z.string().nullable(), execution: z.unknown() }).nullable(),
    }),
  ),
});
const idOf = (answer: unknown) => z.looseObject({ id: z.string() }).parse(answer).id;

export async function call(method: string, path: string, body?: object): Promise<unknown> {
  const headers = { authorization, "content-type": "application/json" };
  const response = await adminApp.request(path, { method, headers, ...(body && { body: JSON.stringify(body) }) }, env);
  const text = await response.text();
  expect(response.status, `${path}: ${text}`).toBeLessThan(300);
  return JSON.parse(text);
}

/** What an operator reads, in one call. */
export async function explain(path: string) {
  return resultSchema.parse(await call("GET", `/transactions${path}`));
}

export interface ListedFund extends TestFund {
  readonly projectId: string;
  readonly keyId: string;
  readonly key: string;
}

/** A fund of the service with one key. */
async function listed(network: string, policy: object): Promise<ListedFund> {
  const projectId = idOf(await call("POST", "/projects", { name: "stories" }));
  const made = await call("POST", `/projects/${projectId}/funds`, { name: "gas", network, policy });
  const { id, depositAddress: address } = z.looseObject({ id: z.string(), depositAddress: z.string() }).parse(made);
  const asked = { name: "key", network, rights: ["gas"], fundId: id };
  const key = z
    .looseObject({ id: z.string(), key: z.string() })
    .parse(await call("POST", `/projects/${projectId}/keys`, asked));
  return { id, address, projectId, keyId: key.id, key: key.key };
}

export async function newListedFund(coins = 1, policy: object = {}): Promise<ListedFund> {
  const fund = await listed("SUI_LOCALNET", policy);
  for (let coin = 0; coin < coins; coin += 1) await give(fund.address, COIN_MIST);
  if (coins > 0) await stub(fund).refresh();
  return fund;
}

export async function newListedAptosFund(): Promise<ListedFund> {
  const fund = await listed("APTOS_LOCALNET", {});
  await giveOctas(fund.address, APT_OCTAS);
  await stub(fund).refresh();
  return fund;
}
