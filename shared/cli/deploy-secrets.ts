import { spawnSync } from "node:child_process";
import { mkdtemp, readFile, realpath, rm, stat, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { basename, dirname, join, resolve } from "node:path";
import { parseConfig } from "../config/config.ts";
import { ConfigError } from "../config/error.ts";
import { SERVICE_SECRETS } from "../config/secrets.ts";
import type { Hold } from "./command.ts";
import type { Variables } from "./platform.ts";
import { root } from "./root.ts";
import { parseSecrets, randomServiceSecrets, readSecrets, secretLines } from "./secrets.ts";
import { LaunchError } from "./terminal.ts";

const GROUP_AND_OTHERS = 0o077;
const GIT_NOT_IGNORED = 1;
/** Variables for this machine only. They move the service's clock, or let everybody in. */
const LOCAL_VARIABLES = ["STAGE", "CLOCK_OFFSET_MS", "EXAMPLE"];

/** Secrets that a deployment and this machine never share. */
const SECRETS_OF_THEIR_OWN = [...SERVICE_SECRETS, "FLOWS_SECRET", "FLOWS_CALLER_SECRET"];

/** The parts of a deployment other than its secrets. */
export interface Deployment {
  /** Variables of wrangler.toml. */
  readonly vars: Variables;
  /** Secrets of this machine's own service. Its tests know them, and they are deleted as easily as its state. */
  readonly localSecretsPath: string;
}

/**
 * Reads and checks the secrets of a deployment. Refuses secrets that the service would refuse at its first request.
 * Refuses secrets that others on this machine or in the repository's history can read.
 *
 * @throws LaunchError naming the missing or malformed secret, never a value.
 */
export async function readDeploymentSecrets(path: string, deployment: Deployment): Promise<Variables> {
  const file = await stat(path).catch(() => null);
  if (file === null)
    throw new LaunchError(
      `There is no ${path}, and a first deployment needs ${SERVICE_SECRETS.join(", ")}, or those of the workflows alone.\nMake them with: npm run deploy -- --make-secrets\nIf they are deployed already: npm run deploy -- --keep-secrets`,
    );
  if (await isSameFile(path, deployment.localSecretsPath)) throw localSecretsRefused(path, deployment);
  if ((file.mode & GROUP_AND_OTHERS) !== 0)
    throw new LaunchError(`${path} can be read by others on this machine. Do: chmod 600 ${path}`);
  refuseUnlessIgnored(path);
  const secrets = withoutEmpty(parseSecrets(await readFile(path, "utf8")));
  const local = (await readSecrets(deployment.localSecretsPath)) ?? {};
  if (SECRETS_OF_THEIR_OWN.some((name) => secrets[name] !== undefined && secrets[name] === local[name]))
    throw localSecretsRefused(path, deployment);
  validate({ ...deployment.vars, ...secrets }, path);
  return secrets;
}

/**
 * Removes empty secrets. Unset and empty are the same to the service, and an empty secret would hide the variable of
 * its name.
 */
function withoutEmpty(secrets: Variables): Variables {
  return Object.fromEntries(Object.entries(secrets).filter(([, value]) => value.trim() !== ""));
}

function validate(env: Variables, path: string): void {
  const local = LOCAL_VARIABLES.filter((name) => env[name] !== undefined);
  if (local.length > 0)
    throw new LaunchError(`${local.join(" and ")}: for this machine only: remove it from the deployment's file`);
  try {
    parseConfig(env);
  } catch (error) {
    throw error instanceof ConfigError ? new LaunchError(`${path} and wrangler.toml: ${error.message}`) : error;
  }
}

function localSecretsRefused(path: string, { localSecretsPath }: Deployment): LaunchError {
  return new LaunchError(
    `${path} holds secrets of ${basename(localSecretsPath)}, which belong to this machine. A deployment gets its own: npm run deploy -- --make-secrets`,
  );
}

async function isSameFile(path: string, other: string): Promise<boolean> {
  const [one, two] = await Promise.all([realpath(path), realpath(other).catch(() => null)]);
  return one === two;
}

/** Passes outside a repository and without git, because the file cannot be committed there. */
function refuseUnlessIgnored(path: string): void {
  const { status } = spawnSync("git", ["check-ignore", "--quiet", "--", basename(path)], {
    cwd: dirname(resolve(path)),
    stdio: "ignore",
  });
  if (status === GIT_NOT_IGNORED)
    throw new LaunchError(`git does not ignore ${path}: add it to .gitignore, so that it is never committed`);
}

/**
 * Writes new random secrets, readable by their owner only.
 *
 * @throws LaunchError if the file exists: it may be the only copy of the keys of the funds.
 */
export async function makeDeploymentSecrets(path: string): Promise<void> {
  refuseUnlessIgnored(path);
  const secrets = randomServiceSecrets();
  try {
    await writeFile(path, secretLines(secrets), { mode: 0o600, flag: "wx" });
  } catch (error) {
    if (error instanceof Error && "code" in error && error.code === "EEXIST")
      throw new LaunchError(
        `${path} exists already, and is never overwritten: it may be what opens your funds. Name another with --secrets-file`,
      );
    throw error;
  }
}

/**
 * Writes a copy of the secrets for wrangler, removed at the end. It is JSON. In a dotenv file wrangler expands
 * `$NAME`, and this process's environment overrides every line. Other secrets than the checked ones would then be
 * deployed.
 */
export async function exactCopy(secrets: Variables, hold: Hold): Promise<string> {
  const directory = await mkdtemp(join(tmpdir(), "gasworks-deploy-"));
  hold(() => rm(directory, { recursive: true, force: true }));
  const path = join(directory, "secrets.json");
  await writeFile(path, JSON.stringify(secrets), { mode: 0o600 });
  return path;
}

/** The file of a deployment's secrets, if no other is named. */
export const DEFAULT_SECRETS_FILE = join(root, ".secrets.production");

/** Options of a deployment that need secrets at hand. Undefined if they were not given. */
export interface SecretsOptions {
  readonly url: string | undefined;
  readonly file: string | undefined;
  readonly make: boolean | undefined;
}

/** Names the option that contradicts `--keep-secrets`. Null if none does. */
export function keepSecretsProblem({ url, file, make }: SecretsOptions): string | null {
  if (url !== undefined) return "--keep-secrets has no secrets to compare";
  return file !== undefined || make === true ? "--keep-secrets deploys no secrets" : null;
}
