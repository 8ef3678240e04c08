import * as z from "zod";
import type { WalletAnswer } from "../shared/client/flows/wire.ts";
import { chains } from "../shared/networks.ts";
import { aptosEmbeddedWallet, suiEmbeddedWallet } from "../shared/workflow/embedded-wallet.ts";
import { workflow } from "../shared/workflow/handler.ts";

/** Answers the user's wallet on a chain, once their session has opened it, or `wallet_not_found`. */
export const wallet = workflow({
  name: "wallet",
  input: z.strictObject({ chain: z.enum(chains) }),
  async handle(context) {
    const { chain } = context.input;
    const found = chain === "sui" ? suiEmbeddedWallet(context) : aptosEmbeddedWallet(context);
    if (!found.ok) return found;
    const address = await found.value.ownAddress();
    if (!address.ok) return address;
    const answer: WalletAnswer = { chain, walletId: found.value.walletId, address: address.value };
    return { ok: true, value: answer };
  },
});
