import { SuiGrpcClient } from "@mysten/sui/grpc";
import { Ed25519Keypair } from "@mysten/sui/keypairs/ed25519";
import { Transaction } from "@mysten/sui/transactions";
import { createKey, refreshPast } from "../../shared/cli/client/admin.ts";
import { faucet } from "../../shared/cli/client/faucet.ts";
import { createFundInProject, type ServiceAccess } from "../../shared/cli/client/funds.ts";
import { raiseLimits } from "../support/limits.ts";

/** The chain takes at most 512 arguments a command, and each new coin is one. */
const COINS_PER_TRANSACTION = 500;
const GAS_MIST = 5_000_000_000n;

export interface BenchFund {
  readonly projectId: string;
  readonly fundId: string;
  readonly depositAddress: string;
  /** An access key of the fund, without a rate or a policy limit that a bench could reach. */
  readonly key: string;
}

/** Payments wait for the node to show them, so some are under way at once. */
const PAYERS = 8;

/** Pays this many coins of one size to an address of the development chain. */
export async function payCoins(chainUrl: string, address: string, count: number, sizeMist: bigint): Promise<void> {
  const client = new SuiGrpcClient({ network: "localnet", baseUrl: `${chainUrl}/sui` });
  let left = count;

  async function payOnce(coins: number): Promise<void> {
    // A payer of its own has no older coin, which the node might still show at a version that is spent.
    const payer = new Ed25519Keypair();
    const { digest } = await faucet(chainUrl, payer.toSuiAddress(), BigInt(coins) * sizeMist + GAS_MIST);
    await client.waitForTransaction({ digest });
    const transaction = new Transaction();
    // One input for all amounts, and a budget of our own: otherwise the SDK and the chain take several times as long.
    transaction.setGasBudget(GAS_MIST);
    const amount = transaction.pure.u64(sizeMist);
    const split = transaction.splitCoins(
      transaction.gas,
      Array.from({ length: coins }, () => amount),
    );
    transaction.transferObjects(
      Array.from({ length: coins }, (_, index) => split[index] ?? transaction.gas),
      address,
    );
    const result = await client.signAndExecuteTransaction({ transaction, signer: payer });
    if (result.$kind !== "Transaction") throw new Error(`the chain did not split: ${JSON.stringify(result)}`);
    await client.waitForTransaction({ digest: result.Transaction.digest });
  }

  async function payer(): Promise<void> {
    while (left > 0) {
      const coins = Math.min(COINS_PER_TRANSACTION, left);
      left -= coins;
      await payOnce(coins);
    }
  }

  await Promise.all(Array.from({ length: PAYERS }, payer));
}

/**
 * A fund that owns this many coins of one size: each sponsorship locks one for an hour, and none must wait for the pool
 * to be refilled, which a bench of the call itself is not about. `project` holds further members of the project's request.
 */
export async function fundWithCoins(
  access: ServiceAccess,
  count: number,
  sizeMist: bigint,
  project: object = {},
): Promise<BenchFund> {
  const { projectId, fundId, depositAddress } = await createFundInProject(access, `bench ${count}`, {}, project);
  await payCoins(access.chainUrl, depositAddress, count, sizeMist);
  await refreshPast(access, fundId, BigInt(count - 1) * sizeMist);
  const { id: keyId, key } = await createKey(access, projectId, {
    name: "bench",
    rights: ["gas"],
    fundId,
    limits: { qps: 10_000, cups: 1_000 },
  });
  await raiseLimits(access, { fundId, keyId });
  return { projectId, fundId, depositAddress, key };
}
