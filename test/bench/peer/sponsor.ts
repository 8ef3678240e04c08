import type { SuiGrpcClient } from "@mysten/sui/grpc";
import type { Ed25519Keypair } from "@mysten/sui/keypairs/ed25519";
import { Transaction } from "@mysten/sui/transactions";
import { fromBase64, toBase64 } from "@mysten/sui/utils";
import { Hono } from "hono";
import { z } from "zod";
import type { Coin, Store } from "./store.ts";

const PRICE_FOR_MS = 60_000;
const PAGE_COINS = 1_000;
const SUI = "0x2::sui::SUI";

const sponsorSchema = z.object({
  transactionKind: z.base64(),
  sender: z.string().regex(/^0x[0-9a-f]{64}$/),
  gasBudget: z.string().regex(/^\d{1,18}$/),
});
const executeSchema = z.object({ txBytes: z.base64(), signatures: z.array(z.string()).length(2) });

/** Reads all coins of an address. */
export async function allCoins(client: SuiGrpcClient, owner: string): Promise<readonly Coin[]> {
  const coins: Coin[] = [];
  for (let cursor: string | null = null; ; ) {
    const page = await client.listCoins({ owner, coinType: SUI, cursor, limit: PAGE_COINS });
    coins.push(
      ...page.objects.map(({ objectId, version, digest, balance }) => ({ objectId, version, digest, balance })),
    );
    if (!page.hasNextPage || page.cursor === null) return coins;
    cursor = page.cursor;
  }
}

/** The routes of a gas sponsor: sponsor a transaction, and execute it with the sender's signature. */
export function sponsorRoutes(client: SuiGrpcClient, sponsor: Ed25519Keypair, store: Store): Hono {
  const owner = sponsor.toSuiAddress();
  let price = { mist: 0n, untilMs: 0 };

  async function gasPriceMist(): Promise<bigint> {
    if (price.untilMs < Date.now()) {
      const { referenceGasPrice } = await client.getReferenceGasPrice();
      price = { mist: BigInt(referenceGasPrice), untilMs: Date.now() + PRICE_FOR_MS };
    }
    return price.mist;
  }

  const app = new Hono();
  app.post("/sponsor", async (c) => {
    const input = sponsorSchema.safeParse(await c.req.json());
    if (!input.success) return c.json({ error: z.prettifyError(input.error) }, 400);
    const { transactionKind, sender, gasBudget } = input.data;
    const transaction = Transaction.fromKind(fromBase64(transactionKind));
    if (transaction.getData().commands.some((command) => JSON.stringify(command).includes('"GasCoin"')))
      return c.json({ error: "the gas coin is not the sender's" }, 400);
    const coin = await store.take(BigInt(gasBudget));
    if (coin === null) return c.json({ error: "no coin" }, 503);
    const { objectId, version, digest } = coin;
    transaction.setSender(sender);
    transaction.setGasOwner(owner);
    transaction.setGasBudget(BigInt(gasBudget));
    transaction.setGasPrice(await gasPriceMist());
    transaction.setGasPayment([{ objectId, version, digest }]);
    const bytes = await transaction.build({ client });
    const { signature } = await sponsor.signTransaction(bytes);
    const txDigest = await transaction.getDigest({ client });
    return c.json({ result: { txBytes: toBase64(bytes), txDigest, signature } });
  });

  app.post("/execute", async (c) => {
    const input = executeSchema.safeParse(await c.req.json());
    if (!input.success) return c.json({ error: z.prettifyError(input.error) }, 400);
    const { txBytes, signatures } = input.data;
    const transaction = fromBase64(txBytes);
    const executed = await client.executeTransaction({ transaction, signatures, include: { effects: true } });
    if (executed.$kind !== "Transaction") return c.json({ error: "the transaction failed" }, 422);
    const { digest, effects } = executed.Transaction;
    const { objectId, outputVersion, outputDigest } = effects.gasObject ?? {};
    if (objectId !== undefined && outputVersion != null && outputDigest != null) {
      const { computationCost, storageCost, storageRebate } = effects.gasUsed;
      const spentMist = BigInt(computationCost) + BigInt(storageCost) - BigInt(storageRebate);
      await store.giveBack(objectId, { version: outputVersion, digest: outputDigest, spentMist });
    }
    return c.json({ result: { digest, status: effects.status } });
  });
  return app;
}
