import { join, resolve } from "node:path";
import { build } from "./build.ts";
import { type Hold, runCommand } from "./command.ts";
import { DEFAULT_SECRETS_FILE, readDeploymentSecrets } from "./deploy-secrets.ts";
import { claim, freeWantedPort, LOCAL, type Place, SERVICE_PORT, shown } from "./place.ts";
import { root } from "./root.ts";
import { heading, LaunchError, parseOptions, print } from "./terminal.ts";
import { startWorkerd, type WorkerdProcess } from "./workerd.ts";

const DEFAULT_STATE = join(root, ".gasworks-workerd");

const USAGE = `Usage: npm run self-host [-- options]

Runs the service, the workflows, or both on plain workerd, without Cloudflare, until Ctrl-C or SIGTERM. It listens on
this machine only: what faces the network is a proxy of yours, with TLS.

  --secrets-file <path>   as npm run deploy makes them, NAME=value a line; default ${shown(DEFAULT_SECRETS_FILE)}
  --state <directory>     where the objects are kept; default ${shown(DEFAULT_STATE)}
  --help                  this text

PORT (8787) in the environment chooses another port.`;

const OPTIONS = { "secrets-file": { type: "string" }, state: { type: "string" } } as const;
const STOP_LIMIT_MS = 10_000;

// npm runs scripts in the repository, but a path is meant from where the person is.
function pathOf(given: string | undefined, fallback: string): string {
  return given === undefined ? fallback : resolve(process.env.INIT_CWD ?? "", given);
}

/** Lets the runtime answer what it is at. What it has acknowledged is on disk, however it ends. */
async function stop(service: WorkerdProcess): Promise<void> {
  service.end();
  const limit = new Promise((done) => setTimeout(done, STOP_LIMIT_MS));
  await Promise.race([service.untilGone(), limit]);
  await service.kill();
}

async function start(place: Place, hold: Hold): Promise<WorkerdProcess> {
  const bundle = await build("service");
  const deployment = { vars: bundle.vars, localSecretsPath: LOCAL.secretsPath };
  const vars = await readDeploymentSecrets(place.secretsPath, deployment);
  await claim(place, hold);
  const port = await freeWantedPort(SERVICE_PORT, place);
  const service = await startWorkerd({ bundle, stateDirectory: place.stateRoot, vars, port });
  hold(() => stop(service));
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
    const service = await start(place, hold);
    const log = join(place.stateRoot, "workerd.log");
    heading("Running");
    print(`  service     ${service.url}
  state       ${place.stateRoot}  (back it up with the secrets: either is worth nothing without the other)
  logs        ${log}

Ctrl-C stops it. The next start keeps the state.`);
    await service.untilGone();
    throw new LaunchError(`workerd has ended by itself. Its log: ${log}`);
  },
});
