import { createHash } from "node:crypto";
import { rmSync } from "node:fs";
import { cp, mkdir, mkdtemp, readdir, readFile, rename, writeFile } from "node:fs/promises";
import { basename, dirname, join, resolve } from "node:path";
import * as z from "zod";
import { root } from "./root.ts";
import { readWranglerConfig, runWrangler } from "./wrangler.ts";

export { root };

/** A Worker that wrangler can bundle. All paths are relative to the repository. */
export interface WorkerSources {
  /** Names the folder below `dist/`. */
  readonly name: string;
  /** Its wrangler.toml. */
  readonly config: string;
  /** The folders that the bundle is made of. A change in one of them makes a new build. */
  readonly sources: readonly string[];
  /** Source files, each with the file that replaces it in this build. */
  readonly replaced?: Readonly<Record<string, string>>;
  /** Returns source files that exist in this build only, with their texts. */
  readonly written?: () => Promise<Readonly<Record<string, string>>>;
}

/** The bundle that is deployed. */
export const SERVICE: WorkerSources = { name: "service", config: "wrangler.toml", sources: ["functions", "shared"] };
/**
 * The development chain. `npm start` runs it as a second Worker beside the service. The commands know it by its path
 * only and import nothing of it.
 */
export const DEVELOPMENT_CHAIN: WorkerSources = {
  name: "chain",
  config: "test/devchain/wrangler.toml",
  sources: ["test/devchain"],
};

/** Wrangler's own words, for a person. The stack trace of the build script would add nothing. */
export class BuildError extends Error {
  override readonly name = "BuildError";
}

/** The file beside a bundle that lists its parts, as esbuild writes it. */
export const BUNDLE_PARTS = "bundle-parts.json";

const manifestSchema = z.object({
  sourcesHash: z.string(),
  main: z.string(),
  compatibilityDate: z.string(),
  compatibilityFlags: z.array(z.string()),
  vars: z.record(z.string(), z.string()),
  kvBindings: z.array(z.string()),
  durableObjects: z.array(z.object({ binding: z.string(), className: z.string() })),
  crons: z.array(z.string()),
});

/** A bundle as it would be deployed, with the settings of its wrangler.toml for running it. */
export interface Bundle extends z.infer<typeof manifestSchema> {
  /** The name of its `WorkerSources`. */
  readonly worker: string;
  readonly directory: string;
  readonly scriptPath: string;
}

/**
 * Bundles a Worker with wrangler, exactly as a deployment does, into `dist/<name>`. The last build is kept if neither
 * the sources nor the configuration nor the locked dependencies have changed.
 *
 * @throws BuildError with wrangler's text.
 */
export async function build(worker: WorkerSources): Promise<Bundle> {
  const { name } = worker;
  const directory = join(root, "dist", name);
  const sourcesHash = await hashSources(worker);
  const kept = await keptBundle(name, directory);
  if (kept?.sourcesHash === sourcesHash) return kept;

  await mkdir(directory, { recursive: true });
  const scratch = await mkdtemp(join(root, "dist", `.${name}-`));
  const copy = `${scratch}-sources`;
  const discard = () => {
    for (const path of [scratch, copy]) rmSync(path, { recursive: true, force: true });
  };
  process.on("exit", discard);
  try {
    const configPath = join(await sourcesRoot(worker, copy), worker.config);
    // The scratch folder is as deep as the final one: the source map names its sources relative to itself.
    const [, settings] = await Promise.all([bundle(configPath, scratch), readSettings(configPath)]);
    const manifest = { sourcesHash, ...settings };
    // Two builds may run at once. Each file appears whole, and the manifest last.
    for (const file of await readdir(scratch)) await rename(join(scratch, file), join(directory, file));
    await writeFile(join(scratch, "manifest.json"), JSON.stringify(manifest, null, 2));
    await rename(join(scratch, "manifest.json"), join(directory, "manifest.json"));
    return bundleOf(name, directory, manifest);
  } finally {
    process.off("exit", discard);
    discard();
  }
}

/** Returns the last build in a directory, whatever its sources were. Null if there is none. */
export async function keptBundle(worker: string, directory: string): Promise<Bundle | null> {
  const manifest = await readManifest(directory);
  return manifest === null ? null : bundleOf(worker, directory, manifest);
}

function bundleOf(worker: string, directory: string, manifest: z.infer<typeof manifestSchema>): Bundle {
  return { worker, directory, scriptPath: join(directory, manifest.main), ...manifest };
}

async function readManifest(directory: string): Promise<z.infer<typeof manifestSchema> | null> {
  const text = await readFile(join(directory, "manifest.json"), "utf8").catch(() => null);
  return text === null ? null : (manifestSchema.safeParse(JSON.parse(text)).data ?? null);
}

/** Returns the folder to bundle from: the repository, or a copy of its sources in which some are replaced. */
async function sourcesRoot({ config, sources, replaced, written }: WorkerSources, copy: string): Promise<string> {
  if (replaced === undefined && written === undefined) return root;
  for (const path of [config, "package.json", "tsconfig.json", ...sources])
    await cp(join(root, path), join(copy, path), { recursive: true });
  for (const [path, replacement] of Object.entries(replaced ?? {})) await cp(join(root, replacement), join(copy, path));
  for (const [path, text] of Object.entries((await written?.()) ?? {})) await writeFile(join(copy, path), text);
  return copy;
}

async function hashSources({ config, sources, replaced = {}, written }: WorkerSources): Promise<string> {
  const files = [config, "package-lock.json", "tsconfig.json", ...Object.values(replaced)];
  for (const folder of sources)
    for (const entry of await readdir(join(root, folder), { recursive: true, withFileTypes: true }))
      if (entry.isFile() && !entry.name.endsWith(".test.ts")) files.push(join(entry.parentPath, entry.name));
  // A build from before this file was written is made again.
  const hash = createHash("sha256").update(BUNDLE_PARTS);
  if (written !== undefined) hash.update(JSON.stringify(await written()));
  for (const file of files.map((file) => resolve(root, file)).sort()) {
    const content = await readFile(file);
    hash.update(`${file} ${content.length}\n`).update(content);
  }
  return hash.digest("hex");
}

async function bundle(configPath: string, outdir: string): Promise<void> {
  const args = [
    "deploy",
    "--dry-run",
    "--minify",
    "--config",
    configPath,
    "--outdir",
    outdir,
    "--metafile",
    join(outdir, BUNDLE_PARTS),
  ];
  const { exitCode, output } = await runWrangler(args, { cwd: dirname(configPath), io: "capture" });
  if (exitCode !== 0) throw new BuildError(`wrangler could not bundle ${configPath}:\n${output}`);
}

async function readSettings(configPath: string) {
  const config = await readWranglerConfig(configPath);
  return {
    main: basename(config.main).replace(/\.ts$/, ".js"),
    compatibilityDate: config.compatibility_date,
    compatibilityFlags: config.compatibility_flags,
    vars: config.vars,
    kvBindings: config.kv_namespaces.map(({ binding }) => binding),
    durableObjects: config.durable_objects.bindings.map((object) => ({
      binding: object.name,
      className: object.class_name,
    })),
    crons: config.triggers.crons,
  };
}
