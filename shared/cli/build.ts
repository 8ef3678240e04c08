import { execFile } from "node:child_process";
import { createHash } from "node:crypto";
import { rmSync } from "node:fs";
import { cp, mkdir, mkdtemp, readdir, readFile, rename, writeFile } from "node:fs/promises";
import { basename, dirname, join, resolve } from "node:path";
import { promisify } from "node:util";
import * as z from "zod";
// biome-ignore lint/style/noRestrictedImports: it moves in the next commit.
import { seventhWorkflow } from "../../test/workflow/seventh-workflow.ts";
import { root } from "./root.ts";
import { readWranglerConfig, runWrangler } from "./wrangler.ts";

export { root };

export type WorkerName = "service" | "ungrouped" | "passing" | "seventh" | "chain" | "floor";

interface WorkerSources {
  readonly config: string;
  readonly sources: readonly string[];
  /** Source files that another one stands in for. */
  readonly exchanged?: Readonly<Record<string, string>>;
  /** Source files that are written anew, with their texts. */
  readonly written?: () => Promise<Readonly<Record<string, string>>>;
}

const workers: Readonly<Record<WorkerName, WorkerSources>> = {
  service: { config: "wrangler.toml", sources: ["functions", "shared"] },
  /** The service with a commit for each transition: the bench shows what the group is worth. */
  ungrouped: {
    config: "wrangler.toml",
    sources: ["functions", "shared"],
    exchanged: { "shared/durable/group-commit.ts": "test/bench/no-group-commit.ts" },
  },
  /** The service with bare handlers in the place of its gateways. */
  passing: {
    config: "wrangler.toml",
    sources: ["functions", "shared"],
    exchanged: { "functions/service/gateway/call-upstream.ts": "test/bench/bare/gateway.ts" },
  },
  /** The service with the workflow that functions/README.md shows. */
  seventh: { config: "wrangler.toml", sources: ["functions", "shared"], written: seventhWorkflow },
  chain: { config: "test/devchain/wrangler.toml", sources: ["test/devchain"] },
  floor: { config: "test/bench/floor/wrangler.toml", sources: ["test/bench/floor", "shared"] },
};

/** Wrangler's own words, for a person. The stack trace of the build script would add nothing. */
export class BuildError extends Error {
  override readonly name = "BuildError";
}

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

/** A bundle as it would be deployed, and what its wrangler.toml says about running it. */
export interface Bundle extends z.infer<typeof manifestSchema> {
  readonly worker: WorkerName;
  readonly directory: string;
  readonly scriptPath: string;
}

/**
 * Bundles a Worker with wrangler, exactly as a deployment does, into `dist/<worker>`. Nothing is done when neither the
 * sources nor the configuration nor the locked dependencies have changed since the last build.
 *
 * @throws BuildError with wrangler's text.
 */
export async function build(worker: WorkerName): Promise<Bundle> {
  const directory = join(root, "dist", worker);
  const sourcesHash = await hashSources(worker);
  const kept = await readManifest(directory);
  if (kept?.sourcesHash === sourcesHash) return bundleOf(worker, directory, kept);

  await mkdir(directory, { recursive: true });
  const scratch = await mkdtemp(join(root, "dist", `.${worker}-`));
  const copy = `${scratch}-sources`;
  const discard = () => {
    for (const path of [scratch, copy]) rmSync(path, { recursive: true, force: true });
  };
  process.on("exit", discard);
  try {
    const configPath = join(await sourcesRoot(worker, copy), workers[worker].config);
    // As deep as where the files end up: the source map names its sources relative to itself.
    const [, settings] = await Promise.all([bundle(configPath, scratch), readSettings(configPath)]);
    const manifest = { sourcesHash, ...settings };
    // Two builds may run at once: each file appears whole, and the manifest last.
    for (const file of await readdir(scratch)) await rename(join(scratch, file), join(directory, file));
    await writeFile(join(scratch, "manifest.json"), JSON.stringify(manifest, null, 2));
    await rename(join(scratch, "manifest.json"), join(directory, "manifest.json"));
    return bundleOf(worker, directory, manifest);
  } finally {
    process.off("exit", discard);
    discard();
  }
}

/** What `[build]` in wrangler.toml does, for whoever loads the service's sources without wrangler. */
export async function buildExamplePage(): Promise<void> {
  await promisify(execFile)(process.execPath, ["functions/example/build.mjs"], { cwd: root });
}

function bundleOf(worker: WorkerName, directory: string, manifest: z.infer<typeof manifestSchema>): Bundle {
  return { worker, directory, scriptPath: join(directory, manifest.main), ...manifest };
}

async function readManifest(directory: string): Promise<z.infer<typeof manifestSchema> | null> {
  const text = await readFile(join(directory, "manifest.json"), "utf8").catch(() => null);
  return text === null ? null : (manifestSchema.safeParse(JSON.parse(text)).data ?? null);
}

/** Where a Worker is bundled from: the repository, or a copy of its sources in which some are exchanged. */
async function sourcesRoot(worker: WorkerName, copy: string): Promise<string> {
  const { config, sources, exchanged, written } = workers[worker];
  if (exchanged === undefined && written === undefined) return root;
  for (const path of [config, "package.json", "tsconfig.json", ...sources])
    await cp(join(root, path), join(copy, path), { recursive: true });
  for (const [path, replacement] of Object.entries(exchanged ?? {}))
    await cp(join(root, replacement), join(copy, path));
  for (const [path, text] of Object.entries((await written?.()) ?? {})) await writeFile(join(copy, path), text);
  return copy;
}

async function hashSources(worker: WorkerName): Promise<string> {
  const { config, sources, exchanged = {} } = workers[worker];
  const files = [config, "package-lock.json", "tsconfig.json", ...Object.values(exchanged)];
  for (const folder of sources)
    for (const entry of await readdir(join(root, folder), { recursive: true, withFileTypes: true }))
      if (entry.isFile() && !/\.test\.ts$|\.generated\.js/.test(entry.name))
        files.push(join(entry.parentPath, entry.name));
  const hash = createHash("sha256");
  for (const file of files.map((file) => resolve(root, file)).sort()) {
    const content = await readFile(file);
    hash.update(`${file} ${content.length}\n`).update(content);
  }
  return hash.digest("hex");
}

async function bundle(configPath: string, outdir: string): Promise<void> {
  const args = ["deploy", "--dry-run", "--minify", "--config", configPath, "--outdir", outdir];
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
