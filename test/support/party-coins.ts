import type { SuiGrpcClient } from "@mysten/sui/grpc";
import { Ed25519Keypair } from "@mysten/sui/keypairs/ed25519";
import { Transaction } from "@mysten/sui/transactions";

const GAS_MIST = 1_000_000_000n;

/**
 * As anybody can, with `0x2::transfer::public_party_transfer`: coins that the address owns through consensus.
 *
 * @param faucet gives SUI to whoever sends them.
 * @returns their ids.
 */
export async function sendPartyCoins(
  client: SuiGrpcClient,
  faucet: (address: string, amountMist: bigint) => Promise<unknown>,
  address: string,
  amountsMist: readonly bigint[],
): Promise<readonly string[]> {
  const stranger = new Ed25519Keypair();
  const sender = stranger.toSuiAddress();
  const sumMist = amountsMist.reduce((sum, amountMist) => sum + amountMist, 0n);
  await faucet(sender, sumMist + GAS_MIST);
  const transaction = new Transaction();
  transaction.setSender(sender);
  for (const amountMist of amountsMist) {
    const [coin] = transaction.splitCoins(transaction.gas, [amountMist]);
    const party = transaction.moveCall({
      target: "0x2::party::single_owner",
      arguments: [transaction.pure.address(address)],
    });
    transaction.moveCall({
      target: "0x2::transfer::public_party_transfer",
      typeArguments: ["0x2::coin::Coin<0x2::sui::SUI>"],
      arguments: [coin, party],
    });
  }
  const bytes = await transaction.build({ client });
  const { signature } = await stranger.signTransaction(bytes);
  const include = { effects: true } as const;
  const executed = await client.executeTransaction({ transaction: bytes, signatures: [signature], include });
  if (executed.Transaction === undefined) throw new Error("the party transfer failed");
  return executed.Transaction.effects.changedObjects
    .filter(({ idOperation }) => idOperation === "Created")
    .map(({ objectId }) => objectId);
}
