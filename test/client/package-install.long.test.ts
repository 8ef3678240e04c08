import { execFile } from "node:child_process";
import { existsSync } from "node:fs";
import { mkdir, mkdtemp, readdir, readFile, rm, symlink, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { delimiter, join } from "node:path";
import { promisify } from "node:util";
import { build } from "esbuild";
import { convertV4MiniflareOptions, Log, LogLevel, Miniflare } from "miniflare";
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from "vitest";
import { root } from "../../shared/cli/root.ts";
import { secretText, signatureHeaders } from "../../shared/webhooks/sign.ts";
import { blocksOf, readPage } from "../docs/pages.ts";
import { startBrowser } from "../harness/browser.ts";
import { clientPackage } from "./built-package.ts";

const run = promisify(execFile);

const secret = new Uint8Array(32).fill(7);
const body = JSON.stringify({
  type: "fund.low_balance",
  timestamp: "2026-11-23T20:00:00.000Z",
  data: { available: "1" },
});
const timestampSeconds = Math.floor(Date.UTC(2026, 10, 23, 20) / 1_000);
const headers = signatureHeaders({ id: "evt_1", timestampSeconds, body }, [secret]);
const event = JSON.stringify({ headers, body, secret: secretText(secret), nowMs: timestampSeconds * 1_000 });

/** Uses each entry of the package once, with amounts above 2^53. */
const PROBE = `
import { createSuiGasClient } from "gasworks";
import { createAptosSubmitter } from "gasworks/aptos";
import { createFlows } from "gasworks/flows";
import { verifyWebhook } from "gasworks/webhooks";

export async function probe() {
  const result = '{"network":"SUI_LOCALNET","name":"\ue000-12345678901234567890 e\\\\"1","balance":18446744073709551615,"inFlight":9007199254740993,"depositAddress":null}';
  const fetch = async () => new Response('{"jsonrpc":"2.0","id":1,"result":' + result + '}');
  const gas = createSuiGasClient({ baseUrl: "https://service.test", accessKey: "key", fetch });
  const fund = await gas.getFund({});
  const { headers, body, secret, nowMs } = ${event};
  const authentic = await verifyWebhook(headers, body, secret, nowMs);
  const changed = await verifyWebhook(headers, body + " ", secret, nowMs);
  const answer = async () => Response.json({ chain: "sui", walletId: "id", address: "0x" + "5".repeat(64) });
  const flows = createFlows({ url: "https://app.test", token: "token", storage: null, fetch: answer });
  const wallet = await flows.calls.wallet({ chain: "sui" });
  const bcs = { bcsToBytes: () => new Uint8Array([1, 2]) };
  const terms = { sequence_number: 0n, max_gas_amount: 1n, gas_unit_price: 1n, expiration_timestamp_secs: 1n };
  const transaction = { ...bcs, rawTransaction: { sender: "0x1", ...terms }, feePayerAddress: "0x0" };
  const station = async () => Response.json({ transactionHash: "0x" + "5a".repeat(32) });
  const submitter = createAptosSubmitter({ url: "https://service.test/gs/v1", key: "key", fetch: station });
  const pending = await submitter.submitTransaction({ transaction, senderAuthenticator: bcs });
  return [fund.value.name, String(fund.value.balance), String(fund.value.inFlight), authentic.value.type, changed.error.reason, wallet.value.walletId, pending.hash];
}
`;
const PROBED = [
  '\ue000-12345678901234567890 e"1',
  "18446744073709551615",
  "9007199254740993",
  "fund.low_balance",
  "bad_signature",
  "id",
  `0x${"5a".repeat(32)}`,
];

let consumer: string;
/** The package, as the command has built it in a process of its own. */
let ofCommand: Buffer;
beforeAll(async () => {
  consumer = await mkdtemp(join(tmpdir(), "gasworks-consumer-"));
  const { stdout } = await run("npm", ["run", "--silent", "pack:client"], { cwd: root });
  const tarball = stdout.trim();
  ofCommand = await readFile(tarball);
  await writeFile(join(consumer, "package.json"), '{"private":true,"type":"module"}');
  await writeFile(join(consumer, "probe.js"), PROBE);
  await run("npm", ["install", "--offline", "--no-audit", "--no-fund", tarball], {
    cwd: consumer,
    env: { ...process.env, npm_config_cache: join(consumer, ".npm") },
  });
});
afterAll(() => rm(consumer, { recursive: true, force: true }));

test("the package is the same, byte for byte, each time that it is built", async () => {
  const { tarball } = await clientPackage();
  expect(tarball.equals(ofCommand)).toBe(true);
});

test("an install brings the package alone", async () => {
  const installed = await readdir(join(consumer, "node_modules"));
  expect(installed.filter((name) => !name.startsWith("."))).toEqual(["gasworks"]);
});

/** Finds the Node that runs this, the machine's own, and the one that `NODE_20` names. The last one of each major counts. */
async function nodes(): Promise<ReadonlyMap<number, string>> {
  const onPath = (process.env.PATH ?? "").split(delimiter).map((folder) => join(folder, "node"));
  const found = new Map<number, string>();
  for (const path of [process.execPath, ...onPath, "/usr/bin/node", "/usr/local/bin/node", process.env.NODE_20 ?? ""]) {
    if (!existsSync(path)) continue;
    const { stdout } = await run(path, ["--version"]);
    found.set(Number.parseInt(stdout.slice(1), 10), path);
  }
  return found;
}

test("plain Node 20 and plain Node 24 import it", async () => {
  const found = await nodes();
  expect([...found.keys()], "Install Node 20, or name it in NODE_20.").toEqual(expect.arrayContaining([20, 24]));
  for (const [major, node] of found) {
    const script = 'import("./probe.js").then(({ probe }) => probe()).then((it) => console.log(JSON.stringify(it)))';
    const { stdout } = await run(node, ["--input-type=module", "--eval", script], { cwd: consumer });
    expect(JSON.parse(stdout), `Node ${major}`).toEqual(PROBED);
  }
});

const TYPED = `
import { createSuiGasClient, createSuiWalletClient, isRefused, type Reply, type RpcClientOptions, type SuiGasClient, tokenInMemory, withToken } from "gasworks";
import { type AptosSubmitter, createAptosSubmitter } from "gasworks/aptos";
import { createFlows, type FlowAction } from "gasworks/flows";
import { type EventDataByType, verifyWebhook, type WebhookEvent } from "gasworks/webhooks";

const flows = createFlows({ url: "", token: "token", sui: { network: "testnet" } });

export async function wallet(): Promise<string> {
  const found = await flows.calls.wallet({ chain: "sui" });
  const action: FlowAction | null = found.ok ? null : found.error.action;
  return found.ok ? found.value.address : String(action);
}

export const submitter: AptosSubmitter = createAptosSubmitter({ url: "https://service.test/gs/v1", key: "key" });

const options: RpcClientOptions = { baseUrl: "https://service.test", accessKey: "key", fetch };
const gas: SuiGasClient = createSuiGasClient(options);
const wallets = createSuiWalletClient(options);

export async function balance(): Promise<bigint | undefined> {
  const fund = await gas.getFund({});
  return fund.ok ? fund.value.unconverted?.amount ?? fund.value.balance : undefined;
}

export async function address(secret: string): Promise<Reply<string>> {
  const sessions = tokenInMemory();
  return withToken(
    sessions,
    () => wallets.createSession({ secret }),
    (session_token) => wallets.createWallet({ wallet_id: "ada", session_token }, { idempotencyKey: "ada" }),
  );
}

export function told(event: WebhookEvent): string {
  switch (event.type) {
    case "fund.low_balance":
      return event.data.available;
    case "quota.reached":
      return event.data.walletsPerMonth.toFixed();
    case "unknown":
      return event.sentType;
    default:
      return event.id;
  }
}

export const network: EventDataByType["fund.deposit"]["network"] = "SUI_MAINNET";

export async function wrong(): Promise<void> {
  // @ts-expect-error Bytes are no text.
  await gas.prepareTransactionBlock({ transactionBytes: "AAAA", sender: "0x5" });
  // @ts-expect-error An amount is a bigint.
  await gas.prepareTransactionBlock({ transactionBytes: new Uint8Array(), sender: "0x5", gasBudget: 5 });
  // @ts-expect-error No method has this name.
  await gas.getMoney({});
  const fund = await gas.getFund({});
  // @ts-expect-error The reply may be an error.
  fund.value;
  if (isRefused(fund, "bad_key")) throw new Error("the key");
  const verified = await verifyWebhook(new Headers(), "", ["whsec_"]);
  // @ts-expect-error The type is none that the service has.
  if (verified.ok && verified.value.type === "fund.lost") throw new Error("lost");
}
`;

const STRICT = {
  target: "ES2022",
  strict: true,
  exactOptionalPropertyTypes: true,
  noUncheckedIndexedAccess: true,
  noUnusedLocals: true,
  skipLibCheck: false,
  noEmit: true,
};

async function compile(name: string, files: Readonly<Record<string, string>>, compilerOptions: object): Promise<void> {
  const folder = join(consumer, name);
  await mkdir(folder, { recursive: true });
  for (const [file, text] of Object.entries(files)) await writeFile(join(folder, file), text);
  const config = { compilerOptions: { ...STRICT, ...compilerOptions }, include: ["*.ts"] };
  await writeFile(join(folder, "tsconfig.json"), JSON.stringify(config));
  const compiler = join(root, "node_modules/typescript/bin/tsc");
  const { stdout } = await run(process.execPath, [compiler, "-p", folder]).catch((error: { stdout: string }) => error);
  expect(stdout).toBe("");
}

describe("tsc reads the types, with all libraries checked", () => {
  const browser = { lib: ["ES2022", "DOM"], types: [] };

  test.each([
    ["NodeNext", { module: "NodeNext", moduleResolution: "NodeNext", ...browser }],
    ["Bundler", { module: "ESNext", moduleResolution: "Bundler", ...browser }],
    ["NodeNext with verbatimModuleSyntax", { module: "NodeNext", verbatimModuleSyntax: true, ...browser }],
  ])("%s", async (name, options) => {
    await compile(name.replaceAll(" ", "-"), { "typed.ts": TYPED }, options);
  });

  test("NodeNext, with the types of Node alone", async () => {
    const installed = join(consumer, "node_modules/@types");
    await mkdir(installed, { recursive: true });
    await symlink(join(root, "node_modules/@types/node"), join(installed, "node"));
    onTestFinished(() => rm(installed, { recursive: true }));
    await compile("with-node", { "typed.ts": TYPED }, { module: "NodeNext", lib: ["ES2022"], types: ["node"] });
  });
});

test("the examples of the package's page compile", async () => {
  for (const scope of ["@types", "@mysten", "@aptos-labs"])
    await symlink(join(root, "node_modules", scope), join(consumer, "node_modules", scope));
  onTestFinished(async () => {
    for (const scope of ["@types", "@mysten", "@aptos-labs"]) await rm(join(consumer, "node_modules", scope));
  });
  const page = await readPage("shared/client/package/README.md");
  const blocks = blocksOf(page.text).filter(({ info }) => info === "ts");
  expect(blocks.length).toBeGreaterThan(3);
  const modules = blocks.map(({ text, line }) => [`page-${line}.ts`, text] as const);
  const known =
    'declare const PACKAGE: string; declare const keypair: import("@mysten/sui/keypairs/ed25519").Ed25519Keypair;';
  const options = { module: "NodeNext", types: ["node"], skipLibCheck: true, noUnusedLocals: false };
  await compile("page", { ...Object.fromEntries(modules), "known.d.ts": known }, options);
});

async function bundled(platform: "browser" | "neutral", entry: string): Promise<string> {
  const { outputFiles } = await build({
    stdin: { contents: entry, resolveDir: consumer },
    bundle: true,
    minify: true,
    format: "esm",
    platform,
    write: false,
  });
  return outputFiles[0]?.text ?? "";
}

test("Chromium runs the bundle", async () => {
  const script = await bundled("browser", 'import { probe } from "./probe.js"; globalThis.probed = probe();');
  const browser = await startBrowser();
  onTestFinished(() => browser.close());
  const page = await browser.newPage();
  const complaints: string[] = [];
  page.on("pageerror", (error) => complaints.push(error.message));
  await page.route("https://app.test/**", (route) =>
    route.request().url().endsWith("/page.js")
      ? route.fulfill({ contentType: "text/javascript", body: script })
      : route.fulfill({ contentType: "text/html", body: '<script type="module" src="/page.js"></script>' }),
  );
  await page.goto("https://app.test/");
  expect(await page.evaluate("probed")).toEqual(PROBED);
  expect(complaints).toEqual([]);
});

test("a Worker runs the bundle, without Node's compatibility", async () => {
  const entry =
    'import { probe } from "./probe.js"; export default { fetch: async () => Response.json(await probe()) };';
  const script = await bundled("neutral", entry);
  const options = { modules: true, script, compatibilityDate: "2026-08-01", log: new Log(LogLevel.ERROR) };
  const worker = new Miniflare(convertV4MiniflareOptions(options));
  onTestFinished(() => worker.dispose());
  const response = await worker.dispatchFetch("http://worker.test/");
  expect(await response.json()).toEqual(PROBED);
});
