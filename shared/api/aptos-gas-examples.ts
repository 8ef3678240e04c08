import { fromHex } from "../bytes.ts";

/**
 * One consistent example for the documents. The sender of the wallet examples has the key pair of the seed 0x01…. It
 * transfers 0.01 APT with `0x1::aptos_account::transfer`, on the chain with the id 2. The fund (seed 0x02…) pays. Hash
 * and signatures belong to these bytes and can be checked with the chain's SDK.
 */
const sender = "0x7df415e5b21bdaa8b2946e8f1f4278b39904e51a69627494cd3e6f2996732fbd";
const fund = "0x7d9947d5ce9efdd02bb88c44cf2f941c829ed5ac483090a6ba22c12db9251c41";
const receiver = "0xb0b0b0b0b0b0b0b0b0b0b0b0b0b0b0b0b0b0b0b0b0b0b0b0b0b0b0b0b0b0b0b0";

/** The hex of a raw transaction that the examples sponsor. */
export const sponsoredRawTransaction =
  "0x7df415e5b21bdaa8b2946e8f1f4278b39904e51a69627494cd3e6f2996732fbd00000000000000000200000000000000000000000000000000000000000000000000000000000000010d6170746f735f6163636f756e74087472616e73666572000220b0b0b0b0b0b0b0b0b0b0b0b0b0b0b0b0b0b0b0b0b0b0b0b0b0b0b0b0b0b0b0b00840420f00000000001027000000000000640000000000000000b33f710000000002";

const FUND_PUBLIC_KEY = "0x8139770ea87d175f56a35466c34c7ecccb8d8a91b4ee37a25df60f5b8fc9b394";
const FUND_SIGNATURE =
  "0x4586d798953258e133f5f5c123a9f295a0bcc5cc4ec318614d6dd8ce9874e59340aefee40dcae67cef6b05bfff5a897c62960c6b71dfa9824446b961bfd54507";

const PUBLIC_KEY = "0x8a88e3dd7409f195fd52db2d3cba5d72ca6709bf1d94121bf3748801b40f6f5c";
/** A signature with the zero address in the fee payer's place. The sender need not know the fee payer. */
const SIGNATURE_OVER_ZERO =
  "0x08c8c6c612a8613ece691230560c7c12f2e227595ec3918d2f0ebb789505df1c60d9dd6b8d318e15938bb30bc95929bcaf5464bbf0f8d388ca4d4a1b55fa230f";
/** A signature with the fund's address, as embedded wallets sign. */
const SIGNATURE_OVER_FUND =
  "0xf7b9281c74b30211c8e5fe42f37d2f06504dbb2e4a7d8807adbf84cd3f11241fb16826c82c34464753c14996acf7bbb6aaf70efcaa349b1bbb76328544950a01";

/** Writes bytes as arrays of numbers. */
const numbersOf = (hex: string) => Array.from(fromHex(hex.slice(2)));

/** The hex of the authenticator of an Ed25519 key. */
const authenticatorOf = (publicKey: string, signature: string) => `0x0020${publicKey.slice(2)}40${signature.slice(2)}`;

const authenticatorOverZero = authenticatorOf(PUBLIC_KEY, SIGNATURE_OVER_ZERO);

/** The authenticator of the sender's key with a signature, in bytes. */
export const senderAuthenticator = (signature: string) => numbersOf(authenticatorOf(PUBLIC_KEY, signature));

function pendingTransaction(hash: string, signature: string) {
  return {
    hash,
    sender,
    sequence_number: "0",
    max_gas_amount: "10000",
    gas_unit_price: "100",
    expiration_timestamp_secs: "1900000000",
    payload: {
      function: "0x1::aptos_account::transfer",
      type_arguments: [],
      arguments: [receiver, "1000000"],
      type: "entry_function_payload",
    },
    signature: {
      sender: { public_key: PUBLIC_KEY, signature, type: "ed25519_signature" },
      secondary_signer_addresses: [],
      secondary_signers: [],
      fee_payer_address: fund,
      fee_payer_signer: {
        public_key: FUND_PUBLIC_KEY,
        signature: FUND_SIGNATURE,
        type: "ed25519_signature",
      },
      type: "fee_payer_signature",
    },
    replay_protection_nonce: null,
  };
}

/** The result of `wal_executeGaslessTransaction`, for a wallet that knew the fee payer. */
export const executedByWallet = {
  pendingTransaction: pendingTransaction(
    "0x41b637130c75d2534cb299feca6409889dee9427139f6eaa77c0526439e50cd1",
    SIGNATURE_OVER_FUND,
  ),
};

/** The example of `gas_sponsorTransaction`. */
export const sponsorTransactionExample = {
  params: [sponsoredRawTransaction],
  result: { feePayer: { address: fund, signature: numbersOf(authenticatorOf(FUND_PUBLIC_KEY, FUND_SIGNATURE)) } },
};

/** SHA3-256 of `APTOS::RawTransactionWithData`, with which each such message begins. */
const MESSAGE_PREFIX = "5efa3c4f02f83a0f4b2d69fc95c607cc02825cc4e7be536ef0992df050d9e67c";

/** The example of `gas_encodeAndSponsorTransaction`: the same transaction as JSON. */
export const encodeAndSponsorExample = {
  params: [
    {
      sender,
      sequence_number: "0",
      max_gas_amount: "10000",
      gas_unit_price: "100",
      expiration_timestamp_secs: "1900000000",
      payload: {
        type: "entry_function_payload",
        function: "0x1::aptos_account::transfer",
        type_arguments: [],
        arguments: [receiver, "1000000"],
      },
    },
  ],
  result: {
    transactionSigningMessage: Array.from(
      fromHex(`${MESSAGE_PREFIX}01${sponsoredRawTransaction.slice(2)}00${fund.slice(2)}`),
    ),
    feePayerAddress: fund,
    feePayerSignature: { type: "ed25519_signature", public_key: FUND_PUBLIC_KEY, signature: FUND_SIGNATURE },
  },
};

/** The example of `gas_sponsorAndSubmitSignedTransaction`. */
export const sponsorAndSubmitExample = {
  params: [sponsoredRawTransaction, authenticatorOverZero],
  result: {
    pendingTransaction: pendingTransaction(
      "0xca5260d01fbdf2778e641818954b7f8e440ffc977940e6c648a5c96e1b7d7f63",
      SIGNATURE_OVER_ZERO,
    ),
  },
};

const SUBMITTED = sponsorAndSubmitExample.result.pendingTransaction;
/** The transaction of `gas_sponsorAndSubmitSignedTransaction` with the zero address as its fee payer. */
const unsignedTransaction = `${sponsoredRawTransaction}01${"00".repeat(32)}`;

/** The example of `gs_signAndSubmit`. */
export const signAndSubmitExample = {
  params: [numbersOf(unsignedTransaction), numbersOf(authenticatorOverZero)],
  result: { transactionHash: SUBMITTED.hash, pendingTransaction: SUBMITTED },
};

/** The example of `gas_getFund` on Aptos. */
export const aptosFundExample = {
  params: [],
  result: {
    network: "APTOS_TESTNET",
    name: "My fund",
    balance: 10_000_000_000,
    inFlight: 1_000_000,
    depositAddress: fund,
  },
};
