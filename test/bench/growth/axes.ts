import { randomBytes } from "node:crypto";
import { DatabaseSync } from "node:sqlite";
import { toBase64 } from "@mysten/sui/utils";
import { getFund } from "../../../shared/cli/client/admin.ts";
import { fundFile } from "../../harness/disk.ts";
import type { SelfHosted } from "../../harness/self-hosted.ts";
import { ageFile } from "../../support/fund/age-file.ts";
import { sleep } from "../../support/random.ts";
import { fundWithCoins } from "../fund-with-coins.ts";
import { runLoad } from "../load.ts";
import { COIN_MIST, type Route, rpcBody, sponsorRoute } from "../route.ts";
import { inTurn, newApp, openSession, walletRoute } from "../wallet-routes.ts";

/** Something of which a service has few or many. */
export interface Axis {
  /** Names what there is more and more of. */
  readonly name: string;
  /** The class of objects whose files are counted, each for one of these. */
  readonly objects: "Fund" | "Wallet";
  readonly sizes: readonly number[];
  /** Brings a service to this size. Returns what is called then, so often. */
  prepare(hosted: SelfHosted, size: number, calls: number): Promise<readonly Route[]>;
}

const CALLERS = 64;
const DAY_MS = 86_400_000;
const POLL_MS = 200;
const TRANSACTION_BYTES = 300;
const SESSION_LEFT_MS = 300_000;

function upTo(variable: string, least: number, byDefault: number): readonly number[] {
  const most = Number(process.env[variable] ?? byDefault);
  return [...new Set([least, Math.round(Math.sqrt(least * most)), most])].sort((a, b) => a - b);
}

/** Free coins of a fund. */
const coins: Axis = {
  name: "coins of a fund",
  objects: "Fund",
  sizes: upTo("BENCH_COINS", 1_000, 4_000),
  async prepare(hosted, size, calls) {
    if (calls > size) throw new Error(`${size} coins are too few for ${calls} calls`);
    const { key } = await fundWithCoins(hosted, size, COIN_MIST);
    return [await sponsorRoute("sponsor", hosted.service, key)];
  },
};

/** Sponsorships whose coins are held. */
const held: Axis = {
  name: "live sponsorships of a fund",
  objects: "Fund",
  sizes: upTo("BENCH_HELD", 1_000, 4_000),
  async prepare(hosted, size, calls) {
    const { key } = await fundWithCoins(hosted, size + calls, COIN_MIST);
    const route = await sponsorRoute("sponsor", hosted.service, key);
    await runLoad({ ...route, callers: CALLERS, requests: size });
    return [route];
  },
};

/** Sponsorships that have ended, which an older build left. They are in the fund's tables, not in its archive. */
const finished: Axis = {
  name: "finished sponsorships of a fund",
  objects: "Fund",
  sizes: upTo("BENCH_FINISHED", 10_000, 40_000),
  async prepare(hosted, size, calls) {
    const { fundId, key } = await fundWithCoins(hosted, calls, COIN_MIST);
    await hosted.service.kill();
    const file = fundFile(hosted.serviceState, fundId);
    ageFile(file, { chain: "sui", count: size, keyId: "of the ended rows", atMs: Date.now() - DAY_MS });
    await hosted.service.restart();
    await getFund(hosted, fundId);
    const database = new DatabaseSync(file, { readOnly: true });
    const isThere = database.prepare("SELECT 1 FROM sqlite_master WHERE name = 'ledger'");
    // The last step of the migration makes this table.
    while (isThere.get() === undefined) await sleep(POLL_MS);
    database.close();
    return [await sponsorRoute("sponsor", hosted.service, key)];
  },
};

/** Funds that are called in turn. */
const funds: Axis = {
  name: "funds of a service",
  objects: "Fund",
  sizes: upTo("BENCH_FUNDS", 1, 9),
  async prepare(hosted, size, calls) {
    const keys: string[] = [];
    for (let made = 0; made < size; made += 1)
      keys.push((await fundWithCoins(hosted, Math.ceil(calls / size) + CALLERS, COIN_MIST)).key);
    const next = inTurn(size);
    const route = await sponsorRoute("sponsor", hosted.service, keys[0] ?? "");
    return [{ ...route, vary: () => ({ headers: { "x-api-key": keys[next()] ?? "" } }) }];
  },
};

/** Wallets that sign in turn, and more of them. */
const wallets: Axis = {
  name: "wallets of a project",
  objects: "Wallet",
  sizes: upTo("BENCH_WALLETS", 100, 900),
  async prepare(hosted, size) {
    const app = await newApp(hosted, "hkdf");
    let [token, openedMs] = [await openSession(hosted, app), Date.now()];
    const create = (next: () => number, prefix: string) =>
      walletRoute("create", hosted, app.key, () => ({
        body: rpcBody("svc_wal_createWallet", [`${prefix} ${next()}`, token]),
      }));
    const making = create(inTurn(size), "wallet");
    for (let made = 0; made < size; made += CALLERS) {
      if (Date.now() - openedMs > SESSION_LEFT_MS) [token, openedMs] = [await openSession(hosted, app), Date.now()];
      await runLoad({ ...making, callers: CALLERS, requests: Math.min(CALLERS, size - made) });
    }
    token = await openSession(hosted, app);
    const bytes = toBase64(randomBytes(TRANSACTION_BYTES));
    const next = inTurn(size);
    const sign = walletRoute("sign", hosted, app.key, () => ({
      body: rpcBody("svc_wal_signTransaction", [`wallet ${next()}`, token, bytes]),
    }));
    return [sign, create(inTurn(Number.MAX_SAFE_INTEGER), "further")];
  },
};

/** All axes. The README says which variable sets the greatest size. */
export const axes: readonly Axis[] = [coins, held, finished, funds, wallets];
