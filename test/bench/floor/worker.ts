import { DurableObject } from "cloudflare:workers";
import type { Caller } from "../../../shared/access/caller.ts";
import type { AdmissionRequest, Admitted } from "../../../shared/access/record.ts";
import type { CreateWallet, SignInput, WalletSignature } from "../../../shared/bindings/wallet.ts";
import { toBase64 } from "../../../shared/crypto/base64.ts";
import { DueTable } from "../../../shared/durable/due-table.ts";
import { GroupCommit } from "../../../shared/durable/group-commit.ts";
import { migrate } from "../../../shared/durable/migrations.ts";
import { done, type Outcome } from "../../../shared/errors.ts";
import { type LedgerRow, type Usage, WHOLE_FUND } from "../../../shared/fund/ledger/books.ts";
import { migrations } from "../../../shared/fund/migrations.ts";
import type { SponsorInput } from "../../../shared/fund/sui/engine/reserve.ts";
import type { Sponsored } from "../../../shared/fund/sui/engine/sponsor.ts";
import { SPONSORSHIP_TTL_MS } from "../../../shared/fund/sui/limits.ts";
import { SqliteSuiFundStore } from "../../../shared/fund/sui/sqlite-store.ts";
import type { FundCoin, SuiSponsorship } from "../../../shared/fund/sui/store.ts";
import { NO_LIMITS } from "../../../shared/policy/fund-policy-defaults.ts";
import type { WalletRef } from "../../../shared/wallet/context.ts";
import type { ProjectDerivation } from "../../../shared/wallet/derivation.ts";

interface Env {
  readonly FLOOR_KEY: DurableObjectNamespace<FloorKey>;
  readonly FLOOR_FUND: DurableObjectNamespace<FloorFund>;
  readonly FLOOR_SESSION: DurableObjectNamespace<FloorSession>;
  readonly FLOOR_PROJECT: DurableObjectNamespace<FloorProject>;
  readonly FLOOR_WALLET: DurableObjectNamespace<FloorWallet>;
  /** Where the gateway's floor passes requests on to. */
  readonly UPSTREAM?: string;
}

/** What the two object calls carry, both ways: as much as the service's do. */
const KEY_ID = "key_00000000000000000000";
const CALLER = {
  keyId: KEY_ID,
  projectId: "prj_00000000000000000000",
  network: "SUI_LOCALNET",
  rights: ["gas"],
  fundId: "fund_00000000000000000000",
  sessionEpoch: 0,
  policy: NO_LIMITS,
} as const satisfies Caller;
const KIND_BYTES = new Uint8Array(120);
const TRANSACTION_BYTES = 400;
const SIGNATURE_BYTES = 97;

/** Stands where the access key's object stands: one call, answered from memory. */
export class FloorKey extends DurableObject<Env> {
  async admit(_request: AdmissionRequest): Promise<Outcome<Admitted>> {
    return done({ caller: CALLER, calls: [done(null)] });
  }
}

/**
 * Stands where the fund stands. Its commits are the service's: the same rows, in the same tables, with the same indexes.
 * What it does not do is find a coin, judge a request, build or hash a transaction.
 */
export class FloorFund extends DurableObject<Env> {
  readonly #signer = crypto.subtle.generateKey("Ed25519", false, ["sign", "verify"]);
  readonly #store: SqliteSuiFundStore;
  readonly #commits = new GroupCommit((transition) => this.#store.transact(transition), Date.now);

  constructor(ctx: DurableObjectState, env: Env) {
    super(ctx, env);
    migrate(ctx.storage, migrations);
    const due = new DueTable(ctx.storage, (atMs) => atMs);
    this.#store = new SqliteSuiFundStore(ctx.storage, (...row) => due.set(...row));
  }

  /** What is written as due lies an hour ahead. */
  override async alarm(): Promise<void> {}

