import { join, resolve } from "node:path";
import { type Bundle, keptBundle, SERVICE } from "../../shared/cli/build.ts";
import type { Variables } from "../../shared/cli/platform.ts";
import { type SelfHosted, startSelfHosted } from "../harness/self-hosted.ts";

/** The folder of another checkout, which has built its service. */
const FOLDER = process.env.BENCH_BEFORE;

/** Reads the bundle of another checkout's service. Null if no checkout is named. */
export async function bundleBefore(): Promise<Bundle | null> {
  if (FOLDER === undefined) return null;
  const directory = join(resolve(FOLDER), "dist", SERVICE.name);
  const bundle = await keptBundle(SERVICE.name, directory);
  if (bundle === null) throw new Error(`BENCH_BEFORE: ${directory} has no bundle. Run npm start there once`);
  return bundle;
}

/** Starts the service of another checkout beside a chain of its own. Null if none is named. */
export async function startBefore(vars: Variables = {}): Promise<SelfHosted | null> {
  const bundle = await bundleBefore();
  return bundle === null ? null : startSelfHosted({ vars: { service: vars }, bundle });
}

/** Makes something of the service before. Returns nothing if there is none, or if it refuses what is made today. */
export async function fromBefore<T>(
  before: SelfHosted | null,
  make: (hosted: SelfHosted) => Promise<T>,
): Promise<readonly T[]> {
  if (before === null) return [];
  try {
    return [await make(before)];
  } catch (error) {
    console.log(`before: not run: ${error instanceof Error ? error.message : String(error)}`);
    return [];
  }
}
