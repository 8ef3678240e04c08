import {
  AccountAddress,
  AccountAuthenticatorEd25519,
  Deserializer,
  generateSigningMessageForTransaction,
  RawTransaction,
  SignedTransaction,
  SimpleTransaction,
  TransactionAuthenticatorEd25519,
  TransactionAuthenticatorFeePayer,
  TransactionAuthenticatorSingleSender,
} from "@aptos-labs/ts-sdk";
import type { AptosKeys } from "./aptos-keys.ts";
import type { Names } from "./names.ts";

function messageOf(raw: RawTransaction, feePayer?: AccountAddress): Uint8Array {
  return generateSigningMessageForTransaction(new SimpleTransaction(raw, feePayer));
}

/** The accounts that signed it get their counterparts. */
export function learnSigners(keys: AptosKeys, body: Uint8Array): void {
  const signed = decoded(body);
  if (signed !== null) authenticatorAgain(keys, signed, signed.raw_txn);
}

/**
 * The same transaction of the accounts of the asked chain. What follows it in its bytes follows it again, and bytes that
 * are no transaction stay what they are.
 * @param laterSeconds how much later it expires.
 */
export function transactionAgain(
  names: Names,
  keys: AptosKeys,
  body: Uint8Array,
  laterSeconds: bigint,
): Uint8Array<ArrayBuffer> {
  const signed = decoded(body);
  if (signed === null) return body.slice();
  const rest = body.subarray(signed.bcsToBytes().length);
  const hex = Buffer.from(signed.raw_txn.bcsToBytes()).toString("hex");
  const { sender, sequence_number, payload, max_gas_amount, gas_unit_price, expiration_timestamp_secs, chain_id } =
    RawTransaction.deserialize(new Deserializer(Buffer.from(names.translateBytes(hex), "hex")));
  const raw = new RawTransaction(
    sender,
    sequence_number,
    payload,
    max_gas_amount,
    gas_unit_price,
    expiration_timestamp_secs + laterSeconds,
    chain_id,
  );
  const again = new SignedTransaction(raw, authenticatorAgain(keys, signed, raw, names));
  return Uint8Array.from([...again.bcsToBytes(), ...rest]);
}

function decoded(body: Uint8Array): SignedTransaction | null {
  try {
    return SignedTransaction.deserialize(new Deserializer(body));
  } catch {
    return null;
  }
}

function authenticatorAgain(keys: AptosKeys, signed: SignedTransaction, raw: RawTransaction, names?: Names) {
  const { authenticator } = signed;
  if (authenticator instanceof TransactionAuthenticatorFeePayer) {
    const { sender, secondary_signer_addresses, secondary_signers, fee_payer } = authenticator;
    const address = AccountAddress.from(names?.translate(fee_payer.address.toStringLong()) ?? fee_payer.address);
    // A sender may sign before anybody knows who pays.
    const nobody = AccountAddress.ZERO;
    const recorded = [messageOf(signed.raw_txn, fee_payer.address), messageOf(signed.raw_txn, nobody)];
    const messages = [messageOf(raw, address), messageOf(raw, nobody)];
    return new TransactionAuthenticatorFeePayer(
      keys.signAgain(sender, recorded, messages),
      secondary_signer_addresses,
      secondary_signers,
      { address, authenticator: keys.signAgain(fee_payer.authenticator, recorded, messages) },
    );
  }
  const [recorded, messages] = [[messageOf(signed.raw_txn)], [messageOf(raw)]];
  if (authenticator instanceof TransactionAuthenticatorSingleSender)
    return new TransactionAuthenticatorSingleSender(keys.signAgain(authenticator.sender, recorded, messages));
  if (!(authenticator instanceof TransactionAuthenticatorEd25519)) return authenticator;
  const { public_key, signature } = authenticator;
  const one = keys.signAgain(new AccountAuthenticatorEd25519(public_key, signature), recorded, messages);
  return one instanceof AccountAuthenticatorEd25519
    ? new TransactionAuthenticatorEd25519(one.public_key, one.signature)
    : authenticator;
}
