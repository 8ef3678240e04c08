import { type ChildProcess, execFile, execFileSync, spawn } from "node:child_process";
import { cp, mkdtemp, rm, symlink, writeFile } from "node:fs/promises";
import { createServer } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { root } from "./build.ts";
import { freePort, isPortFree, LOOPBACK } from "./ports.ts";

/** A checkout of its own: the state, secrets and ports of whoever runs the tests are left alone. */
let checkout: string;
let ports: { PORT: string; CHAIN_PORT: string };

const NEEDED = ["functions", "shared", "test", "package.json", "package-lock.json", "tsconfig.json", "wrangler.toml"];
const START_LIMIT_MS = 30_000;
const STOP_LIMIT_MS = 5_000;

beforeAll(async () => {
  checkout = await mkdtemp(join(tmpdir(), "gasworks-start-"));
  for (const path of NEEDED) await cp(join(root, path), join(checkout, path), { recursive: true });
  await symlink(join(root, "node_modules"), join(checkout, "node_modules"));
  ports = { PORT: String(await freePort()), CHAIN_PORT: String(await freePort()) };
});
afterAll(() => rm(checkout, { recursive: true, force: true }));

interface Started {
  readonly npm: ChildProcess;
  readonly output: () => string;
  /** Every process of this start is in it. */
  readonly group: number;
}

function npmStart(env: Readonly<Record<string, string>>): Started {
  const npm = spawn("npm", ["start"], { cwd: checkout, env: { ...process.env, ...env }, detached: true });
  let output = "";
  npm.stdout?.on("data", (chunk) => {
    output += chunk;
  });
  npm.stderr?.on("data", (chunk) => {
    output += chunk;
  });
  if (npm.pid === undefined) throw new Error("npm did not start");
  return { npm, group: npm.pid, output: () => output };
}

async function waitUntil(
  condition: () => boolean | Promise<boolean>,
  limitMs: number,
  what: () => string,
): Promise<void> {
  const deadline = Date.now() + limitMs;
  while (!(await condition())) {
    if (Date.now() > deadline) throw new Error(what());
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
}

/** A process that has ended and waits for its parent to notice counts as gone. */
function isGroupGone(group: number): boolean {
  const listed = execFileSync("ps", ["-A", "-o", "pgid=,stat="], { encoding: "utf8" });
  const processes = listed.split("\n").map((line) => line.trim().split(/\s+/));
  return !processes.some(([pgid, state]) => Number(pgid) === group && !state?.startsWith("Z"));
}

async function untilRunning({ npm, output }: Started): Promise<string> {
  await waitUntil(() => output().includes("Ctrl-C stops") || npm.exitCode !== null, START_LIMIT_MS, output);
  if (npm.exitCode !== null) throw new Error(output());
  return output();
}

/** Nothing may be left: no process, no port. */
async function untilGone({ group, output }: Started): Promise<void> {
  await waitUntil(
    () => isGroupGone(group),
    STOP_LIMIT_MS,
    () => `processes are left of:\n${output()}`,
  );
  for (const port of Object.values(ports)) expect([port, await isPortFree(Number(port))]).toEqual([port, true]);
}

async function withStart<T>(use: (started: Started) => Promise<T>): Promise<T> {
  const started = npmStart(ports);
  try {
    return await use(started);
  } finally {
    if (!isGroupGone(started.group)) process.kill(-started.group, "SIGKILL");
  }
}

function found(pattern: RegExp, output: string): string {
  return pattern.exec(output)?.[1] ?? `nothing like ${pattern} in:\n${output}`;
}

describe.sequential("npm start", { timeout: 60_000 }, () => {
  let fundId: string;
  let key: string;

  test("a first start runs the main job on its own, and Ctrl-C leaves nothing behind", () =>
    withStart(async (started) => {
      const output = await untilRunning(started);
      expect(output).toMatch(/digest +[1-9A-HJ-NP-Za-km-z]{43,44}\n/);
      expect(output).toMatch(/status +COMPLETE\n/);
      expect(output).toMatch(/fund paid +0\.[0-9]+ SUI \([0-9]+ MIST\)\n/);
      fundId = found(/(fund_[0-9a-f]{20})/, output);
      key = found(/access key +(us1_\S+)/, output);
      process.kill(-started.group, "SIGINT");
      await untilGone(started);
    }));

  test("a second start keeps the state, its printed command works, and ending npm alone ends everything", () =>
    withStart(async (started) => {
      const output = await untilRunning(started);
      expect(output).toContain(`${fundId} and access key from the last start`);
      expect(found(/access key +(us1_\S+)/, output)).toBe(key);
      const command = found(/^(curl .*)$/m, output);
      const { stdout } = await promisify(execFile)("bash", ["-c", command]);
      expect(JSON.parse(stdout)).toMatchObject({ id: 1, result: { network: "SUI_LOCALNET", inFlight: 0 } });
      started.npm.kill("SIGTERM");
      await untilGone(started);
    }));

  test("a port in use is named, with the variable that chooses another", async () => {
    const other = createServer();
    await new Promise<void>((resolve) => other.listen(Number(ports.CHAIN_PORT), LOOPBACK, resolve));
    try {
      await withStart(async ({ npm, output }) => {
        await waitUntil(() => npm.exitCode !== null, START_LIMIT_MS, output);
        expect(npm.exitCode).toBe(1);
        expect(output()).toContain(`Port ${ports.CHAIN_PORT}, for the development chain, is in use`);
        expect(output()).toContain("CHAIN_PORT=");
        expect(output()).not.toContain("    at ");
      });
    } finally {
      other.close();
    }
  });

  test("state that was made with other secrets is refused, not half opened", async () => {
    await rm(join(checkout, ".dev.vars"));
    await withStart(async ({ npm, output }) => {
      await waitUntil(() => npm.exitCode !== null, START_LIMIT_MS, output);
      expect(npm.exitCode).toBe(1);
      expect(output()).toContain("was made with other secrets");
    });
  });

  test("a source that does not bundle ends the start with the bundler's own words", async () => {
    await rm(join(checkout, ".gasworks"), { recursive: true });
    await writeFile(join(checkout, "functions/broken.ts"), "export const = 1;");
    await writeFile(
      join(checkout, "functions/index.ts"),
      'export { broken } from "./broken.ts";\nexport default {};\n',
    );
    await withStart(async ({ npm, output }) => {
      await waitUntil(() => npm.exitCode !== null, START_LIMIT_MS, output);
      expect(npm.exitCode).toBe(1);
      expect(output()).toContain("functions/broken.ts");
      expect(output()).not.toContain("build.ts:");
    });
  });
});
