import { suiSignTransaction } from "../../../shared/api/sui-wallet.ts";
import { serializedSignature, signingDigest } from "../../../shared/chain/sui/transaction.ts";
import { done } from "../../../shared/errors.ts";
import { handler } from "../../../shared/rpc/handler.ts";
import { signWith } from "../calls/wallet.ts";

/** Signs bytes under the TransactionData intent. Nothing is sent to the chain. */
export const svc_wal_signTransaction = handler(
  suiSignTransaction,
  async ({ wallet_id, session_token, tx_bytes }, context) => {
    const signed = await signWith(wallet_id, session_token, context, async () => done(signingDigest(tx_bytes)));
    if (!signed.ok) return signed;
    const { signature, publicKey } = signed.value;
    return done(serializedSignature(signature, publicKey));
  },
);
