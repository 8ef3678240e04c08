import { Transaction } from "@mysten/sui/transactions";
import { toBase64 } from "@mysten/sui/utils";
import { createSuiGasClient } from "gasworks";
import { verifyWebhook } from "gasworks/webhooks";
import { Hono } from "hono";
import * as z from "zod";

// A back end that pays for badges, on Workers, Node, Deno or Bun. Put your own sign-in in front of the first two routes.
type Settings = { GASWORKS_URL: string; ACCESS_KEY: string; WEBHOOK_SECRET: string; PACKAGE: string };
const mint = z.object({
  sender: z.string().regex(/^0x[0-9a-f]{64}$/),
  name: z.string().min(1).max(40),
  order: z.uuid(),
});
const signed = z.object({ txDigest: z.string().max(44), senderSignature: z.string().max(1_000) });
const gasOf = (env: Settings) => createSuiGasClient({ baseUrl: env.GASWORKS_URL, accessKey: env.ACCESS_KEY });

export default new Hono<{ Bindings: Settings }>()
  .post("/mint", async ({ req, env, json }) => {
    const { sender, name, order } = mint.parse(await req.json());
    const transaction = new Transaction();
    transaction.moveCall({ target: `${env.PACKAGE}::demo::mint`, arguments: [transaction.pure.string(name)] });
    const transactionBytes = await transaction.build({ onlyTransactionKind: true });
    const params = { transactionBytes, sender, maxGasBudget: 20_000_000n };
    const prepared = await gasOf(env).prepareTransactionBlock(params, { idempotencyKey: order });
    if (!prepared.ok) return json({ error: prepared.error.details }, 503);
    return json({ txBytes: toBase64(prepared.value.txBytes), txDigest: prepared.value.txDigest });
  })
  .post("/submit", async ({ req, env, json }) => {
    const executed = await gasOf(env).executeTransactionBlock(signed.parse(await req.json()));
    return executed.ok ? json(executed.value.effects.status) : json({ error: executed.error.details }, 503);
  })
  .post("/events", async ({ req, env, body }) => {
    const event = await verifyWebhook(req.raw.headers, await req.text(), env.WEBHOOK_SECRET);
    if (event.ok && event.value.type === "fund.low_balance") console.log(`${event.value.data.fundId} needs a deposit`);
    return body(null, event.ok ? 204 : 401);
  });
