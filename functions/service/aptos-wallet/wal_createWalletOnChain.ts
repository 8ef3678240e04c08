import { aptosCreateWalletOnChain } from "../../../shared/api/aptos-wallet.ts";
import { done } from "../../../shared/errors.ts";
import { handler } from "../../../shared/rpc/handler.ts";
import { withFund } from "../calls/fund.ts";
import { getWallet, walletOf, withSession } from "../calls/wallet.ts";
import { initializeOnChain } from "./initialize.ts";

/**
 * Refuses before a wallet is made and counted if the fund cannot pay. An existing wallet costs the fund nothing. So a
 * repeat of its creation is answered even if the fund cannot pay.
 */
export const wal_createWalletOnChain = handler(aptosCreateWalletOnChain, ({ walletId, sessionToken }, context) =>
  withSession(sessionToken, context, async (secret) => {
    const { ref, stub } = walletOf(walletId, context);
    const { caller, idempotency } = context;
    const existing = await getWallet(walletId, context);
    if (!existing.ok) {
      if (existing.error.reason !== "unknown_wallet") return existing;
      const screened = await context.deadline.within(withFund(context, (fund) => fund.aptosScreenInitialization()));
      if (!screened.ok) return screened;
    }
    const created = await stub.create({ wallet: ref, secret, keyId: caller.keyId, idempotency });
    if (!created.ok) return created;
    const address = created.value;
    // The idempotency claim belongs to the creation. The other transaction needs none: its sequence number prevents a
    // second one.
    const initialized = await initializeOnChain({ walletId, address, secret }, { ...context, idempotency: null });
    return initialized.ok ? done({ accountAddress: address }) : initialized;
  }),
);
