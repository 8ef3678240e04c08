import type { Ed25519Keypair } from "@mysten/sui/keypairs/ed25519";
import { Transaction } from "@mysten/sui/transactions";
import { fromBase64, toBase64 } from "@mysten/sui/utils";
import * as z from "zod";
import { SERVICE, type WorkerSources } from "../../../shared/cli/build.ts";
import { adminCall, createKey, idSchema, SUI_NETWORK } from "../../../shared/cli/client/admin.ts";
import type { ServiceAccess } from "../../../shared/cli/client/funds.ts";
import { expectAnswer } from "../../../shared/cli/client/http.ts";
import { rpcCall, rpcResult, SUI_GAS_PATH } from "../../../shared/cli/client/rpc.ts";
import { batchesOf } from "../../../shared/paging.ts";
import { fundWithCoins } from "../../bench/fund-with-coins.ts";
import { DEMO_PACKAGE } from "../../devchain/demo.ts";
import { mintKind } from "../../support/sui-transactions.ts";
import { type CallersAccess, type Sponsored, sponsoredSchema } from "./callers.ts";

/** The service with a route that sponsors in batches, so that 100,000 sponsorships need no 100,000 requests. */
export const DRIVEN_SERVICE: WorkerSources = {
  ...SERVICE,
  name: "moving",
  replaced: { "functions/service/health.ts": "test/bench/years-worker.ts" },
};

const SPARE_COINS = 200;
const COIN_MIST = 20_000_000n;
const BUDGET_MIST = 5_000_000;
const DRIVEN_AT_ONCE = 500;
/** Each so many driven sponsorships one is executed. The others are abandoned. */
const EXECUTED_EVERY = 5;
const EXECUTED_EVERY_OF_MANY = 20;
const MANY = 20_000;
const CALLS_AT_ONCE = 24;
const RETRY_MS = 200;
const MAX_RETRIES = 300;
const LIMITS = { qps: 10_000, cups: 1_000_000, sessionsPerSecond: 1_000 };
const SECRET = "a5b6c7d8".repeat(8);

const drivenSchema = z.object({
  digests: z.array(z.string()),
  open: z.array(z.object({ digest: z.string(), txBytes: z.string() })),
});
const temporarySchema = z.object({ error: z.object({ code: z.literal([-32016, -32010]) }) });

/** A project of some size, and what each digest, wallet and key of it has to answer. */
export interface MovingProject extends CallersAccess {
  readonly projectId: string;
  readonly fundId: string;
  /** Further keys. Each may read wallets. */
  readonly otherKeys: readonly string[];
  readonly executed: readonly string[];
  readonly abandoned: readonly string[];
}

/** Does some work for all items, some at once. Results are in the order of the items. */
export async function forAll<Item, Result>(
  items: readonly Item[],
  work: (item: Item, index: number) => Promise<Result>,
) {
  const results: Result[] = [];
  const left = items.entries();
  const worker = async () => {
    for (const [index, item] of left) results[index] = await work(item, index);
  };
  await Promise.all(Array.from({ length: CALLS_AT_ONCE }, worker));
  return results;
}

/** Makes a call that must succeed, again while the service is busy. */
export async function patiently<Schema extends z.ZodType>(
  url: string,
  key: string,
  method: string,
  params: readonly unknown[],
  schema: Schema,
): Promise<z.output<Schema>> {
  for (let retries = 0; ; retries += 1) {
    const answer = await rpcCall(url, key, method, params);
    const isBusy = temporarySchema.safeParse(answer.body).success && retries < MAX_RETRIES;
    if (isBusy) {
      await new Promise((resolve) => setTimeout(resolve, RETRY_MS));
      continue;
    }
    const { result } = expectAnswer(method, answer, z.object({ result: z.unknown() }));
    return expectAnswer(method, { ...answer, body: result }, schema);
  }
}

interface MovingSize {
  readonly user: Ed25519Keypair;
  readonly wallets: number;
  readonly keys: number;
  /** Each sponsorship that nobody executes holds a coin. */
  readonly live: number;
}

