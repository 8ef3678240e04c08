import { execFileSync, spawnSync } from "node:child_process";
import { once } from "node:events";
import { connect, type Socket } from "node:net";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { adminCall } from "../../shared/cli/client/admin.ts";
import { http } from "../../shared/cli/client/http.ts";
import { LEAST_OPEN_FILES, openFilesLimit } from "../../shared/cli/open-files.ts";
import { LOOPBACK } from "../../shared/cli/ports.ts";
import { root } from "../../shared/cli/root.ts";
import { waitUntil } from "../harness/launcher.ts";
import { latency } from "./arrivals.ts";
import { describeOverload, overload } from "./overload.ts";
import { type SelfHost, withSelfHost } from "./self-host.ts";

const CONNECTIONS = 9_000;
/** Of this process: the rest is for what else it has open. */
const OWN_FILES = 500;
const WAIT_MS = 60_000;
const MAX_FACTOR = 24;

let hosted: SelfHost;
let release: () => void;
let ended: Promise<void>;
beforeAll(async () => {
  const ready = Promise.withResolvers<SelfHost>();
  const held = Promise.withResolvers<void>();
  release = held.resolve;
  ended = withSelfHost((running) => {
    ready.resolve(running);
    return held.promise;
  });
  ended.catch(ready.reject);
  hosted = await ready.promise;
});
afterAll(async () => {
  release();
  await ended;
});

/** The runtime's process, a child of the launcher's. */
function runtimePid(): number {
  const listed = execFileSync("ps", ["-A", "-o", "pid=,pgid=,args="], { encoding: "utf8" });
  const line = listed
    .split("\n")
    .find((one) => one.includes("workerd serve") && one.includes(` ${hosted.script.group} `));
  if (line === undefined) throw new Error(`no runtime in:\n${listed}`);
  return Number.parseInt(line, 10);
}

async function ask(socket: Socket): Promise<string> {
  socket.write(`GET /health HTTP/1.1\r\nhost: ${LOOPBACK}\r\n\r\n`);
  const [chunk] = await once(socket, "data");
  return String(chunk);
}

describe.sequential("npm run self-host", () => {
  test("answers while 9,000 connections are open", async () => {
    const port = Number(new URL(hosted.serviceUrl).port);
    const sockets: Socket[] = [];
    try {
      const wanted = Math.min(CONNECTIONS, openFilesLimit() - OWN_FILES);
      while (sockets.length < wanted) {
        const opened = Array.from({ length: Math.min(100, wanted - sockets.length) }, () => connect(port, LOOPBACK));
        await Promise.all(opened.map((socket) => once(socket, "connect")));
        for (const socket of opened) socket.on("error", () => {});
        sockets.push(...opened);
      }
      const pid = runtimePid();
      const answers = await Promise.all(sockets.filter((_, index) => index % 1_000 === 0).map(ask));
      for (const answer of answers) expect(answer).toMatch(/^HTTP\/1\.1 200 /);
      expect(runtimePid()).toBe(pid);
    } finally {
      for (const socket of sockets) socket.destroy();
    }
  });

  test("starts the runtime again when it dies, says so once, and keeps who is waiting", async () => {
    const pid = runtimePid();
    process.kill(pid, "SIGKILL");
    await waitUntil(() => hosted.events().length > 0, WAIT_MS, hosted.script.output);
    expect(await adminCall(hosted, "GET", "/projects")).toMatchObject({ status: 200 });
    expect(runtimePid()).not.toBe(pid);
    expect(hosted.events().map((line) => JSON.parse(line))).toMatchObject([
      { event: "runtime.died", cause: "SIGKILL" },
    ]);
  });

  test("at three times its capacity answers soon or refuses, and signs nothing for those it has refused", async () => {
    const seconds = Number(process.env.OVERLOAD_SECONDS ?? 6);
    // If others made the machine slow while the capacity was measured, three times that is none too many.
    let factor = 3;
    let met = await overload(hosted, { factor, seconds, requests: 500 });
    while (met.refused.length === 0 && factor < MAX_FACTOR) {
      factor *= 2;
      met = await overload(hosted, { factor, seconds, requests: 500 });
    }
    const shown = describeOverload(met);
    console.log(shown);
    expect({ others: met.others, broken: met.broken, left: met.left }, shown).toEqual({
      others: [],
      broken: 0,
      left: 0,
    });
    expect(met.refused.length, shown).toBeGreaterThan(0);
    expect(met.made, shown).toBe(met.granted.length);
    // The machine's part: what an answer takes in any case, and how long it stood still for this process.
    const boundMs = 3_000 + 4 * met.atCapacityMs + 3 * met.pausedMs;
    expect(latency(met.granted, 0.99), shown).toBeLessThan(boundMs);
    expect(latency(met.refused, 0.99), shown).toBeLessThan(boundMs);
    const reconciled = await adminCall(hosted, "POST", `/funds/${met.fund.fundId}/reconcile`);
    expect(reconciled).toMatchObject({ status: 200, body: { exact: true } });
    expect(await http(`${hosted.serviceUrl}/health`)).toMatchObject({ body: { status: "ok" } });
  });
});

test("with too few files npm run self-host is refused in a sentence that says the fix", () => {
  const script = join(root, "shared/cli/self-host.ts");
  const command = `ulimit -n ${LEAST_OPEN_FILES - 1} && exec "$0" "$1" --secrets-file none`;
  const { status, stderr } = spawnSync("bash", ["-c", command, process.execPath, script], {
    encoding: "utf8",
    cwd: root,
  });
  expect(stderr).toContain("LimitNOFILE=65536");
  expect(stderr).not.toContain("    at ");
  expect(status).toBe(1);
});
