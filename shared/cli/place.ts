import { chmod, mkdir, readFile, rm, writeFile } from "node:fs/promises";
import { dirname, isAbsolute, join, relative, resolve } from "node:path";
import type { Hold } from "./command.ts";
import { isPortFree } from "./ports.ts";
import { root } from "./root.ts";
import { LaunchError } from "./terminal.ts";

/** The files of a launch, and its command. */
export interface Place {
  /** The command as the person typed it, for advice. */
  readonly command: string;
  readonly stateRoot: string;
  readonly secretsPath: string;
}

const STATE_ROOT = join(root, ".gasworks");
const SECRETS_PATH = join(root, ".dev.vars");

/** The place of `npm start`. */
export const LOCAL: Place = { command: "npm start", stateRoot: STATE_ROOT, secretsPath: SECRETS_PATH };
/** The place of a service on Sui testnet. */
export const TESTNET_PLACE: Place = {
  command: "npm start -- --testnet",
  stateRoot: join(root, ".gasworks-testnet"),
  secretsPath: SECRETS_PATH,
};

/** The file that keeps the demo project's ids and keys. */
export const demoPath = ({ stateRoot }: Place) => join(stateRoot, "demo.json");
/** Shortens a path to one from the root of the repository. */
export const shown = (path: string) => relative(root, path);

interface Port {
  readonly what: string;
  readonly variable: string;
  readonly fallback: number;
}
/** The port of the service. */
export const SERVICE_PORT: Port = { what: "service", variable: "PORT", fallback: 8787 };
/** The port of the development chain. */
export const CHAIN_PORT: Port = { what: "development chain", variable: "CHAIN_PORT", fallback: 8788 };

/** Reads the port of a variable, or its fallback. @throws LaunchError for a text that is no port number. */
export function wantedPort({ variable, fallback }: Port): number {
  const text = process.env[variable];
  if (text === undefined || text === "") return fallback;
  if (!/^[1-9][0-9]{0,4}$/.test(text) || Number(text) > 65_535)
    throw new LaunchError(`${variable} must be a port number from 1 to 65535, not ${JSON.stringify(text)}`);
  return Number(text);
}

/**
 * Returns the wanted port if it is free.
 *
 * @param all every port of the command. The error names another one for each.
 * @throws LaunchError if it is in use.
 */
export async function freeWantedPort(port: Port, { command }: Place, all: readonly Port[] = [port]): Promise<number> {
  const wanted = wantedPort(port);
  if (await isPortFree(wanted)) return wanted;
  const others = all.map((each) => `${each.variable}=${wantedPort(each) + 100}`).join(" ");
  throw new LaunchError(
    `Port ${wanted}, for the ${port.what}, is in use. Is Gasworks running already? Otherwise choose another: ${others} ${command}`,
  );
}

/**
 * Refuses secrets in the state's directory. Secrets and state open every key together, so a copy of one directory
 * would have both.
 *
 * @throws LaunchError if the secrets lie in the state's directory.
 */
export function refuseOneDirectory({ stateRoot, secretsPath }: Pick<Place, "stateRoot" | "secretsPath">): void {
  const between = relative(resolve(stateRoot), resolve(secretsPath));
  const isInside = between !== "" && !between.startsWith("..") && !isAbsolute(between);
  if (isInside || dirname(resolve(secretsPath)) === resolve(stateRoot))
    throw new LaunchError(
      `${secretsPath} lies in the state's directory ${stateRoot}. Together they open every key: keep them, and their backups, in two places`,
    );
}

/** Claims a state directory for this process. Two runtimes on it would have inconsistent states. */
export async function claim({ stateRoot }: Place, hold: Hold): Promise<void> {
  await mkdir(stateRoot, { recursive: true, mode: 0o700 });
  // An existing directory may have wider rights, from another umask.
  await chmod(stateRoot, 0o700);
  const pidPath = join(stateRoot, "pid");
  const owner = Number(await readFile(pidPath, "utf8").catch(() => ""));
  // Process ids repeat in a container. The id that a crash left may be the one of this process.
  if (owner > 0 && owner !== process.pid && (await isLauncher(owner)))
    throw new LaunchError(
      `Process ${owner} already uses ${shown(stateRoot)}/. Stop it. If it is not Gasworks, delete ${pidPath}.`,
    );
  await writeFile(pidPath, String(process.pid));
  hold(() => rm(pidPath, { force: true }));
}

/**
 * Returns true for a running launcher. If the system reveals it, an id of another program or of a zombie does not
 * count.
 */
async function isLauncher(pid: number): Promise<boolean> {
  if (process.platform === "linux")
    return (await readFile(`/proc/${pid}/cmdline`, "utf8").catch(() => "")).match(/\/(?:start|self-host)\.ts/) !== null;
  try {
    return process.kill(pid, 0);
  } catch {
    return false;
  }
}
