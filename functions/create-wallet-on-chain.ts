import * as z from "zod";
import type { WalletAnswer } from "../shared/client/flows/wire.ts";
import { isRefused, type Reply, type RpcClientOptions } from "../shared/client/rpc-client.ts";
import { withToken } from "../shared/client/session.ts";
import { createAptosWalletClient, createSuiWalletClient } from "../shared/client/wallet-client.ts";
import { type Chain, chains } from "../shared/networks.ts";
import { judge } from "../shared/policy/evaluate.ts";
import { policyRefused, type WorkflowOutcome, workflowFailureOf } from "../shared/workflow/errors.ts";
import { workflow } from "../shared/workflow/handler.ts";
import type { KnownWallet } from "../shared/workflow/user/known-wallet.ts";
import type { WalletOfUser } from "../shared/workflow/wallets.ts";

/**
 * Creates a wallet for the user, if the app's policy allows it, and answers its address. On Aptos the app's fund pays
 * for its account on chain; addresses on Sui need none. A repeat answers the existing wallet, and makes its account if
 * that is missing.
 */
export const createWalletOnChain = workflow({
  name: "create-wallet-on-chain",
  input: z.strictObject({ chain: z.enum(chains) }),
  async handle({ input: { chain }, user, policy, service, wallets }) {
    const mine = wallets.walletOfUser();
    if (!mine.ok) return mine;
    const { walletId } = mine.value;
    const known = await mine.value.known(chain);
    if (known !== null && (known.isOnChain || chain === "sui"))
      return answer({ chain, walletId, address: known.address });
    const access = chain === "sui" ? service.sui() : service.aptos();
    if (!access.ok) return access;
    const verdict = judge(policy, { user, action: "create_wallet", chain, network: access.value.network });
    if (!verdict.allowed) return policyRefused(verdict);
    const made = await make(stepsOn(chain, access.value.options, mine.value));
    if (!made.ok) return workflowFailureOf(made.error, chain);
    await mine.value.note(chain, made.value);
    return answer({ chain, walletId, address: made.value.address });
  },
});

function answer(value: WalletAnswer): WorkflowOutcome {
  return { ok: true, value };
}

/** The steps for the user's wallet. Each answers its address. */
interface Steps {
  find(): Promise<Reply<string>>;
  create(): Promise<Reply<string>>;
  /** Makes the account of an existing wallet. Null if addresses of this chain need none. */
  readonly initialize: (() => Promise<Reply<string>>) | null;
}

/**
 * Tries to create first, because only a session that opens a wallet may learn that it exists. So another user's address
 * is never shown.
 */
async function make(steps: Steps): Promise<Reply<KnownWallet>> {
  const created = await steps.create();
  if (!isRefused(created, "wallet_exists")) return isOnChain(created, false);
  const found = await steps.find();
  if (!found.ok || steps.initialize === null) return isOnChain(found, false);
  const initialized = await steps.initialize();
  return isRefused(initialized, "already_initialized") ? isOnChain(found, true) : isOnChain(initialized, false);
}

function isOnChain(reply: Reply<string>, known: boolean): Reply<KnownWallet> {
  return reply.ok ? { ok: true, value: { address: reply.value, isOnChain: known } } : reply;
}

function stepsOn(chain: Chain, options: RpcClientOptions, { walletId, secret, tokens }: WalletOfUser): Steps {
  if (chain === "sui") {
    const client = createSuiWalletClient(options);
    const create = (token: string) => client.createWallet({ wallet_id: walletId, session_token: token });
    return {
      find: () => client.getWallet({ wallet_id: walletId }),
      create: () => withToken(tokens(chain), () => client.createSession({ secret }), create),
      initialize: null,
    };
  }
  const client = createAptosWalletClient(options);
  const inSession = async (call: typeof client.createWalletOnChain) =>
    addressIn(
      await withToken(
        tokens(chain),
        () => client.createSession({ secret }),
        (sessionToken) => call({ walletId, sessionToken }),
      ),
    );
  return {
    find: async () => addressIn(await client.getWallet({ walletId })),
    create: () => inSession(client.createWalletOnChain),
    initialize: () => inSession(client.initializeWalletOnChain),
  };
}

function addressIn(reply: Reply<{ readonly accountAddress: string }>): Reply<string> {
  return reply.ok ? { ok: true, value: reply.value.accountAddress } : reply;
}
