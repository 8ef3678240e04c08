import { mkdtemp, rm } from "node:fs/promises";
import { createServer } from "node:http";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { build } from "../../shared/cli/build.ts";
import { APTOS_NETWORK, createKey, createProject } from "../../shared/cli/client/admin.ts";
import { LOOPBACK } from "../../shared/cli/ports.ts";
import { startWorkerd } from "../../shared/cli/workerd.ts";
import { BARE_GATEWAY, FLOOR } from "../harness/builds.ts";
import { type SelfHosted, startSelfHosted } from "../harness/self-hosted.ts";
import { printRatio, printRoute, type Route, route, runRounds } from "./route.ts";

const CALLERS = 32;
/** Many and short: the machine's speed drifts, and a ratio is taken within each round. */
const ROUNDS = Number(process.env.BENCH_ROUNDS ?? 25);
const REQUESTS = Number(process.env.BENCH_REQUESTS ?? 400);
const PATH = "/accounts/0x1/resource/0x1::account::Account";
/** About what an account's resource is. */
const ANSWER = JSON.stringify({
  type: "0x1::account::Account",
  data: { sequence_number: "7", filler: "0".repeat(1_000) },
});
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
export async function benchGateway(): Promise<void> {
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
  try {
    const key = await newNodeKey(hosted);
    const read = (name: string, process: Route["process"], path: string, apiKey: string): Route => ({
      ...route(name, process, path, null),
      headers: { "x-api-key": apiKey },
      expected: "sequence_number",
    });
    const gateway = read("gateway", hosted.service, `/aptos/node/v1${PATH}`, key);
    const bare = read("bare", passing.service, `/aptos/node/v1${PATH}`, await newNodeKey(passing));
    const empty = read("empty", floor, `/gateway${PATH}`, key);
    const direct = read("direct", node, PATH, key);
    console.log(`${CALLERS} callers, ${ROUNDS} rounds of ${REQUESTS} reads after one to warm up\n`);
    const routes = [gateway, bare, empty, direct];
    await runRounds(routes, { callers: CALLERS, requests: REQUESTS, rounds: ROUNDS });
    for (const each of routes) printRoute(each);
    printRatio("gateway/bare, the same admission", gateway, bare);
    printRatio("gateway/empty, one object call alone", gateway, empty);
    printRatio("gateway/direct", gateway, direct);
  } finally {
    await floor.kill();
    await hosted.stop();
    await passing.stop();
    node.stop();
    await rm(floorState, { recursive: true, force: true });
  }
}
