import type { Deps } from "../bindings/deps.ts";
import type { WorkflowUserObject } from "../bindings/workflow-user.ts";
import type { TokenCache } from "../client/session.ts";
import type { FlowsConfig } from "../config/workflows.ts";
import type { Chain } from "../networks.ts";
import { type WorkflowResult, workflowFailed } from "./errors.ts";
import { tokenCacheIn } from "./token-cache.ts";
import { isProven, type KnownWallet, proven } from "./user/known-wallet.ts";
import { type User, type UserWallet, userWallet } from "./wallet-clients.ts";

/** The wallet of a user of the app. It has the same id on each chain. */
export interface WalletOfUser extends UserWallet {
  /** Returns the cache that keeps the wallet's session token on a chain between requests. */
  tokens(chain: Chain): TokenCache;
  /** Returns the wallet on a chain as an earlier call with the user's own session has seen it. Null if none has. */
  known(chain: Chain): Promise<KnownWallet | null>;
  note(chain: Chain, wallet: KnownWallet): Promise<void>;
}

/** The wallets of one user. It refuses if the app has no secret from which wallets' secrets are made. */
export interface UserWallets {
  walletOfUser(): WorkflowResult<WalletOfUser>;
}

/**
 * Finds the wallets of one user.
 *
 * @param me keeps the known wallets of this user between requests.
 * @param secretIsRight true if FLOWS_SECRET is the one that this deployment was begun with.
 */
export function userWallets(
  user: User,
  { secret: flowsSecret, accessKeys, baseUrl }: FlowsConfig,
  deps: Deps,
  kv: KVNamespace | undefined,
  me: WorkflowUserObject,
  secretIsRight: boolean,
): UserWallets {
  return {
    walletOfUser() {
      if (flowsSecret === null)
        return workflowFailed(
          503,
          "not_configured",
          "FLOWS_SECRET is not set: set it, because the users' wallets derive from it",
        );
      if (!secretIsRight)
        return workflowFailed(
          503,
          "not_configured",
          "FLOWS_SECRET differs from the one that this deployment began with: restore it",
        );
      const wallet = userWallet(user, flowsSecret);
      const { walletId } = wallet;
      const by = (chain: Chain) => ({ flowsSecret, chain, walletId, accessKey: accessKeys[chain] ?? "", baseUrl });
      const desk = (chain: Chain) => ({
        take: (refused: Uint8Array | null) => me.takeSession(chain, refused),
        put: (value: Uint8Array | null) => me.putSession(chain, value),
      });
      const value: WalletOfUser = {
        ...wallet,
        tokens: (chain) => tokenCacheIn({ ...deps, kv: kv ?? null, desk: desk(chain), flowsSecret }, chain, walletId),
        async known(chain) {
          const known = await me.knownWallet(chain);
          return known !== null && isProven(known, by(chain)) ? known : null;
        },
        note: (chain, known) => me.recordWallet(chain, proven(known, by(chain))),
      };
      return { ok: true, value };
    },
  };
}