  /** A sponsorship's commit, made durable, together with those of others who come meanwhile; then one signature. */
  async sponsor(_input: SponsorInput): Promise<Sponsored> {
    const sponsorship = newSponsorship();
    await this.#commits.run(() => done(this.#write(sponsorship)));
    return this.#signDurable(sponsorship);
  }

  readonly #prepared = new Map<string, SuiSponsorship>();

  /** The first half of prepare and execute: a commit, made durable, and no signature. */
  async prepare(_input: SponsorInput): Promise<string> {
    const sponsorship = newSponsorship();
    await this.#commits.run(() => done(this.#write({ ...sponsorship, state: "prepared", signedAtMs: null })));
    await this.ctx.storage.sync();
    this.#prepared.set(sponsorship.digest, sponsorship);
    return sponsorship.digest;
  }

  /** The second half: a durable commit before the signature, and one after the node's answer, which is left out. */
  async execute(digest: string): Promise<string> {
    const sponsorship = this.#prepared.get(digest);
    if (sponsorship === undefined) throw new Error(`${digest} is not prepared`);
    this.#prepared.delete(digest);
    await this.#commits.run(() => done(this.#store.putSponsorship(sponsorship)));
    const { signature } = await this.#signDurable(sponsorship);
    await this.#commits.run(() => done(this.#complete(sponsorship)));
    return signature;
  }

  /** The rows of a settlement: coin, sponsorship, ledger, counters, and the due row that is gone. */
  #complete(sponsorship: SuiSponsorship): void {
    const { digest, keyId, createdAtMs } = sponsorship;
    const store = this.#store;
    store.putCoin({ ...COIN, objectId: digest.padEnd(SENDER.length, "0"), state: "free", heldByDigest: null });
    store.putSponsorship({
      ...sponsorship,
      state: "complete",
      chargedAtoms: 1n,
      rebateAtoms: 0n,
      maintenanceAtoms: 0n,
    });
    store.addLedger({ ...LEDGER_ROW, kind: "charge", atMs: createdAtMs, reference: digest, keyId });
    for (const scope of [WHOLE_FUND, keyId]) store.putUsage(scope, USAGE);
    store.setDue("settle", digest, null);
  }

  /** One write, one signature. */
  async bare(): Promise<string> {
    const sponsorship = newSponsorship();
    this.#store.putSponsorship(sponsorship);
    const { privateKey } = await this.#keyPair();
    await crypto.subtle.sign("Ed25519", privateKey, sponsorship.transactionBytes);
    return sponsorship.digest;
  }

  /** Coin, sponsorship, ledger and due row; the counters of fund and key are written once a commit. */
  #write(sponsorship: SuiSponsorship): void {
    const { digest, keyId, createdAtMs, expiresAtMs } = sponsorship;
    const store = this.#store;
    store.putCoin({ ...COIN, objectId: digest.padEnd(SENDER.length, "0"), heldByDigest: digest });
    store.putSponsorship(sponsorship);
    store.addLedger({ ...LEDGER_ROW, atMs: createdAtMs, reference: digest, keyId });
    for (const scope of [WHOLE_FUND, keyId]) store.putUsage(scope, USAGE);
    store.setDue("settle", digest, expiresAtMs);
  }

  async #signDurable({ transactionBytes, digest, expiresAtMs }: SuiSponsorship): Promise<Sponsored> {
    await this.ctx.storage.sync();
    const { privateKey, publicKey } = await this.#keyPair();
    const signature = await crypto.subtle.sign("Ed25519", privateKey, transactionBytes);
    if (!(await crypto.subtle.verify("Ed25519", publicKey, signature, transactionBytes)))
      throw new Error("bad signature");
    return { txBytes: transactionBytes, digest, signature: toBase64(new Uint8Array(SIGNATURE_BYTES)), expiresAtMs };
  }

  async #keyPair(): Promise<CryptoKeyPair> {
    const pair = await this.#signer;
    if (!("privateKey" in pair)) throw new Error("the runtime made no Ed25519 key pair");
    return pair;
  }
}

