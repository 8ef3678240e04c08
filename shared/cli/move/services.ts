import { verifyPersonalMessageSignature } from "@mysten/sui/verify";
import type * as z from "zod";
import type { MethodContract } from "../../api/contract.ts";
import {
  suiCreateSession,
  suiCreateWallet,
  suiGetWallet,
  suiSignPersonalMessage,
  suiSignTransactionBlock,
} from "../../api/sui-wallet.ts";
import { createSuiGasClient } from "../../client/gas-client.ts";
import { type ClientError, createRpcClient, type Method, type Reply } from "../../client/rpc-client.ts";
import { sleep } from "../../timing.ts";
import { LaunchError } from "../terminal.ts";

/** The address of a service with wallets, and the access key for them. */
export interface Place {
  readonly baseUrl: string;
  readonly accessKey: string;
  /** The prefix of the wallet methods' names there. */
  readonly prefix: string;
}

const RATE_LIMITED = -32010;
const DEFAULT_WAIT_MS = 1_000;
const MAX_WAITS = 60;

/** Repeats refused calls. Sessions have a rate of about one a second, so a move of many wallets often exceeds it. */
export async function patiently<T>(call: () => Promise<Reply<T>>): Promise<Reply<T>> {
  for (let waits = 0; ; waits++) {
    const reply = await call();
    if (reply.ok || reply.error.kind !== "refused" || reply.error.code !== RATE_LIMITED || waits === MAX_WAITS)
      return reply;
    const { retryAfterMs } = reply.error.data;
    await sleep(typeof retryAfterMs === "number" ? retryAfterMs : DEFAULT_WAIT_MS);
  }
}

/** Writes an error for people. */
export function explained(error: ClientError): string {
  return error.kind === "refused" ? `${error.code} ${error.details}` : `${error.kind}: ${error.details}`;
}

/** Returns the value of a reply. @throws LaunchError with the service's error. */
export function required<T>(what: string, reply: Reply<T>): T {
  if (reply.ok) return reply.value;
  throw new LaunchError(`${what}: ${explained(reply.error)}`);
}

/** A client of the wallets at one service. */
export type Wallets = ReturnType<typeof walletsAt>;

/** Returns the wallet methods by the names and paths of deployed client libraries. A hosted service has those. */
export function walletsAt({ prefix, ...options }: Place) {
  const at = (path: string) => {
    const method = createRpcClient(path, options);
    return <Params extends z.ZodObject, Result extends z.ZodType>(
      contract: MethodContract<Params, Result>,
    ): Method<Params, Result> => method({ ...contract, name: contract.name.replace(/^svc/, prefix) });
  };
  const [key, wallet] = [at("/sui/key/v1"), at("/sui/wallet/v1")];
  return {
    createSession: key(suiCreateSession),
    createWallet: wallet(suiCreateWallet),
    getWallet: wallet(suiGetWallet),
    signTransactionBlock: wallet(suiSignTransactionBlock),
    signPersonalMessage: wallet(suiSignPersonalMessage),
  };
}

/** Returns the gas methods of a service. */
export function gasAt({ prefix: _, ...options }: Place) {
  return createSuiGasClient(options);
}

/** A wallet that this session has opened. */
export interface OpenWallet {
  readonly walletId: string;
  readonly address: string;
  readonly session: string;
}

const PROOF = new TextEncoder().encode("Gasworks: this wallet opens before anything is sent to it");

/**
 * Opens a wallet, and makes it if it does not exist. Assets that are moved to a wallet that does not open would be
 * lost.
 *
 * @throws LaunchError if it does not open, or signs as another address than its own.
 */
export async function openTarget(
  wallets: Wallets,
  { walletId, secret }: { readonly walletId: string; readonly secret: string },
): Promise<OpenWallet> {
  const what = `wallet ${walletId} at the new service`;
  const session = required(what, await patiently(() => wallets.createSession({ secret })));
  const wallet = { wallet_id: walletId, session_token: session };
  const created = await patiently(() => wallets.createWallet(wallet));
  const exists = !created.ok && created.error.kind === "refused" && created.error.reason === "wallet_exists";
  const found = exists ? await wallets.getWallet({ wallet_id: walletId }) : created;
  const address = required(what, found);
  const proof = await patiently(() => wallets.signPersonalMessage({ ...wallet, message: PROOF, wrap_bcs: true }));
  await verifyPersonalMessageSignature(PROOF, required(what, proof), { address });
  return { walletId, address, session };
}

/** Opens an old wallet. @throws LaunchError if there is no such wallet, or no session. */
export async function openSource(
  wallets: Wallets,
  { walletId, secret }: { readonly walletId: string; readonly secret: string },
): Promise<OpenWallet> {
  const what = `wallet ${walletId} at the old service`;
  const address = required(what, await patiently(() => wallets.getWallet({ wallet_id: walletId })));
  const session = required(what, await patiently(() => wallets.createSession({ secret })));
  return { walletId, address, session };
}
