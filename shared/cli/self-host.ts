import { join, resolve } from "node:path";
import { parseConfig } from "../config/config.ts";
import { build, SERVICE } from "./build.ts";
import { type Hold, runCommand } from "./command.ts";
import { DEFAULT_SECRETS_FILE, readDeploymentSecrets } from "./deploy-secrets.ts";
import { openFilesLimit, refuseFewOpenFiles } from "./open-files.ts";
import { claim, freeWantedPort, LOCAL, type Place, refuseOneDirectory, SERVICE_PORT, shown } from "./place.ts";
import { loadPolicy } from "./policy.ts";
import { root } from "./root.ts";
import { type Supervised, startSupervised } from "./supervised.ts";
import { heading, LaunchError, parseOptions, print, warn } from "./terminal.ts";
import { alignWorkflowKeys, maySetKeyPolicy } from "./workflow-keys.ts";
import { refuseUnhealthy } from "./wrong-secrets.ts";

const DEFAULT_STATE = join(root, ".gasworks-workerd");

const USAGE = `Usage: npm run self-host [-- options]

Runs the service, the workflows, or both on plain workerd, without Cloudflare, until Ctrl-C or SIGTERM. It listens on
this machine only: what faces the network is a proxy of yours, with TLS.

  --secrets-file <path>   as npm run deploy makes them, NAME=value a line; default ${shown(DEFAULT_SECRETS_FILE)}
  --state <directory>     where the objects are kept; default ${shown(DEFAULT_STATE)}
  --log <file>            what the service writes, best on another disk; default workerd.log in the state's directory
  --set-key-policy        gives the workflows' access keys the Move calls of functions/policy.ts; without it, keys that
                          differ are named and stay. SET_KEY_POLICY=1 in the environment says the same
  --help                  this text

PORT (8787) in the environment chooses another port.`;

const OPTIONS = {
  "secrets-file": { type: "string" },
  state: { type: "string" },
  log: { type: "string" },
  "set-key-policy": { type: "boolean" },
} as const;

// npm runs scripts in the repository. Paths are relative to the person's directory.
function pathOf(given: string | undefined, fallback: string): string {
  return given === undefined ? fallback : resolve(process.env.INIT_CWD ?? "", given);
}

async function start(place: Place, logPath: string, mayChangeKeys: boolean, hold: Hold): Promise<Supervised> {
  refuseOneDirectory(place);
  refuseFewOpenFiles(openFilesLimit());
  const policy = await loadPolicy();
  const bundle = await build(SERVICE);
  const deployment = { vars: bundle.vars, localSecretsPath: LOCAL.secretsPath };
  const vars = await readDeploymentSecrets(place.secretsPath, deployment);
  await claim(place, hold);
  const port = await freeWantedPort(SERVICE_PORT, place);
  const env = { ...bundle.vars, ...vars };
  const origins = parseConfig(env).flows?.origins ?? [];
  const stateDirectory = place.stateRoot;
  const service = await startSupervised({ bundle, stateDirectory, logPath, vars, port, tell: print, origins });
  hold(() => service.stop());
  await refuseUnhealthy(service.url, place.secretsPath, warn);
  const alignment = {
    rules: policy,
    mayChange: mayChangeKeys,
    adminToken: process.env.FLOWS_ADMIN_TOKEN,
    tell: print,
    warn,
  };
  await alignWorkflowKeys(env, service.url, alignment);
  return service;
}

await runCommand({
  exitCodeWhenInterrupted: 0,
  run: async (hold) => {
    const options = parseOptions(USAGE, OPTIONS);
    if (options === null) return 0;
    const place: Place = {
      command: "npm run self-host",
      stateRoot: pathOf(options.state, DEFAULT_STATE),
      secretsPath: pathOf(options["secrets-file"], DEFAULT_SECRETS_FILE),
    };
    const log = pathOf(options.log, join(place.stateRoot, "workerd.log"));
    const service = await start(place, log, maySetKeyPolicy(options["set-key-policy"]), hold);
    heading("Running");
    print(`  service     ${service.url}
  state       ${place.stateRoot}  (back it up apart from the secrets: together they open every key, and either is worth nothing without the other)
  logs        ${log}

Ctrl-C stops it. The next start keeps the state.`);
    throw new LaunchError(await service.untilGivenUp());
  },
});