const BUDGET_MIST = 5_000_000n;
const DIGEST_CHARACTERS = 44;
const OBJECT_DIGEST = "1".repeat(DIGEST_CHARACTERS);
const SENDER = `0x${"0".repeat(64)}`;
const COIN: Omit<FundCoin, "objectId" | "heldByDigest"> = {
  version: 1n,
  digest: OBJECT_DIGEST,
  balanceMist: 10_000_000n,
  state: "held",
  maintenance: false,
};
const LEDGER_ROW: Omit<LedgerRow, "atMs" | "reference" | "keyId"> = {
  kind: "reserve",
  balanceAtoms: 0n,
  addressBalanceAtoms: 0n,
  inFlightAtoms: BUDGET_MIST,
  accruedFeesAtoms: 0n,
};
const USAGE: Usage = {
  day: 0,
  inFlightCount: 1,
  inFlightAtoms: BUDGET_MIST,
  spentTodayAtoms: BUDGET_MIST,
  abandonCostTodayAtoms: 0n,
};

function newSponsorship(): SuiSponsorship {
  const createdAtMs = Date.now();
  return {
    digest: crypto.randomUUID().padEnd(DIGEST_CHARACTERS, "1"),
    state: "signed",
    transactionBytes: crypto.getRandomValues(new Uint8Array(TRANSACTION_BYTES)),
    sender: SENDER,
    keyId: KEY_ID,
    gasObjectId: SENDER,
    gasBudgetAtoms: BUDGET_MIST,
    feeAtoms: 0n,
    expirationEpoch: 1n,
    sinceCheckpoint: 0n,
    createdAtMs,
    signedAtMs: createdAtMs,
    expiresAtMs: createdAtMs + SPONSORSHIP_TTL_MS,
    chargedAtoms: null,
    rebateAtoms: null,
    maintenanceAtoms: null,
    maxStorageMist: null,
  };
}

const ADMISSION = {
  secretHash: new Uint8Array(32),
  chain: "sui",
  calls: [["gas"]],
} as const satisfies AdmissionRequest;
const INPUT: SponsorInput = {
  keyId: KEY_ID,
  keyPolicy: NO_LIMITS,
  idempotency: null,
  kindBytes: KIND_BYTES,
  sender: SENDER,
  gasBudgetMist: BUDGET_MIST,
  maxGasBudgetMist: null,
  gasPriceMist: null,
  lastEpoch: null,
};

const SESSION_VALUE_BYTES = 92;
const RECORD_BYTES = 176;
/** What is signed: a hash. */
const SIGNED_BYTES = 32;
const PUBLIC_KEY_BYTES = 32;
const SESSION_KEY = `s1:${"0".repeat(22)}`;
const ADDRESS = `0x${"0".repeat(64)}`;
const SECRET = { derivation: "hkdf", bytes: new Uint8Array(32) } as const;

function walletRef(walletId: string): WalletRef {
  return { projectId: CALLER.projectId, chain: "sui", walletId };
}

/** Stands where a shard of the session store stands: one call, answered from memory. */
export class FloorSession extends DurableObject<Env> {
  readonly #value = new Uint8Array(SESSION_VALUE_BYTES);

  async get(_key: string): Promise<Uint8Array | null> {
    return this.#value;
  }

  async put(_key: string, _value: Uint8Array, _expiresAtMs: number): Promise<Outcome<null>> {
    return done(null);
  }
}

/** Stands where the project stands when a wallet is made: a commit before it exists, and one after. */
export class FloorProject extends DurableObject<Env> {
  constructor(ctx: DurableObjectState, env: Env) {
    super(ctx, env);
    ctx.storage.sql.exec(`
      CREATE TABLE IF NOT EXISTS wallet (name TEXT PRIMARY KEY, address TEXT) WITHOUT ROWID;
      CREATE TABLE IF NOT EXISTS sealed (name TEXT PRIMARY KEY, version INTEGER) WITHOUT ROWID;
      CREATE TABLE IF NOT EXISTS due (reference TEXT PRIMARY KEY, at_ms INTEGER) WITHOUT ROWID;
    `);
  }

