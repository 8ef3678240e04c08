import { createWriteStream } from "node:fs";
import { join } from "node:path";
import { formatCoin, formatSui } from "../../shared/amounts.ts";
import { type Bundle, build } from "./build.ts";
import type { AdminAccess, ServiceAccess } from "./clients.ts";
import type { Hold } from "./command.ts";
import { startCrons } from "./cron.ts";
import {
  createLocalDemo,
  createTestnetDemo,
  DEMO_DEPOSIT_MIST,
  DEMO_DEPOSIT_OCTAS,
  type Demo,
  isDemoUsable,
  type LocalDemo,
  loadDemo,
  loadLocalDemo,
} from "./demo-state.ts";
import { exampleVars } from "./example-vars.ts";
import { CHAIN_PORT, claim, demoPath, freeWantedPort, type Place, SERVICE_PORT, shown, wantedPort } from "./place.ts";
import {
  localNodes,
  type Platform,
  type ServicePlatform,
  startPlatform,
  startService,
  type Variables,
} from "./platform.ts";
import { checkPolicy } from "./policy.ts";
import { LOOPBACK } from "./ports.ts";
import { loadOrCreateSecrets, secretsFingerprint } from "./secrets.ts";
import { heading, LaunchError, step } from "./terminal.ts";
import { checkVariables } from "./variables.ts";

const wantedUrl = () => `http://${LOOPBACK}:${wantedPort(SERVICE_PORT)}`;

/** What the workflows use of what a start has made. */
type DemoKeys = Pick<Demo, "key"> | Pick<LocalDemo, "key" | "aptosKey">;

/** For the keys of a demo that is yet to be made: a configuration is judged before anything is made with it. */
const LOCAL_STAND_IN: DemoKeys = { key: "us1_sui_localnet_key", aptosKey: "us1_aptos_localnet_key" };
const TESTNET_STAND_IN: DemoKeys = { key: "us1_sui_testnet_key" };

/** They mount the workflows, which is refused while these have no access key to use. */
const NEEDS_A_KEY = /^(FLOWS_(?!SECRET$)|JWT_|WEBHOOK_|EXAMPLE$)/;

/** The workflows are mounted only once they have an access key to use, and the example on development chains only. */
function serviceVars(secrets: Variables, demo: DemoKeys | null): Variables {
  if (demo === null) return Object.fromEntries(Object.entries(secrets).filter(([name]) => !NEEDS_A_KEY.test(name)));
  const { FLOWS_APTOS_KEY: _, ...kept } = secrets;
  const flows = { ...kept, FLOWS_SUI_KEY: demo.key };
  return "aptosKey" in demo
    ? { ...flows, FLOWS_APTOS_KEY: demo.aptosKey, ...exampleVars(secrets, wantedUrl()) }
    : flows;
}

interface Opened<Kept> {
  readonly secrets: Variables;
  readonly fingerprint: string;
  /** What the last start made; null on a first one. */
  readonly kept: Kept | null;
  readonly log: (line: string) => void;
  /** What the platform needs to know of this place. */
  readonly options: {
    readonly stateDirectory: string;
    readonly serviceVars: Variables;
    readonly onLog: (line: string) => void;
  };
}

async function open<Kept extends Demo>(
  place: Place,
  load: (path: string) => Promise<Kept | null>,
  hold: Hold,
): Promise<Opened<Kept>> {
  await claim(place, hold);
  const secrets = await loadOrCreateSecrets(place.secretsPath);
  const fingerprint = secretsFingerprint(secrets);
  const kept = await load(demoPath(place));
  if (kept !== null && kept.secretsFingerprint !== fingerprint) {
    const [state, vars] = [shown(place.stateRoot), shown(place.secretsPath)];
    throw new LaunchError(
      `The state in ${state}/ was made with other secrets than those in ${vars}, and cannot be opened with these.\nBring the old ${vars} back, or delete ${state}/ to start afresh.`,
    );
  }
  const stream = createWriteStream(join(place.stateRoot, "service.log"), { flags: "a", mode: 0o600 });
  const log = (line: string) => void stream.write(`${line}\n`);
  const stateDirectory = join(place.stateRoot, "state");
  return {
    secrets,
    fingerprint,
    kept,
    log,
    options: { stateDirectory, serviceVars: serviceVars(secrets, kept), onLog: log },
  };
}

