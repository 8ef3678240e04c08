import { mkdtemp, rm } from "node:fs/promises";
import { createServer } from "node:http";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { build } from "../local/build.ts";
import { APTOS_NETWORK, createKey, createProject } from "../local/clients.ts";
import { LOOPBACK } from "../local/ports.ts";
import { randomServiceSecrets } from "../local/secrets.ts";
import { startSelfHosted } from "../local/self-hosted.ts";
import { startWorkerd } from "../local/workerd.ts";
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

/**
 * A read through `/aptos/node/v1` against a bare handler behind the same admission, which hands the node's answer on as it
 * is; against one that only makes a call of an object that is empty; and against the node called directly. Gateway and
 * handlers each run in a workerd of their own.
 */
export async function benchGateway(): Promise<void> {
  const node = await startNode();
  const hosted = await startSelfHosted({ vars: { service: { APTOS_LOCALNET_NODES: node.url } } });
  const floorState = await mkdtemp(join(tmpdir(), "gasworks-floor-"));
  const floor = await startWorkerd({
    bundle: await build("floor"),
    stateDirectory: floorState,
    vars: { ...randomServiceSecrets(), UPSTREAM: node.url },
  });
  try {
    const projectId = await createProject(hosted, "gateway");
    const limits = { qps: 10_000, cups: 1_000 };
    const fields = { name: "gateway", network: APTOS_NETWORK, rights: ["node"], limits };
    const { key } = await createKey(hosted, projectId, fields);
    const bareKey = await (await fetch(`${floor.url}/gateway-key`)).text();
    const read = (name: string, process: Route["process"], path: string, apiKey: string): Route => ({
      ...route(name, process, path, null),
      headers: { "x-api-key": apiKey },
      expected: "sequence_number",
    });
    const gateway = read("gateway", hosted.service, `/aptos/node/v1${PATH}`, key);
    const bare = read("bare", floor, `/gateway-admitted${PATH}`, bareKey);
    const empty = read("empty", floor, `/gateway${PATH}`, bareKey);
    const direct = read("direct", node, PATH, key);
    console.log(`${CALLERS} callers, ${ROUNDS} rounds of ${REQUESTS} reads after one to warm up\n`);
    const routes = [gateway, bare, empty, direct];
    await runRounds(routes, { callers: CALLERS, requests: REQUESTS, rounds: ROUNDS });
    for (const each of routes) printRoute(each);
    printRatio("gateway/bare, the same admission", gateway, bare);
    printRatio("gateway/empty, one empty object call", gateway, empty);
    printRatio("gateway/direct", gateway, direct);
  } finally {
    await floor.kill();
    await hosted.stop();
    node.stop();
    await rm(floorState, { recursive: true, force: true });
  }
}
