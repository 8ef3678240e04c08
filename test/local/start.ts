import { createWriteStream } from "node:fs";
import { mkdir, readFile, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { styleText } from "node:util";
import { Ed25519Keypair } from "@mysten/sui/keypairs/ed25519";
import { formatSui } from "../../shared/amounts.ts";
import { DEMO_PACKAGE } from "../devchain/demo.ts";
import { BuildError, build, root } from "./build.ts";
import { chargedToFund, SUI_GAS_PATH, UnexpectedAnswer } from "./clients.ts";
import { startCrons } from "./cron.ts";
import { createDemo, DEMO_DEPOSIT_MIST, type Demo, isDemoUsable, loadDemo } from "./demo-state.ts";
import { type MainJobReport, runMainJob } from "./main-job.ts";
import { type Platform, startPlatform, type Variables } from "./platform.ts";
import { isPortFree } from "./ports.ts";
import { loadOrCreateSecrets, secretsFingerprint } from "./secrets.ts";

/** Something that the person at the terminal can put right. */
class StartError extends Error {
  override readonly name = "StartError";
}

let running: Platform | null = null;
let ownsState = false;
let stopping = false;

const SIGNAL_DELAY_MS = 100;
const STATE = ".gasworks";
const stateRoot = join(root, STATE);
const demoPath = join(stateRoot, "demo.json");

function port(variable: string, fallback: number): number {
  const text = process.env[variable];
  if (text === undefined || text === "") return fallback;
  if (!/^[1-9][0-9]{0,4}$/.test(text) || Number(text) > 65_535)
    throw new StartError(`${variable} must be a port number`);
  return Number(text);
}

async function freePortOf(what: string, variable: string, fallback: number): Promise<number> {
  const wanted = port(variable, fallback);
  if (await isPortFree(wanted)) return wanted;
  throw new StartError(
    `Port ${wanted}, for the ${what}, is in use. Is Gasworks running already? Otherwise choose another: ${variable}=${wanted + 100} npm start`,
  );
}

const pidPath = join(stateRoot, "pid");

/** Two runtimes on one state directory would each hold half of the truth. */
async function claimState(): Promise<void> {
  const owner = Number(await readFile(pidPath, "utf8").catch(() => ""));
  if (owner > 0 && (await isLauncher(owner)))
    throw new StartError(
      `Process ${owner} already runs on ${STATE}/. Stop it first, or delete ${pidPath} if it is none of ours.`,
    );
  await writeFile(pidPath, String(process.pid));
  ownsState = true;
}

/** Where the system tells, a process id that has been taken over by something else, or is only a zombie, does not count. */
async function isLauncher(pid: number): Promise<boolean> {
  if (process.platform === "linux")
    return (await readFile(`/proc/${pid}/cmdline`, "utf8").catch(() => "")).includes("start.ts");
  try {
    return process.kill(pid, 0);
  } catch {
    return false;
  }
}

function print(text = ""): void {
  console.log(text);
}

function step(label: string, text: string): void {
  print(`  ${styleText("dim", label.padEnd(10))} ${text}`);
}

/** The workflows are mounted only once they have an access key to use. */
function serviceVars(secrets: Variables, demo: Demo | null): Variables {
  const { FLOWS_CALLER_SECRET = "", ...service } = secrets;
  return demo === null ? service : { ...service, FLOWS_CALLER_SECRET, FLOWS_SUI_KEY: demo.key };
}

function printReport({ digest, status, executedSuccessfully, before, after }: MainJobReport, paidMist: bigint): void {
  step("digest", digest);
  step("status", styleText("bold", status));
  step("fund paid", `${formatSui(paidMist)} (${paidMist} MIST)`);
  step("balance", `${formatSui(before.balance)} → ${formatSui(after.balance)}, ${formatSui(after.inFlight)} in flight`);
  if (!executedSuccessfully) throw new UnexpectedAnswer("the chain executed the transaction, but it failed");
}

function printHowTo({ serviceUrl, chainUrl }: Platform, demo: Demo): void {
  const body = '{"jsonrpc":"2.0","id":1,"method":"gas_getFund","params":[]}';
  print(`
${styleText("bold", "Running")}
  service     ${serviceUrl}
  chain       ${chainUrl}  (gRPC-web at /sui, faucet at /faucet)
  access key  ${demo.key}
  admin       ADMIN_TOKEN in .dev.vars, for ${serviceUrl}/admin/v1
  logs        ${STATE}/service.log
  state       ${STATE}/  (delete it to start afresh)

${styleText("bold", "Try it")}
curl -s ${serviceUrl}${SUI_GAS_PATH} -H 'content-type: application/json' -H 'x-api-key: ${demo.key}' -d '${body}'

${styleText("bold", "From your code")}
  const tx = new Transaction();                                        // @mysten/sui/transactions
  tx.moveCall({ target: "${DEMO_PACKAGE}::demo::mint", arguments: [tx.pure.string("Hi")] });
  const kind = toBase64(await tx.build({ onlyTransactionKind: true }));
  const { txBytes, signature } = await rpc("gas_sponsorTransactionBlock", [kind, sender]);
  const user = await keypair.signTransaction(fromBase64(txBytes));
  await sui.executeTransaction({ transaction: fromBase64(txBytes), signatures: [user.signature, signature] });

${styleText("dim", "Ctrl-C stops everything. The next start keeps the state.")}`);
}

async function start(onPlatform: (platform: Platform) => void): Promise<void> {
  const servicePort = await freePortOf("service", "PORT", 8787);
  const chainPort = await freePortOf("development chain", "CHAIN_PORT", 8788);
  await mkdir(stateRoot, { recursive: true, mode: 0o700 });
  await claimState();
  const secrets = await loadOrCreateSecrets(join(root, ".dev.vars"));
  const fingerprint = secretsFingerprint(secrets);
  const kept = await loadDemo(demoPath);
  if (kept !== null && kept.secretsFingerprint !== fingerprint)
    throw new StartError(
      `The state in ${STATE}/ was made with other secrets than those in .dev.vars, and cannot be opened with these.\nBring the old .dev.vars back, or delete ${STATE}/ to start afresh.`,
    );

  print(styleText("bold", "Gasworks"));
  step("build", "bundling the service and the development chain");
  const [service, chain] = await Promise.all([build("service"), build("chain")]);
  const log = createWriteStream(join(stateRoot, "service.log"), { flags: "a", mode: 0o600 });
  const platform = await startPlatform({
    service,
    chain,
    servicePort,
    chainPort,
    stateDirectory: join(stateRoot, "state"),
    serviceVars: serviceVars(secrets, kept),
    onLog: (line) => log.write(`${line}\n`),
  });
  onPlatform(platform);
  step("up", `service ${platform.serviceUrl}, chain ${platform.chainUrl}`);
  startCrons(service.crons, (cron) => {
    platform.scheduled(cron).catch((error: unknown) => log.write(`cron ${cron}: ${String(error)}\n`));
  });

  const access = { ...platform, adminToken: secrets.ADMIN_TOKEN ?? "" };
  const demo =
    kept !== null && (await isDemoUsable(access, kept)) ? kept : await createDemo(access, demoPath, fingerprint);
  if (demo !== kept) await platform.restart({ serviceVars: serviceVars(secrets, demo) });
  step(
    "demo",
    demo === kept
      ? `project ${demo.projectId}, fund ${demo.fundId} and access key from the last start`
      : `project ${demo.projectId}, fund ${demo.fundId} with ${formatSui(DEMO_DEPOSIT_MIST)} from the faucet, access key`,
  );

  print(`\n${styleText("bold", "One sponsored transaction")}`);
  const user = Ed25519Keypair.fromSecretKey(demo.userSecretKey);
  const report = await runMainJob({ ...platform, key: demo.key, user, badgeName: "Hello from Gasworks" }, step);
  const paidMist = await chargedToFund(access, demo.fundId, report.digest);
  if (paidMist !== report.chargedMist)
    throw new UnexpectedAnswer(`the chain charged ${report.chargedMist} MIST, but the fund's books say ${paidMist}`);
  printReport(report, paidMist);
  printHowTo(platform, demo);
}

async function stop(exitCode: number): Promise<void> {
  if (stopping) return;
  stopping = true;
  await running?.stop();
  if (ownsState) await rm(pidPath, { force: true });
  process.exit(exitCode);
}

/** Miniflare's own handlers end the process at once; these wait until the runtime is gone, and take their place. */
function handleSignals(): void {
  for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"]) {
    process.removeAllListeners(signal);
    process.on(signal, () => stop(0));
  }
}

// npm passes signals on, but a kill of npm itself reaches nobody else: then this process has a new parent.
if (process.env.npm_lifecycle_event !== undefined) {
  const { ppid } = process;
  setInterval(() => {
    if (process.ppid !== ppid) stop(0);
  }, 500).unref();
}

handleSignals();
try {
  await start((platform) => {
    running = platform;
    handleSignals();
  });
} catch (error) {
  // Ctrl-C reaches the runtime too, and its silence may be noticed before the signal is.
  await new Promise((resolve) => setTimeout(resolve, SIGNAL_DELAY_MS));
  if (!stopping) {
    const expected = error instanceof StartError || error instanceof BuildError || error instanceof UnexpectedAnswer;
    console.error(expected ? `\n${error.message}` : error);
    await stop(1);
  }
}
