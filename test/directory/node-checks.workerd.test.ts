import { runInDurableObject } from "cloudflare:test";
import { env } from "cloudflare:workers";
import { GrpcTypes } from "@mysten/sui/grpc";
import { toBase58 } from "@mysten/sui/utils";
import { expect } from "vitest";
import { createDeps, type Deps } from "../../shared/bindings/deps.ts";
import { NodeChecks } from "../../shared/directory/node-checks.ts";
import { raiseInProjects } from "../../shared/directory/raise-in-projects.ts";
import { unreadyBy } from "../../shared/directory/readiness.ts";
import type { Network } from "../../shared/networks.ts";
import type { ServiceEvent } from "../../shared/observe/events.ts";
import { longTest, shortTest } from "../support/rounds.ts";

const MINUTE_MS = 60_000;
const never = () => new Promise<never>(() => {});

/** Answers as a node of the mainnet of Aptos. */
const aptosReply = (nowMs: number) =>
  Response.json(
    { git_hash: "build" },
    {
      headers: {
        "x-aptos-chain-id": "1",
        "x-aptos-ledger-version": "9",
        "x-aptos-ledger-oldest-version": "0",
        "x-aptos-ledger-timestampusec": String(nowMs * 1_000),
        "x-aptos-epoch": "1",
        "x-aptos-block-height": "1",
        "x-aptos-oldest-block-height": "0",
      },
    },
  );

/** One message of gRPC-web, and the trailers behind it. */
function framed(message: Uint8Array): Response {
  const trailers = new TextEncoder().encode("grpc-status:0\r\n");
  const body = new Uint8Array(10 + message.length + trailers.length);
  const view = new DataView(body.buffer);
  view.setUint32(1, message.length);
  body.set(message, 5);
  body[5 + message.length] = 0x80;
  view.setUint32(6 + message.length, trailers.length);
  body.set(trailers, 10 + message.length);
  return new Response(body, { headers: { "content-type": "application/grpc-web+proto" } });
}

function infoReply(nowMs: number): Response {
  const { GetServiceInfoResponse } = GrpcTypes;
  return framed(
    GetServiceInfoResponse.toBinary(
      GetServiceInfoResponse.create({
        chainId: toBase58(new Uint8Array(32).fill(7)),
        epoch: 1n,
        checkpointHeight: 9n,
        timestamp: { seconds: BigInt(Math.floor(nowMs / 1_000)), nanos: 0 },
        lowestAvailableCheckpoint: 0n,
      }),
    ),
  );
}

function epochReply(protocolVersion: bigint): Response {
  const { GetEpochResponse } = GrpcTypes;
  return framed(GetEpochResponse.toBinary(GetEpochResponse.create({ epoch: { systemState: { protocolVersion } } })));
}

interface Rig {
  readonly checks: NodeChecks;
  readonly unready: () => ReturnType<typeof unreadyBy>;
  readonly pass: (ms: number) => void;
  readonly logged: Record<string, unknown>[];
  /** Of the nodes of Sui. */
  protocolVersion: bigint;
  /** Decides how an endpoint answers: by its host. */
  answer: (host: string) => Promise<void>;
}

/** Runs with four endpoints of one network, over the storage of an empty directory. */
async function withChecks(
  name: string,
  use: (rig: Rig) => Promise<void>,
  raise: (event: ServiceEvent) => Promise<void> = async () => {},
  network: Network = "APTOS_MAINNET",
): Promise<void> {
  await runInDurableObject(env.DIRECTORY.getByName(name), async (_, { storage }) => {
    let nowMs = Date.now();
    const real = createDeps(env);
    const urls = ["a", "b", "c", "d"].map((host) => `https://${host}.example.com/v1`);
    const ofSui = { SUI_MAINNET: [], SUI_TESTNET: [], SUI_DEVNET: [], SUI_LOCALNET: [] };
    const ofAptos = { APTOS_MAINNET: [], APTOS_TESTNET: [], APTOS_DEVNET: [], APTOS_LOCALNET: [] };
    const nodes = { ...ofSui, ...ofAptos, [network]: urls };
    const deps: Deps = {
      ...real,
      log: (event, fields) => void rig.logged.push({ event, ...fields }),
      clock: { ...real.clock, nowMs: () => nowMs },
      config: { ...real.config, nodes },
      nodeFetch: async (input) => {
        const { host, pathname } = new URL(input instanceof Request ? input.url : input);
        await rig.answer(host);
        if (network === "APTOS_MAINNET") return aptosReply(nowMs);
        return pathname.endsWith("/GetEpoch") ? epochReply(rig.protocolVersion) : infoReply(nowMs);
      },
    };
    const checks = new NodeChecks(storage.sql, deps, () => new Set([network]), raise);
    const rig: Rig = {
      checks,
      unready: () => unreadyBy(checks.list(), { last: null, lateMs: 0 }, nowMs),
      pass: (ms) => {
        nowMs += ms;
      },
      logged: [],
      protocolVersion: 0n,
      answer: async () => {},
    };
    await use(rig);
  });
}

