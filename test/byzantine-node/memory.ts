import { readFile } from "node:fs/promises";
import * as z from "zod";
import type { WorkerdProcess } from "../../shared/cli/workerd.ts";

const SAMPLE_MS = 50;

/** What the process holds in memory now. */
export async function residentBytes(process: WorkerdProcess): Promise<number> {
  const status = await readFile(`/proc/${process.pid()}/status`, "utf8");
  return z.coerce.number().parse(/^VmRSS:\s+([0-9]+) kB$/m.exec(status)?.[1]) * 1024;
}

/** The most that the process held in memory while something went on. */
export async function peakWhile(process: WorkerdProcess, work: () => Promise<void>): Promise<number> {
  let peak = 0;
  let watching = true;
  const watch = (async () => {
    while (watching) {
      peak = Math.max(peak, await residentBytes(process));
      await new Promise((resolve) => setTimeout(resolve, SAMPLE_MS));
    }
  })();
  try {
    await work();
  } finally {
    watching = false;
    await watch;
  }
  return peak;
}
