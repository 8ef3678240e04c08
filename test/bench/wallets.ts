import { randomBytes } from "node:crypto";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Ed25519Keypair } from "@mysten/sui/keypairs/ed25519";
import { toBase64 } from "@mysten/sui/utils";
import * as z from "zod";
import { build } from "../../shared/cli/build.ts";
import { startWorkerd } from "../../shared/cli/workerd.ts";
import { FLOOR } from "../harness/builds.ts";
import { type SelfHosted, startSelfHosted } from "../harness/self-hosted.ts";
import { fromBefore, startBefore } from "./before.ts";
import { READ_PATH } from "./floor/reading.ts";
import { type Rounds, runLoad } from "./load.ts";
import { loadsOf, requestsOf, routesOf } from "./loads.ts";
import { type Peer, peerRoute, startPeers } from "./peer-process.ts";
import { type Comparison, compare } from "./report/comparison.ts";
import type { Measured } from "./report/targets.ts";
import { type Route, route, rpcBody } from "./route.ts";
import { inTurn, newApp, newKey, openSession, walletRoute } from "./wallet-routes.ts";

/** As many as there are callers. */
const WALLETS = 64;
/** With hkdf, a key may derive 100 times a second. More than all of these may is not derived in a second. */
const HKDF_KEYS = 64;
/** With scrypt, and in older builds, a key may derive so often at once, and then once a second. */
const DERIVATIONS_PER_KEY = 5;
/** More sessions than that are not made in a second, so these keys never meet their limit. */
const MOST_KEYS = 2_500;
const SESSIONS = loadsOf("session");
const SCRYPT = { callers: 1, requests: 5, rounds: 3, warmUp: 5 };
const TRANSACTION_BYTES = 300;

/**
 * Sessions of as few keys as it takes for none to meet its limit, in the rounds and before them. With more, the rounds
 * would measure how the objects of idle keys are opened again.
 */
async function sessionRoute(
  name: string,
  hosted: SelfHosted,
  derivation: "scrypt" | "hkdf",
  loads: readonly Rounds[],
): Promise<Route> {
  const { projectId, key, secret } = await newApp(hosted, derivation);
  const slowKeys = Math.min(Math.ceil(requestsOf(loads) / DERIVATIONS_PER_KEY), MOST_KEYS);
  const count = derivation === "hkdf" && name === "service" ? HKDF_KEYS : slowKeys;
  const keys: string[] = [];
  while (keys.length < count) keys.push((await newKey(hosted, projectId)).key);
  const next = inTurn(keys.length);
  const body = rpcBody("svc_key_createSession", [secret]);
  return walletRoute(name, hosted, key, () => ({
    body,
    headers: { "x-api-key": keys[next()] ?? key },
  }));
}

/** Names the wallets that are signed with, in turn. */
function signedWallets(): () => string {
  const next = inTurn(WALLETS);
  return () => `signed ${next() + 1}`;
}

/** An app of a service, with its session and its wallets. */
async function serviceWallets(name: string, hosted: SelfHosted, bytes: string) {
  const app = await newApp(hosted, "hkdf");
  let token = "";
  const creating = (prefix: string) => {
    const next = inTurn(Number.MAX_SAFE_INTEGER);
    return walletRoute(name, hosted, app.key, () => ({
      body: rpcBody("svc_wal_createWallet", [`${prefix} ${next()}`, token]),
    }));
  };
  const open = async () => {
    token = await openSession(hosted, app);
  };
  const which = signedWallets();
  const sign = walletRoute(name, hosted, app.key, () => ({
    body: rpcBody("svc_wal_signTransaction", [which(), token, bytes]),
  }));
  await open();
  await makeWallets(creating("signed"));
  return { open, sign, create: creating("wallet"), session: await sessionRoute(name, hosted, "hkdf", SESSIONS) };
}

interface WalletPeer {
  readonly peer: Peer;
  session: string;
}

/** Peers without coins, each with a session. */
async function startWalletPeers({ chainUrl }: SelfHosted): Promise<readonly Peer[]> {
  const sponsorSecret = new Ed25519Keypair().getSecretKey();
  return startPeers(async () => ({ nodeUrl: `${chainUrl}/sui`, upstreamUrl: chainUrl, sponsorSecret }));
}

function peerWalletRoute(wallets: WalletPeer, path: string, bodies: () => object): Route {
  const { peer } = wallets;
  const base = peerRoute(peer, path);
  const vary = () => ({ body: JSON.stringify(bodies()), headers: { "x-session": wallets.session } });
  return { ...base, vary };
}

async function openPeerSession(peer: WalletPeer, secret: string): Promise<void> {
  const { url, headers } = peerWalletRoute(peer, "/sessions", () => ({}));
  const answer = await fetch(url, { method: "POST", headers, body: JSON.stringify({ secret }) });
  peer.session = z.object({ result: z.string() }).parse(await answer.json()).result;
}

