import { createCipheriv, createDecipheriv, hkdf, randomBytes } from "node:crypto";
import { promisify } from "node:util";
import { Ed25519Keypair } from "@mysten/sui/keypairs/ed25519";
import { fromBase64 } from "@mysten/sui/utils";
import { type Context, Hono } from "hono";
import { z } from "zod";
import type { Store } from "./store.ts";

const KEY_BYTES = 32;
const IV_BYTES = 12;
const TAG_BYTES = 16;
const derive = promisify(hkdf);

const sessionSchema = z.object({ secret: z.string().regex(/^[0-9a-f]{64}$/) });
const walletSchema = z.object({ walletId: z.string().min(1).max(256) });
const signSchema = walletSchema.extend({ transaction: z.base64() });

function encrypt(key: Buffer, secret: Uint8Array): Buffer {
  const iv = randomBytes(IV_BYTES);
  const cipher = createCipheriv("aes-256-gcm", key, iv);
  return Buffer.concat([iv, cipher.update(secret), cipher.final(), cipher.getAuthTag()]);
}

function decrypt(key: Buffer, record: Buffer): Buffer {
  const decipher = createDecipheriv("aes-256-gcm", key, record.subarray(0, IV_BYTES));
  decipher.setAuthTag(record.subarray(-TAG_BYTES));
  return Buffer.concat([decipher.update(record.subarray(IV_BYTES, -TAG_BYTES)), decipher.final()]);
}

/** The routes of embedded wallets, whose keys are encrypted under a key from the app's secret. */
export function walletRoutes(store: Store): Hono {
  const sessionKey = (c: Context) => store.session(c.req.header("x-session") ?? "");
  const app = new Hono();

  app.post("/sessions", async (c) => {
    const input = sessionSchema.safeParse(await c.req.json());
    if (!input.success) return c.json({ error: z.prettifyError(input.error) }, 400);
    const key = await derive("sha256", Buffer.from(input.data.secret, "hex"), "", "wallets", KEY_BYTES);
    const token = randomBytes(KEY_BYTES).toString("base64url");
    await store.setSession(token, Buffer.from(key));
    return c.json({ result: token });
  });

  app.post("/wallets", async (c) => {
    const [input, key] = [walletSchema.safeParse(await c.req.json()), await sessionKey(c)];
    if (!input.success) return c.json({ error: z.prettifyError(input.error) }, 400);
    if (key === null) return c.json({ error: "no session" }, 401);
    const wallet = new Ed25519Keypair();
    const record = encrypt(key, Buffer.from(wallet.getSecretKey()));
    if (!(await store.addWallet(input.data.walletId, record))) return c.json({ error: "the wallet exists" }, 409);
    return c.json({ result: wallet.toSuiAddress() });
  });

  app.post("/wallets/sign", async (c) => {
    const [input, key] = [signSchema.safeParse(await c.req.json()), await sessionKey(c)];
    if (!input.success) return c.json({ error: z.prettifyError(input.error) }, 400);
    if (key === null) return c.json({ error: "no session" }, 401);
    const record = await store.wallet(input.data.walletId);
    if (record === null) return c.json({ error: "no wallet" }, 404);
    const wallet = Ed25519Keypair.fromSecretKey(decrypt(key, record).toString());
    const { signature } = await wallet.signTransaction(fromBase64(input.data.transaction));
    return c.json({ result: signature });
  });
  return app;
}
