import { SuiGrpcClient } from "@mysten/sui/grpc";
import { Ed25519Keypair } from "@mysten/sui/keypairs/ed25519";
import { Transaction } from "@mysten/sui/transactions";
import { createFund, createKey, createProject, faucet, refreshPast, type ServiceAccess } from "../local/clients.ts";

/** The chain takes at most 512 arguments a command, and each new coin is one. */
const COINS_PER_TRANSACTION = 500;
const GAS_MIST = 5_000_000_000n;

/**
 * A fund that owns this many coins of one size: each sponsorship of a round locks one for an hour, and none must wait
 * for the pool to be refilled, which a bench of the call itself is not about.
 *
 * @returns an access key of the fund, without a rate limit that the bench could reach.
 */
export async function fundWithCoins(access: ServiceAccess, count: number, sizeMist: bigint): Promise<string> {
  const projectId = await createProject(access, "bench");
  const { id: fundId, depositAddress } = await createFund(access, projectId, { name: "bench" });
  if (depositAddress === null) throw new Error("the fund has no deposit address");

  const payer = new Ed25519Keypair();
  const client = new SuiGrpcClient({ network: "localnet", baseUrl: `${access.chainUrl}/sui` });
  const perTransactionMist = BigInt(COINS_PER_TRANSACTION) * sizeMist;
  for (let made = 0; made < count; made += COINS_PER_TRANSACTION) {
    await faucet(access.chainUrl, payer.toSuiAddress(), perTransactionMist + GAS_MIST);
    const transaction = new Transaction();
    const amounts = Array.from({ length: COINS_PER_TRANSACTION }, () => sizeMist);
    const coins = transaction.splitCoins(transaction.gas, amounts);
    transaction.transferObjects(
      amounts.map((_, index) => coins[index] ?? transaction.gas),
      depositAddress,
    );
    const result = await client.signAndExecuteTransaction({ transaction, signer: payer });
    if (result.$kind !== "Transaction") throw new Error(`the chain did not split: ${JSON.stringify(result)}`);
  }
  await refreshPast(access, fundId, BigInt(count - 1) * sizeMist);
  const { key } = await createKey(access, projectId, {
    name: "bench",
    rights: ["gas"],
    fundId,
    limits: { qps: 10_000, cups: 1_000 },
  });
  return key;
}
