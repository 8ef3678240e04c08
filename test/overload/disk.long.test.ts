import { execFileSync, spawnSync } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import { mkdir, mkdtemp, rm, statfs, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { adminCall, createKey, refreshPast } from "../../shared/cli/client/admin.ts";
import { faucet } from "../../shared/cli/client/faucet.ts";
import { createFundInProject } from "../../shared/cli/client/funds.ts";
import { http } from "../../shared/cli/client/http.ts";
import { DISK_LIMITS } from "../../shared/cli/disk-watch.ts";
import { COIN_MIST, sponsorRoute } from "../bench/route.ts";
import { isGroupGone, waitUntil } from "../harness/launcher.ts";
import { type SelfHost, withSelfHost } from "./self-host.ts";

const MIB = 1024 * 1024;
const DISK_MIB = 448;
const WAIT_MS = 60_000;
const storage = { body: { error: { code: -32016, data: { reason: "storage" } } } };

/** A small disk of its own for the objects. */
async function smallDisk(state: string): Promise<() => Promise<void>> {
  await mkdir(state, { recursive: true });
  execFileSync("mount", ["-t", "tmpfs", "-o", `size=${DISK_MIB}m`, "gasworks-test", state]);
  return async () => void execFileSync("umount", ["--lazy", state]);
}

/** A disk image that the kernel takes for a device: only a file system with a journal turns read-only under open files. */
function imageDisk(image: string) {
  const mount = (state: string) => void execFileSync("mount", ["-o", "loop", image, state]);
  const unmount = (state: string) => void execFileSync("umount", ["--lazy", state]);
  return {
    prepare: async (state: string): Promise<() => Promise<void>> => {
      await mkdir(state, { recursive: true });
      execFileSync("truncate", ["-s", `${DISK_MIB}M`, image]);
      execFileSync("mkfs.ext4", ["-q", image]);
      mount(state);
      return async () => unmount(state);
    },
    /** As the kernel does after an error of the device. */
    fail: (state: string) => void execFileSync("mount", ["-o", "remount,abort", state]),
    repair: (state: string) => {
      unmount(state);
      // 1: errors were corrected.
      const { status } = spawnSync("fsck.ext4", ["-p", image]);
      expect(status).toBeLessThanOrEqual(1);
      mount(state);
    },
  };
}

/** Whether this machine lets a test mount an image: not every container has loop devices. */
function mountsImages(): boolean {
  const folder = mkdtempSync(join(tmpdir(), "gasworks-mount-"));
  const [image, state] = [join(folder, "image"), join(folder, "state")];
  const commands = [
    `truncate -s 8M ${image}`,
    `mkfs.ext4 -q ${image}`,
    `mkdir ${state}`,
    `mount -o loop ${image} ${state}`,
  ];
  const { status } = spawnSync("bash", ["-c", `${commands.join(" && ")} && umount --lazy ${state}`]);
  rmSync(folder, { recursive: true, force: true });
  return status === 0;
}

async function fillUpTo({ state }: SelfHost, name: string, leftBytes: number): Promise<void> {
  const { bavail, bsize } = await statfs(state);
  try {
    await writeFile(join(state, name), Buffer.alloc(Math.max(0, bavail * bsize - leftBytes)));
  } catch (error) {
    // The service has written meanwhile: then there is less left, as was wanted.
    if (!(error instanceof Error && "code" in error && error.code === "ENOSPC")) throw error;
  }
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
    // Alarms settle what was promised.
    const reconciled = () => adminCall(hosted, "POST", `/funds/${fundId}/reconcile`);
    await expect.poll(reconciled, { timeout: WAIT_MS }).toMatchObject({ status: 200, body: { exact: true } });
  }, smallDisk);
});

// A machine that mounts no image has no disk to turn read-only.
test.skipIf(!mountsImages())(
  "on a disk that turns read-only what is there is read, nothing is promised, and a start after its repair goes on",
  async () => {
    const image = join(await mkdtemp(join(tmpdir(), "gasworks-image-")), "disk");
    onTestFinished(() => rm(dirname(image), { recursive: true }));
    const disk = imageDisk(image);
    await withSelfHost(async (hosted) => {
      const fund = await createFundInProject(hosted, "fund");
      const { fundId, projectId, depositAddress } = fund;
      for (let coin = 0; coin < 8; coin += 1) await faucet(hosted.chainUrl, depositAddress, COIN_MIST);
      await refreshPast(hosted, fundId, 7n * COIN_MIST);
      const { key } = await createKey(hosted, projectId, { name: "key", rights: ["gas"], fundId });
      const { url, headers, body } = await sponsorRoute("", { url: hosted.serviceUrl, pid: () => 0 }, key);
      const sponsor = () => http(url, { method: "POST", headers, body });
      const health = () => http(`${hosted.serviceUrl}/health`);
      const made = async () => (await adminCall(hosted, "GET", `/funds/${fundId}/sponsorships`)).body;
      expect(await sponsor()).toMatchObject({ body: { result: {} } });
      const before = await made();

      disk.fail(hosted.state);
      // At once by the objects themselves, and soon by the door for what has none yet.
      expect(await sponsor()).toMatchObject(storage);
      await untilEvent(hosted, "storage.read_only");
      expect(await sponsor()).toMatchObject(storage);
      expect(await health()).toMatchObject({ status: 503, body: { status: "storage_failed" } });
      expect(await adminCall(hosted, "POST", "/projects", { name: "another" })).toMatchObject({ status: 503 });
      expect(await adminCall(hosted, "PATCH", `/funds/${fundId}`, { paused: true })).toMatchObject({ status: 503 });
      const withdraw = { to: `0x${"9".repeat(64)}`, amount: "1000" };
      const refused = await adminCall(hosted, "POST", `/funds/${fundId}/withdraw`, withdraw, "attempt");
      expect(refused).toMatchObject({ status: 503 });
      expect(await made()).toEqual(before);

      process.kill(-hosted.script.group, "SIGTERM");
      await waitUntil(() => isGroupGone(hosted.script.group), WAIT_MS, hosted.script.output);
      disk.repair(hosted.state);
      await hosted.again(async () => {
        expect(await made()).toEqual(before);
        expect(await sponsor()).toMatchObject({ body: { result: {} } });
        expect(await health()).toMatchObject({ status: 200, body: { status: "ok" } });
        const reconciled = await adminCall(hosted, "POST", `/funds/${fundId}/reconcile`);
        expect(reconciled).toMatchObject({ status: 200, body: { exact: true } });
      });
    }, disk.prepare);
  },
);