  async terms(): Promise<ProjectDerivation> {
    return { derivation: "hkdf", salt: SECRET.bytes };
  }

  async admit(name: string): Promise<boolean> {
    const { sql } = this.ctx.storage;
    sql.exec("INSERT INTO wallet (name) VALUES (?)", name);
    sql.exec("INSERT INTO sealed VALUES (?, 1)", name);
    sql.exec("INSERT INTO due VALUES (?, ?)", name, Date.now());
    return true;
  }

  async confirm(name: string, address: string): Promise<void> {
    const { sql } = this.ctx.storage;
    sql.exec("UPDATE wallet SET address = ? WHERE name = ?", address, name);
    sql.exec("DELETE FROM due WHERE reference = ?", name);
  }
}

/** A wallet's private key, in a wrapping that is open: what is measured is the key's way into WebCrypto and out of it. */
interface WrappedKey {
  readonly wrapped: ArrayBuffer;
  readonly wrapping: CryptoKey;
}

const WRAPPING = { name: "AES-GCM", iv: new Uint8Array(12) };

async function wrappedKey(privateKey: CryptoKey): Promise<WrappedKey> {
  const wrapping = await crypto.subtle.importKey("raw", new Uint8Array(32), "AES-GCM", false, ["wrapKey", "unwrapKey"]);
  return { wrapped: await crypto.subtle.wrapKey("pkcs8", privateKey, wrapping, WRAPPING), wrapping };
}

/**
 * Stands where a wallet stands. A wallet's key is never at hand: each signature begins with the unwrapping of it in
 * WebCrypto, which is part of the operation here as well. `signAtHand` is without it.
 */
export class FloorWallet extends DurableObject<Env> {
  #pair: Promise<CryptoKey | CryptoKeyPair> | null = null;
  #wrapped: Promise<WrappedKey> | null = null;

  constructor(ctx: DurableObjectState, env: Env) {
    super(ctx, env);
    ctx.storage.sql.exec(`
      CREATE TABLE IF NOT EXISTS wallet (only_row INTEGER PRIMARY KEY, record BLOB);
      CREATE TABLE IF NOT EXISTS due (reference TEXT PRIMARY KEY, at_ms INTEGER) WITHOUT ROWID;
    `);
  }

  async sign({ message }: SignInput): Promise<Outcome<WalletSignature>> {
    const pair = await this.#keyPair();
    this.#wrapped ??= wrappedKey(pair.privateKey);
    const { wrapped, wrapping } = await this.#wrapped;
    const usages = ["sign"];
    const opened = await crypto.subtle.unwrapKey("pkcs8", wrapped, wrapping, WRAPPING, "Ed25519", false, usages);
    return done(await this.#sign(message, { ...pair, privateKey: opened }));
  }

  async signAtHand({ message }: SignInput): Promise<Outcome<WalletSignature>> {
    return done(await this.#sign(message, await this.#keyPair()));
  }

  async #keyPair(): Promise<CryptoKeyPair> {
    this.#pair ??= crypto.subtle.generateKey("Ed25519", true, ["sign", "verify"]);
    const pair = await this.#pair;
    if (!("privateKey" in pair)) throw new Error("the runtime made no Ed25519 key pair");
    return pair;
  }

  async #sign(message: Uint8Array, pair: CryptoKeyPair): Promise<WalletSignature> {
    const signature = await crypto.subtle.sign("Ed25519", pair.privateKey, message);
    if (!(await crypto.subtle.verify("Ed25519", pair.publicKey, signature, message))) throw new Error("bad signature");
    return { signature: new Uint8Array(signature), publicKey: new Uint8Array(PUBLIC_KEY_BYTES) };
  }