shortTest(
  "a network is ready as soon as one endpoint has answered, and never silent before its endpoints have failed",
  async () => {
    await withChecks("hanging", async (rig) => {
      await rig.checks.check();
      expect(rig.unready()).toEqual([]);
      rig.answer = (host) => (/^[ad]\./.test(host) ? never() : Promise.resolve());
      rig.pass(5 * MINUTE_MS);
      const check = rig.checks.check();
      expect(rig.unready()).toEqual([]);
      await expect
        .poll(() => rig.checks.list().filter((node) => "checks" in node && node.checks === 2), { timeout: 10_000 })
        .toHaveLength(2);
      expect(rig.unready()).toEqual([]);
      await check;
      expect(rig.unready()).toEqual([]);
      expect(rig.checks.list()).toMatchObject([{ failures: 1 }, { failures: 0 }, { failures: 0 }, { failures: 1 }]);
      rig.answer = () => Promise.reject(new Error("down"));
      rig.pass(2 * MINUTE_MS);
      await rig.checks.check();
      expect(rig.unready()).toEqual([{ cause: "no_node_answers", count: 1 }]);
    });
  },
);

longTest("an endpoint that cannot be reached has a plain cause, and the log the runtime's words", async () => {
  await withChecks("unreachable", async (rig) => {
    rig.answer = (host) =>
      host.startsWith("a.") ? Promise.reject(new Error("internal error; reference = abc123")) : Promise.resolve();
    await rig.checks.check();
    const fault = "the endpoint could not be reached";
    expect(rig.checks.list()).toMatchObject([{ fault }, { fault: null }, { fault: null }, { fault: null }]);
    const error = "internal error; reference = abc123";
    expect(rig.logged).toEqual([
      { event: "node.unreachable", network: "APTOS_MAINNET", endpoint: "a.example.com", error },
    ]);
  });
});

longTest("a project that does not answer the event stops no check", async () => {
  await withChecks(
    "silent project",
    async (rig) => {
      rig.answer = () => Promise.reject(new Error("down"));
      for (let times = 0; times < 2; times++) {
        rig.pass(MINUTE_MS);
        await rig.checks.check();
        void rig.checks.report();
      }
      rig.answer = async () => {};
      rig.pass(MINUTE_MS);
      await rig.checks.check();
      expect(rig.unready()).toEqual([]);
      expect(rig.checks.list()).toMatchObject(Array.from({ length: 4 }, () => ({ checks: 3, failuresInARow: 0 })));
    },
    never,
  );
});

longTest("a network that becomes newer than this build is served as before, and one event says so", async () => {
  const raised: ServiceEvent[] = [];
  await withChecks(
    "newer protocol",
    async (rig) => {
      const versions = ["140", "141", "141", "142"];
      for (const version of versions) {
        rig.protocolVersion = BigInt(version);
        rig.pass(MINUTE_MS);
        await rig.checks.check();
        await rig.checks.report();
      }
      expect(rig.unready()).toEqual([]);
      expect(rig.checks.list()).toMatchObject([
        { failures: 0, ledger: { protocolVersion: "142" } },
        { failures: 0 },
        { failures: 0 },
        { failures: 0 },
      ]);
    },
    async (event) => void raised.push(event),
    "SUI_DEVNET",
  );
  const data = { network: "SUI_DEVNET", endpoint: "a.example.com", protocolVersion: "141" };
  expect(raised).toEqual([{ type: "node.newer_protocol", data }]);
});

longTest("an event reaches the other projects if one hangs, and one that has failed gets it again", async () => {
  const raised: string[] = [];
  const events: string[] = [];
  async function* ids() {
    yield* ["hangs", "fails once", "works"];
  }
  await raiseInProjects(ids(), { log: (event, fields) => events.push(`${event} ${fields?.project}`) }, async (id) => {
    if (id === "hangs") return never();
    if (id === "fails once" && !events.includes("project.raise_failed fails once")) throw new Error("not now");
    raised.push(id);
  });
  expect(raised).toEqual(["works", "fails once"]);
  expect(events).toEqual(["project.raise_failed fails once", "project.raise_late hangs"]);
});
