import { readFile } from "node:fs/promises";
import { get } from "node:http";
import { afterAll, beforeAll, expect, test } from "vitest";
import * as z from "zod";
import { APTOS_NETWORK, createKey, createProject } from "../../shared/cli/client/admin.ts";
import { type SelfHosted, startSelfHosted } from "../harness/self-hosted.ts";
import { type Hostile, startHostile, TESTNET_HEADERS } from "./hostile.ts";

const BODY_BYTES = 100 * 1024 * 1024;
const CALLERS = 3;
/** Far less than one body. What the runtime needs by itself is measured before. */
const ALLOWED_BYTES = 48 * 1024 * 1024;
const SLOW_READ_MS = 1;
type Lengths = Readonly<Record<string, Readonly<Record<string, string>>>>;
/** Headers about the length of the body, by path. Chunks end a body wherever `content-length` says that it ends. */
const LENGTHS: Lengths = {
  "/known": { "content-length": String(BODY_BYTES) },
  "/unknown": {},
  "/lying": { "content-length": "10", "transfer-encoding": "chunked" },
};
/** workerd ignores the length beside the empty header, and hides that header. The body ends with the connection. */
const HIDDEN: Lengths = {
  "/hidden": { "content-length": "10", "transfer-encoding": "", connection: "close" },
};

let hosted: SelfHosted;
let node: Hostile;
beforeAll(async () => {
  node = await startHostile((request, response) => {
    const { [request.target]: length = {} } = { ...LENGTHS, ...HIDDEN };
    response.writeHead(200, {
      ...TESTNET_HEADERS,
      "x-aptos-chain-id": "4",
      "content-type": "application/x-bcs",
      ...length,
    });
    const piece = Buffer.alloc(65_536, 7);
    let left = BODY_BYTES / piece.length;
    const send = () => {
      while (left > 0) {
        left -= 1;
        if (!response.write(piece)) {
          response.once("drain", send);
          return;
        }
      }
      response.end();
    };
    send();
  });
  hosted = await startSelfHosted({ vars: { service: { APTOS_LOCALNET_NODES: node.url } } });
});
afterAll(async () => {
  await hosted.stop();
  await node.stop();
});

async function residentBytes(): Promise<number> {
  const status = await readFile(`/proc/${hosted.service.pid()}/status`, "utf8");
  return z.coerce.number().parse(/^VmRSS:\s+([0-9]+) kB$/m.exec(status)?.[1]) * 1024;
}

/** Counts the bytes for a caller that takes the body slower than the node gives it. Null if the gateway refuses it. */
function received(path: string, key: string): Promise<number | null> {
  return new Promise((resolve, reject) => {
    get(`${hosted.serviceUrl}/aptos/node/v1${path}`, { headers: { "x-api-key": key } }, (response) => {
      let bytes = 0;
      response.on("data", (chunk: Buffer) => {
        bytes += chunk.length;
        response.pause();
        setTimeout(() => response.resume(), SLOW_READ_MS);
      });
      const isRefused = response.statusCode !== 200;
      response.on("end", () => resolve(isRefused ? null : response.complete ? bytes : -1));
      response.on("error", reject);
    }).on("error", reject);
  });
}

test.each([
  ...Object.keys(LENGTHS).map((path) => ["pass slow callers", path, BODY_BYTES] as const),
  ...Object.keys(HIDDEN).map((path) => ["are refused", path, null] as const),
])("bodies of 100 MB %s at %s while the Worker's memory stays bounded", async (_what, path, passedBytes) => {
  const projectId = await createProject(hosted, "memory");
  const { key } = await createKey(hosted, projectId, { name: "memory", network: APTOS_NETWORK, rights: ["node"] });
  const before = await residentBytes();
  let peak = before;
  let sampled = Promise.resolve();
  const sampling = setInterval(() => {
    sampled = residentBytes().then((bytes) => {
      peak = Math.max(peak, bytes);
    });
  }, 50);
  try {
    const bytes = await Promise.all(Array.from({ length: CALLERS }, () => received(path, key)));
    expect(bytes).toEqual(Array(CALLERS).fill(passedBytes));
  } finally {
    clearInterval(sampling);
    // Not into the end of the process that it looks at.
    await sampled;
  }
  console.log(`${path}: ${(before / 1e6).toFixed(0)} MB before, ${(peak / 1e6).toFixed(0)} MB at most`);
  expect(peak - before).toBeLessThan(ALLOWED_BYTES);
});
