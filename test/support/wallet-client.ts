import { randomBytes } from "node:crypto";
import { toBase64 } from "@mysten/sui/utils";
import { verifyTransactionSignature } from "@mysten/sui/verify";
import { expect } from "vitest";
import * as z from "zod";
import { type AdminAccess, adminCall, createKey, createProject } from "../../shared/cli/client/admin.ts";
import { expectAnswer } from "../../shared/cli/client/http.ts";
import { rpcCall } from "../../shared/cli/client/rpc.ts";
import { reasonWithoutData } from "../../shared/errors.ts";

/** Wallets of a project at a running service, over HTTP. */
export const SUI_WALLET_PATH = "/wallet/v1";
const ROTATION_PATIENCE_MS = 60_000;
const POLL_MS = 50;

const errorSchema = z.object({
  code: z.int(),
  data: z.object({ reason: z.string().optional(), details: z.string() }),
});
const answerSchema = z.union([z.object({ result: z.string() }), z.object({ error: errorSchema })]);

/** The result, or the error's reason and data. */
export type WalletAnswer =
  | { readonly ok: true; readonly result: string }
  | { readonly ok: false; readonly reason: string; readonly error: unknown };

export interface WalletApp {
  readonly projectId: string;
  readonly key: string;
  /** A secret that the project's `hkdf` derivation takes. */
  readonly secret: string;
  call(method: string, ...params: readonly string[]): Promise<WalletAnswer>;
  /** As `call`, where nothing may be refused. */
  must(method: string, ...params: readonly string[]): Promise<string>;
}

export async function newWalletApp(access: AdminAccess, fields: object = {}): Promise<WalletApp> {
  const projectId = await createProject(access, "wallets", { secretDerivation: "hkdf", ...fields });
  const { key } = await createKey(access, projectId, {
    name: "wallets",
    rights: ["wallet"],
    limits: { qps: 10_000, cups: 1_000 },
  });
  const reasonOf = ({ code, data: { reason, details } }: z.output<typeof errorSchema>) =>
    reason ?? reasonWithoutData({ code, details }) ?? "unknown";
  const call = async (method: string, ...params: readonly string[]): Promise<WalletAnswer> => {
    const { body } = await rpcCall(`${access.serviceUrl}${SUI_WALLET_PATH}`, key, method, params);
    const answer = answerSchema.parse(body);
    return "result" in answer
      ? { ok: true, result: answer.result }
      : { ok: false, reason: reasonOf(answer.error), error: answer.error };
  };
  return {
    projectId,
    key,
    secret: randomBytes(32).toString("hex"),
    call,
    async must(method, ...params) {
      const answer = await call(method, ...params);
      if (!answer.ok) throw new Error(`${method}: ${JSON.stringify(answer.error)}`);
      return answer.result;
    },
  };
}

/** The wallet shows this address and signs for it with what the chain's SDK verifies. */
export async function expectOpens(app: WalletApp, walletId: string, address: string, token: string): Promise<void> {
  expect(await app.call("svc_wal_getWallet", walletId), walletId).toEqual({ ok: true, result: address });
  const bytes = Uint8Array.from(randomBytes(200));
  const signature = await app.must("svc_wal_signTransaction", walletId, token, toBase64(bytes));
  await verifyTransactionSignature(bytes, signature, { address });
}

/** One version of `MASTER_KEYS`. */
export function masterKey(version: number): string {
  return `${version}:${randomBytes(32).toString("base64")}`;
}

const progressSchema = z.object({
  current: z.int(),
  remaining: z.int(),
  failing: z.int(),
  unopenable: z.int(),
});

export async function masterKeyProgress(access: AdminAccess): Promise<z.output<typeof progressSchema>> {
  return expectAnswer("the progress", await adminCall(access, "GET", "/master-key"), progressSchema);
}

/** Has everything re-sealed; returns once nothing needs an older master key. */
export async function rewrap(access: AdminAccess): Promise<void> {
  expectAnswer("the order to re-seal", await adminCall(access, "POST", "/master-key/rewrap"), progressSchema);
  for (const deadline = Date.now() + ROTATION_PATIENCE_MS; ; ) {
    const progress = await masterKeyProgress(access);
    if (progress.remaining === 0) return;
    if (Date.now() > deadline) throw new Error(`not re-sealed: ${JSON.stringify(progress)}`);
    await new Promise((resolve) => setTimeout(resolve, POLL_MS));
  }
}
