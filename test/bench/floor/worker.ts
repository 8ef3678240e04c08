import { DurableObject } from "cloudflare:workers";

interface Env {
  readonly FLOOR_KEY: DurableObjectNamespace<FloorKey>;
  readonly FLOOR_FUND: DurableObjectNamespace<FloorFund>;
}

/** Stands where the access key's object stands: one call, answered from memory. */
export class FloorKey extends DurableObject<Env> {
  async admit(): Promise<boolean> {
    return true;
  }
}

const TRANSACTION_BYTES = 400;

/** Stands where the fund stands. Tables have primary keys only: what the service adds to them is its own choice. */
export class FloorFund extends DurableObject<Env> {
  readonly #signer = crypto.subtle.generateKey("Ed25519", false, ["sign", "verify"]);

  constructor(ctx: DurableObjectState, env: Env) {
    super(ctx, env);
    ctx.storage.sql.exec(`
      CREATE TABLE IF NOT EXISTS coin (id TEXT PRIMARY KEY, state TEXT) WITHOUT ROWID;
      CREATE TABLE IF NOT EXISTS sponsorship (digest TEXT PRIMARY KEY, bytes BLOB);
      CREATE TABLE IF NOT EXISTS ledger (sequence INTEGER PRIMARY KEY AUTOINCREMENT, amount TEXT);
      CREATE TABLE IF NOT EXISTS due (reference TEXT PRIMARY KEY, at_ms INTEGER) WITHOUT ROWID;
    `);
  }

  /** A sponsorship's commit (coin, sponsorship, ledger, due row), made durable; then one signature, verified. */
  async sponsor(): Promise<string> {
    const { sql } = this.ctx.storage;
    const message = crypto.getRandomValues(new Uint8Array(TRANSACTION_BYTES));
    const id = crypto.randomUUID();
    this.ctx.storage.transactionSync(() => {
      sql.exec("INSERT INTO coin VALUES (?, 'held')", id);
      sql.exec("INSERT INTO sponsorship VALUES (?, ?)", id, message);
      sql.exec("INSERT INTO ledger (amount) VALUES (?)", "5000000");
      sql.exec("INSERT INTO due VALUES (?, ?)", id, Date.now());
    });
    await this.ctx.storage.sync();
    const { privateKey, publicKey } = await this.#keyPair();
    const signature = await crypto.subtle.sign("Ed25519", privateKey, message);
    if (!(await crypto.subtle.verify("Ed25519", publicKey, signature, message))) throw new Error("bad signature");
    return id;
  }

  /** One write, one signature. */
  async bare(): Promise<string> {
    const message = crypto.getRandomValues(new Uint8Array(TRANSACTION_BYTES));
    const id = crypto.randomUUID();
    this.ctx.storage.sql.exec("INSERT INTO sponsorship VALUES (?, ?)", id, message);
    const { privateKey } = await this.#keyPair();
    await crypto.subtle.sign("Ed25519", privateKey, message);
    return id;
  }

  async #keyPair(): Promise<CryptoKeyPair> {
    const pair = await this.#signer;
    if (!("privateKey" in pair)) throw new Error("the runtime made no Ed25519 key pair");
    return pair;
  }
}

/**
 * `/floor` makes the object calls, commits and signature operations of `gas_sponsorTransactionBlock` with a budget, and
 * nothing else: no parsing, no rules, no encoding. `/bare` makes one object call with one write and one signature.
 */
export default {
  async fetch(request: Request, env: Env): Promise<Response> {
    const { pathname } = new URL(request.url);
    const fund = env.FLOOR_FUND.getByName("fund");
    if (pathname === "/bare") return Response.json({ result: await fund.bare() });
    if (pathname !== "/floor") return new Response(null, { status: 404 });
    await env.FLOOR_KEY.getByName("key").admit();
    return Response.json({ result: await fund.sponsor() });
  },
};
