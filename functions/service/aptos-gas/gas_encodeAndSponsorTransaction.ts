import { aptosEncodeAndSponsor } from "../../../shared/api/aptos-gas.ts";
import { jsonSignatureOf } from "../../../shared/chain/aptos/authenticator.ts";
import { feePayerMessage } from "../../../shared/chain/aptos/fee-payer.ts";
import { encodeJsonTransaction } from "../../../shared/chain/aptos/json-transaction.ts";
import { done } from "../../../shared/errors.ts";
import { isAptosNetwork } from "../../../shared/networks.ts";
import { handler } from "../../../shared/rpc/handler.ts";
import { callFund } from "../calls/fund.ts";

/** Encodes a transaction that is given as JSON, and has the fund sign it as fee payer. The caller submits it. */
export const gas_encodeAndSponsorTransaction = handler(aptosEncodeAndSponsor, async ({ transaction }, context) => {
  const { idempotency, deps, caller, deadline } = context;
  const { network } = caller;
  if (!isAptosNetwork(network)) throw new Error("an access key of another chain was admitted");
  const node = deps.aptosNode(network).within(deadline);
  const { secondary_signers: secondaryAddresses = [], ...unsigned } = transaction;
  const encoded = await deadline.asking(() => encodeJsonTransaction(unsigned, node, network));
  if (!encoded.ok) return encoded;
  const signers = { rawTransaction: encoded.value, secondaryAddresses };
  const sponsored = await callFund(context, "aptosSponsor", { idempotency, leftMs: deadline.leftMs(), ...signers });
  if (!sponsored.ok) return sponsored;
  const { feePayerAddress, authenticator } = sponsored.value;
  return done({
    transactionSigningMessage: feePayerMessage({ ...signers, feePayer: feePayerAddress }),
    feePayerAddress,
    feePayerSignature: jsonSignatureOf(authenticator),
  });
});
