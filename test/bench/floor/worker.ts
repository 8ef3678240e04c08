import { DurableObject } from "cloudflare:workers";
import type { Caller } from "../../../shared/access/caller.ts";
import type { AdmissionRequest, Admitted } from "../../../shared/access/record.ts";
import type { CreateWallet, SignInput, WalletSignature, WalletView } from "../../../shared/bindings/wallet.ts";
import { toBase64 } from "../../../shared/crypto/base64.ts";
import { hkdfAesKey, hkdfBytes } from "../../../shared/crypto/hkdf.ts";
import { DueTable } from "../../../shared/durable/due-table.ts";
import { GroupCommit } from "../../../shared/durable/group-commit.ts";
import { migrate } from "../../../shared/durable/migrations.ts";
import { u64Text } from "../../../shared/durable/sql.ts";
import { done, type Outcome } from "../../../shared/errors.ts";
import { FUND_DUE_COLUMNS } from "../../../shared/fund/due-times.ts";
import { type LedgerRow, type Usage, WHOLE_FUND } from "../../../shared/fund/ledger/books.ts";
import { migrations } from "../../../shared/fund/migrations.ts";
import type { Sponsored } from "../../../shared/fund/sui/engine/sponsor.ts";
import type { SponsorInput } from "../../../shared/fund/sui/engine/sponsor-input.ts";
import { SPONSORSHIP_TTL_MS } from "../../../shared/fund/sui/limits.ts";
import { SqliteSuiFundStore } from "../../../shared/fund/sui/sqlite-store.ts";
import type { FundCoin, SuiSponsorship } from "../../../shared/fund/sui/store.ts";
import { NO_LIMITS } from "../../../shared/policy/fund-policy-defaults.ts";
import { migrations as projectMigrations } from "../../../shared/project/schema.ts";
import type { WalletEntry } from "../../../shared/project/views.ts";
import type { WalletRef } from "../../../shared/wallet/context.ts";
import { WALLET_RECORD_BYTES } from "../../../shared/wallet/record.ts";
import { WalletStore } from "../../../shared/wallet/store.ts";
import { createReadingFloor, READ_PATH } from "./reading.ts";

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
    const due = new DueTable(ctx.storage, (atMs) => atMs, {}, FUND_DUE_COLUMNS);
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

  /** The rows of a settlement: coin, sponsorship, ledger, counters, and the due time that is gone. */
  #complete(sponsorship: SuiSponsorship): void {
    const { digest, keyId, createdAtMs, gasObjectId } = sponsorship;
    const store = this.#store;
    store.putCoin({ ...COIN, objectId: gasObjectId ?? "", state: "free", heldByDigest: null });
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

  /** Coin, sponsorship with its due time, and ledger row; the counters of fund and key are written once a commit. */
  #write(sponsorship: SuiSponsorship): void {
    const { digest, keyId, createdAtMs, expiresAtMs } = sponsorship;
    const store = this.#store;
    const { version, balanceMist } = COIN;
    this.ctx.storage.sql.exec(
      `INSERT INTO coin (object_id, version, digest, balance_mist, state, holder, is_sole)
       VALUES (?, ?, ?, ?, 'held', ?, 1)`,
      sponsorship.gasObjectId,
      u64Text(version),
      OBJECT_DIGEST,
      u64Text(balanceMist),
      digest,
    );
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

/** The number of the next coin. A fund lends its coins in the order of their ids, too. */
let nextCoin = 0;

function newSponsorship(): SuiSponsorship {
  const createdAtMs = Date.now();
  nextCoin += 1;
  return {
    digest: crypto.randomUUID().padEnd(DIGEST_CHARACTERS, "1"),
    state: "signed",
    transactionBytes: crypto.getRandomValues(new Uint8Array(TRANSACTION_BYTES)),
    sender: SENDER,
    keyId: KEY_ID,
    gasObjectId: `0x${nextCoin.toString(16).padStart(64, "0")}`,
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
    isReleased: false,
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
const SESSION_PLAINTEXT_BYTES = 47;
const SESSION_NAMES_BYTES = 20;
const HOUR_MS = 3_600_000;
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

/** Stands where the project stands when a wallet is made. Its commits are the service's: the same rows, in groups. */
export class FloorProject extends DurableObject<Env> {
  readonly #commits = new GroupCommit((transition) => this.ctx.storage.transactionSync(transition), Date.now);
  readonly #due = new DueTable(this.ctx.storage, (atMs) => atMs);

  constructor(ctx: DurableObjectState, env: Env) {
    super(ctx, env);
    migrate(ctx.storage, projectMigrations);
  }

  /** What is written as due lies an hour ahead. */
  override async alarm(): Promise<void> {}

  async admit({ name, chain, walletId }: WalletEntry): Promise<Outcome<null>> {
    const { sql } = this.ctx.storage;
    return this.#commits.run(() => {
      sql.exec(
        "INSERT INTO wallet (name, chain, wallet_id, month, admitted_at_ms) VALUES (?, ?, ?, 0, ?)",
        name,
        chain,
        walletId,
        Date.now(),
      );
      sql.exec("INSERT INTO sealed (name, kind, master_key_version) VALUES (?, 'wallet', 1)", name);
      this.#due.set("wallet", name, Date.now() + HOUR_MS);
      return done(null);
    });
  }

  async confirm({ entry, address }: WalletView): Promise<Outcome<null>> {
    return this.#commits.run(() => {
      this.ctx.storage.sql.exec("UPDATE wallet SET address = ? WHERE name = ?", address, entry.name);
      this.#due.set("wallet", entry.name, null);
      return done(null);
    });
  }
}

