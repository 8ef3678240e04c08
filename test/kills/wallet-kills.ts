import { Ed25519Keypair } from "@mysten/sui/keypairs/ed25519";
import { toBase64 } from "@mysten/sui/utils";
import { verifyTransactionSignature } from "@mysten/sui/verify";
import { expect } from "vitest";
import * as z from "zod";
import { adminCall, createKey } from "../../shared/cli/client/admin.ts";
import { createFundInProject, deposit } from "../../shared/cli/client/funds.ts";
import { expectAnswer } from "../../shared/cli/client/http.ts";
import { gasCalls, mintKind } from "../../shared/cli/story/gas-calls.ts";
import { DEMO_PACKAGE } from "../devchain/demo.ts";
import { type SelfHosted, startSelfHosted } from "../harness/self-hosted.ts";
import { seededRandom, sleep } from "../support/random.ts";
import {
  expectOpens,
  masterKey,
  masterKeyProgress,
  newWalletApp,
  rewrap,
  type WalletAnswer,
  type WalletApp,
} from "../support/wallet-client.ts";

const USERS = 3;
/** Enough for several alarms of a re-seal. */
const WALLETS_BEFORE = 150;
const ONE_SUI_MIST = 1_000_000_000n;
/** Each run of the service ends after so many wallets at most, however fast the machine is, and at some moment after. */
const MOST_WALLETS = 2;
const LONGEST_REST_MS = 300;
const LONGEST_RUN_MS = 10_000;
const RETRY_MS = 50;
const RATE_WAIT_MS = 1_000;
const TICK_MS = 2;
const PAGE = 200;
/** A wallet tries again after 15 s. */
const CONFIRMED_MS = 30_000;

/** A back end that makes wallets and signs with them, through crashes of the service. */
interface User {
  readonly app: WalletApp;
  /** Address of each wallet that it was told of. */
  readonly addresses: ReadonlyMap<string, string>;
  readonly signatures: () => number;
  /** Answers that a crash does not excuse. */
  readonly unexpected: readonly string[];
  stop(): Promise<void>;
}

function startUser(app: WalletApp, seed: number): User {
  const random = seededRandom(seed);
  const addresses = new Map<string, string>();
  const unexpected: string[] = [];
  let signatures = 0;
  let stopping = false;
  let token: string | null = null;

  /** Null where the connection broke. */
  function once(method: string, ...params: readonly string[]): Promise<WalletAnswer | null> {
    return app.call(method, ...params).catch(() => null);
  }

  async function openSession(): Promise<string> {
    for (; token === null; await sleep(RETRY_MS)) {
      const answer = await once("svc_key_createSession", app.secret);
      if (answer?.ok) token = answer.result;
      else if (answer?.reason === "rate_limited") await sleep(RATE_WAIT_MS);
      else if (answer !== null) unexpected.push(`session: ${JSON.stringify(answer.error)}`);
    }
    return token;
  }

  /** Until it is answered; a session that went with the service's memory is made anew. */
  async function ask(method: string, paramsOf: (session: string) => readonly string[]): Promise<WalletAnswer> {
    for (; ; await sleep(RETRY_MS)) {
      const answer = await once(method, ...paramsOf(await openSession()));
      if (answer === null) continue;
      if (answer.ok || answer.reason !== "bad_session_token") return answer;
      token = null;
    }
  }

  async function create(walletId: string): Promise<void> {
    const answer = await ask("svc_wal_createWallet", (session) => [walletId, session]);
    if (answer.ok) addresses.set(walletId, answer.result);
    else if (answer.reason === "wallet_exists") {
      // Made by an attempt whose answer was lost.
      const read = await ask("svc_wal_getWallet", () => [walletId]);
      if (read.ok) addresses.set(walletId, read.result);
      else unexpected.push(`${walletId} exists, but: ${JSON.stringify(read.error)}`);
    } else unexpected.push(`creation: ${JSON.stringify(answer.error)}`);
  }

  async function sign(walletId: string, address: string): Promise<void> {
    const bytes = Uint8Array.from({ length: 64 }, () => Math.floor(random() * 256));
    const answer = await ask("svc_wal_signTransaction", (session) => [walletId, session, toBase64(bytes)]);
    if (!answer.ok) unexpected.push(`signature: ${JSON.stringify(answer.error)}`);
    else await verifyTransactionSignature(bytes, answer.result, { address });
    signatures += 1;
  }

  async function live(): Promise<void> {
    for (let index = 0; !stopping; index += 1) {
      await create(`user-${index}`);
      const known = [...addresses];
      const [walletId, address] = known[Math.floor(random() * known.length)] ?? [];
      if (walletId !== undefined && address !== undefined) await sign(walletId, address);
    }
  }

  const running = live().catch((error: unknown) => void unexpected.push(String(error)));
  return {
    app,
    addresses,
    unexpected,
    signatures: () => signatures,
    async stop() {
      stopping = true;
      await running;
    },
  };
}

