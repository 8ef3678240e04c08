import { mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { gzipSync } from "node:zlib";
import { type Bundle, build, SERVICE } from "../../shared/cli/build.ts";
import { randomServiceSecrets } from "../../shared/cli/secrets.ts";
import { startWorkerd } from "../../shared/cli/workerd.ts";
import { bundleSize } from "../run/bundle-size.ts";
import { bundleBefore } from "./before.ts";
import { median } from "./load.ts";
import { spreadOf } from "./report/comparison.ts";
import type { Measured } from "./report/targets.ts";
import { cpuMicrosOf } from "./route.ts";

const STARTS = 7;
const BYTES_PER_KIB = 1_024;
const MICROS_PER_MS = 1_000;
/** The configuration of `workerd` names an object class at least. */
const EMPTY = `export class Empty {}
export default { fetch: () => new Response("ok") };`;

interface Start {
  readonly listensMs: number;
  readonly answersMs: number;
  /** CPU time of the process until its first answer, ms. NaN outside Linux. */
  readonly cpuMs: number;
}

/** Starts a Worker on an empty state, and asks it once. */
async function startOnce(bundle: Bundle, folder: string): Promise<Start> {
  const stateDirectory = await mkdtemp(join(folder, "state-"));
  const worker = await startWorkerd({ bundle, stateDirectory, vars: randomServiceSecrets() });
  try {
    const askedAt = performance.now();
    await (await fetch(`${worker.url}/health`)).text();
    const answersMs = worker.startUpMs + performance.now() - askedAt;
    return { listensMs: worker.startUpMs, answersMs, cpuMs: (await cpuMicrosOf(worker.pid())) / MICROS_PER_MS };
  } finally {
    await worker.kill();
  }
}

/** The size of the bundle, and what a start costs until the first answer, in turn with starts of an empty Worker. */
export async function benchStart(): Promise<Pick<Measured, "figures">> {
  const service = await build(SERVICE);
  const script = await readFile(service.scriptPath);
  const { gzipBytes, dashboardGzipBytes } = await bundleSize(service);
  const kibibytes = (bytes: number) => bytes / BYTES_PER_KIB;
  console.log(
    `bundle ${kibibytes(script.length).toFixed(0)} KiB, ${kibibytes(gzipSync(script).length).toFixed(0)} KiB gzip`,
  );

  const folder = await mkdtemp(join(tmpdir(), "gasworks-start-"));
  try {
    const scriptPath = join(folder, "empty.js");
    await writeFile(scriptPath, EMPTY);
    const empty: Bundle = {
      ...service,
      worker: "empty",
      scriptPath,
      durableObjects: [{ binding: "EMPTY", className: "Empty" }],
    };
    const before = await bundleBefore();
    const starts: Start[] = [];
    const moreCpuMs: number[] = [];
    const moreCpuMsBefore: number[] = [];
    for (let count = 0; count < STARTS; count += 1) {
      const least = await startOnce(empty, folder);
      const own = await startOnce(service, folder);
      starts.push(own);
      moreCpuMs.push(own.cpuMs - least.cpuMs);
      if (before !== null) moreCpuMsBefore.push((await startOnce(before, folder)).cpuMs - least.cpuMs);
    }
    const of = (pick: (start: Start) => number) => median(starts.map(pick)).toFixed(0);
    console.log(`${of((start) => start.listensMs)} ms until workerd listens`);
    console.log(`${of((start) => start.answersMs)} ms until the first answer, ${of((start) => start.cpuMs)} ms of CPU`);
    if (before !== null) {
      const beforeGzip = gzipSync(await readFile(before.scriptPath)).length;
      console.log(
        `before: ${kibibytes(beforeGzip).toFixed(0)} KiB gzip,`,
        `${median(moreCpuMsBefore).toFixed(0)} ms of CPU over an empty Worker`,
      );
    }
    return {
      figures: [
        { name: "bundle, KiB", spread: spreadOf([kibibytes(gzipBytes - dashboardGzipBytes)]) },
        { name: "start, CPU ms over an empty Worker", spread: spreadOf(moreCpuMs) },
      ],
    };
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}
