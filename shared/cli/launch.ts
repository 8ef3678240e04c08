import { createWriteStream } from "node:fs";
import { join } from "node:path";
import { formatCoin, formatSui } from "../coin-text.ts";
import { isAptosNetwork } from "../networks.ts";
import type { Rule } from "../policy/rule.ts";
import { type Bundle, build, DEVELOPMENT_CHAIN, SERVICE } from "./build.ts";
import type { AdminAccess } from "./client/admin.ts";
import type { ServiceAccess } from "./client/funds.ts";
import type { Hold } from "./command.ts";
import { startCrons } from "./cron.ts";
import {
  createLocalDemo,
  createTestnetDemo,
  DEMO_DEPOSIT_MIST,
  DEMO_DEPOSIT_OCTAS,
  type Demo,
  furnishWorkflows,
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
import { loadPolicy } from "./policy.ts";
import { LOOPBACK } from "./ports.ts";
import { loadOrCreateSecrets, secretsFingerprint } from "./secrets.ts";
import { type DemoContracts, readDemoContracts } from "./story/demo-contracts.ts";
import { heading, LaunchError, step } from "./terminal.ts";
import { checkVariables } from "./variables.ts";

const wantedUrl = () => `http://${LOOPBACK}:${wantedPort(SERVICE_PORT)}`;

/** The workflows' access keys, as variables. */
type KeyVariables = Partial<Record<"FLOWS_SUI_KEY" | "FLOWS_APTOS_KEY", string>>;

/** Keys of a demo that is not made yet. A configuration is checked before anything is made with it. */
const LOCAL_STAND_IN: KeyVariables = {
  FLOWS_SUI_KEY: "us1_sui_localnet_key",
  FLOWS_APTOS_KEY: "us1_aptos_localnet_key",
};
const TESTNET_STAND_IN: KeyVariables = { FLOWS_SUI_KEY: "us1_sui_testnet_key" };

/** Returns null if no keys were made yet. */
function keyVariables(demo: Demo | null): KeyVariables | null {
  const keys = demo?.workflowKeys ?? [];
  const entries = keys.map(({ network, key }) => [isAptosNetwork(network) ? "FLOWS_APTOS_KEY" : "FLOWS_SUI_KEY", key]);
  return entries.length === 0 ? null : Object.fromEntries(entries);
}

/** Variables that mount the workflows. The service refuses them while the workflows have no access key. */
const NEEDS_A_KEY = /^(FLOWS_(?!SECRET$)|JWT_|WEBHOOK_|EXAMPLE$)/;

/** Mounts the workflows only once they have an access key, and the example only on development chains. */
function serviceVars(secrets: Variables, keys: KeyVariables | null): Variables {
  if (keys === null) return Object.fromEntries(Object.entries(secrets).filter(([name]) => !NEEDS_A_KEY.test(name)));
  const { FLOWS_APTOS_KEY: _, ...kept } = secrets;
  const flows = { ...kept, ...keys };
  return keys.FLOWS_APTOS_KEY === undefined ? flows : { ...flows, ...exampleVars(secrets, wantedUrl()) };
}

interface Opened<Kept> {
  readonly secrets: Variables;
  readonly fingerprint: string;
  /** The results of the last start. Null on a first one. */
  readonly kept: Kept | null;
  readonly log: (line: string) => void;
  /** The platform's options for this place. */
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
    options: { stateDirectory, serviceVars: serviceVars(secrets, keyVariables(kept)), onLog: log },
  };
}

interface Furnishing<Kept extends Demo> {
  readonly platform: ServicePlatform;
  readonly crons: Bundle["crons"];
  readonly rules: readonly Rule[];
  readonly path: string;
  readonly make: () => Promise<Kept>;
}

/** Fires the crons. Gives the workflows access keys of their own: the kept ones, or new ones. */
async function furnish<Kept extends Demo>(
  { secrets, kept, log }: Opened<Kept>,
  { platform, crons, rules, path, make }: Furnishing<Kept>,
  hold: Hold,
): Promise<Kept> {
  const access = { ...platform, adminToken: secrets.ADMIN_TOKEN ?? "" };
  const fire = (cron: string) =>
    platform.scheduled(cron).catch((error: unknown) => log(`cron ${cron}: ${String(error)}`));
  hold(startCrons(crons, fire));
  const usable = kept !== null && (await isDemoUsable(access, kept)) ? kept : null;
  if (usable !== null)
    step("demo", `project ${usable.projectId}, fund ${usable.fundId} and access key from the last start`);
  const tell = (line: string) => step("policy", line);
  const { demo, hasNewKeys } = await furnishWorkflows(access, usable ?? (await make()), { rules, path, tell });
  if (hasNewKeys) await platform.restart({ serviceVars: serviceVars(secrets, keyVariables(demo)) });
  return demo;
}

/** A running service beside a development chain, with the demo project. */
export interface Local extends ServiceAccess {
  readonly platform: Platform;
  readonly callerSecret: string;
  readonly demo: LocalDemo;
  readonly contracts: DemoContracts;
  /** True if nothing was kept of an earlier start. */
  readonly isFirst: boolean;
}

/** Launches service and development chain, with a demo project whose funds have 10 SUI and 10 APT from the faucet. */
export async function launchLocal(place: Place, hold: Hold): Promise<Local> {
  const servicePort = await freeWantedPort(SERVICE_PORT, place, [SERVICE_PORT, CHAIN_PORT]);
  const chainPort = await freeWantedPort(CHAIN_PORT, place, [SERVICE_PORT, CHAIN_PORT]);
  const opened = await open(place, loadLocalDemo, hold);
  heading("Gasworks");
  const rules = await loadPolicy();
  step("build", "bundling the service and the development chain");
  const [service, chain] = await Promise.all([build(SERVICE), build(DEVELOPMENT_CHAIN)]);
  const chainUrl = `http://${LOOPBACK}:${chainPort}`;
  const vars = serviceVars(opened.secrets, keyVariables(opened.kept) ?? LOCAL_STAND_IN);
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
  const demo = await furnish(opened, { platform, crons: service.crons, rules, path: demoPath(place), make }, hold);
  const contracts = await readDemoContracts(chainUrl);
  return { ...access, platform, callerSecret, demo, contracts, isFirst: opened.kept === null };
}

/** A running service on Sui testnet, with the demo project. */
export interface OnTestnet extends AdminAccess {
  readonly demo: Demo;
  readonly nodes: readonly string[];
}

/**
 * Launches the service alone on the public nodes of wrangler.toml. The fund of its demo project waits for a deposit.
 */
export async function launchOnTestnet(place: Place, hold: Hold): Promise<OnTestnet> {
  const servicePort = await freeWantedPort(SERVICE_PORT, place);
  const opened = await open(place, loadDemo, hold);
  heading("Gasworks on Sui testnet");
  const rules = await loadPolicy();
  step("build", "bundling the service");
  const service = await build(SERVICE);
  const nodeList = { ...service.vars, ...opened.secrets }.SUI_TESTNET_NODES ?? "";
  const nodes = nodeList.split(/\s+/).filter((url) => url !== "");
  checkVariables(serviceVars(opened.secrets, keyVariables(opened.kept) ?? TESTNET_STAND_IN), service, place);
  if (nodes.length === 0) throw new LaunchError("SUI_TESTNET_NODES in wrangler.toml names no node: add one");
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
  const demo = await furnish(opened, { platform, crons: service.crons, rules, path: demoPath(place), make }, hold);
  return { ...access, demo, nodes };
}
