import { SuiGrpcClient } from "@mysten/sui/grpc";
import type { Ed25519Keypair } from "@mysten/sui/keypairs/ed25519";
import { Transaction } from "@mysten/sui/transactions";
import { fromBase64, toBase64 } from "@mysten/sui/utils";
import * as z from "zod";
import { DEMO_PACKAGE } from "../devchain/demo.ts";
import { rpcResult, SUI_GAS_PATH, UnexpectedAnswer } from "./clients.ts";

export interface MainJob {
  readonly serviceUrl: string;
  readonly chainUrl: string;
  /** An access key with the gas right. */
  readonly key: string;
  /** The user: owns no SUI and needs none. */
  readonly user: Ed25519Keypair;
  readonly badgeName: string;
}

export interface MainJobReport {
  readonly digest: string;
  readonly status: "COMPLETE";
  readonly executedSuccessfully: boolean;
  /** By the effects that the stock client was given: computation + storage − rebate. */
  readonly chargedMist: bigint;
  readonly before: FundFigures;
  readonly after: FundFigures;
}

const mist = z.int().nonnegative().transform(BigInt);
const fundSchema = z.object({ balance: mist, inFlight: mist, depositAddress: z.string().nullable() });
export type FundFigures = z.output<typeof fundSchema>;

const sponsoredSchema = z.object({
  txBytes: z.base64(),
  txDigest: z.string(),
  signature: z.base64(),
  expireAtTime: z.int(),
});
const statusSchema = z.enum(["IN_FLIGHT", "COMPLETE", "INVALID"]);

const STATUS_TIMEOUT_MS = 10_000;
const STATUS_POLL_MS = 100;

/**
 * What the service is for, from the caller's side: a user without SUI mints a badge, and the fund pays. The transaction is
 * built and signed with the stock SDK and executed by its stock client, so nothing here knows how the service works.
 *
 * @param progress called with each step as it is done.
 * @throws UnexpectedAnswer when any step does not go as it must.
 */
export async function runMainJob(
  job: MainJob,
  progress: (label: string, text: string) => void,
): Promise<MainJobReport> {
  const gas = <Schema extends z.ZodType>(method: string, params: readonly unknown[], schema: Schema) =>
    rpcResult(`${job.serviceUrl}${SUI_GAS_PATH}`, job.key, method, params, schema);
  const sui = new SuiGrpcClient({ network: "localnet", baseUrl: `${job.chainUrl}/sui` });
  const sender = job.user.toSuiAddress();

  const before = await gas("gas_getFund", [], fundSchema);
  const transaction = new Transaction();
  transaction.moveCall({ target: `${DEMO_PACKAGE}::demo::mint`, arguments: [transaction.pure.string(job.badgeName)] });
  const kind = toBase64(await transaction.build({ onlyTransactionKind: true }));
  progress("user", `${sender}, who owns no SUI, mints "${job.badgeName}"`);

  const sponsored = await gas("gas_sponsorTransactionBlock", [kind, sender], sponsoredSchema);
  progress("sponsored", `until ${new Date(sponsored.expireAtTime * 1000).toISOString()}, signed by the fund`);

  const transactionBytes = fromBase64(sponsored.txBytes);
  const { signature } = await job.user.signTransaction(transactionBytes);
  const result = await sui.executeTransaction({
    transaction: transactionBytes,
    signatures: [signature, sponsored.signature],
    include: { effects: true },
  });
  const executed = result.$kind === "Transaction" ? result.Transaction : result.FailedTransaction;
  if (executed.digest !== sponsored.txDigest)
    throw new UnexpectedAnswer(`the chain executed ${executed.digest}, but ${sponsored.txDigest} was sponsored`);
  progress(
    "executed",
    `by the stock SuiGrpcClient, with both signatures: ${executed.status.success ? "success" : "failure"}`,
  );

  const status = await waitForStatus(() =>
    gas("gas_getSponsoredTransactionBlockStatus", [executed.digest], statusSchema),
  );
  const after = await gas("gas_getFund", [], fundSchema);
  const { computationCost, storageCost, storageRebate } = executed.effects.gasUsed;
  return {
    digest: executed.digest,
    status,
    executedSuccessfully: executed.status.success,
    chargedMist: BigInt(computationCost) + BigInt(storageCost) - BigInt(storageRebate),
    before,
    after,
  };
}

async function waitForStatus(read: () => Promise<z.output<typeof statusSchema>>): Promise<"COMPLETE"> {
  const deadline = Date.now() + STATUS_TIMEOUT_MS;
  for (;;) {
    const status = await read();
    if (status === "COMPLETE") return status;
    if (status === "INVALID" || Date.now() > deadline)
      throw new UnexpectedAnswer(`the sponsorship is ${status}, although its transaction was executed`);
    await new Promise((resolve) => setTimeout(resolve, STATUS_POLL_MS));
  }
}
