import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import * as z from "zod";
import { http } from "./client/http.ts";
import { type Hold, runCommand } from "./command.ts";
import { isDemoUsable, loadLocalDemo } from "./demo-state.ts";
import { launchLocal } from "./launch.ts";
import { CHAIN_PORT, demoPath, LOCAL, SERVICE_PORT, wantedPort } from "./place.ts";
import { isPortFree, LOOPBACK } from "./ports.ts";
import { readSecrets, secretsFingerprint } from "./secrets.ts";
import type { StoryService } from "./story/chapter.ts";
import { readDemoContracts } from "./story/demo-contracts.ts";
import { tellStory } from "./story/story.ts";
import { heading, LaunchError, parseOptions, print, step } from "./terminal.ts";

const USAGE = `Usage: npm run demo

Tells the whole story, step by step: a fund, both ways to sponsor, the app's workflows, what is refused, a fee and its
withdrawal, the books.
Uses the service that npm start runs. If none runs, it starts one with state of its own and stops it at the end.

  --help      this text

PORT (8787) and CHAIN_PORT (8788) in the environment choose other ports.`;

const EXIT_INTERRUPTED = 130;
const LOOK_TIMEOUT_MS = 5_000;

/** Returns null if nothing listens at the service's port. */
async function findRunning(): Promise<StoryService | null> {
  const port = wantedPort(SERVICE_PORT);
  if (await isPortFree(port)) return null;
  const serviceUrl = `http://${LOOPBACK}:${port}`;
  const chainUrl = `http://${LOOPBACK}:${wantedPort(CHAIN_PORT)}`;
  const secrets = await readSecrets(LOCAL.secretsPath);
  const demo = await loadLocalDemo(demoPath(LOCAL));
  const strange = new LaunchError(
    `What listens at ${serviceUrl} is not the service that npm start runs here with a development chain.\nStop it, or choose another port: PORT=${port + 100} CHAIN_PORT=${port + 101} npm run demo`,
  );
  if (secrets === null || demo === null || demo.secretsFingerprint !== secretsFingerprint(secrets)) throw strange;
  const { ADMIN_TOKEN: adminToken = "", FLOWS_CALLER_SECRET: callerSecret = "" } = secrets;
  const access = { serviceUrl, chainUrl, adminToken };
  const answers = async (url: string, schema: z.ZodType) => {
    const { body } = await http(url, { signal: AbortSignal.timeout(LOOK_TIMEOUT_MS) });
    return schema.safeParse(body).success;
  };
  try {
    const healthy =
      (await answers(`${serviceUrl}/health`, z.object({ status: z.literal("ok") }))) &&
      (await answers(`${chainUrl}/control/health`, z.object({}))) &&
      (await isDemoUsable(access, demo));
    if (!healthy) throw strange;
    return { ...access, callerSecret, demo, contracts: await readDemoContracts(chainUrl), advance: null };
  } catch {
    throw strange;
  }
}

async function startOwn(hold: Hold): Promise<StoryService> {
  const stateRoot = await mkdtemp(join(tmpdir(), "gasworks-demo-"));
  hold(() => rm(stateRoot, { recursive: true, force: true }));
  const place = { command: "npm run demo", stateRoot, secretsPath: join(stateRoot, ".dev.vars") };
  const { platform, ...local } = await launchLocal(place, hold);
  return { ...local, advance: (ms) => platform.restart({ clockOffsetMs: ms }) };
}

await runCommand({
  exitCodeWhenInterrupted: EXIT_INTERRUPTED,
  run: async (hold) => {
    if (parseOptions(USAGE, {}) === null) return 0;
    const running = await findRunning();
    if (running !== null) {
      heading("Gasworks");
      step("running", `service ${running.serviceUrl}, chain ${running.chainUrl}: the ones that npm start runs`);
    }
    await tellStory(running ?? (await startOwn(hold)));
    print(`\nEverything was as it must be.${running === null ? " The service that this started stops now." : ""}`);
    return 0;
  },
});