/** Fires the crons, and has the workflows use the demo's key: the one that was kept, or a new one. */
async function furnish<Kept extends Demo>(
  { secrets, kept, log }: Opened<Kept>,
  { crons }: Bundle,
  platform: ServicePlatform,
  make: () => Promise<Kept>,
  hold: Hold,
): Promise<Kept> {
  const access = { ...platform, adminToken: secrets.ADMIN_TOKEN ?? "" };
  const fire = (cron: string) =>
    platform.scheduled(cron).catch((error: unknown) => log(`cron ${cron}: ${String(error)}`));
  hold(startCrons(crons, fire));
  if (kept !== null && (await isDemoUsable(access, kept))) {
    step("demo", `project ${kept.projectId}, fund ${kept.fundId} and access key from the last start`);
    return kept;
  }
  const demo = await make();
  await platform.restart({ serviceVars: serviceVars(secrets, demo) });
  return demo;
}

export interface Local extends ServiceAccess {
  readonly platform: Platform;
  readonly callerSecret: string;
  readonly demo: LocalDemo;
  /** Nothing was kept of an earlier start. */
  readonly isFirst: boolean;
}

/** Service and development chain, with a demo project whose funds have 10 SUI and 10 APT from the faucet. */
export async function launchLocal(place: Place, hold: Hold): Promise<Local> {
  const servicePort = await freeWantedPort(SERVICE_PORT, place);
  const chainPort = await freeWantedPort(CHAIN_PORT, place);
  const opened = await open(place, loadLocalDemo, hold);
  heading("Gasworks");
  await checkPolicy();
  step("build", "bundling the service and the development chain");
  const [service, chain] = await Promise.all([build("service"), build("chain")]);
  const chainUrl = `http://${LOOPBACK}:${chainPort}`;
  const vars = serviceVars(opened.secrets, opened.kept ?? LOCAL_STAND_IN);
  checkVariables({ ...localNodes(chainUrl), ...vars }, service, place);
  const platform = await startPlatform({ service, chain, servicePort, chainPort, ...opened.options });
  hold(() => platform.stop());
  const { serviceUrl } = platform;
  step("up", `service ${serviceUrl}, chain ${chainUrl}`);
  const { ADMIN_TOKEN: adminToken = "", FLOWS_CALLER_SECRET: callerSecret = "" } = opened.secrets;
  const access = { serviceUrl, chainUrl, adminToken };
  const make = async () => {
    const made = await createLocalDemo(access, demoPath(place), opened.fingerprint);
    const deposited = `${formatSui(DEMO_DEPOSIT_MIST)} from the faucet`;
    step("demo", `project ${made.projectId}, fund ${made.fundId} with ${deposited}, access key`);
    step("on Aptos", `fund ${made.aptosFundId} with ${formatCoin("aptos", DEMO_DEPOSIT_OCTAS)}, access key`);
    return made;
  };
  const demo = await furnish(opened, service, platform, make, hold);
  return { ...access, platform, callerSecret, demo, isFirst: opened.kept === null };
}

export interface OnTestnet extends AdminAccess {
  readonly demo: Demo;
  readonly nodes: readonly string[];
}

/** The service alone on the public nodes of wrangler.toml, with a demo project whose fund waits for a deposit. */
export async function launchOnTestnet(place: Place, hold: Hold): Promise<OnTestnet> {
  const servicePort = await freeWantedPort(SERVICE_PORT, place);
  const opened = await open(place, loadDemo, hold);
  heading("Gasworks on Sui testnet");
  await checkPolicy();
  step("build", "bundling the service");
  const service = await build("service");
  const nodeList = { ...service.vars, ...opened.secrets }.SUI_TESTNET_NODES ?? "";
  const nodes = nodeList.split(/\s+/).filter((url) => url !== "");
  checkVariables(serviceVars(opened.secrets, opened.kept ?? TESTNET_STAND_IN), service, place);
  if (nodes.length === 0) throw new LaunchError("SUI_TESTNET_NODES in wrangler.toml names no node");
  const platform = await startService({ service, servicePort, ...opened.options });
  hold(() => platform.stop());
  const { serviceUrl } = platform;
  step("up", `service ${serviceUrl}`);
  const access = { serviceUrl, adminToken: opened.secrets.ADMIN_TOKEN ?? "" };
  const make = async () => {
    const made = await createTestnetDemo(access, demoPath(place), opened.fingerprint);
    step("demo", `project ${made.projectId}, fund ${made.fundId}, access key`);
    return made;
  };
  const demo = await furnish(opened, service, platform, make, hold);
  return { ...access, demo, nodes };
}
