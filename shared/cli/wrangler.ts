import { spawn } from "node:child_process";
import { join } from "node:path";
import * as z from "zod";
import { root } from "./root.ts";

/** Disables telemetry and prompts ("system environment variables" in wrangler's documentation). */
const quietWrangler = {
  WRANGLER_SEND_METRICS: "false",
  WRANGLER_SEND_ERROR_REPORTS: "false",
  WRANGLER_HIDE_BANNER: "true",
  WRANGLER_NO_SKILLS_UPDATE_PROMPTS: "true",
  WRANGLER_LOG_SANITIZE: "true",
  CLOUDFLARE_CF_FETCH_ENABLED: "false",
  CLOUDFLARE_LOAD_DEV_VARS_FROM_DOT_ENV: "false",
};
const withoutTerminal = { CI: "1", NO_COLOR: "1" };

/** The way in which wrangler runs. */
export interface WranglerRun {
  readonly cwd: string;
  /** `capture` disables prompts and returns the output. With `terminal` a person reads and answers. */
  readonly io: "capture" | "terminal";
}

/** Runs wrangler's command line. It is killed when this process ends. */
export async function runWrangler(args: readonly string[], { cwd, io }: WranglerRun) {
  // The file of `bin` only starts this one in its own process, which would outlive a kill.
  const wrangler = join(root, "node_modules/wrangler/wrangler-dist/cli.js");
  const child = spawn(process.execPath, ["--no-warnings", wrangler, ...args], {
    cwd,
    env: { ...process.env, ...quietWrangler, ...(io === "capture" && withoutTerminal) },
    stdio: io === "capture" ? ["ignore", "pipe", "pipe"] : "inherit",
  });
  let output = "";
  child.stdout?.on("data", (chunk) => (output += chunk));
  child.stderr?.on("data", (chunk) => (output += chunk));
  const kill = () => void child.kill("SIGKILL");
  process.on("exit", kill);
  const exitCode = await new Promise<number | null>((done, fail) => child.on("error", fail).on("close", done));
  process.off("exit", kill);
  return { exitCode, output: output.trim() };
}

const wranglerConfigSchema = z.object({
  main: z.string(),
  compatibility_date: z.string(),
  compatibility_flags: z.array(z.string()),
  vars: z.record(z.string(), z.union([z.string(), z.number(), z.boolean()]).transform(String)),
  kv_namespaces: z.array(z.object({ binding: z.string() })),
  durable_objects: z.object({ bindings: z.array(z.object({ name: z.string(), class_name: z.string() })) }),
  triggers: z.object({ crons: z.array(z.string()).default([]) }),
});

/** Returns the settings of a wrangler.toml, as wrangler reads them. */
export async function readWranglerConfig(configPath: string): Promise<z.output<typeof wranglerConfigSchema>> {
  // Most starts find a finished bundle, and wrangler takes most of a second to load.
  const { unstable_readConfig } = await import("wrangler");
  return wranglerConfigSchema.parse(unstable_readConfig({ config: configPath }, { hideWarnings: true }));
}
