import * as z from "zod";
import type { Reply } from "../shared/client/rpc-client.ts";
import { withToken } from "../shared/client/session.ts";
import { createAptosWalletClient, createSuiWalletClient } from "../shared/client/wallet-client.ts";
import { type Chain, chains } from "../shared/networks.ts";
import type { Flow } from "./flow.ts";
import { type FlowFailure, flowFailureOf } from "./flow-failure.ts";
import type { FlowService } from "./flow-service.ts";
import type { FlowWallet } from "./user-wallets.ts";

const inputSchema = z.strictObject({ chain: z.enum(chains) });

/**
 * The user gets a wallet, whose address is answered: on Aptos with its account on chain, paid for by the app's fund, on
 * Sui, where addresses need no account, as it is. Repeated, it answers the wallet that exists, and goes on with one
 * whose account was not made.
 */
export const createWalletOnChain: Flow<typeof inputSchema> = {
  name: "create-wallet-on-chain",
  inputSchema,
  kind: "ask",
  run: async ({ input: { chain }, service, wallets }) => {
    const mine = wallets.mine();
    if (!mine.ok) return mine;
    const { walletId } = mine.value;
    const steps = stepsOn(chain, service, mine.value);
    if (!steps.ok) return steps;
    const made = await make(steps.value);
    if (!made.ok) return flowFailureOf(made.error, chain);
    return { ok: true, body: { chain, walletId, address: made.value } };
  },
};

/** What can be done about the user's wallet. Each answers its address. */
interface Steps {
  find(): Promise<Reply<string>>;
  create(): Promise<Reply<string>>;
  /** Makes the account of a wallet that exists. Null: addresses of this chain need none. */
  readonly initialize: (() => Promise<Reply<string>>) | null;
}

function isRefused<Value>(reply: Reply<Value>, reason: string): boolean {
  return !reply.ok && reply.error.kind === "refused" && reply.error.reason === reason;
}

async function make(steps: Steps): Promise<Reply<string>> {
  const found = await steps.find();
  if (!isRefused(found, "unknown_wallet")) return complete(found, steps);
  const created = await steps.create();
  // Another request of this user was faster.
  return isRefused(created, "wallet_exists") ? complete(await steps.find(), steps) : created;
}

async function complete(found: Reply<string>, { initialize }: Steps): Promise<Reply<string>> {
  if (!found.ok || initialize === null) return found;
  const initialized = await initialize();
  return isRefused(initialized, "already_initialized") ? found : initialized;
}

function stepsOn(
  chain: Chain,
  service: FlowService,
  { walletId, secret, tokens }: FlowWallet,
): { readonly ok: true; readonly value: Steps } | FlowFailure {
  if (chain === "sui") {
    const sui = service.sui();
    if (!sui.ok) return sui;
    const client = createSuiWalletClient(sui.value.options);
    const create = (token: string) => client.createWallet({ wallet_id: walletId, session_token: token });
    return {
      ok: true,
      value: {
        find: () => client.getWallet({ wallet_id: walletId }),
        create: () => withToken(tokens(chain), () => client.createSession({ secret }), create),
        initialize: null,
      },
    };
  }
  const aptos = service.aptos();
  if (!aptos.ok) return aptos;
  const client = createAptosWalletClient(aptos.value.options);
  const inSession = async (call: typeof client.createWalletOnChain) =>
    addressIn(
      await withToken(
        tokens(chain),
        () => client.createSession({ secret }),
        (sessionToken) => call({ walletId, sessionToken }),
      ),
    );
  return {
    ok: true,
    value: {
      find: async () => addressIn(await client.getWallet({ walletId })),
      create: () => inSession(client.createWalletOnChain),
      initialize: () => inSession(client.initializeWalletOnChain),
    },
  };
}

function addressIn(reply: Reply<{ readonly accountAddress: string }>): Reply<string> {
  return reply.ok ? { ok: true, value: reply.value.accountAddress } : reply;
}
