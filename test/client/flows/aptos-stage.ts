import {
  AccountAddress,
  ChainId,
  Deserializer,
  EntryFunction,
  RawTransaction,
  SimpleTransaction,
  TransactionPayload,
  TransactionPayloadEntryFunction,
  U64,
} from "@aptos-labs/ts-sdk";
import { APTOS_DEMO_MODULE } from "../../devchain/demo.ts";
import { EXPIRES_AT_MS } from "./stage.ts";

/** Aptos transactions as the stock SDK and an honest service make them. */

export const sdk = { Deserializer, SimpleTransaction };

const [ADDRESS = "", MODULE = ""] = APTOS_DEMO_MODULE.split("::");

export function addPayload(amount = 1n): TransactionPayloadEntryFunction {
  return new TransactionPayloadEntryFunction(
    EntryFunction.build(`${ADDRESS}::${MODULE}`, "add", [], [new U64(amount)]),
  );
}

export interface RawFields {
  readonly sender: string;
  readonly sequenceNumber: bigint;
  readonly maxGasAmount: bigint;
  readonly gasUnitPrice: bigint;
  readonly expirationSeconds: bigint;
  readonly chainId: number;
}

export const honestFields = (sender: string): RawFields => ({
  sender,
  sequenceNumber: 7n,
  maxGasAmount: 100_000n,
  gasUnitPrice: 100n,
  expirationSeconds: BigInt(EXPIRES_AT_MS) / 1_000n,
  chainId: 4,
});

export function rawBytes(payload: Uint8Array, fields: RawFields): Uint8Array {
  const { sender, sequenceNumber, maxGasAmount, gasUnitPrice, expirationSeconds, chainId } = fields;
  return new RawTransaction(
    AccountAddress.from(sender),
    sequenceNumber,
    TransactionPayload.deserialize(new Deserializer(payload)),
    maxGasAmount,
    gasUnitPrice,
    expirationSeconds,
    new ChainId(chainId),
  ).bcsToBytes();
}

export const hex = (bytes: Uint8Array) => `0x${Buffer.from(bytes).toString("hex")}`;
export const unhex = (text = "") => new Uint8Array(Buffer.from(text.slice(2), "hex"));

export function aptosAnswer(raw: Uint8Array, more: object = {}) {
  return { rawTransaction: hex(raw), expiresAtMs: EXPIRES_AT_MS, network: "APTOS_LOCALNET", ...more };
}
