import { suiSignPersonalMessage } from "../../../shared/api/sui-wallet.ts";
import {
  personalMessageBcs,
  personalMessageDigest,
  serializedSignature,
} from "../../../shared/chain/sui/transaction.ts";
import { done } from "../../../shared/errors.ts";
import { handler } from "../../../shared/rpc/handler.ts";
import { signWith } from "../calls/wallet.ts";

/** Signs a message under the PersonalMessage intent. No such signature fits a transaction. */
export const svc_wal_signPersonalMessage = handler(
  suiSignPersonalMessage,
  async ({ wallet_id, session_token, message, wrap_bcs }, context) => {
    const digest = personalMessageDigest(wrap_bcs ? personalMessageBcs(message) : message);
    const signed = await signWith(wallet_id, session_token, context, async () => done(digest));
    return signed.ok ? done(serializedSignature(signed.value.signature, signed.value.publicKey)) : signed;
  },
);