async function someLoad(users: readonly User[], random: () => number): Promise<void> {
  const made = () => users.reduce((sum, { addresses }) => sum + addresses.size, 0);
  const enough = made() + Math.ceil(random() * MOST_WALLETS);
  for (const deadline = Date.now() + LONGEST_RUN_MS; made() < enough && Date.now() < deadline; ) await sleep(TICK_MS);
  await sleep(random() * LONGEST_REST_MS);
}

/** Waits until a re-seal has begun and has not ended. False: it was too fast. */
async function untilInTheMiddle(hosted: SelfHosted): Promise<boolean> {
  const began = await adminCall(hosted, "POST", "/master-key/rewrap");
  const { remaining: all } = expectAnswer("the order", began, z.object({ remaining: z.int() }));
  for (;;) {
    const { remaining } = await masterKeyProgress(hosted);
    if (remaining === 0) return false;
    if (remaining < all) return true;
    await sleep(TICK_MS);
  }
}

const pageSchema = z.object({
  items: z.array(z.object({ walletId: z.string(), address: z.string() })),
  nextCursor: z.string().nullable(),
});

/** Address of each wallet that the project counts. */
async function listed(hosted: SelfHosted, projectId: string): Promise<ReadonlyMap<string, string>> {
  const all = new Map<string, string>();
  for (let cursor: string | null = null, more = true; more; more = cursor !== null) {
    const query: string = cursor === null ? `?limit=${PAGE}` : `?limit=${PAGE}&cursor=${cursor}`;
    const answer = await adminCall(hosted, "GET", `/projects/${projectId}/wallets${query}`);
    const page: z.output<typeof pageSchema> = expectAnswer("the wallets", answer, pageSchema);
    for (const { walletId, address } of page.items) all.set(walletId, address);
    cursor = page.nextCursor;
  }
  return all;
}

async function newFundToSponsorFrom(hosted: SelfHosted) {
  const fund = await createFundInProject(hosted, "fund");
  await deposit(hosted, fund, [ONE_SUI_MIST]);
  const { key } = await createKey(hosted, fund.projectId, { name: "gas", rights: ["gas"], fundId: fund.fundId });
  return gasCalls(hosted.serviceUrl, key);
}

/**
 * SIGKILLs the service while wallets are made, sign and are re-sealed, in every second run under one more master key.
 * Then every wallet that anybody was told of shows its address and signs, under the newest master key alone.
 */
export async function assertNoWalletIsLost(kills: number, seed: number): Promise<void> {
  const random = seededRandom(seed);
  const versions = [masterKey(1)];
  const hosted = await startSelfHosted({ vars: { service: { MASTER_KEYS: versions.join(",") } } });
  const { service } = hosted;
  try {
    const gas = await newFundToSponsorFrom(hosted);
    const before = await newWalletApp(hosted);
    const token = await before.must("svc_key_createSession", before.secret);
    const addresses = new Map<string, string>();
    for (let index = 0; index < WALLETS_BEFORE; index += 1)
      addresses.set(`old-${index}`, await before.must("svc_wal_createWallet", `old-${index}`, token));
    const users: User[] = [];
    for (let user = 0; user < USERS; user += 1) users.push(startUser(await newWalletApp(hosted), seed + user));

    let inTheMiddle = 0;
    for (let kill = 1; kill <= kills; kill += 1) {
      const rotates = kill % 2 === 1;
      if (rotates) {
        versions.push(masterKey(versions.length + 1));
        await service.restart({ MASTER_KEYS: versions.join(",") });
      }
      await someLoad(users, random);
      if (rotates && (await untilInTheMiddle(hosted))) inTheMiddle += 1;
      await service.kill();
      await service.restart();
    }
    await Promise.all(users.map((user) => user.stop()));

    const made = users.reduce((sum, user) => sum + user.addresses.size, 0);
    const signed = users.reduce((sum, user) => sum + user.signatures(), 0);
    process.stdout.write(
      `${kills} kills, ${inTheMiddle} of them in the middle of a re-seal: ${made} wallets made, ${signed} signatures\n`,
    );
    expect(users.flatMap(({ unexpected }) => unexpected)).toEqual([]);
    expect(inTheMiddle, "kills in the middle of a re-seal").toBeGreaterThanOrEqual(Math.ceil(kills / 4));
    expect(made, "there was a load").toBeGreaterThan(kills);

    await rewrap(hosted);
    await service.restart({ MASTER_KEYS: versions.at(-1) ?? "" });
    for (const { app, addresses: told } of [{ app: before, addresses }, ...users]) {
      // One whose making was cut off tells its project by itself, some seconds later.
      await expect
        .poll(() => listed(hosted, app.projectId), { timeout: CONFIRMED_MS, message: "the count equals the wallets" })
        .toEqual(told);
      const fresh = await app.must("svc_key_createSession", app.secret);
      for (const [walletId, address] of told) await expectOpens(app, walletId, address, fresh);
    }
    await gas.sponsor(await mintKind(DEMO_PACKAGE, "after the kills"), new Ed25519Keypair().toSuiAddress());
  } finally {
    await hosted.stop();
  }
}
