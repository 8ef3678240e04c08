import type { Reply } from "../shared/client/rpc-client.ts";
import { withToken } from "../shared/client/session.ts";
import { createAptosWalletClient, createSuiWalletClient } from "../shared/client/wallet-client.ts";
import type { AptosNetwork, Chain, SuiNetwork } from "../shared/networks.ts";
import type { FlowCall } from "./flow.ts";
import { type FlowFailure, flowFailureOf } from "./flow-failure.ts";
import type { ServiceAccess } from "./flow-service.ts";

type Found<Value> = { readonly ok: true; readonly value: Value } | FlowFailure;
type Client = ReturnType<typeof createAptosWalletClient> | ReturnType<typeof createSuiWalletClient>;

/** The wallet of whoever calls, on one chain. */
export interface EmbeddedWallet<OfChain, OfClient extends Client> {
  readonly walletId: string;
  readonly access: ServiceAccess<OfChain>;
  readonly client: OfClient;
  /** `wallet_not_found` where the user has none yet. */
  address(): Promise<Found<string>>;
  /** Makes a call that needs a session. */
  inSession<Value>(call: (sessionToken: string) => Promise<Reply<Value>>): Promise<Reply<Value>>;
}

export type SuiEmbeddedWallet = EmbeddedWallet<SuiNetwork, ReturnType<typeof createSuiWalletClient>>;
export type AptosEmbeddedWallet = EmbeddedWallet<AptosNetwork, ReturnType<typeof createAptosWalletClient>>;

function embedded<OfChain, OfClient extends Client>(
  chain: Chain,
  access: ServiceAccess<OfChain>,
  client: OfClient,
  find: (walletId: string) => Promise<Reply<string>>,
  { wallets }: Pick<FlowCall<unknown>, "wallets">,
): Found<EmbeddedWallet<OfChain, OfClient>> {
  const mine = wallets.mine();
  if (!mine.ok) return mine;
  const { walletId, secret, tokens } = mine.value;
  return {
    ok: true,
    value: {
      walletId,
      access,
      client,
      async address() {
        const found = await find(walletId);
        return found.ok ? found : flowFailureOf(found.error, chain);
      },
      inSession: (call) => withToken(tokens(chain), () => client.createSession({ secret }), call),
    },
  };
}

export function suiEmbeddedWallet(call: Pick<FlowCall<unknown>, "service" | "wallets">): Found<SuiEmbeddedWallet> {
  const access = call.service.sui();
  if (!access.ok) return access;
  const client = createSuiWalletClient(access.value.options);
  return embedded("sui", access.value, client, (walletId) => client.getWallet({ wallet_id: walletId }), call);
}

export function aptosEmbeddedWallet(call: Pick<FlowCall<unknown>, "service" | "wallets">): Found<AptosEmbeddedWallet> {
  const access = call.service.aptos();
  if (!access.ok) return access;
  const client = createAptosWalletClient(access.value.options);
  const find = async (walletId: string): Promise<Reply<string>> => {
    const found = await client.getWallet({ walletId });
    return found.ok ? { ok: true, value: found.value.accountAddress } : found;
  };
  return embedded("aptos", access.value, client, find, call);
}
