import { readFile } from "node:fs/promises";
import { afterAll, beforeAll, expect, test } from "vitest";
import * as z from "zod";
import { adminCall, createFund, createProject } from "../../../shared/cli/client/admin.ts";
import { type Hostile, startHostile } from "../../gateway/hostile.ts";
import { type SelfHosted, startSelfHosted } from "../../harness/self-hosted.ts";

const FLOOD_BYTES = 64 * 1_024 * 1_024;
const ROUNDS = 10;
const CALLERS = 4;
const ALLOWED_BYTES = 100 * 1_024 * 1_024;
const SAMPLE_MS = 25;

let hosted: SelfHosted;
let node: Hostile;
beforeAll(async () => {
  node = await startHostile((_request, response) => {
    response.writeHead(200, { "content-type": "application/grpc-web+proto" });
    const head = Buffer.alloc(5);
    head.writeUInt32BE(FLOOD_BYTES, 1);
    response.write(head);
    const piece = Buffer.alloc(65_536, 7);
    let left = FLOOD_BYTES / piece.length;
    const send = () => {
      for (; left > 0; left--)
        if (!response.write(piece)) {
          response.once("drain", send);
          return;
        }
      response.end();
    };
    send();
  });
  hosted = await startSelfHosted({ vars: { service: { SUI_LOCALNET_NODES: node.url } } });
});
afterAll(async () => {
  await hosted.stop();
  await node.stop();
});

async function residentBytes(): Promise<number> {
  const status = await readFile(`/proc/${hosted.service.pid()}/status`, "utf8");
  return z.coerce.number().parse(/^VmRSS:\s+([0-9]+) kB$/m.exec(status)?.[1]) * 1_024;
}

test("a node that answers 64 MiB takes none of the service's memory", async () => {
  const projectId = await createProject(hosted, "memory");
  const { id } = await createFund(hosted, projectId, { name: "memory" });
  const refresh = () => adminCall(hosted, "POST", `/funds/${id}/refresh`);
  await refresh();
  const before = await residentBytes();
  let peak = before;
  let sampled = Promise.resolve();
  const sampling = setInterval(() => {
    sampled = residentBytes().then((bytes) => {
      peak = Math.max(peak, bytes);
    });
  }, SAMPLE_MS);
  try {
    for (let round = 0; round < ROUNDS; round++) {
      const answers = await Promise.all(Array.from({ length: CALLERS }, refresh));
      expect(answers.map(({ status }) => status)).toEqual(Array(CALLERS).fill(503));
    }
  } finally {
    clearInterval(sampling);
    await sampled;
  }
  expect(node.reached.length).toBeGreaterThan(ROUNDS);
  expect(peak - before).toBeLessThan(ALLOWED_BYTES);
});