const NONCE = new Uint8Array(12);
const WRAPPING = { name: "AES-GCM", iv: NONCE };
/** About what the derived keys of a record and of a session are bound to. */
const KEY_INFO = new Uint8Array(80);

/** A wallet's private key, in a wrapping that is open: the measured cost is its way into WebCrypto and out of it. */
interface WrappedKey {
  readonly wrapped: ArrayBuffer;
  readonly wrapping: CryptoKey;
}

async function wrapKey(privateKey: CryptoKey): Promise<WrappedKey> {
  const wrapping = await crypto.subtle.importKey("raw", new Uint8Array(32), "AES-GCM", false, ["wrapKey", "unwrapKey"]);
  return { wrapped: await crypto.subtle.wrapKey("pkcs8", privateKey, wrapping, WRAPPING), wrapping };
}

function unwrapKey({ wrapped, wrapping }: WrappedKey): Promise<CryptoKey> {
  return crypto.subtle.unwrapKey("pkcs8", wrapped, wrapping, WRAPPING, "Ed25519", false, ["sign"]);
}

async function newKeyPair(): Promise<CryptoKeyPair> {
  const pair = await crypto.subtle.generateKey("Ed25519", true, ["sign", "verify"]);
  if (!("privateKey" in pair)) throw new Error("the runtime made no Ed25519 key pair");
  return pair;
}

/**
 * Stands where a wallet stands. A wallet's key is never at hand: each signature begins with the unwrapping of it in
 * WebCrypto, which is part of the operation here as well. `signAtHand` is without it. `signSealed` also checks the
 * secret and derives the key of the wrapping from it. The commits of `create` are the service's.
 */
export class FloorWallet extends DurableObject<Env> {
  readonly #store = new WalletStore(this.ctx.storage);
  readonly #due = new DueTable(this.ctx.storage, (atMs) => atMs);
  #pair: Promise<CryptoKeyPair> | null = null;
  #wrapped: Promise<WrappedKey> | null = null;

  /** What is written as due lies an hour ahead. */
  override async alarm(): Promise<void> {}

