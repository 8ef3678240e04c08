import * as z from "zod";
import type { Chain } from "../../shared/networks.ts";
import { type Call, call, SECRET } from "./wallets.ts";

/** How a wallet's methods are called on a chain. Each answers the result, of one form for both chains, or the error. */
export interface WalletApi {
  readonly network: string;
  session(key: string, secret?: string): Promise<string>;
  create(key: string, walletId: string, token: string, options?: Call): Promise<unknown>;
  get(key: string, walletId: string): Promise<unknown>;
  export(key: string, walletId: string, token: string): Promise<unknown>;
  import(key: string, walletId: string, imported: readonly [string, unknown], options?: Call): Promise<unknown>;
}

function api(network: string, paths: { readonly key: string; readonly wallet: string }, prefix: string): WalletApi {
  const at =
    (path: string) =>
    (key: string, method: string, params: readonly unknown[], options: Call = {}) =>
      call(key, `${prefix}${method}`, params, { ...options, path });
  const [keyCall, walletCall] = [at(paths.key), at(paths.wallet)];
  return {
    network,
    session: async (key, secret = SECRET) => z.string().parse(await keyCall(key, "key_createSession", [secret])),
    create: async (key, walletId, token, options) =>
      addressOf(await walletCall(key, "wal_createWallet", [walletId, token], options)),
    get: async (key, walletId) => addressOf(await walletCall(key, "wal_getWallet", [walletId])),
    export: (key, walletId, token) => walletCall(key, "wal_exportWallet", [walletId, token]),
    import: async (key, walletId, imported, options) =>
      addressOf(await walletCall(key, "wal_importWallet", [walletId, ...imported], options)),
  };
}

function addressOf(answer: unknown): unknown {
  const wallet = z.strictObject({ accountAddress: z.string() }).safeParse(answer);
  return wallet.success ? wallet.data.accountAddress : answer;
}

export const walletApis: Readonly<Record<Chain, WalletApi>> = {
  sui: api("SUI_TESTNET", { key: "/wallet/v1", wallet: "/wallet/v1" }, "svc_"),
  aptos: api("APTOS_TESTNET", { key: "/aptos/key/v1", wallet: "/aptos/wallet/v1" }, ""),
};
