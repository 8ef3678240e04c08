import { type ChildProcess, execFileSync, spawn } from "node:child_process";
import { cp, mkdtemp, rm, symlink } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect } from "vitest";
import { freePort, isPortFree } from "../../shared/cli/ports.ts";
import { root } from "../../shared/cli/root.ts";

const NEEDED = ["functions", "shared", "test", "package.json", "package-lock.json", "tsconfig.json", "wrangler.toml"];
const END_LIMIT_MS = 180_000;
const STOP_LIMIT_MS = 20_000;
const LOOK_INTERVAL_MS = 50;

export interface Checkout {
  readonly path: string;
  remove(): Promise<void>;
}

/** A checkout of its own: the state and secrets of whoever runs the tests are left alone. */
export async function makeCheckout(): Promise<Checkout> {
  const path = await mkdtemp(join(tmpdir(), "gasworks-checkout-"));
  for (const needed of NEEDED) await cp(join(root, needed), join(path, needed), { recursive: true });
  await symlink(join(root, "node_modules"), join(path, "node_modules"));
  return { path, remove: () => rm(path, { recursive: true, force: true }) };
}

export interface Ports {
  readonly PORT: string;
  readonly CHAIN_PORT: string;
}

export async function freePorts(): Promise<Ports> {
  return { PORT: String(await freePort()), CHAIN_PORT: String(await freePort()) };
}

/** An npm script of the launcher. Every process of it is in its group. */
export interface Script {
  readonly npm: ChildProcess;
  readonly group: number;
  readonly output: () => string;
}

/** Runs an npm script while `use` looks at it. Whatever is left of it then is killed. */
export async function withScript<T>(
  args: readonly string[],
  { cwd, env }: { readonly cwd: string; readonly env: object },
  use: (script: Script) => Promise<T>,
): Promise<T> {
  const npm = spawn("npm", args, { cwd, env: { ...process.env, ...env }, detached: true });
  let output = "";
  for (const stream of [npm.stdout, npm.stderr])
    stream?.on("data", (chunk) => {
      output += chunk;
    });
  const group = npm.pid;
  if (group === undefined) throw new Error("npm did not start");
  try {
    return await use({ npm, group, output: () => output });
  } finally {
    if (!isGroupGone(group)) process.kill(-group, "SIGKILL");
  }
}

/**
 * Looks every 50 ms. The limit counts the waits between the looks, so a pause of the whole machine uses up one of them.
 *
 * @param what describes the state in the error.
 */
export async function waitUntil(
  condition: () => boolean | Promise<boolean>,
  limitMs: number,
  what: () => string,
): Promise<void> {
  const beganMs = performance.now();
  for (let waitedMs = 0; !(await condition()); waitedMs += LOOK_INTERVAL_MS) {
    if (waitedMs > limitMs)
      throw new Error(`gave up after ${Math.round((performance.now() - beganMs) / 1_000)} s:\n${what()}`);
    await new Promise((resolve) => setTimeout(resolve, LOOK_INTERVAL_MS));
  }
}

/** A process that has ended and waits for its parent to notice counts as gone. */
export function isGroupGone(group: number): boolean {
  const listed = execFileSync("ps", ["-A", "-o", "pgid=,stat="], { encoding: "utf8" });
  const processes = listed.split("\n").map((line) => line.trim().split(/\s+/));
  return !processes.some(([pgid, state]) => Number(pgid) === group && !state?.startsWith("Z"));
}

export async function untilRunning({ npm, output }: Script): Promise<string> {
  await waitUntil(() => output().includes("Ctrl-C stops") || npm.exitCode !== null, END_LIMIT_MS, output);
  if (npm.exitCode !== null) throw new Error(output());
  return output();
}

/** Waits for a script that ends by itself, and returns its exit code. */
export async function untilEnded({ npm, output }: Script): Promise<number | null> {
  await waitUntil(() => npm.exitCode !== null, END_LIMIT_MS, output);
  return npm.exitCode;
}

/** Nothing may be left: no process, no port. */
export async function untilGone({ group, output }: Script, ports: Ports): Promise<void> {
  await waitUntil(
    () => isGroupGone(group),
    STOP_LIMIT_MS,
    () => `processes are left of:\n${output()}`,
  );
  for (const port of Object.values(ports)) expect([port, await isPortFree(Number(port))]).toEqual([port, true]);
}

/** What a pattern's first group matched. */
export function found(pattern: RegExp, output: string): string {
  return pattern.exec(output)?.[1] ?? `nothing like ${pattern} in:\n${output}`;
}
