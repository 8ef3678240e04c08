import { SuiGrpcClient } from "@mysten/sui/grpc";
import type { Ed25519Keypair } from "@mysten/sui/keypairs/ed25519";
import { Transaction } from "@mysten/sui/transactions";
import { fromBase64, toBase64 } from "@mysten/sui/utils";
import * as z from "zod";
import { UnexpectedAnswer } from "../client/http.ts";
import { rpcResult, SUI_GAS_PATH } from "../client/rpc.ts";

const mist = z.int().nonnegative().transform(BigInt);
const fundSchema = z.object({ balance: mist, inFlight: mist, depositAddress: z.string().nullable() });
/** The figures of a fund that `gas_getFund` shows, MIST. */
export type FundFigures = z.output<typeof fundSchema>;

const preparedSchema = z.object({ txBytes: z.base64(), txDigest: z.string(), expireAtTime: z.int() });
const sponsoredSchema = preparedSchema.extend({ signature: z.base64() });
/** A sponsorship that waits for its sender. */
export type Prepared = z.output<typeof preparedSchema>;
const statusSchema = z.enum(["IN_FLIGHT", "COMPLETE", "INVALID"]);

const gasUsedSchema = z.object({ computationCost: z.string(), storageCost: z.string(), storageRebate: z.string() });
/** The gas of a transaction by its effects, MIST. */
export type GasUsed = z.output<typeof gasUsedSchema>;
/** The effects of an execution, in a workflow's answer and in a node's JSON-RPC response. */
export const effectsSchema = z.object({ gasUsed: gasUsedSchema });
const executedSchema = z.object({
  digest: z.string(),
  effects: effectsSchema.extend({ status: z.object({ status: z.enum(["success", "failure"]) }) }),
});

/** Returns the chain's charge, MIST: computation + storage − rebate. Negative if more storage is freed than used. */
export function netChargeMist({ computationCost, storageCost, storageRebate }: GasUsed): bigint {
  return BigInt(computationCost) + BigInt(storageCost) - BigInt(storageRebate);
}

/** A client of the gas interface of Sui. */
export type GasCalls = ReturnType<typeof gasCalls>;

/** The gas methods as an app's back end calls them. Each throws UnexpectedAnswer when it is refused. */
export function gasCalls(serviceUrl: string, key: string) {
  const call = <Schema extends z.ZodType>(method: string, params: readonly unknown[], schema: Schema) =>
    rpcResult(`${serviceUrl}${SUI_GAS_PATH}`, key, method, params, schema);
  return {
    fund: () => call("gas_getFund", [], fundSchema),
    sponsor: (kind: string, sender: string) => call("gas_sponsorTransactionBlock", [kind, sender], sponsoredSchema),
    prepare: (kind: string, sender: string) => call("gas_prepareTransactionBlock", [kind, sender], preparedSchema),
    execute: (digest: string, senderSignature: string) =>
      call("gas_executeTransactionBlock", [digest, senderSignature], executedSchema),
    status: (digest: string) => call("gas_getSponsoredTransactionBlockStatus", [digest], statusSchema),
  };
}

const STATUS_TIMEOUT_MS = 30_000;
const STATUS_POLL_MS = 100;

/** Waits until the service has seen an executed transaction on the chain. */
export async function untilComplete(gas: GasCalls, digest: string): Promise<"COMPLETE"> {
  const deadline = Date.now() + STATUS_TIMEOUT_MS;
  for (;;) {
    const status = await gas.status(digest);
    if (status === "COMPLETE") return status;
    if (status === "INVALID" || Date.now() > deadline)
      throw new UnexpectedAnswer(`the sponsorship is ${status}, although its transaction was executed`);
    await new Promise((resolve) => setTimeout(resolve, STATUS_POLL_MS));
  }
}

/** Builds the transaction kind that an app sends, in Base64, without sender and gas. */
export async function kindOf(change: (transaction: Transaction) => void): Promise<string> {
  const transaction = new Transaction();
  change(transaction);
  return toBase64(await transaction.build({ onlyTransactionKind: true }));
}

/** Builds the kind that mints a badge of the demo package. */
export function mintKind(demoPackage: string, badgeName: string): Promise<string> {
  return kindOf((transaction) => {
    transaction.moveCall({ target: `${demoPackage}::demo::mint`, arguments: [transaction.pure.string(badgeName)] });
  });
}

/** Signs transaction bytes in Base64 as the user. Returns Sui's serialized signature. */
export async function signatureOf(user: Ed25519Keypair, txBytes: string): Promise<string> {
  return (await user.signTransaction(fromBase64(txBytes))).signature;
}

/** The stock client, at the development chain. */
export function stockClient(chainUrl: string): SuiGrpcClient {
  return new SuiGrpcClient({ network: "localnet", baseUrl: `${chainUrl}/sui` });
}

/** Submits without the service, as the app's user can. Rejects with the client's error if the chain refuses. */
export async function submit(sui: SuiGrpcClient, txBytes: string, signatures: readonly string[]) {
  const result = await sui.executeTransaction({
    transaction: fromBase64(txBytes),
    signatures: [...signatures],
    include: { effects: true },
  });
  const { digest, status, effects } = result.$kind === "Transaction" ? result.Transaction : result.FailedTransaction;
  return { digest, executedSuccessfully: status.success, chargedMist: netChargeMist(effects.gasUsed) };
}
