import { chmod, mkdir, readFile, rm, writeFile } from "node:fs/promises";
import { dirname, isAbsolute, join, relative, resolve } from "node:path";
import type { Hold } from "./command.ts";
import { isPortFree } from "./ports.ts";
import { root } from "./root.ts";
import { LaunchError } from "./terminal.ts";

/** Where a launch keeps its things. */
export interface Place {
  /** As the person typed it, for advice. */
  readonly command: string;
  readonly stateRoot: string;
  readonly secretsPath: string;
}

const STATE_ROOT = join(root, ".gasworks");
const SECRETS_PATH = join(root, ".dev.vars");

/** What `npm start` keeps. */
export const LOCAL: Place = { command: "npm start", stateRoot: STATE_ROOT, secretsPath: SECRETS_PATH };
export const TESTNET_PLACE: Place = {
  command: "npm start -- --testnet",
  stateRoot: join(root, ".gasworks-testnet"),
  secretsPath: SECRETS_PATH,
};

export const demoPath = ({ stateRoot }: Place) => join(stateRoot, "demo.json");
export const shown = (path: string) => relative(root, path);

interface Port {
  readonly what: string;
  readonly variable: string;
  readonly fallback: number;
}
export const SERVICE_PORT: Port = { what: "service", variable: "PORT", fallback: 8787 };
export const CHAIN_PORT: Port = { what: "development chain", variable: "CHAIN_PORT", fallback: 8788 };

export function wantedPort({ variable, fallback }: Port): number {
  const text = process.env[variable];
  if (text === undefined || text === "") return fallback;
  if (!/^[1-9][0-9]{0,4}$/.test(text) || Number(text) > 65_535)
    throw new LaunchError(`${variable} must be a port number`);
  return Number(text);
}

export async function freeWantedPort(port: Port, { command }: Place): Promise<number> {
  const wanted = wantedPort(port);
  if (await isPortFree(wanted)) return wanted;
  throw new LaunchError(
    `Port ${wanted}, for the ${port.what}, is in use. Is Gasworks running already? Otherwise choose another: ${port.variable}=${wanted + 100} ${command}`,
  );
}

/**
 * Secrets and state open every key together, and whoever copies one directory has both.
 *
 * @throws LaunchError where the secrets lie in the state's directory.
 */
export function refuseOneDirectory({ stateRoot, secretsPath }: Pick<Place, "stateRoot" | "secretsPath">): void {
  const between = relative(resolve(stateRoot), resolve(secretsPath));
  const isInside = between !== "" && !between.startsWith("..") && !isAbsolute(between);
  if (isInside || dirname(resolve(secretsPath)) === resolve(stateRoot))
    throw new LaunchError(
      `${secretsPath} lies in the state's directory ${stateRoot}. Together they open every key: keep them, and their backups, in two places`,
    );
}

/** Two runtimes on one state directory would each hold half of the truth. */
export async function claim({ stateRoot }: Place, hold: Hold): Promise<void> {
  await mkdir(stateRoot, { recursive: true, mode: 0o700 });
  // Also one that was there, with the rights that somebody's umask gave it.
  await chmod(stateRoot, 0o700);
  const pidPath = join(stateRoot, "pid");
  const owner = Number(await readFile(pidPath, "utf8").catch(() => ""));
  // In a container ids repeat: the one that a crash left behind may be this very process.
  if (owner > 0 && owner !== process.pid && (await isLauncher(owner)))
    throw new LaunchError(
      `Process ${owner} already runs on ${shown(stateRoot)}/. Stop it first, or delete ${pidPath} if it is none of ours.`,
    );
  await writeFile(pidPath, String(process.pid));
  hold(() => rm(pidPath, { force: true }));
}

/** Where the system tells, a process id that has been taken over by something else, or is only a zombie, does not count. */
async function isLauncher(pid: number): Promise<boolean> {
  if (process.platform === "linux")
    return (await readFile(`/proc/${pid}/cmdline`, "utf8").catch(() => "")).match(/\/(?:start|self-host)\.ts/) !== null;
  try {
    return process.kill(pid, 0);
  } catch {
    return false;
  }
}
