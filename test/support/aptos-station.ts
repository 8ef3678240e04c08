import {
  type AccountAuthenticator,
  Aptos,
  AptosConfig,
  Network,
  type PendingTransactionResponse,
  TransactionResponseType,
  type TransactionSubmitter,
} from "@aptos-labs/ts-sdk";

/** Sends a request: to the service over HTTP, or to its app. */
export type Send = (path: string, init: RequestInit) => Promise<Response>;

export const SIGN_AND_SUBMIT = "/gs/v1/api/transaction/signAndSubmit";

/** What the service answered in place of a transaction. */
export class StationError extends Error {
  readonly status: number;
  readonly body: unknown;

  constructor(status: number, body: unknown) {
    super(`HTTP ${status}`);
    this.status = status;
    this.body = body;
  }
}

const numbers = (value: { bcsToBytes(): Uint8Array }) => Array.from(value.bcsToBytes());

/** A submitter of the vendor's wire, written for tests: numbers, a bearer token, and the hash out of the answer. */
export function wireSubmitter(send: Send, key: string): TransactionSubmitter {
  return {
    async submitTransaction({ transaction, senderAuthenticator, additionalSignersAuthenticators, pluginParams }) {
      const body = JSON.stringify({
        transactionBytes: numbers(transaction),
        senderAuth: numbers(senderAuthenticator),
        additionalSignersAuth: additionalSignersAuthenticators?.map(numbers),
        recaptchaToken: pluginParams?.recaptchaToken,
      });
      const headers = { authorization: `Bearer ${key}`, "content-type": "application/json" };
      const response = await send(SIGN_AND_SUBMIT, { method: "POST", headers, body });
      const answer: unknown = await response.json();
      if (!response.ok) throw new StationError(response.status, answer);
      const { transactionHash: hash } = answer as { readonly transactionHash: string };
      const { sender, sequence_number, max_gas_amount, gas_unit_price, expiration_timestamp_secs } =
        transaction.rawTransaction;
      return {
        type: TransactionResponseType.Pending,
        hash,
        sender: sender.toString(),
        sequence_number: sequence_number.toString(),
        max_gas_amount: max_gas_amount.toString(),
        gas_unit_price: gas_unit_price.toString(),
        expiration_timestamp_secs: expiration_timestamp_secs.toString(),
        payload: {} as PendingTransactionResponse["payload"],
      };
    },
  };
}

/** The stock client, whose transactions go to a submitter. */
export function stockClient(submitter: TransactionSubmitter, fullnode?: string): Aptos {
  const pluginSettings = { TRANSACTION_SUBMITTER: submitter };
  return new Aptos(
    new AptosConfig({ network: Network.LOCAL, pluginSettings, ...(fullnode !== undefined && { fullnode }) }),
  );
}

/** Bytes and authenticators as the wire has them. */
export function wireBody(
  transactionBytes: Uint8Array,
  senderAuth: AccountAuthenticator | Uint8Array,
  additionalSignersAuth?: readonly (AccountAuthenticator | Uint8Array)[],
) {
  const bytes = (one: AccountAuthenticator | Uint8Array) =>
    Array.from(one instanceof Uint8Array ? one : one.bcsToBytes());
  return {
    transactionBytes: Array.from(transactionBytes),
    senderAuth: bytes(senderAuth),
    ...(additionalSignersAuth !== undefined && { additionalSignersAuth: additionalSignersAuth.map(bytes) }),
  };
}