/** Makes the wallets that are signed with, each once. */
async function makeWallets(creating: Route): Promise<void> {
  await runLoad({ ...creating, callers: 8, requests: WALLETS });
}

/**
 * `svc_wal_signTransaction`, `svc_wal_createWallet` and `svc_key_createSession` against their floors, which are the same
 * runtime, object calls, commits and signature operations without logic, and against the peers. Sessions are in objects,
 * as on every workerd without KV. `TMPDIR=/dev/shm` spares the creations a slow disk.
 */
export async function benchWallets(): Promise<Pick<Measured, "comparisons">> {
  const hosted = await startSelfHosted();
  const floorState = await mkdtemp(join(tmpdir(), "gasworks-floor-"));
  const floorWorker = await startWorkerd({ bundle: await build(FLOOR), stateDirectory: floorState, vars: {} });
  const floorRoute = (name: string, path: string, next: () => number): Route => ({
    ...route(name, floorWorker, path),
    vary: () => ({ body: `wallet ${next()}` }),
  });
  /** The floor that takes the requests of a route of the service. */
  const reading = ({ vary }: Route): Route => ({ ...route("floor, sealed and read", floorWorker, READ_PATH), vary });
  const before = await startBefore();
  let peers: readonly Peer[] = [];
  try {
    peers = await startWalletPeers(hosted);
    const walletPeers = peers.map((peer): WalletPeer => ({ peer, session: "" }));
    const secret = randomBytes(32).toString("hex");
    const bytes = toBase64(randomBytes(TRANSACTION_BYTES));
    const own = await serviceWallets("service", hosted, bytes);
    const older = await fromBefore(before, (hosted) => serviceWallets("before", hosted, bytes));
    // A session ends after ten minutes. On a slow machine that is in the midst of the bench.
    const openSessions = async () => {
      for (const { open } of [own, ...older]) await open();
      for (const peer of walletPeers) await openPeerSession(peer, secret);
    };
    await openSessions();
    const bare = route("bare", floorWorker, "/bare");
    const peerCreating = (prefix: string) => (peer: WalletPeer) => {
      const next = inTurn(Number.MAX_SAFE_INTEGER);
      return peerWalletRoute(peer, "/wallets", () => ({ walletId: `${prefix} ${next()}` }));
    };
    for (const each of walletPeers.map(peerCreating("signed"))) await makeWallets(each);
    const signs = [
      ...[own, ...older].map(({ sign }) => sign),
      floorRoute("floor", "/wallet-sign", inTurn(WALLETS)),
      floorRoute("floor, three calls", "/wallet-sign-three-calls", inTurn(WALLETS)),
      floorRoute("floor, with the seals", "/wallet-sign-sealed", inTurn(WALLETS)),
      reading(own.sign),
      floorRoute("floor, key at hand", "/wallet-sign-at-hand", inTurn(WALLETS)),
      bare,
      ...walletPeers.map((peer) => {
        const next = signedWallets();
        return peerWalletRoute(peer, "/wallets/sign", () => ({ walletId: next(), transaction: bytes }));
      }),
    ];
    const creations = [
      ...[own, ...older].map(({ create }) => create),
      floorRoute("floor", "/wallet-create", inTurn(Number.MAX_SAFE_INTEGER)),
      bare,
      ...walletPeers.map(peerCreating("wallet")),
    ];
    const sessions = [
      ...[own, ...older].map(({ session }) => session),
      floorRoute("floor", "/wallet-session", inTurn(WALLETS)),
      floorRoute("floor, two calls", "/wallet-session-two-calls", inTurn(WALLETS)),
      floorRoute("floor, with the seals", "/wallet-session-sealed", inTurn(WALLETS)),
      reading(own.session),
      ...walletPeers.map((peer) => peerWalletRoute(peer, "/sessions", () => ({ secret }))),
    ];
    const scrypt = await sessionRoute("service", hosted, "scrypt", [SCRYPT]);

    const comparisons: Comparison[] = [];
    const inSession = async (method: string, routes: readonly Route[], load: Rounds) => {
      await openSessions();
      comparisons.push(await compare(method, routesOf(routes, load), load));
    };
    for (const load of loadsOf("sign")) await inSession("sign", signs, load);
    for (const load of loadsOf("create")) await inSession("create", creations, load);
    for (const load of SESSIONS) comparisons.push(await compare("session, hkdf", routesOf(sessions, load), load));
    comparisons.push(await compare("session, scrypt", [scrypt], SCRYPT));
    return { comparisons };
  } finally {
    for (const peer of peers) await peer.stop();
    await floorWorker.kill();
    await before?.stop();
    await hosted.stop();
    await rm(floorState, { recursive: true, force: true });
  }
}
