import * as z from "zod";
import { chains } from "../shared/networks.ts";
import { aptosEmbeddedWallet, suiEmbeddedWallet } from "../shared/workflow/embedded-wallet.ts";
import type { Flow } from "../shared/workflow/handler.ts";

const inputSchema = z.strictObject({ chain: z.enum(chains) });

/** The user's wallet on a chain, once their session has opened it; or `wallet_not_found`. */
export const wallet: Flow<typeof inputSchema> = {
  name: "wallet",
  inputSchema,
  kind: "read",
  run: async (call) => {
    const { chain } = call.input;
    const found = chain === "sui" ? suiEmbeddedWallet(call) : aptosEmbeddedWallet(call);
    if (!found.ok) return found;
    const address = await found.value.ownAddress();
    if (!address.ok) return address;
    return { ok: true, body: { chain, walletId: found.value.walletId, address: address.value } };
  },
};
