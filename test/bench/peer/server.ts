/**
 * The peer that the bench compares with: gas sponsor, embedded wallets and node gateway as a competent team writes them
 * on Node in a week. Hono, the stock SDK, one key pair, coins listed at the start, the gas price cached for a minute,
 * and its state in memory or in Redis.
 */
import { timingSafeEqual } from "node:crypto";
import { serve } from "@hono/node-server";
import { SuiGrpcClient } from "@mysten/sui/grpc";
import { Ed25519Keypair } from "@mysten/sui/keypairs/ed25519";
import { Hono } from "hono";
import { bearerAuth } from "hono/bearer-auth";
import { proxy } from "hono/proxy";
import { z } from "zod";
import { allCoins, sponsorRoutes } from "./sponsor.ts";
import { MemoryStore, RedisStore, type Store } from "./store.ts";
import { walletRoutes } from "./wallets.ts";

const env = z
  .object({
    NODE_URL: z.url(),
    UPSTREAM_URL: z.url(),
    SPONSOR_SECRET: z.string(),
    API_TOKEN: z.string().min(32),
    REDIS_SOCKET: z.string().optional(),
  })
  .parse(process.env);

const client = new SuiGrpcClient({ network: "localnet", baseUrl: env.NODE_URL });
const sponsor = Ed25519Keypair.fromSecretKey(env.SPONSOR_SECRET);
const store: Store = env.REDIS_SOCKET === undefined ? new MemoryStore() : new RedisStore(env.REDIS_SOCKET);
await store.add(await allCoins(client, sponsor.toSuiAddress()));

const token = Buffer.from(env.API_TOKEN);
function isToken(given: string): boolean {
  const bytes = Buffer.from(given);
  return bytes.length === token.length && timingSafeEqual(bytes, token);
}

const app = new Hono();
app.use(bearerAuth({ verifyToken: isToken }));
app.route("/", sponsorRoutes(client, sponsor, store));
app.route("/", walletRoutes(store));
app.get("/node/*", (c) => proxy(`${env.UPSTREAM_URL}${c.req.path.slice("/node".length)}`));

serve({ fetch: app.fetch, port: 0, hostname: "127.0.0.1" }, ({ port }) => console.log(JSON.stringify({ port })));
