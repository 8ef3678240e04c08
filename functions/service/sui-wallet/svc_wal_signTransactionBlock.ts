import { suiSignTransactionBlock } from "../../../shared/api/sui-wallet.ts";
import { serializedSignature, signingDigest, transactionDigest } from "../../../shared/chain/sui/transaction.ts";
import { done } from "../../../shared/errors.ts";
import { handler } from "../../../shared/rpc/handler.ts";
import { signWith } from "../calls/wallet.ts";

/** Signs as `svc_wal_signTransaction`, and adds the digest. */
export const svc_wal_signTransactionBlock = handler(
  suiSignTransactionBlock,
  async ({ wallet_id, session_token, tx_bytes }, context) => {
    const signed = await signWith(wallet_id, session_token, context, async () => done(signingDigest(tx_bytes)));
    if (!signed.ok) return signed;
    const { signature, publicKey } = signed.value;
    return done({ signature: serializedSignature(signature, publicKey), txDigest: transactionDigest(tx_bytes) });
  },
);