/** Creates a project with wallets and keys. */
export async function createMovingProject(
  access: ServiceAccess,
  { user, wallets, keys, live }: MovingSize,
): Promise<MovingProject> {
  const {
    projectId,
    fundId,
    key: gasKey,
  } = await fundWithCoins(access, SPARE_COINS + 3 * live, COIN_MIST, { secretDerivation: "hkdf" });
  const settings = { limits: { retentionDays: 1, fundBytes: 1_073_741_824 } };
  expectAnswer("the settings", await adminCall(access, "PATCH", `/funds/${fundId}`, settings), idSchema);
  const terms = { name: "app", network: SUI_NETWORK, limits: LIMITS, rights: ["wallet"] };
  const [{ key: walletKey }, ...others] = await Promise.all([
    createKey(access, projectId, terms),
    ...Array.from({ length: keys }, () => createKey(access, projectId, terms)),
  ]);
  const url = `${access.serviceUrl}/wallet/v1`;
  const token = await rpcResult(url, walletKey, "svc_key_createSession", [SECRET], z.string());
  const walletIds = Array.from({ length: wallets }, (_, at) => `user ${at}`);
  const addresses = await forAll(walletIds, (id) =>
    patiently(url, walletKey, "svc_wal_createWallet", [id, token], z.string()),
  );
  const otherKeys = others.map(({ key }) => key);
  return {
    user,
    gasKey,
    walletKey,
    secret: SECRET,
    walletIds,
    addresses,
    projectId,
    fundId,
    otherKeys,
    executed: [],
    abandoned: [],
  };
}

/** Drives finished sponsorships through the fund, numbered from the first one. */
export async function drive(
  access: ServiceAccess,
  { fundId, user }: MovingProject,
  first: number,
  count: number,
): Promise<{ readonly executed: readonly string[]; readonly abandoned: readonly string[] }> {
  const transaction = new Transaction();
  transaction.moveCall({ target: `${DEMO_PACKAGE}::demo::mint`, arguments: [transaction.pure.string("00000000")] });
  const kind = toBase64(await transaction.build({ onlyTransactionKind: true }));
  const numbers = Array.from({ length: count }, (_, at) => first + at);
  const every = String(count < MANY ? EXECUTED_EVERY : EXECUTED_EVERY_OF_MANY);
  const executed: string[] = [];
  const abandoned: string[] = [];
  for (const batch of batchesOf(numbers, DRIVEN_AT_ONCE)) {
    const [from = 0] = batch;
    const query = { do: "drive", fund: fundId, kind, sender: user.toSuiAddress(), every };
    const range = { from: String(from), count: String(batch.length), keys: "1", senders: "1", refused: "0" };
    const { digests, open } = await ask(access, { ...query, ...range }, drivenSchema);
    const opened = new Set(open.map(({ digest }) => digest));
    abandoned.push(...digests.filter((digest) => !opened.has(digest)));
    await forAll(open, async ({ digest, txBytes }) => {
      const { signature } = await user.signTransaction(fromBase64(txBytes));
      await ask(access, { do: "execute", fund: fundId, digest, signature }, z.object({ success: z.literal(true) }));
      executed.push(digest);
    });
  }
  return { executed, abandoned };
}

/** Signs sponsorships that nobody executes yet. */
export async function sponsorLive(
  access: ServiceAccess,
  { gasKey, user }: MovingProject,
  count: number,
): Promise<Sponsored[]> {
  const numbers = Array.from({ length: count }, (_, number) => number);
  return forAll(numbers, async (number) => {
    const params = [toBase64(await mintKind(`live ${number}`)), user.toSuiAddress(), BUDGET_MIST];
    return patiently(
      `${access.serviceUrl}${SUI_GAS_PATH}`,
      gasKey,
      "gas_sponsorTransactionBlock",
      params,
      sponsoredSchema,
    );
  });
}

async function ask<Schema extends z.ZodType>(
  { serviceUrl }: ServiceAccess,
  query: Readonly<Record<string, string>>,
  schema: Schema,
) {
  const response = await fetch(`${serviceUrl}/health?${new URLSearchParams(query)}`);
  const text = await response.text();
  if (!response.ok) throw new Error(`${query.do}: ${response.status} ${text.slice(0, 500)}`);
  return schema.parse(JSON.parse(text));
}
