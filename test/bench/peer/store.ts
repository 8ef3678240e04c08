import { Redis, type Result } from "ioredis";
import { z } from "zod";

const coinSchema = z.object({ objectId: z.string(), version: z.string(), digest: z.string(), balance: z.string() });
/** A coin of the sponsor, as the chain's client lists it. */
export type Coin = Readonly<z.output<typeof coinSchema>>;

/** A coin after an execution. */
export interface After {
  readonly version: string;
  readonly digest: string;
  readonly spentMist: bigint;
}

function coinAfter({ objectId, balance }: Coin, { version, digest, spentMist }: After): Coin {
  return { objectId, version, digest, balance: String(BigInt(balance) - spentMist) };
}

/** The state of the service: the coins of the sponsor, the sessions, and the encrypted keys of wallets. */
export interface Store {
  /** Takes a coin that nobody else gets for an hour. Null if none covers the budget. */
  take(budgetMist: bigint): Promise<Coin | null>;
  /** Puts coins into the pool at the start. */
  add(coins: readonly Coin[]): Promise<void>;
  /** Returns a coin after an execution, at its new version. */
  giveBack(objectId: string, after: After): Promise<void>;
  setSession(token: string, key: Buffer): Promise<void>;
  session(token: string): Promise<Buffer | null>;
  /** Keeps a new wallet. False if its id is taken. */
  addWallet(walletId: string, record: Buffer): Promise<boolean>;
  wallet(walletId: string): Promise<Buffer | null>;
}

const LOCK_MS = 3_600_000;
const SESSION_SECONDS = 600;
/** Redis takes a command of so many values without holding others up. */
const COINS_PER_COMMAND = 1_000;

/** Keeps everything in the process. A restart forgets which coins have been lent. */
export class MemoryStore implements Store {
  readonly #coins: Coin[] = [];
  /** Coins that were too small for a budget. Somebody merges them by hand. */
  readonly #spent: Coin[] = [];
  readonly #lent = new Map<string, { coin: Coin; untilMs: number }>();
  readonly #sessions = new Map<string, Buffer>();
  readonly #wallets = new Map<string, Buffer>();

  async take(budgetMist: bigint): Promise<Coin | null> {
    let coin = this.#coins.pop();
    while (coin !== undefined && BigInt(coin.balance) < budgetMist) {
      this.#spent.push(coin);
      coin = this.#coins.pop();
    }
    if (coin === undefined) return null;
    this.#lent.set(coin.objectId, { coin, untilMs: Date.now() + LOCK_MS });
    return coin;
  }

  async add(coins: readonly Coin[]): Promise<void> {
    for (const coin of coins) this.#coins.push(coin);
  }

  async giveBack(objectId: string, after: After): Promise<void> {
    const lent = this.#lent.get(objectId);
    if (lent === undefined) return;
    this.#lent.delete(objectId);
    this.#coins.push(coinAfter(lent.coin, after));
  }

  async setSession(token: string, key: Buffer): Promise<void> {
    this.#sessions.set(token, key);
  }

  async session(token: string): Promise<Buffer | null> {
    return this.#sessions.get(token) ?? null;
  }

  async addWallet(walletId: string, record: Buffer): Promise<boolean> {
    if (this.#wallets.has(walletId)) return false;
    this.#wallets.set(walletId, record);
    return true;
  }

  async wallet(walletId: string): Promise<Buffer | null> {
    return this.#wallets.get(walletId) ?? null;
  }
}

/** Takes a coin, and keeps its reservation until it expires, in one step of Redis. */
const TAKE = `
local coin = redis.call('LPOP', KEYS[1])
while coin and tonumber(cjson.decode(coin).balance) < tonumber(ARGV[1]) do
  redis.call('RPUSH', KEYS[4], coin)
  coin = redis.call('LPOP', KEYS[1])
end
if not coin then return false end
local id = cjson.decode(coin).objectId
redis.call('HSET', KEYS[2], id, coin)
redis.call('ZADD', KEYS[3], ARGV[2], id)
return coin`;

declare module "ioredis" {
  interface RedisCommander<Context> {
    takeCoin(...keysAndValues: readonly (string | number)[]): Result<string | null, Context>;
  }
}

/** Keeps everything in Redis. What survives a crash is up to the settings of Redis. */
export class RedisStore implements Store {
  readonly #redis: Redis;

  constructor(socket: string) {
    this.#redis = new Redis(socket);
    this.#redis.defineCommand("takeCoin", { numberOfKeys: 4, lua: TAKE });
  }

  async take(budgetMist: bigint): Promise<Coin | null> {
    const untilMs = Date.now() + LOCK_MS;
    const coin = await this.#redis.takeCoin("coins", "lent", "expiry", "spent", String(budgetMist), untilMs);
    return coin === null ? null : coinSchema.parse(JSON.parse(coin));
  }

  async add(coins: readonly Coin[]): Promise<void> {
    for (let from = 0; from < coins.length; from += COINS_PER_COMMAND) {
      const some = coins.slice(from, from + COINS_PER_COMMAND);
      await this.#redis.rpush("coins", ...some.map((coin) => JSON.stringify(coin)));
    }
  }

  async giveBack(objectId: string, after: After): Promise<void> {
    const lent = await this.#redis.hget("lent", objectId);
    if (lent === null) return;
    const coin = coinAfter(coinSchema.parse(JSON.parse(lent)), after);
    const returned = this.#redis.multi().hdel("lent", objectId).zrem("expiry", objectId);
    await returned.rpush("coins", JSON.stringify(coin)).exec();
  }

  async setSession(token: string, key: Buffer): Promise<void> {
    await this.#redis.set(`session:${token}`, key, "EX", SESSION_SECONDS);
  }

  session(token: string): Promise<Buffer | null> {
    return this.#redis.getBuffer(`session:${token}`);
  }

  async addWallet(walletId: string, record: Buffer): Promise<boolean> {
    return (await this.#redis.set(`wallet:${walletId}`, record, "NX")) === "OK";
  }

  wallet(walletId: string): Promise<Buffer | null> {
    return this.#redis.getBuffer(`wallet:${walletId}`);
  }
}
