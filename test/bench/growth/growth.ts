import { mkdir, readdir, readFile, stat, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { root } from "../../../shared/cli/root.ts";
import type { WorkerdProcess } from "../../../shared/cli/workerd.ts";
import { type SelfHosted, startSelfHosted } from "../../harness/self-hosted.ts";
import { type Route, runRounds } from "../route.ts";
import { type Axis, axes } from "./axes.ts";
import { type GrowthRow, growthRow, growthTable } from "./table.ts";

const LOAD = { callers: 8, requests: 100, rounds: Number(process.env.BENCH_ROUNDS ?? 5) };
const CALLS = LOAD.requests * (LOAD.rounds + 1) + LOAD.callers;
const KIB_PER_MIB = 1_024;

/** Memory of a process, MiB. NaN outside Linux. */
async function residentMib(process: WorkerdProcess): Promise<number> {
  const status = await readFile(`/proc/${process.pid()}/status`, "utf8").catch(() => "");
  return Number(/VmRSS:\s+(\d+)/.exec(status)?.[1] ?? Number.NaN) / KIB_PER_MIB;
}

/** The size of all files of a class of objects, with the logs that SQLite has not merged yet. */
async function diskBytes({ serviceState }: SelfHosted, className: string): Promise<number> {
  const objects = join(serviceState, "objects");
  const folders = (await readdir(objects)).filter((name) => name.endsWith(`-${className}`));
  let bytes = 0;
  for (const folder of folders)
    for (const name of await readdir(join(objects, folder)))
      bytes += (await stat(join(objects, folder, name)).catch(() => ({ size: 0 }))).size;
  return bytes;
}

interface Grown {
  readonly size: number;
  readonly hosted: SelfHosted;
  readonly routes: readonly Route[];
  readonly diskBytes: number;
}

async function grow(axis: Axis, size: number): Promise<Grown> {
  console.log(`growing: ${axis.name}: ${size}`);
  const hosted = await startSelfHosted();
  try {
    const routes = await axis.prepare(hosted, size, CALLS);
    return { size, hosted, routes, diskBytes: await diskBytes(hosted, axis.objects) };
  } catch (error) {
    await hosted.stop();
    throw error;
  }
}

/** Brings a service to each size, and calls all of them in turn. */
async function measure(axis: Axis): Promise<readonly GrowthRow[]> {
  const grown: Grown[] = [];
  try {
    for (const size of axis.sizes) grown.push(await grow(axis, size));
    const calls = grown[0]?.routes.length ?? 0;
    for (let call = 0; call < calls; call += 1)
      await runRounds(
        grown.flatMap(({ routes }) => routes[call] ?? []),
        LOAD,
      );
    const rows: GrowthRow[] = [];
    for (let call = 0; call < calls; call += 1)
      for (const { size, hosted, routes, diskBytes } of grown) {
        const [route, least] = [routes[call], grown[0]?.routes[call]];
        if (route === undefined || least === undefined) throw new Error(`${axis.name}: each size has the same calls`);
        const mib = await residentMib(hosted.service);
        rows.push(growthRow(route, least, { size, residentMib: mib, diskBytesEach: diskBytes / size }));
      }
    return rows;
  } finally {
    for (const { hosted } of grown) await hosted.stop();
  }
}

/** Measures what a call costs as a service grows, along each axis, and prints one table. */
export async function benchGrowth(): Promise<void> {
  const rows: { axis: string; row: GrowthRow }[] = [];
  for (const axis of axes) rows.push(...(await measure(axis)).map((row) => ({ axis: axis.name, row })));
  const table = growthTable(rows);
  const folder = join(root, "dist/bench");
  await mkdir(folder, { recursive: true });
  await writeFile(join(folder, "growth.txt"), `${table}\n`);
  console.log(`\n${table}\n\nwritten to dist/bench: growth.txt`);
}