  /** Two commits of its own, its project's two, a new key, and the signature that tries it. */
  async create({ wallet: { walletId: name } }: CreateWallet): Promise<Outcome<string>> {
    const project = this.env.FLOOR_PROJECT.getByName("project");
    await project.admit(name);
    await this.#sign(new Uint8Array(SIGNED_BYTES), await this.#keyPair());
    const { sql } = this.ctx.storage;
    sql.exec("INSERT INTO wallet VALUES (1, ?)", new Uint8Array(RECORD_BYTES));
    sql.exec("INSERT INTO due VALUES ('confirm', ?)", Date.now());
    await project.confirm(name, name);
    sql.exec("DELETE FROM due");
    return done(ADDRESS);
  }
}

async function walletFloor(pathname: string, request: Request, env: Env): Promise<string> {
  const name = await request.text();
  const session = env.FLOOR_SESSION.getByName("session");
  const wallet = env.FLOOR_WALLET.getByName(name);
  await env.FLOOR_KEY.getByName("key").admit({ ...ADMISSION, derivations: [0] });
  switch (pathname) {
    case "/wallet-session":
      await env.FLOOR_PROJECT.getByName("project").terms();
      await session.put(SESSION_KEY, new Uint8Array(SESSION_VALUE_BYTES), Date.now());
      return "token";
    case "/wallet-create": {
      await session.get(SESSION_KEY);
      const created = await wallet.create({
        wallet: walletRef(name),
        secret: SECRET,
        keyId: KEY_ID,
        idempotency: null,
      });
      return created.ok ? created.value : "";
    }
    default: {
      await session.get(SESSION_KEY);
      const input = { wallet: walletRef(name), secret: SECRET, keyId: KEY_ID, message: new Uint8Array(SIGNED_BYTES) };
      const signed = await (pathname === "/wallet-sign" ? wallet.sign(input) : wallet.signAtHand(input));
      return signed.ok ? toBase64(new Uint8Array([0, ...signed.value.signature, ...signed.value.publicKey])) : "";
    }
  }
}

/**
 * The routes of wallets take the name of one as their body, and make the object calls, commits and signature operations
 * of a signature, a creation and a session, whose store is in objects.
 *
 * `/floor` makes the object call, commit and signature of `gas_sponsorTransactionBlock` with a budget, and nothing else:
 * no parsing, no rules, no reading. `/floor-two-calls` calls the key's object first, as for a key whose fund the Worker
 * does not know. `/floor-prepare` and `/floor-execute` are those of prepare and execute, without a node. `/bare` makes one
 * object call with one write and one signature. `/gateway` makes the call of the key's object and hands the upstream's
 * answer on as it is.
 */
export default {
  async fetch(request: Request, env: Env): Promise<Response> {
    const { pathname } = new URL(request.url);
    if (pathname.startsWith("/wallet-")) return Response.json({ result: await walletFloor(pathname, request, env) });
    if (pathname.startsWith("/gateway")) {
      await env.FLOOR_KEY.getByName("key").admit({ ...ADMISSION, calls: [["node"]] });
      return fetch(`${env.UPSTREAM}${pathname.slice("/gateway".length)}`);
    }
    const fund = env.FLOOR_FUND.getByName("fund");
    if (pathname === "/bare") return Response.json({ result: await fund.bare() });
    if (pathname === "/floor-prepare") return Response.json({ result: await fund.prepare(INPUT) });
    if (pathname === "/floor-execute") return Response.json({ result: await fund.execute(await request.text()) });
    if (pathname !== "/floor" && pathname !== "/floor-two-calls") return new Response(null, { status: 404 });
    if (pathname === "/floor-two-calls") await env.FLOOR_KEY.getByName("key").admit(ADMISSION);
    const sponsored = await fund.sponsor(INPUT);
    return Response.json({ result: { ...sponsored, txBytes: toBase64(sponsored.txBytes) } });
  },
};
