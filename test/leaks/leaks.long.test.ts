import { Buffer } from "node:buffer";
import { randomBytes } from "node:crypto";
import { appendFile, mkdtemp, readdir, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { Ed25519Keypair } from "@mysten/sui/keypairs/ed25519";
import { fromBase64, toBase64 } from "@mysten/sui/utils";
import { describe, expect, test } from "vitest";
import * as z from "zod";
import { parseAccessKey } from "../../shared/access/key-format.ts";
import { equalBytes, utf8 } from "../../shared/bytes.ts";
import { build, DEVELOPMENT_CHAIN, SERVICE } from "../../shared/cli/build.ts";
import { adminCall, createKey, createProject } from "../../shared/cli/client/admin.ts";
import { createFundInProject, deposit, type ServiceAccess } from "../../shared/cli/client/funds.ts";
import { expectAnswer } from "../../shared/cli/client/http.ts";
import { rpcCall, rpcResult } from "../../shared/cli/client/rpc.ts";
import { startPlatform, type Variables } from "../../shared/cli/platform.ts";
import { randomSecrets } from "../../shared/cli/secrets.ts";
import { gasCalls, mintKind, signatureOf, stockClient, submit } from "../../shared/cli/story/gas-calls.ts";
import { parseConfig } from "../../shared/config/config.ts";
import type { ServiceSecrets } from "../../shared/config/secrets.ts";
import { chains } from "../../shared/networks.ts";
import { secretDerivations } from "../../shared/wallet/derivation.ts";
import { DEMO_PACKAGE } from "../devchain/demo.ts";
import { startSelfHosted } from "../harness/self-hosted.ts";
import { masterKey, rewrap } from "../support/wallet-client.ts";
import { findNeedles, type Haystack, type Needle } from "./search.ts";
import { derivedSecret, fundSecrets, tokenSecrets, versionedNeedles, walletSecrets } from "./secrets.ts";

const ONE_SUI_MIST = 1_000_000_000n;
const WRONG_SECRETS = 6;
const DATABASE = /[/\\][0-9a-f]{64}\.sqlite$/;
const LOG = /\.log$/;
const KV_VALUE = /[/\\]kv[/\\].*[/\\]blobs[/\\]/;

/** A service to live with, and what it leaves behind. */
interface Place {
  readonly access: ServiceAccess;
  restart(vars: Variables): Promise<void>;
  /** Ends it. All that it has written: every file below its state directory, and its log. */
  leave(): Promise<readonly Haystack[]>;
  /** The same as it is now. */
  look(): Promise<readonly Haystack[]>;
  /** Whether it keeps sessions in KV. */
  readonly withKv: boolean;
  stop(): Promise<void>;
}

async function filesBelow(directory: string): Promise<readonly Haystack[]> {
  const entries = await readdir(directory, { recursive: true, withFileTypes: true });
  const files = entries.filter((entry) => entry.isFile()).map((entry) => join(entry.parentPath, entry.name));
  return Promise.all(files.map(async (name) => ({ name, bytes: await readFile(name) })));
}

/** Objects and KV on disk, in the embedded platform. */
async function embedded(secrets: Variables): Promise<Place> {
  const directory = await mkdtemp(join(tmpdir(), "gasworks-dump-"));
  const lines: string[] = [];
  const [service, chain] = await Promise.all([build(SERVICE), build(DEVELOPMENT_CHAIN)]);
  const options = { service, chain, serviceVars: secrets, stateDirectory: directory };
  const platform = await startPlatform({ ...options, onLog: (line) => lines.push(line) });
  let running = true;
  const end = async () => {
    if (running) await platform.stop();
    running = false;
  };
  return {
    access: { ...platform, adminToken: secrets.ADMIN_TOKEN ?? "" },
    withKv: true,
    restart: (serviceVars) => platform.restart({ serviceVars }),
    async leave() {
      await end();
      await writeFile(join(directory, "service.log"), lines.join("\n"));
      return filesBelow(directory);
    },
    look: () => filesBelow(directory),
    async stop() {
      await end();
      await rm(directory, { recursive: true, force: true });
    },
  };
}

/** Without KV, on plain workerd: sessions are in the memory of objects. */
async function selfHosted(secrets: Variables): Promise<Place> {
  const hosted = await startSelfHosted({ vars: { service: secrets } });
  return {
    access: { ...hosted, adminToken: secrets.ADMIN_TOKEN ?? "" },
    withKv: false,
    restart: (vars) => hosted.service.restart(vars),
    async leave() {
      await hosted.service.kill();
      return filesBelow(hosted.serviceState);
    },
    look: () => filesBelow(hosted.serviceState),
    stop: () => hosted.stop(),
  };
}

interface Lived {
  readonly secrets: ServiceSecrets;
  readonly tokens: readonly { readonly token: string; readonly projectId: string }[];
  readonly keys: readonly string[];
  /** Every text that was sent as a secret, also where it was refused. */
  readonly texts: readonly string[];
  readonly wallets: readonly {
    readonly projectId: string;
    readonly chain: (typeof chains)[number];
    readonly walletId: string;
    readonly secret: string;
  }[];
  readonly fundId: string;
}

const paths = {
  sui: { network: "SUI_LOCALNET", key: "/wallet/v1", wallet: "/wallet/v1", session: "svc_key_createSession" },
  aptos: { network: "APTOS_LOCALNET", key: "/aptos/key/v1", wallet: "/aptos/wallet/v1", session: "key_createSession" },
} as const;

/** Everything that the service does with secrets, done right and done wrong. */
async function live({ access, restart }: Place, vars: Variables): Promise<Lived> {
  const { serviceUrl } = access;
  const tokens: Lived["tokens"][number][] = [];
  const keys: string[] = [];
  const texts: string[] = [];
  const wallets: Lived["wallets"][number][] = [];
  for (const derivation of secretDerivations)
    for (const chain of chains) {
      const projectId = await createProject(access, "dump", { secretDerivation: derivation });
      const { network, session, ...at } = paths[chain];
      const { key } = await createKey(access, projectId, { name: "dump", network, rights: ["wallet"] });
      keys.push(key);
      const newToken = async (secret: string) => {
        texts.push(secret);
        const token = await rpcResult(`${serviceUrl}${at.key}`, key, session, [secret], z.string());
        tokens.push({ token, projectId });
        return token;
      };
      const call = (method: string, params: readonly unknown[], name?: string) =>
        rpcCall(`${serviceUrl}${at.wallet}`, key, chain === "sui" ? `svc_${method}` : method, params, name);
      const secret = randomBytes(32).toString(derivation === "hkdf" ? "hex" : "base64");
      const token = await newToken(secret);
      const walletId = `user of ${derivation}`;
      wallets.push({ projectId, chain, walletId, secret });
      expectAnswer(
        "creation",
        await call("wal_createWallet", [walletId, token], "once"),
        z.object({ result: z.unknown() }),
      );
      await call("wal_createWallet", [walletId, token], "once");
      await call("wal_getWallet", [walletId]);
      await call("wal_signTransaction", [walletId, token, toBase64(utf8("signed with a good token"))]);
      const wrong = await newToken(randomBytes(32).toString("hex"));
      for (let tries = 0; tries < WRONG_SECRETS; tries += 1)
        await call("wal_signTransaction", [walletId, wrong, toBase64(utf8("x"))]);
      // Where they do not belong: too long, of the wrong type, in a batch, in a path, in broken JSON.
      const misplaced = randomBytes(32).toString("base64url");
      texts.push(misplaced);
      await call("wal_getWallet", [misplaced.repeat(20)]);
      await rpcCall(`${serviceUrl}${at.key}`, key, session, [{ secret: misplaced }]);
      await rpcCall(`${serviceUrl}${at.key}`, key, session, [misplaced.slice(0, 20), misplaced]);
      await call("wal_signTransaction", [walletId, `${token}x`, misplaced]);
      const headers = { "content-type": "application/json" };
      await fetch(`${serviceUrl}${at.wallet}/${key}`, { method: "POST", headers, body: `{"params":["${misplaced}"` });
      await fetch(`${serviceUrl}${at.wallet}/${key}/${misplaced}?secret=${misplaced}`);
      await fetch(`${serviceUrl}/${misplaced}`, { headers: { authorization: `Bearer ${misplaced}` } });
      await adminCall({ ...access, adminToken: misplaced }, "GET", "/projects");
      await adminCall(access, "POST", `/projects/${projectId}/revoke-sessions`);
    }

  const operator = { name: "dump", role: "viewer", expiresAt: "2100-01-01T00:00:00Z" };
  const made = await adminCall(access, "POST", "/tokens", operator);
  const { token: operatorToken } = expectAnswer("an operator's token", made, z.object({ token: z.string() }));
  texts.push(operatorToken.slice(-42));
  await adminCall({ ...access, adminToken: operatorToken }, "GET", "/projects");
  await adminCall({ ...access, adminToken: `${operatorToken}0` }, "GET", "/projects");

  const fund = await createFundInProject(access, "dump");
  await deposit(access, fund, [ONE_SUI_MIST]);
  const gasKey = await createKey(access, fund.projectId, { name: "gas", rights: ["gas"], fundId: fund.fundId });
  keys.push(gasKey.key);
  const gas = gasCalls(serviceUrl, gasKey.key);
  const user = new Ed25519Keypair();
  const { txBytes, signature } = await gas.sponsor(await mintKind(DEMO_PACKAGE, "dump"), user.toSuiAddress());
  await submit(stockClient(access.chainUrl), txBytes, [await signatureOf(user, txBytes), signature]);
  expect(fromBase64(txBytes).length).toBeGreaterThan(0);

  const MASTER_KEYS = `${vars.MASTER_KEYS},${masterKey(2)}`;
  await restart({ MASTER_KEYS });
  await rewrap(access);
  const { service } = parseConfig({ ...vars, MASTER_KEYS });
  if (service === null) throw new Error("no service");
  return { secrets: service, tokens, keys, texts, wallets, fundId: fund.fundId };
}

interface Found {
  readonly salts: ReadonlyMap<string, Uint8Array>;
  readonly wallets: ReadonlyMap<string, { publicKey: Uint8Array; record: Uint8Array }>;
  readonly funds: ReadonlyMap<string, { publicKey: Uint8Array; sealedPrivateKey: Uint8Array }>;
  /** Every value of every row, as it was before SQLite laid it out in pages. */
  readonly rows: readonly Haystack[];
}

const bytesSchema = z.instanceof(Uint8Array);

/** What the databases of the objects hold. */
async function readDatabases(files: readonly Haystack[]): Promise<Found> {
  const found = { salts: new Map(), wallets: new Map(), funds: new Map(), rows: [] as Haystack[] };
  for (const { name } of files.filter((file) => DATABASE.test(file.name))) {
    const database = new DatabaseSync(name, { readOnly: true });
    const tables = database.prepare("SELECT name FROM sqlite_master WHERE type = 'table'").all();
    for (const { name: table } of z.array(z.object({ name: z.string() })).parse(tables)) {
      const values: Buffer[] = [];
      const statement = database.prepare(`SELECT * FROM "${table}"`);
      statement.setReadBigInts(true);
      for (const row of statement.all()) {
        for (const value of Object.values(row))
          values.push(value instanceof Uint8Array ? Buffer.from(value) : Buffer.from(String(value)), Buffer.from("\n"));
        const { public_key: publicKey, record, salt, sealed_private_key: sealedPrivateKey } = row;
        if (table === "wallet" && record !== undefined)
          found.wallets.set(`${row.chain} ${row.wallet_id}`, {
            publicKey: bytesSchema.parse(publicKey),
            record: bytesSchema.parse(record),
          });
        if (table === "project" && salt !== undefined) found.salts.set(String(row.project_id), bytesSchema.parse(salt));
        if (table === "fund")
          found.funds.set(String(row.fund_id), {
            publicKey: bytesSchema.parse(publicKey),
            sealedPrivateKey: bytesSchema.parse(sealedPrivateKey),
          });
      }
      found.rows.push({ name: `table ${table} of ${name}`, bytes: Buffer.concat(values) });
    }
    database.close();
  }
  return found;
}

async function needlesOf({ secrets, tokens, keys, texts, wallets, fundId }: Lived, found: Found): Promise<Needle[]> {
  const { masterKeys, keyPeppers, adminToken } = secrets;
  const needles: Needle[] = [
    ...versionedNeedles("master key", masterKeys),
    ...versionedNeedles("pepper", keyPeppers),
    { name: "the admin token", bytes: utf8(adminToken) },
  ];
  for (const text of texts) {
    needles.push({ name: "a secret", bytes: utf8(text) });
    needles.push({
      name: "a secret's bytes",
      bytes: Buffer.from(text, /^[0-9a-f]{64}$/.test(text) ? "hex" : "base64"),
    });
  }
  for (const key of keys) {
    needles.push({ name: "the secret of an access key", bytes: parseAccessKey(key)?.secret ?? new Uint8Array() });
    // What comes before it names the key, which is no secret.
    needles.push({ name: "the end of an access key", bytes: utf8(key.slice(-42)) });
  }
  for (const { token, projectId } of tokens) needles.push(...(await tokenSecrets(token, projectId, masterKeys)));
  for (const { projectId, chain, walletId, secret } of wallets) {
    const derivation = walletId === "user of hkdf" ? "hkdf" : "scrypt";
    const salt = found.salts.get(projectId);
    const stored = found.wallets.get(`${chain} ${walletId}`);
    if (salt === undefined || stored === undefined) throw new Error(`${walletId} is not on disk`);
    const derived = await derivedSecret(secret, { derivation, salt });
    needles.push(...(await walletSecrets(stored, { projectId, chain, walletId }, derived, masterKeys)));
  }
  const fund = found.funds.get(fundId);
  if (fund === undefined) throw new Error("the fund is not on disk");
  needles.push(...(await fundSecrets(fund, fundId, masterKeys)));
  return needles;
}

/** Writes into a database, as a careless line of code would. */
function plantInDatabase(files: readonly Haystack[], planted: string): void {
  for (const { name } of files.filter((file) => DATABASE.test(file.name))) {
    const database = new DatabaseSync(name);
    const known = database.prepare("SELECT 1 FROM sqlite_master WHERE name = 'audit'").get() !== undefined;
    if (known)
      database.prepare("INSERT INTO audit (at_ms, action, target, detail) VALUES (0, 'x', 'x', ?)").run(planted);
    database.close();
    if (known) return;
  }
  throw new Error("no database to plant into");
}

async function plantInFile(files: readonly Haystack[], which: RegExp, planted: string): Promise<void> {
  const file = files.find(({ name }) => which.test(name));
  if (file === undefined) throw new Error(`no file like ${which}`);
  await appendFile(file.name, planted);
}

describe.each([
  ["objects, KV and the log, with sessions in KV", embedded],
  ["objects and the log of plain workerd, with sessions in memory", selfHosted],
] as const)("%s", (_, start) => {
  test("hold no secret, no token, no access key and no derived key, in whatever form", async () => {
    const { FLOWS_CALLER_SECRET: __, ...vars } = randomSecrets();
    const place = await start(vars);
    try {
      const lived = await live(place, vars);
      const files = await place.leave();
      const found = await readDatabases(files);
      const needles = await needlesOf(lived, found);
      expect(
        files.some(({ bytes }) => bytes.includes("security.secret_mismatch")),
        "the log is there",
      ).toBe(true);
      expect(needles.length).toBeGreaterThan(80);
      expect(findNeedles([...files, ...found.rows], needles)).toEqual([]);

      // That the search finds nothing means something only if it would:
      const [{ token } = { token: "" }] = lived.tokens;
      const [{ secret } = { secret: "" }] = lived.wallets;
      const random = Buffer.from(token.slice("ivs_".length), "base64url").subarray(2, 34);
      const planted = [utf8(token), random, utf8(secret)];
      const wanted = needles.filter(({ bytes }) => planted.some((one) => equalBytes(one, bytes)));
      const foundNow = async () => findNeedles(await place.look(), wanted).join("\n");
      plantInDatabase(files, JSON.stringify({ session: token }));
      expect(await foundNow()).toMatch(/^a token in .*\.sqlite/m);
      await plantInFile(files, LOG, JSON.stringify([...random]));
      expect(await foundNow()).toMatch(/^a token's random bytes in .*\.log$/m);
      if (place.withKv) {
        await plantInFile(files, KV_VALUE, Buffer.from(secret).toString("hex"));
        expect(await foundNow()).toMatch(/^a secret in .*blobs/m);
      }
    } finally {
      await place.stop();
    }
  });
});
