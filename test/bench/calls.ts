import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Ed25519Keypair } from "@mysten/sui/keypairs/ed25519";
import { fromBase64 } from "@mysten/sui/utils";
import * as z from "zod";
import { build } from "../../shared/cli/build.ts";
import { startWorkerd } from "../../shared/cli/workerd.ts";
import { FLOOR } from "../harness/builds.ts";
import { type SelfHosted, startSelfHosted } from "../harness/self-hosted.ts";
import { fromBefore, startBefore } from "./before.ts";
import { fundWithCoins, payCoins } from "./fund-with-coins.ts";
import { coinsOf, loadsOf, routesOf } from "./loads.ts";
import { type Peer, peerRoute, startPeers } from "./peer-process.ts";
import { type Comparison, compare } from "./report/comparison.ts";
import type { Measured } from "./report/targets.ts";
import { BUDGET_MIST, benchKind, COIN_MIST, type Route, route, rpcBody, sponsorRoute } from "./route.ts";

const SPONSORS = loadsOf("sponsor");
const EXECUTIONS = loadsOf("execute");
const preparedSchema = z.object({ result: z.object({ txBytes: z.base64(), txDigest: z.string() }) });
const peerSponsoredSchema = z.object({ result: z.object({ txBytes: z.base64(), signature: z.string() }) });

/** Each peer pays from an address of its own, because executions change its coins. */
async function startSponsorPeers({ chainUrl }: SelfHosted): Promise<readonly Peer[]> {
  return startPeers(async (name) => {
    const sponsor = new Ed25519Keypair();
    const coins = coinsOf([...SPONSORS, ...EXECUTIONS]);
    console.log(`${name}: paying ${coins} coins to its sponsor`);
    await payCoins(chainUrl, sponsor.toSuiAddress(), coins, COIN_MIST);
    return { nodeUrl: `${chainUrl}/sui`, upstreamUrl: chainUrl, sponsorSecret: sponsor.getSecretKey() };
  });
}

async function peerSponsor(peer: Peer, sender: string): Promise<Route> {
  const body = JSON.stringify({ transactionKind: await benchKind(), sender, gasBudget: String(BUDGET_MIST) });
  return peerRoute(peer, "/sponsor", body);
}

/** Prepares, has the user sign in the load generator, and executes. */
export async function executeRoute(name: string, { service }: SelfHosted, key: string): Promise<Route> {
  const user = new Ed25519Keypair();
  const prepare = await sponsorRoute(name, service, key);
  const params = [await benchKind(), user.toSuiAddress(), String(BUDGET_MIST)];
  return {
    ...prepare,
    body: rpcBody("gas_prepareTransactionBlock", params),
    async follow(answer) {
      const { txBytes, txDigest } = preparedSchema.parse(JSON.parse(answer)).result;
      const { signature } = await user.signTransaction(fromBase64(txBytes));
      return { url: prepare.url, body: rpcBody("gas_executeTransactionBlock", [txDigest, signature]) };
    },
  };
}

async function peerExecute(peer: Peer): Promise<Route> {
  const user = new Ed25519Keypair();
  return {
    ...(await peerSponsor(peer, user.toSuiAddress())),
    async follow(answer) {
      const { txBytes, signature } = peerSponsoredSchema.parse(JSON.parse(answer)).result;
      const own = await user.signTransaction(fromBase64(txBytes));
      return { url: `${peer.url}/execute`, body: JSON.stringify({ txBytes, signatures: [own.signature, signature] }) };
    },
  };
}

/** Sponsoring and executing of a service, each with a fund of its own. */
async function serviceRoutes(name: string, hosted: SelfHosted) {
  const [lending, executing] = [
    await fundWithCoins(hosted, coinsOf(SPONSORS), COIN_MIST),
    await fundWithCoins(hosted, coinsOf(EXECUTIONS), COIN_MIST),
  ];
  return {
    sponsor: await sponsorRoute(name, hosted.service, lending.key),
    execute: await executeRoute(name, hosted, executing.key),
  };
}

/**
 * `gas_sponsorTransactionBlock` with a budget, and prepare with execute, against their floors, the bare route and the
 * peers. Each runs in a process of its own, the service as the bundle that is deployed, on local disk.
 */
export async function benchCalls(): Promise<Pick<Measured, "comparisons">> {
  const hosted = await startSelfHosted();
  const floorState = await mkdtemp(join(tmpdir(), "gasworks-floor-"));
  const floorWorker = await startWorkerd({ bundle: await build(FLOOR), stateDirectory: floorState, vars: {} });
  const before = await startBefore();
  let peers: readonly Peer[] = [];
  try {
    console.log(`making a fund with ${coinsOf(SPONSORS)} coins`);
    const { sponsor, execute } = await serviceRoutes("service", hosted);
    const older = await fromBefore(before, (hosted) => serviceRoutes("before", hosted));
    peers = await startSponsorPeers(hosted);
    const user = new Ed25519Keypair().toSuiAddress();
    const sponsors = [
      sponsor,
      ...older.map(({ sponsor }) => sponsor),
      route("floor", floorWorker, "/floor"),
      route("floor, two calls", floorWorker, "/floor-two-calls"),
      route("bare", floorWorker, "/bare"),
      ...(await Promise.all(peers.map((peer) => peerSponsor(peer, user)))),
    ];
    const executions = [
      execute,
      ...older.map(({ execute }) => execute),
      { ...route("floor, no node", floorWorker, "/floor-prepare"), follow: floorExecute(floorWorker.url) },
      route("bare", floorWorker, "/bare"),
      ...(await Promise.all(peers.map(peerExecute))),
    ];
    const comparisons: Comparison[] = [];
    for (const load of SPONSORS) comparisons.push(await compare("sponsor", routesOf(sponsors, load), load));
    for (const load of EXECUTIONS)
      comparisons.push(await compare("prepare and execute", routesOf(executions, load), load));
    return { comparisons };
  } finally {
    for (const peer of peers) await peer.stop();
    await floorWorker.kill();
    await before?.stop();
    await hosted.stop();
    await rm(floorState, { recursive: true, force: true });
  }
}

function floorExecute(url: string): NonNullable<Route["follow"]> {
  return async (answer) => {
    const { result } = z.object({ result: z.string() }).parse(JSON.parse(answer));
    return { url: `${url}/floor-execute`, body: result };
  };
}
