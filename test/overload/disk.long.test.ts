import { execFileSync } from "node:child_process";
import { mkdir, rm, statfs, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { expect, test } from "vitest";
import { COIN_MIST, sponsorRoute } from "../bench/route.ts";
import { adminCall, createFundInProject, createKey, faucet, http, refreshPast } from "../local/clients.ts";
import { DISK_LIMITS } from "../local/disk-watch.ts";
import { waitUntil } from "../local/launcher-testing.ts";
import { type SelfHost, withSelfHost } from "./self-host.ts";

const MIB = 1024 * 1024;
const DISK_MIB = 448;
const WAIT_MS = 60_000;

/** A small disk of its own for the objects. */
async function smallDisk(state: string): Promise<() => Promise<void>> {
  await mkdir(state, { recursive: true });
  execFileSync("mount", ["-t", "tmpfs", "-o", `size=${DISK_MIB}m`, "gasworks-test", state]);
  return async () => void execFileSync("umount", ["--lazy", state]);
}

async function fillUpTo({ state }: SelfHost, name: string, leftBytes: number): Promise<void> {
  const { bavail, bsize } = await statfs(state);
  await writeFile(join(state, name), Buffer.alloc(Math.max(0, bavail * bsize - leftBytes)));
}

function untilEvent({ events, script }: SelfHost, event: string): Promise<void> {
  return waitUntil(() => events().some((line) => line.includes(`"${event}"`)), WAIT_MS, script.output);
}

test("on a disk that fills up new objects are refused first, then promises; what was promised is settled", async () => {
  await withSelfHost(async (hosted) => {
    const fund = await createFundInProject(hosted, "fund");
    const { fundId, projectId, depositAddress } = fund;
    for (let coin = 0; coin < 8; coin += 1) await faucet(hosted.chainUrl, depositAddress, COIN_MIST);
    await refreshPast(hosted, fundId, 7n * COIN_MIST);
    const { key } = await createKey(hosted, projectId, { name: "key", rights: ["gas"], fundId });
    const { url, headers, body } = await sponsorRoute("", { url: hosted.serviceUrl, pid: () => 0 }, key);
    const sponsor = () => http(url, { method: "POST", headers, body });
    const health = () => http(`${hosted.serviceUrl}/health`);
    const newProject = () => adminCall(hosted, "POST", "/projects", { name: "another" });
    const storage = { body: { error: { code: -32016, data: { reason: "storage" } } } };
    expect(await sponsor()).toMatchObject({ body: { result: {} } });

    await fillUpTo(hosted, "filling", DISK_LIMITS.lowBytes - 8 * MIB);
    await untilEvent(hosted, "storage.low");
    expect(await newProject()).toMatchObject({ status: 503 });
    expect(await sponsor()).toMatchObject({ body: { result: {} } });
    expect(await health()).toMatchObject({ status: 200 });

    await fillUpTo(hosted, "filled", 1 * MIB);
    await untilEvent(hosted, "storage.full");
    expect(await sponsor()).toMatchObject(storage);
    expect(await health()).toMatchObject({ status: 503, body: { status: "storage_failed" } });
    const { bavail, bsize } = await statfs(hosted.state);
    expect(bavail * bsize).toBeGreaterThan(DISK_LIMITS.reserveBytes);
    const pause = await adminCall(hosted, "PATCH", `/funds/${fundId}`, { paused: true });
    expect(pause).toMatchObject({ status: 200, body: { paused: true } });
    await adminCall(hosted, "PATCH", `/funds/${fundId}`, { paused: false });

    // Not even the reserve is left.
    await fillUpTo(hosted, "overfilled", 0);
    const withdraw = { to: `0x${"9".repeat(64)}`, amount: "1000" };
    const refused = await adminCall(hosted, "POST", `/funds/${fundId}/withdraw`, withdraw, "attempt");
    expect([202, 503]).toContain(refused.status);

    for (const name of ["filling", "filled", "overfilled"]) await rm(join(hosted.state, name));
    await untilEvent(hosted, "storage.ok");
    await waitUntil(
      async () => (await newProject()).status === 201,
      WAIT_MS,
      () => hosted.script.output(),
    );
    expect(await sponsor()).toMatchObject({ body: { result: {} } });
    expect(await health()).toMatchObject({ status: 200, body: { status: "ok" } });
    const reconciled = await adminCall(hosted, "POST", `/funds/${fundId}/reconcile`);
    expect(reconciled).toMatchObject({ status: 200, body: { exact: true } });
  }, smallDisk);
});
