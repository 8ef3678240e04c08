import { isRefused, type Reply } from "../client/rpc-client.ts";
import { withToken } from "../client/session.ts";
import { createAptosWalletClient, createSuiWalletClient } from "../client/wallet-client.ts";
import type { AptosNetwork, Chain, SuiNetwork } from "../networks.ts";
import { type WorkflowResult, workflowFailureOf } from "./errors.ts";
import type { WorkflowContext } from "./handler.ts";
import type { ServiceAccess } from "./service.ts";

type Client = ReturnType<typeof createAptosWalletClient> | ReturnType<typeof createSuiWalletClient>;

/** The caller's wallet on one chain. */
export interface EmbeddedWallet<OfChain, OfClient extends Client> {
  readonly walletId: string;
  readonly access: ServiceAccess<OfChain>;
  readonly client: OfClient;
  /**
   * Returns the address, or `wallet_not_found` if the user has none yet. It may be used only for transactions that this
   * wallet signs: the signature shows that the wallet is the user's.
   */
  address(): Promise<WorkflowResult<string>>;
  /**
   * Returns the address for display. The user's session has then opened the wallet, so the wallet belongs to this user.
   */
  ownAddress(): Promise<WorkflowResult<string>>;
  /** Makes a call that needs a session. */
  inSession<Value>(call: (sessionToken: string) => Promise<Reply<Value>>): Promise<Reply<Value>>;
}

/** A user's embedded wallet on Sui. */
export type SuiEmbeddedWallet = EmbeddedWallet<SuiNetwork, ReturnType<typeof createSuiWalletClient>>;
/** A user's embedded wallet on Aptos. */
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
        // This call makes no wallet. Only a session that opens the wallet learns that it exists. Others learn that
        // their secret is wrong.
        const opened = await inSession((sessionToken) => create(walletId, sessionToken));
        if (!opened.ok && !isRefused(opened, "wallet_exists")) return workflowFailureOf(opened.error, chain);
        await note(chain, { address: found.value, isOnChain: false });
        return found;
      },
      inSession,
    },
  };
}

/** Returns the caller's wallet on Sui. Refuses if the chain is not configured, or FLOWS_SECRET is missing or wrong. */
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

/** Returns the caller's wallet on Aptos. Refuses if the chain is not configured, or FLOWS_SECRET is missing or wrong. */
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
