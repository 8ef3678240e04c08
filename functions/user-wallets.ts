import { NO_TOKEN_CACHE, type TokenCache, tokenCacheIn } from "../shared/client/token-cache.ts";
import { type User, type UserWallet, userWallet } from "../shared/client/user-wallets.ts";
import type { FlowsConfig } from "../shared/config.ts";
import type { Deps } from "../shared/deps.ts";
import type { Chain } from "../shared/networks.ts";
import { type FlowFailure, flowFailed } from "./flow-failure.ts";

/** The wallet that a user of the app has, on each chain under the same id. */
export interface FlowWallet extends UserWallet {
  /** Where the token of a session with it on a chain is kept between requests. */
  tokens(chain: Chain): TokenCache;
}

/** Fails where the app has no secret to make wallets' secrets from. */
export interface UserWallets {
  mine(): { readonly ok: true; readonly value: FlowWallet } | FlowFailure;
}

export function userWallets(
  user: User,
  { secret: appSecret }: FlowsConfig,
  deps: Deps,
  kv: KVNamespace | undefined,
): UserWallets {
  return {
    mine() {
      if (appSecret === null)
        return flowFailed(503, "not_configured", "FLOWS_SECRET is not set: the users' wallets are made from it");
      const wallet = userWallet(user, appSecret);
      const tokens = (chain: Chain) =>
        kv === undefined ? NO_TOKEN_CACHE : tokenCacheIn({ ...deps, kv, appSecret }, chain, wallet.walletId);
      return { ok: true, value: { ...wallet, tokens } };
    },
  };
}
