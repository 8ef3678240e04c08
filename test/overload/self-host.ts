import { appendFile, mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import * as z from "zod";
import { build, DEVELOPMENT_CHAIN } from "../../shared/cli/build.ts";
import type { ServiceAccess } from "../../shared/cli/client/funds.ts";
import { makeDeploymentSecrets } from "../../shared/cli/deploy-secrets.ts";
import { localNodes } from "../../shared/cli/platform.ts";
import { freePort, LOOPBACK } from "../../shared/cli/ports.ts";
import { root } from "../../shared/cli/root.ts";
import { readSecrets } from "../../shared/cli/secrets.ts";
import { startWorkerd } from "../../shared/cli/workerd.ts";
import { type Script, untilRunning, withScript } from "../harness/launcher.ts";

/** The service as `npm run self-host` runs it, in processes of its own, beside a development chain. */
export interface SelfHost extends ServiceAccess {
  readonly script: Script;
  readonly state: string;
  /** Of the runtime behind the door, by what the launcher has started. */
  events(): readonly string[];
  /** Runs it once more on the same state, after the first has been stopped. */
  again<T>(use: (script: Script) => Promise<T>): Promise<T>;
}

const secretsSchema = z.object({ ADMIN_TOKEN: z.string() });

export async function withSelfHost<T>(
  use: (hosted: SelfHost) => Promise<T>,
  prepare: (state: string) => Promise<() => Promise<void>> = async () => async () => {},
): Promise<T> {
  const directory = await mkdtemp(join(tmpdir(), "gasworks-self-host-"));
  const state = join(directory, "state");
  const undo = await prepare(state);
  const chain = await startWorkerd({
    bundle: await build(DEVELOPMENT_CHAIN),
    stateDirectory: join(directory, "chain"),
    vars: {},
  });
  try {
    const secretsPath = join(directory, "secrets");
    await makeDeploymentSecrets(secretsPath);
    const nodes = Object.entries(localNodes(chain.url)).map(([name, value]) => `${name}=${value}\n`);
    await appendFile(secretsPath, nodes.join(""));
    const { ADMIN_TOKEN: adminToken } = secretsSchema.parse(await readSecrets(secretsPath));
    const port = String(await freePort());
    const command = ["run", "self-host", "--", "--secrets-file", secretsPath, "--state", state];
    const run = <R>(work: (script: Script) => Promise<R>): Promise<R> =>
      withScript(command, { cwd: root, env: { PORT: port } }, async (script) => {
        await untilRunning(script);
        return work(script);
      });
    return await run((script) => {
      const events = () =>
        script
          .output()
          .split("\n")
          .filter((line) => line.startsWith("{"));
      const serviceUrl = `http://${LOOPBACK}:${port}`;
      return use({ script, state, events, again: run, adminToken, serviceUrl, chainUrl: chain.url });
    });
  } finally {
    await chain.kill();
    await undo();
    await rm(directory, { recursive: true, force: true });
  }
}
