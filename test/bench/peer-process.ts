import { type ChildProcess, execFile, spawn } from "node:child_process";
import { randomBytes } from "node:crypto";
import { once } from "node:events";
import { existsSync } from "node:fs";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { promisify } from "node:util";
import * as z from "zod";
import { LOOPBACK } from "../../shared/cli/ports.ts";
import { root } from "../../shared/cli/root.ts";
import { sleep } from "../support/random.ts";
import { type Route, route, type Server } from "./route.ts";

const FOLDER = join(root, "test/bench/peer");
const REDIS = process.env.REDIS_SERVER ?? "redis-server";
const POLL_MS = 20;
const REDIS_START_MS = 30_000;
const TOKEN_BYTES = 32;

/** Each peer keeps its state here: null for its own memory. `appendfsync` is the setting of Redis of that name. */
const PEER_STORES: Readonly<Record<string, PeerStore>> = {
  "peer, memory": null,
  "peer, Redis": { appendfsync: null },
  "peer, Redis, AOF each second": { appendfsync: "everysec" },
  "peer, Redis, AOF each write": { appendfsync: "always" },
};
type PeerStore = { readonly appendfsync: string | null } | null;

export interface PeerOptions {
  /** The gRPC-web URL of a Sui node. */
  readonly nodeUrl: string;
  /** The node that the gateway passes reads on to. */
  readonly upstreamUrl: string;
  /** The key of an address that has coins already. */
  readonly sponsorSecret: string;
}

export interface Peer extends Server {
  readonly name: string;
  readonly token: string;
  stop(): Promise<void>;
}

/** A peer whose method takes long sends fewer requests a round than the service, so that the bench does not wait for it. */
const MOST_SECONDS = 1.5;

/** Makes a route of a peer, with its token. */
export function peerRoute(peer: Peer, path: string, body?: string | null): Route {
  const base = route(peer.name, peer, path, body);
  return {
    ...base,
    headers: { ...base.headers, authorization: `Bearer ${peer.token}` },
    mostSeconds: MOST_SECONDS,
  };
}

/** Installs the packages of the peer if they are missing. Returns why it could not, or null. */
async function installPeer(): Promise<string | null> {
  if (existsSync(join(FOLDER, "node_modules/ioredis"))) return null;
  try {
    await promisify(execFile)("npm", ["ci", "--no-audit", "--no-fund"], { cwd: FOLDER });
    return null;
  } catch {
    return "npm ci in test/bench/peer failed";
  }
}

/** Says why there is no Redis, or null if there is one. */
async function missingRedis(): Promise<string | null> {
  try {
    await promisify(execFile)(REDIS, ["--version"]);
    return null;
  } catch {
    return "no redis-server: apt-get install redis-server, or name one in REDIS_SERVER";
  }
}

async function ended(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return;
  const gone = once(child, "exit");
  child.kill();
  await gone;
}

function pidOf({ pid }: ChildProcess): number {
  if (pid === undefined) throw new Error("the process did not start");
  return pid;
}

/** Starts a Redis of its own on a socket in this folder, without snapshots. */
async function startRedis(folder: string, appendfsync: string | null): Promise<ChildProcess> {
  const log = appendfsync === null ? ["--appendonly", "no"] : ["--appendonly", "yes", "--appendfsync", appendfsync];
  const socket = ["--port", "0", "--unixsocket", join(folder, "redis.sock"), "--dir", folder, "--save", ""];
  const redis = spawn(REDIS, [...socket, ...log], { stdio: "ignore" });
  for (const deadline = Date.now() + REDIS_START_MS; !existsSync(join(folder, "redis.sock")); ) {
    if (redis.exitCode !== null || Date.now() > deadline) throw new Error("redis-server did not start");
    await sleep(POLL_MS);
  }
  return redis;
}

/** Starts a peer with a store of its own. */
async function startPeer(name: string, store: PeerStore, options: PeerOptions): Promise<Peer> {
  const folder = await mkdtemp(join(tmpdir(), "gasworks-peer-"));
  const redis = store === null ? null : await startRedis(folder, store.appendfsync);
  const token = randomBytes(TOKEN_BYTES).toString("base64url");
  const env = {
    NODE_ENV: "production",
    NODE_URL: options.nodeUrl,
    UPSTREAM_URL: options.upstreamUrl,
    SPONSOR_SECRET: options.sponsorSecret,
    API_TOKEN: token,
    ...(redis !== null && { REDIS_SOCKET: join(folder, "redis.sock") }),
  };
  const strip = ["--experimental-strip-types", "--disable-warning=ExperimentalWarning"];
  const node = spawn(process.execPath, [...strip, join(FOLDER, "server.ts")], {
    env,
    stdio: ["ignore", "pipe", "inherit"],
  });
  const stop = async () => {
    await ended(node);
    if (redis !== null) await ended(redis);
    await rm(folder, { recursive: true, force: true });
  };
  const line = await Promise.race([
    once(createInterface(node.stdout), "line").then(([text]) => String(text)),
    once(node, "exit").then(() => null),
  ]);
  if (line === null) {
    await stop();
    throw new Error(`${name} did not start`);
  }
  const { port } = z.object({ port: z.int() }).parse(JSON.parse(line));
  return {
    name,
    url: `http://${LOOPBACK}:${port}`,
    token,
    pid: () => pidOf(node),
    otherPids: () => (redis === null ? [] : [pidOf(redis)]),
    stop,
  };
}

/** Starts each peer that this machine can run, and prints why the others are left out. */
export async function startPeers(optionsOf: (name: string) => Promise<PeerOptions>): Promise<readonly Peer[]> {
  const missing = await installPeer();
  if (missing !== null) {
    console.log(`peers: not run: ${missing}`);
    return [];
  }
  const withoutRedis = await missingRedis();
  const peers: Peer[] = [];
  for (const [name, store] of Object.entries(PEER_STORES)) {
    if (store !== null && withoutRedis !== null) console.log(`${name}: not run: ${withoutRedis}`);
    else peers.push(await startPeer(name, store, await optionsOf(name)));
  }
  return peers;
}
