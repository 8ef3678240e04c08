import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { gzipSync } from "node:zlib";
import * as esbuild from "esbuild";
import * as z from "zod";
import { BUNDLE_PARTS, type Bundle, root } from "../../shared/cli/build.ts";

const KIB = 1_024;
const OWN = "gasworks";
const DASHBOARD = "gasworks/dashboard";

/** The limit of the deployed bundle without the dashboard, as its upload counts it. */
export const MAX_GZIP_KIB = 404;
/** The limit of the dashboard with all that it imports. It is loaded at the first visit of a page, and not at a start. */
export const MAX_DASHBOARD_GZIP_KIB = 76;

/**
 * The KiB of minified code that the bundle may have of each package: its size of today and about a tenth more. A package
 * that is not here does not get into the bundle unnoticed.
 */
export const MAX_KIB: Readonly<Record<string, number>> = {
  [OWN]: 960,
  [DASHBOARD]: 200,
  "@mysten/sui": 38,
  zod: 122,
  graphql: 40,
  "@noble/curves": 47,
  "@protobuf-ts/runtime": 11,
  "@noble/hashes": 26,
  hono: 34,
  jose: 18,
  "@mysten/bcs": 13,
  "@mysten/utils": 1,
  "@scure/base": 4,
  uqr: 12,
  aws4fetch: 7,
};

const partsSchema = z.object({
  outputs: z.record(z.string(), z.object({ inputs: z.record(z.string(), z.object({ bytesInOutput: z.int() })) })),
});

/** What a bundle weighs. */
export interface BundleSize {
  readonly gzipBytes: number;
  /** The part of it that is the dashboard, compressed alone. */
  readonly dashboardGzipBytes: number;
  /** Bytes of minified code by package, the largest first. */
  readonly bytesByPackage: ReadonlyMap<string, number>;
}

/** Measures a bundle that `build` has made. */
export async function bundleSize({ directory, scriptPath }: Bundle): Promise<BundleSize> {
  const { outputs } = partsSchema.parse(JSON.parse(await readFile(join(directory, BUNDLE_PARTS), "utf8")));
  const bytes = new Map<string, number>();
  for (const { inputs } of Object.values(outputs))
    for (const [path, { bytesInOutput }] of Object.entries(inputs)) {
      if (bytesInOutput === 0) continue;
      const name = packageOf(path);
      bytes.set(name, (bytes.get(name) ?? 0) + bytesInOutput);
    }
  const bytesByPackage = new Map([...bytes].sort(([, a], [, b]) => b - a));
  const gzipBytes = gzipSync(await readFile(scriptPath), { level: 9 }).length;
  return { gzipBytes, dashboardGzipBytes: await dashboardGzipBytes(), bytesByPackage };
}

/** Bundles the dashboard alone, as lazily as the service does. An import of the service's own code would show here. */
async function dashboardGzipBytes(): Promise<number> {
  const { outputFiles } = await esbuild.build({
    stdin: { contents: 'export const load = () => import("./functions/dashboard/index.ts");', resolveDir: root },
    bundle: true,
    minify: true,
    format: "esm",
    target: "es2024",
    external: ["node:*"],
    tsconfig: join(root, "tsconfig.json"),
    write: false,
  });
  return outputFiles.reduce((sum, { contents }) => sum + gzipSync(contents, { level: 9 }).length, 0);
}

/** Returns the name of the package that a file belongs to. */
function packageOf(path: string): string {
  if (/(^|\/)functions\/dashboard\//.test(path)) return DASHBOARD;
  const [, inPackages] = /.*node_modules\/(.+)$/.exec(path) ?? [];
  if (inPackages === undefined) return OWN;
  const [scope = "", name = ""] = inPackages.split("/");
  return scope.startsWith("@") ? `${scope}/${name}` : scope;
}

/** Returns a line for each limit that a bundle exceeds. */
export function sizeFindings({ gzipBytes, dashboardGzipBytes, bytesByPackage }: BundleSize): readonly string[] {
  const findings = [...bytesByPackage].flatMap(([name, bytes]) => {
    const maxKib = MAX_KIB[name];
    if (maxKib === undefined) return [`${name} must not be in the bundle, or needs a limit in bundle-size.ts`];
    return bytes <= maxKib * KIB ? [] : [`${name} has ${kib(bytes)} KiB of the bundle: at most ${maxKib} are allowed`];
  });
  const serviceBytes = gzipBytes - dashboardGzipBytes;
  if (serviceBytes > MAX_GZIP_KIB * KIB)
    findings.push(
      `the service has ${kib(serviceBytes)} KiB in gzip: at most ${MAX_GZIP_KIB} are allowed, so remove ${serviceBytes - MAX_GZIP_KIB * KIB} bytes`,
    );
  if (dashboardGzipBytes > MAX_DASHBOARD_GZIP_KIB * KIB)
    findings.push(
      `the dashboard has ${kib(dashboardGzipBytes)} KiB in gzip: at most ${MAX_DASHBOARD_GZIP_KIB} are allowed`,
    );
  return findings;
}

/** Rounds up to whole KiB. */
export function kib(bytes: number): number {
  return Math.ceil(bytes / KIB);
}
