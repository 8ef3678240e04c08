import { Ed25519Keypair } from "@mysten/sui/keypairs/ed25519";
import { Transaction } from "@mysten/sui/transactions";
import { fromBase58 } from "@mysten/sui/utils";
import { giveSui, sui, untilShown } from "../harness/harness.ts";
import type { ObjectReference } from "../support/sui-transactions.ts";
import { coinsOf } from "./careless-sponsor.ts";

const EXPENSES_MIST = 20_000_000_000n;
const OWN_COIN_MIST = 1_000n;
/** Coins made at a time; one in 256 has a given last byte in its digest. */
const BAITS = 250;

export type Attacker = Awaited<ReturnType<typeof newAttacker>>;

/** A user with money of his own: for his expenses, and one small coin. */
export async function newAttacker() {
  const keypair = new Ed25519Keypair();
  const address = keypair.toSuiAddress();
  await Promise.all([EXPENSES_MIST, OWN_COIN_MIST].map((amountMist) => giveSui(address, amountMist)));
  const coin = (await coinsOf(address)).at(-1);
  if (coin === undefined) throw new Error("the attacker has no coin");

  async function sendCoins(recipient: string, count: number) {
    const transaction = new Transaction();
    const [payment] = await coinsOf(address);
    const amounts = Array.from({ length: count }, () => 1n);
    const { Result } = transaction.splitCoins(transaction.gas, amounts);
    transaction.transferObjects(
      amounts.map((_, index) => ({ NestedResult: [Result, index] })),
      recipient,
    );
    if (payment !== undefined) transaction.setGasPayment([payment]);
    const include = { effects: true } as const;
    const sent = await sui.core.signAndExecuteTransaction({ transaction, signer: keypair, include });
    const { changedObjects = [], transactionDigest } = sent.Transaction?.effects ?? {};
    if (transactionDigest !== undefined) await untilShown(transactionDigest);
    return changedObjects.filter(({ idOperation }) => idOperation === "Created");
  }

  return {
    keypair,
    address,
    coin,

    /** Sends one MIST at a time to somebody, until a coin of it has a digest that ends in this byte. */
    async bait(recipient: string, lastByte: number): Promise<ObjectReference> {
      for (;;) {
        for (const { objectId, outputDigest, outputVersion } of await sendCoins(recipient, BAITS)) {
          if (outputDigest === null || outputVersion === null) continue;
          if (fromBase58(outputDigest).at(-1) === lastByte)
            return { objectId, version: outputVersion, digest: outputDigest };
        }
      }
    },
  };
}
