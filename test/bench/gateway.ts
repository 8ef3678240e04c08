import { mkdtemp, rm } from "node:fs/promises";
import { createServer } from "node:http";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Ed25519Keypair } from "@mysten/sui/keypairs/ed25519";
import { build } from "../../shared/cli/build.ts";
import { APTOS_NETWORK, createKey, createProject } from "../../shared/cli/client/admin.ts";
import { LOOPBACK } from "../../shared/cli/ports.ts";
import { startWorkerd } from "../../shared/cli/workerd.ts";
import { BARE_GATEWAY, FLOOR } from "../harness/builds.ts";
import { type SelfHosted, startSelfHosted } from "../harness/self-hosted.ts";
import { fromBefore, startBefore } from "./before.ts";
import { loadsOf, routesOf } from "./loads.ts";
import { type Peer, peerRoute, startPeers } from "./peer-process.ts";
import { type Comparison, compare } from "./report/comparison.ts";
import type { Measured } from "./report/targets.ts";
import { type Route, route } from "./route.ts";

const PATH = "/accounts/0x1/resource/0x1::account::Account";
/** About what an account's resource is. */
const ANSWER = JSON.stringify({
  type: "0x1::account::Account",
  data: { sequence_number: "7", filler: "0".repeat(1_000) },
});
const EXPECTED = "sequence_number";
const HEADERS = {
  "content-type": "application/json",
  "content-length": String(ANSWER.length),
  "x-aptos-chain-id": "4",
  "x-aptos-ledger-version": "7",
};

/** A node that answers as fast as a server can, in the process of the load generator. */
async function startNode() {
  const server = createServer((_, response) => response.writeHead(200, HEADERS).end(ANSWER));
  await new Promise<void>((resolve) => server.listen(0, LOOPBACK, resolve));
  const address = server.address();
  if (address === null || typeof address === "string") throw new Error("the node has no port");
  const stop = () => {
    server.closeAllConnections();
    server.close();
  };
  return { url: `http://${LOOPBACK}:${address.port}`, pid: () => process.pid, stop };
}

async function newNodeKey(hosted: SelfHosted): Promise<string> {
  const limits = { qps: 10_000, cups: 1_000 };
  const fields = { name: "gateway", network: APTOS_NETWORK, rights: ["node"], limits };
  return (await createKey(hosted, await createProject(hosted, "gateway"), fields)).key;
}

/**
 * A read through `/aptos/node/v1` against a bare handler in its place, which makes the same admission call and hands the
 * node's answer on as it is; against a Worker that makes one call of an empty object, and has neither routes nor a log;
 * and against the node called directly. Each runs in a workerd of its own.
 */
export async function benchGateway(): Promise<Pick<Measured, "comparisons">> {
  const node = await startNode();
  const vars = { service: { APTOS_LOCALNET_NODES: node.url } };
  const hosted = await startSelfHosted({ vars });
  const passing = await startSelfHosted({ vars, worker: BARE_GATEWAY });
  const floorState = await mkdtemp(join(tmpdir(), "gasworks-floor-"));
  const floor = await startWorkerd({
    bundle: await build(FLOOR),
    stateDirectory: floorState,
    vars: { UPSTREAM: node.url },
  });
  const before = await startBefore(vars.service);
  let peers: readonly Peer[] = [];
  try {
    const key = await newNodeKey(hosted);
    const read = (name: string, process: Route["process"], path: string, apiKey: string): Route => ({
      ...route(name, process, path, null),
      headers: { "x-api-key": apiKey },
      expected: EXPECTED,
    });
    const through = (name: string, { service }: SelfHosted, apiKey: string) =>
      read(name, service, `/aptos/node/v1${PATH}`, apiKey);
    const gateway = through("service", hosted, key);
    const bare = through("bare handler", passing, await newNodeKey(passing));
    const older = await fromBefore(before, async (hosted) => through("before", hosted, await newNodeKey(hosted)));
    const empty = read("floor", floor, `/gateway${PATH}`, key);
    const direct = read("node itself", node, PATH, key);
    peers = await startPeers(async () => ({
      nodeUrl: `${hosted.chainUrl}/sui`,
      upstreamUrl: node.url,
      sponsorSecret: new Ed25519Keypair().getSecretKey(),
    }));
    const reads = peers.slice(0, 1).map((peer) => ({ ...peerRoute(peer, `/node${PATH}`, null), expected: EXPECTED }));
    const routes = [gateway, ...older, bare, empty, ...reads, direct];
    const comparisons: Comparison[] = [];
    for (const load of loadsOf("gateway")) comparisons.push(await compare("gateway", routesOf(routes, load), load));
    return { comparisons };
  } finally {
    for (const peer of peers) await peer.stop();
    await floor.kill();
    await before?.stop();
    await hosted.stop();
    await passing.stop();
    node.stop();
    await rm(floorState, { recursive: true, force: true });
  }
}
