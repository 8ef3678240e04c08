import { randomBytes } from "node:crypto";
import * as z from "zod";
import { createKey, createProject } from "../../shared/cli/client/admin.ts";
import type { ServiceAccess } from "../../shared/cli/client/funds.ts";
import { rpcResult } from "../../shared/cli/client/rpc.ts";
import type { SelfHosted } from "../harness/self-hosted.ts";
import type { Varied } from "./load.ts";
import { type Route, route } from "./route.ts";

const WALLET_PATH = "/wallet/v1";

export interface BenchApp {
  readonly key: string;
  readonly secret: string;
  readonly projectId: string;
}

/** Makes a project with an access key for wallets, and the secret of its app. */
export async function newApp(access: ServiceAccess, secretDerivation: "scrypt" | "hkdf"): Promise<BenchApp> {
  const projectId = await createProject(access, "bench", { secretDerivation });
  const { key } = await newKey(access, projectId);
  return { key, projectId, secret: randomBytes(32).toString("hex") };
}

/** Makes one more access key. */
export function newKey(access: ServiceAccess, projectId: string): Promise<{ key: string }> {
  return createKey(access, projectId, { name: "bench", rights: ["wallet"], limits: { qps: 10_000, cups: 1_000 } });
}

/** Opens a session, which ends after ten minutes. */
export function openSession(access: ServiceAccess, { key, secret }: BenchApp): Promise<string> {
  return rpcResult(`${access.serviceUrl}${WALLET_PATH}`, key, "svc_key_createSession", [secret], z.string());
}

/** A route of the wallet interface of Sui. */
export function walletRoute(name: string, hosted: SelfHosted, key: string, vary: () => Varied): Route {
  const base = route(name, hosted.service, WALLET_PATH);
  return { ...base, headers: { ...base.headers, "x-api-key": key }, vary };
}

/** Counts from 1 to `count − 1`, then from 0, again and again. */
export function inTurn(count: number): () => number {
  let next = 0;
  return () => {
    next = (next + 1) % count;
    return next;
  };
}
