import { isRefused, type Reply } from "../client/rpc-client.ts";
import { withToken } from "../client/session.ts";
import { createAptosWalletClient, createSuiWalletClient } from "../client/wallet-client.ts";
import type { AptosNetwork, Chain, SuiNetwork } from "../networks.ts";
import { type WorkflowResult, workflowFailureOf } from "./errors.ts";
import type { WorkflowContext } from "./handler.ts";
import type { ServiceAccess } from "./service.ts";

type Client = ReturnType<typeof createAptosWalletClient> | ReturnType<typeof createSuiWalletClient>;

/** The wallet of whoever calls, on one chain. */
export interface EmbeddedWallet<OfChain, OfClient extends Client> {
  readonly walletId: string;
  readonly access: ServiceAccess<OfChain>;
  readonly client: OfClient;
  /** `wallet_not_found` where the user has none yet. For what this wallet signs, which shows that it is the user's. */
  address(): Promise<WorkflowResult<string>>;
  /** The same to show it: once the user's session has opened the wallet, so that it is nobody else's. */
  ownAddress(): Promise<WorkflowResult<string>>;
  /** Makes a call that needs a session. */
  inSession<Value>(call: (sessionToken: string) => Promise<Reply<Value>>): Promise<Reply<Value>>;
}

export type SuiEmbeddedWallet = EmbeddedWallet<SuiNetwork, ReturnType<typeof createSuiWalletClient>>;
export type AptosEmbeddedWallet = EmbeddedWallet<AptosNetwork, ReturnType<typeof createAptosWalletClient>>;

interface WalletCalls {
  find(walletId: string): Promise<Reply<string>>;
  create(walletId: string, sessionToken: string): Promise<Reply<unknown>>;
}

function embedded<OfChain, OfClient extends Client>(
  chain: Chain,
  access: ServiceAccess<OfChain>,
  client: OfClient,
  { find, create }: WalletCalls,
  { wallets }: Pick<WorkflowContext<unknown>, "wallets">,
): WorkflowResult<EmbeddedWallet<OfChain, OfClient>> {
  const mine = wallets.walletOfUser();
  if (!mine.ok) return mine;
  const { walletId, secret, tokens, known, note } = mine.value;
  const inSession = <Value>(call: (sessionToken: string) => Promise<Reply<Value>>) =>
    withToken(tokens(chain), () => client.createSession({ secret }), call);
  return {
    ok: true,
    value: {
      walletId,
      access,
      client,
      async address() {
        const found = await find(walletId);
        return found.ok ? found : workflowFailureOf(found.error, chain);
      },
      async ownAddress() {
        const noted = await known(chain);
        if (noted !== null) return { ok: true, value: noted.address };
        const found = await find(walletId);
        if (!found.ok) return workflowFailureOf(found.error, chain);
        // Makes nothing: that it exists is said to a session that opens it, and to others that their secret is wrong.
        const opened = await inSession((sessionToken) => create(walletId, sessionToken));
        if (!opened.ok && !isRefused(opened, "wallet_exists")) return workflowFailureOf(opened.error, chain);
        await note(chain, { address: found.value, isOnChain: false });
        return found;
      },
      inSession,
    },
  };
}

export function suiEmbeddedWallet(
  call: Pick<WorkflowContext<unknown>, "service" | "wallets">,
): WorkflowResult<SuiEmbeddedWallet> {
  const access = call.service.sui();
  if (!access.ok) return access;
  const client = createSuiWalletClient(access.value.options);
  const calls: WalletCalls = {
    find: (walletId) => client.getWallet({ wallet_id: walletId }),
    create: (walletId, sessionToken) => client.createWallet({ wallet_id: walletId, session_token: sessionToken }),
  };
  return embedded("sui", access.value, client, calls, call);
}

export function aptosEmbeddedWallet(
  call: Pick<WorkflowContext<unknown>, "service" | "wallets">,
): WorkflowResult<AptosEmbeddedWallet> {
  const access = call.service.aptos();
  if (!access.ok) return access;
  const client = createAptosWalletClient(access.value.options);
  const calls: WalletCalls = {
    find: async (walletId) => {
      const found = await client.getWallet({ walletId });
      return found.ok ? { ok: true, value: found.value.accountAddress } : found;
    },
    create: (walletId, sessionToken) => client.createWallet({ walletId, sessionToken }),
  };
  return embedded("aptos", access.value, client, calls, call);
}