  async sign({ message }: SignInput): Promise<Outcome<WalletSignature>> {
    const pair = await this.#keyPair();
    this.#wrapped ??= wrapKey(pair.privateKey);
    const opened = await unwrapKey(await this.#wrapped);
    return done(await this.#sign(message, { ...pair, privateKey: opened }));
  }

  async signAtHand({ message }: SignInput): Promise<Outcome<WalletSignature>> {
    return done(await this.#sign(message, await this.#keyPair()));
  }

  async signSealed(input: SignInput): Promise<Outcome<WalletSignature>> {
    const inner = { salt: input.secret.bytes, info: KEY_INFO };
    // The check of the secret, and the key of the wrapping.
    hkdfBytes(input.secret.bytes, inner, SECRET.bytes.length);
    await hkdfAesKey(input.secret.bytes, inner, ["unwrapKey"]);
    return this.sign(input);
  }

  #keyPair(): Promise<CryptoKeyPair> {
    this.#pair ??= newKeyPair();
    return this.#pair;
  }

  async #sign(message: Uint8Array, pair: CryptoKeyPair): Promise<WalletSignature> {
    const signature = await crypto.subtle.sign("Ed25519", pair.privateKey, message);
    if (!(await crypto.subtle.verify("Ed25519", pair.publicKey, signature, message))) throw new Error("bad signature");
    return { signature: new Uint8Array(signature), publicKey: new Uint8Array(PUBLIC_KEY_BYTES) };
  }

  /** Two commits of its own, its project's two, a new key, its way out of WebCrypto and back, and its first signature. */
  async create({ wallet }: CreateWallet): Promise<Outcome<string>> {
    const project = this.env.FLOOR_PROJECT.getByName("project");
    const entry = { name: wallet.walletId, chain: wallet.chain, walletId: wallet.walletId };
    await project.admit(entry);
    const pair = await newKeyPair();
    const privateKey = await unwrapKey(await wrapKey(pair.privateKey));
    await this.#sign(new Uint8Array(SIGNED_BYTES), { ...pair, privateKey });
    const stored = { publicKey: new Uint8Array(PUBLIC_KEY_BYTES), record: new Uint8Array(WALLET_RECORD_BYTES) };
    this.#store.insert(wallet, stored, null, Date.now(), () => this.#due.set("confirm", "", Date.now() + HOUR_MS));
    await project.confirm({ entry, address: ADDRESS, masterKeyVersion: 1 });
    this.#store.markListed();
    this.#due.set("confirm", "", null);
    this.#due.disarmIfEmpty();
    return done(ADDRESS);
  }
}

/** The session's half that the Worker opens on the route with seals. Kept as bytes, which any request may use. */
let sealedHalf: Uint8Array | null = null;

/** Derives the names of a token and the key of its half, and opens the half. */
async function openHalf(): Promise<void> {
  const input = { salt: SECRET.bytes, info: KEY_INFO };
  hkdfBytes(SECRET.bytes, input, SESSION_NAMES_BYTES);
  const key = await hkdfAesKey(SECRET.bytes, input, ["encrypt", "decrypt"]);
  sealedHalf ??= new Uint8Array(await crypto.subtle.encrypt(WRAPPING, key, new Uint8Array(SESSION_PLAINTEXT_BYTES)));
  await crypto.subtle.decrypt(WRAPPING, key, sealedHalf);
}

/** Derives an app's secret, the names of a token and the key of its half, and seals the half. */
async function sealHalf(): Promise<void> {
  const input = { salt: SECRET.bytes, info: KEY_INFO };
  hkdfBytes(SECRET.bytes, input, SECRET.bytes.length);
  hkdfBytes(SECRET.bytes, input, SESSION_NAMES_BYTES);
  const key = await hkdfAesKey(SECRET.bytes, input, ["encrypt", "decrypt"]);
  await crypto.subtle.encrypt(WRAPPING, key, new Uint8Array(SESSION_PLAINTEXT_BYTES));
}

function signInput(walletId: string): SignInput {
  return { wallet: walletRef(walletId), secret: SECRET, keyId: KEY_ID, message: new Uint8Array(SIGNED_BYTES) };
}

function signatureText(signed: Outcome<WalletSignature>): string {
  return signed.ok ? toBase64(new Uint8Array([0, ...signed.value.signature, ...signed.value.publicKey])) : "";
}

/** Has the form of a token. */
const TOKEN = `ivs_${"A".repeat(51)}`;

let reading: ReturnType<typeof createReadingFloor> | null = null;

/** Returns the floor that reads its requests as the service does. Each isolate makes one. */
function readingFloor(env: Env): ReturnType<typeof createReadingFloor> {
  reading ??= createReadingFloor({
    async admit() {
      await env.FLOOR_KEY.getByName("key").admit({ ...ADMISSION, derivations: [0] });
      return CALLER;
    },
    async session() {
      await sealHalf();
      return done(TOKEN);
    },
    async sign(walletId) {
      await openHalf();
      return done(signatureText(await env.FLOOR_WALLET.getByName(walletId).signSealed(signInput(walletId))));
    },
  });
  return reading;
}

function signedAs(pathname: string, wallet: DurableObjectStub<FloorWallet>, input: SignInput) {
  if (pathname === "/wallet-sign-sealed") return wallet.signSealed(input);
  return pathname === "/wallet-sign-at-hand" ? wallet.signAtHand(input) : wallet.sign(input);
}

async function walletFloor(pathname: string, request: Request, env: Env): Promise<string> {
  const name = await request.text();
  const session = env.FLOOR_SESSION.getByName("session");
  const wallet = env.FLOOR_WALLET.getByName(name);
  await env.FLOOR_KEY.getByName("key").admit({ ...ADMISSION, derivations: [0] });
  switch (pathname) {
    case "/wallet-session":
      return "token";
    case "/wallet-session-sealed":
      await sealHalf();
      return "token";
    case "/wallet-session-two-calls":
      await session.put(SESSION_KEY, new Uint8Array(SESSION_VALUE_BYTES), Date.now());
      return "token";
    case "/wallet-create": {
      const created = await wallet.create({
        wallet: walletRef(name),
        secret: SECRET,
        keyId: KEY_ID,
        idempotency: null,
      });
      return created.ok ? created.value : "";
    }
    default: {
      if (pathname === "/wallet-sign-three-calls") await session.get(SESSION_KEY);
      if (pathname === "/wallet-sign-sealed") await openHalf();
      return signatureText(await signedAs(pathname, wallet, signInput(name)));
    }
  }
}

/**
 * The routes of wallets take the name of one as their body, and make the object calls, commits and signature operations
 * of a signature, a creation and a session, whose store is in objects. These share the Worker's isolate, so the Worker
 * uses their memory without a call. `/wallet-sign-three-calls` and `/wallet-session-two-calls` call them, as for objects
 * that run elsewhere. The Worker remembers a project's terms of derivation, so a session calls no project.
 *
 * `/wallet-session-sealed` and `/wallet-sign-sealed` also make the seals of a token's half. `/read` does so for either
 * method of the service, and reads and answers its request as the service does.
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
    if (pathname === READ_PATH) return readingFloor(env).fetch(request);
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
