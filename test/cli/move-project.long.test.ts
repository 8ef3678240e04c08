import { execFile, spawn } from "node:child_process";
import { mkdtemp, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import { SuiGrpcClient } from "@mysten/sui/grpc";
import { Ed25519Keypair } from "@mysten/sui/keypairs/ed25519";
import { fromBase64, toBase64 } from "@mysten/sui/utils";
import { afterAll, beforeAll, expect, test } from "vitest";
import * as z from "zod";
import { build, SERVICE } from "../../shared/cli/build.ts";
import { adminCall } from "../../shared/cli/client/admin.ts";
import type { ServiceAccess } from "../../shared/cli/client/funds.ts";
import { expectAnswer, http } from "../../shared/cli/client/http.ts";
import { SUI_GAS_PATH } from "../../shared/cli/client/rpc.ts";
import { localNodes, startService } from "../../shared/cli/platform.ts";
import { root } from "../../shared/cli/root.ts";
import { randomServiceSecrets } from "../../shared/cli/secrets.ts";
import { startWorkerd, type WorkerdProcess } from "../../shared/cli/workerd.ts";
import { blocksOf, readPage } from "../docs/pages.ts";
import { type SelfHosted, startSelfHosted } from "../harness/self-hosted.ts";
import { SHOWS_AT_ONCE } from "../run/chain-delays.ts";
import { AptosPart } from "./move/aptos-part.ts";
import { Callers, type Sponsored } from "./move/callers.ts";
import { startCuttingProxy } from "./move/cutting-proxy.ts";
import {
  createMovingProject,
  DRIVEN_SERVICE,
  drive,
  forAll,
  type MovingProject,
  patiently,
  sponsorLive,
} from "./move/moving-project.ts";

/** More by hand: `MOVE_SPONSORSHIPS=100000 MOVE_WALLETS=5000 MOVE_MINUTES=90`. */
const SPONSORSHIPS = Number(process.env.MOVE_SPONSORSHIPS ?? 200);
const WALLETS = Number(process.env.MOVE_WALLETS ?? 30);
const LIMIT_MS = Number(process.env.MOVE_MINUTES ?? 10) * 60_000;
const KEYS = 10;
const LIVE = Math.min(SPONSORSHIPS / 4, 400);
/** Answers that the callers get before a move, and after it. */
const ANSWERS = 40;
/** The copy begins so long after the close. */
const SETTLED_MS = 31_000;
/**
 * The longest time for which one caller is refused: the wait before the copy, the copy, and pauses of a busy machine. A
 * copy takes less than a millisecond for each sponsorship.
 */
const MOST_REFUSED_MS = SETTLED_MS + 60_000 + SPONSORSHIPS;
/** Finished sponsorships of the first day are in archives at the next. */
const DAY_MS = 25 * 3_600_000;

/** One of the two services. */
interface Place extends ServiceAccess {
  /** Kills it, and starts it again at this time. */
  restart(clockOffsetMs: number): Promise<void>;
}

let directory: string;
let hosted: SelfHosted;
let fresh: WorkerdProcess;
let first: Place;
let second: Place;
let secrets: ReturnType<typeof randomServiceSecrets>;
const variables = (clockOffsetMs: number) => ({ STAGE: "test", CLOCK_OFFSET_MS: String(clockOffsetMs) });
beforeAll(async () => {
  directory = await mkdtemp(join(tmpdir(), "gasworks-move-"));
  secrets = randomServiceSecrets();
  hosted = await startSelfHosted({ worker: DRIVEN_SERVICE, vars: { service: secrets, chain: SHOWS_AT_ONCE } });
  fresh = await startWorkerd({
    bundle: await build(SERVICE),
    stateDirectory: join(directory, "state"),
    vars: { ...secrets, ...localNodes(hosted.chainUrl) },
  });
  const common = { chainUrl: hosted.chainUrl, adminToken: secrets.ADMIN_TOKEN };
  const placeOf = (service: WorkerdProcess): Place => ({
    ...common,
    serviceUrl: service.url,
    restart: (clockOffsetMs) => service.restart(variables(clockOffsetMs)),
  });
  first = placeOf(hosted.service);
  second = placeOf(fresh);
});
afterAll(async () => {
  await fresh.kill();
  await hosted.stop();
  await rm(directory, { recursive: true, force: true });
});

/** One run of the command. `ended` resolves with its exit code, or null if it was killed. */
class Move {
  readonly ended: Promise<number | null>;
  readonly #kill: () => void;

  constructor(
    projectId: string,
    from: { readonly serviceUrl: string },
    to: { readonly serviceUrl: string },
    ...args: string[]
  ) {
    const command = [join(root, "shared/cli/move-project.ts"), "--project", projectId, ...args];
    const child = spawn(process.execPath, command, {
      env: {
        ...process.env,
        OLD_URL: from.serviceUrl,
        OLD_ADMIN_TOKEN: first.adminToken,
        NEW_URL: to.serviceUrl,
        NEW_ADMIN_TOKEN: second.adminToken,
      },
    });
    let output = "";
    for (const stream of [child.stdout, child.stderr])
      stream.on("data", (chunk: Buffer) => {
        output += chunk;
      });
    this.#kill = () => void child.kill("SIGKILL");
    this.ended = new Promise((resolve, reject) =>
      child.once("exit", (code, signal) =>
        code === 0 || signal === "SIGKILL" ? resolve(code) : reject(new Error(`exit ${code}: ${output}`)),
      ),
    );
  }

  async kill(): Promise<void> {
    this.#kill();
    await this.ended;
  }
}

async function stateAt(place: Place, projectId: string): Promise<string> {
  const answer = await adminCall(place, "GET", `/projects/${projectId}/transfer`);
  return expectAnswer("the transfer", answer, z.object({ state: z.string() })).state;
}

const frameSchema = z.object({ transferId: z.string(), index: z.int(), frame: z.string() });

/** Reads the first frame at the service that the project has left. */
async function firstFrame(from: Place, projectId: string) {
  const answer = await adminCall(from, "GET", `/projects/${projectId}/transfer/frames`);
  return expectAnswer("the first frame", answer, frameSchema);
}

/** What is to be found, beside what the project had at its creation. */
interface Found {
  readonly executed: readonly string[];
  readonly live: readonly Sponsored[];
}

const pageSchema = z.object({ items: z.array(z.object({ digest: z.string() })), nextCursor: z.string().nullable() });

/** Reads the digests of all of a fund's rows, the archived ones too. */
async function digestsAt(place: Place, fundId: string): Promise<readonly string[]> {
  const digests: string[] = [];
  let query = "";
  do {
    const answer = await adminCall(place, "GET", `/funds/${fundId}/sponsorships?limit=200${query}`);
    const { items, nextCursor } = expectAnswer("the sponsorships", answer, pageSchema);
    digests.push(...items.map(({ digest }) => digest));
    query = nextCursor === null ? "" : `&cursor=${nextCursor}`;
  } while (query !== "");
  return digests;
}

/** Asks for every digest, wallet and key, and compares the books with the chain. */
async function expectAllAt(place: Place, project: MovingProject, { executed, live }: Found): Promise<void> {
  const { gasKey, walletKey, walletIds, addresses, otherKeys, fundId, projectId, secret } = project;
  const gasUrl = `${place.serviceUrl}${SUI_GAS_PATH}`;
  const walletUrl = `${place.serviceUrl}/wallet/v1`;
  const states = (digests: readonly string[]) =>
    forAll(digests, (digest) =>
      patiently(gasUrl, gasKey, "gas_getSponsoredTransactionBlockStatus", [digest], z.string()),
    );
  const different = async (digests: readonly string[], ...allowed: readonly string[]) =>
    (await states(digests)).filter((state) => !allowed.includes(state));
  expect(await different([...project.executed, ...executed], "COMPLETE")).toEqual([]);
  expect(await different(project.abandoned, "INVALID")).toEqual([]);
  expect(
    await different(
      live.map(({ txDigest }) => txDigest),
      "IN_FLIGHT",
      "COMPLETE",
    ),
  ).toEqual([]);
  const session = await patiently(walletUrl, walletKey, "svc_key_createSession", [secret], z.string());
  const found = await forAll(walletIds, (id) => patiently(walletUrl, walletKey, "svc_wal_getWallet", [id], z.string()));
  expect(found).toEqual(addresses);
  const message = toBase64(new TextEncoder().encode("this wallet opens"));
  await forAll(walletIds, (id) =>
    patiently(walletUrl, walletKey, "svc_wal_signPersonalMessage", [id, session, message], z.string()),
  );
  await forAll(otherKeys, (key) =>
    patiently(walletUrl, key, "svc_wal_getWallet", [walletIds[0]], z.literal(addresses[0] ?? "")),
  );
  // An unknown digest is INVALID, too. So each must be among the fund's rows.
  const listed = await digestsAt(place, fundId);
  const expected = [...project.executed, ...executed, ...project.abandoned, ...live.map(({ txDigest }) => txDigest)];
  const known = new Set(listed);
  expect(known.size).toBe(listed.length);
  expect(expected.filter((digest) => !known.has(digest))).toEqual([]);
  const reconciled = await adminCall(place, "POST", `/funds/${fundId}/reconcile`);
  expect(reconciled.body).toMatchObject({ exact: true });
  const projects = await adminCall(place, "GET", "/projects");
  expect(JSON.stringify(projects.body)).toContain(projectId);
}

/** Executes signatures that were made before the move. */
async function execute(place: Place, { gasKey, user }: MovingProject, live: readonly Sponsored[]): Promise<void> {
  await forAll(live, async ({ txBytes, txDigest }) => {
    const { signature } = await user.signTransaction(fromBase64(txBytes));
    const url = `${place.serviceUrl}${SUI_GAS_PATH}`;
    await patiently(url, gasKey, "gas_executeTransactionBlock", [txDigest, signature], z.unknown());
  });
}

async function expectNoSecondImport(from: Place, to: Place, projectId: string): Promise<void> {
  const path = `/projects/${projectId}/transfer/frames`;
  expect(await adminCall(to, "POST", path, await firstFrame(from, projectId))).toMatchObject({ status: 422 });
  expect(await stateAt(from, projectId)).toBe("closed");
  expect(await stateAt(to, projectId)).toBe("arrived");
}

test(
  "a project moves under load: callers wait, then find every digest, wallet and key at the new service",
  async () => {
    const user = new Ed25519Keypair();
    const created = await createMovingProject(first, { user, wallets: WALLETS, keys: KEYS, live: LIVE });
    const early = await drive(first, created, 0, Math.ceil((SPONSORSHIPS * 3) / 4));
    await hosted.chain.restart({ ...variables(DAY_MS), ...SHOWS_AT_ONCE });
    await first.restart(DAY_MS);
    await second.restart(DAY_MS);
    const late = await drive(first, created, SPONSORSHIPS, Math.floor(SPONSORSHIPS / 4));
    const project = {
      ...created,
      executed: [...early.executed, ...late.executed],
      abandoned: [...early.abandoned, ...late.abandoned],
    };
    const { projectId } = project;
    const live = await sponsorLive(first, project, LIVE);
    expect(await adminCall(first, "POST", `/funds/${project.fundId}/reconcile`)).toMatchObject({
      body: { exact: true },
    });

    // A move that nothing disturbs.
    const callers = new Callers(project, [first.serviceUrl, second.serviceUrl]);
    await callers.answers(ANSWERS);
    await new Move(projectId, first, second).ended;
    await callers.answers(ANSWERS);
    await callers.stop();
    // The copy waits 30 s for calls under way. The rest is the time to copy.
    console.info(`${SPONSORSHIPS} sponsorships, ${WALLETS} wallets: refused for ${callers.refusedMs} ms`);
    expect(callers.refusedMs).toBeLessThan(MOST_REFUSED_MS);
    const all = { executed: [...callers.executed], live: [...callers.live, ...live] };
    await expectAllAt(second, project, all);
    await expectNoSecondImport(first, second, projectId);
    const executed = all.live.slice(0, LIVE / 2);
    await execute(second, project, executed);
    await expectAllAt(second, project, {
      executed: [...all.executed, ...executed.map(({ txDigest }) => txDigest)],
      live: [],
    });

    // Back in a file. The command and both services are killed in the middle of it.
    await moveBack(project, second, first);
    const rest = all.live.slice(LIVE / 2);
    await execute(first, project, rest);
    await expectAllAt(first, project, {
      executed: [...all.executed, ...all.live.map(({ txDigest }) => txDigest)],
      live: [],
    });
  },
  LIMIT_MS,
);

async function moveBack({ projectId }: MovingProject, from: Place, to: Place): Promise<void> {
  const file = join(directory, "copy");
  const write = (source: { readonly serviceUrl: string }) => new Move(projectId, source, to, "--out", file);
  let move = write(from);
  const kill = { when: "after", doing: () => move.kill() } as const;
  const restart = (place: Place) => ({ doing: () => place.restart(DAY_MS + SETTLED_MS) });
  const source = await startCuttingProxy(from.serviceUrl, (frame) => {
    // The first is asked for before calls under way have ended. The clock moves past that.
    if (frame === 1) return { when: "after", ...restart(from) };
    if (frame === 4) return kill;
    return frame === 6 ? { when: "before", ...restart(from) } : null;
  });
  await move.kill();
  move = write(source);
  expect(await move.ended).toBe(null);
  move = write(source);
  expect(await move.ended).toBe(0);
  expect(source.frames()).toBeGreaterThan(6);
  await source.stop();
  expect(await readFile(file, "utf8")).not.toContain("badge");

  const send = (target: { readonly serviceUrl: string }) =>
    new Move(projectId, from, target, "--in", file, "--current");
  const target = await startCuttingProxy(to.serviceUrl, (frame) => {
    if (frame === 2) return kill;
    if (frame === 4) return { when: "before", ...restart(to) };
    return frame === 7 ? { when: "after", ...restart(to) } : null;
  });
  move = send(target);
  expect(await move.ended).toBe(null);
  expect(await stateAt(to, projectId)).toBe("arriving");
  move = send(target);
  expect(await move.ended).toBe(0);
  expect(target.frames()).toBeGreaterThan(7);
  await target.stop();
  expect(await http(`${from.serviceUrl}/health`)).toMatchObject({ status: 200 });
  await expectNoSecondImport(from, to, projectId);
  expect(await send(to).ended).toBe(0);
}

test("a project with funds on both chains moves from the launcher to workerd, and back", async () => {
  const user = new Ed25519Keypair();
  const { chainUrl } = hosted;
  const serviceVars = { ...secrets, ...localNodes(chainUrl) };
  const service = await startService({ service: await build(SERVICE), serviceVars });
  const launcher: Place = {
    serviceUrl: service.serviceUrl,
    chainUrl,
    adminToken: second.adminToken,
    restart: (clockOffsetMs) => service.restart({ clockOffsetMs }),
  };
  try {
    await hosted.chain.restart({ ...variables(DAY_MS), ...SHOWS_AT_ONCE });
    for (const place of [launcher, second]) await place.restart(DAY_MS + SETTLED_MS);
    const project = await createMovingProject(launcher, { user, wallets: 3, keys: 2, live: 8 });
    const live = await sponsorLive(launcher, project, 8);
    const aptos = await AptosPart.addTo(launcher, project.projectId, project.secret, DAY_MS);
    await moveAtOnce(project, launcher, second, DAY_MS + 2 * SETTLED_MS);
    const [early, late] = [live.slice(0, 4), live.slice(4)];
    await execute(second, project, early);
    const executed = early.map(({ txDigest }) => txDigest);
    await expectAllAt(second, project, { executed, live: late });
    await aptos.expectAt(second);
    await moveAtOnce(project, second, launcher, DAY_MS + 3 * SETTLED_MS);
    await execute(launcher, project, late);
    await expectAllAt(launcher, project, { executed: live.map(({ txDigest }) => txDigest), live: [] });
    await aptos.expectAt(launcher);
    await aptos.executeLive(launcher);
  } finally {
    await service.stop();
  }
});

/** Moves a project, and moves the clock of its old service past the time that its copy waits. */
async function moveAtOnce({ projectId }: MovingProject, from: Place, to: Place, clockOffsetMs: number): Promise<void> {
  const source = await startCuttingProxy(from.serviceUrl, (frame) =>
    frame === 1 ? { when: "before", doing: () => from.restart(clockOffsetMs) } : null,
  );
  await new Move(projectId, source, to).ended;
  await source.stop();
  await expectNoSecondImport(from, to, projectId);
}

/** The commands of a page that name this test, in its order. */
async function commandsOf(page: string): Promise<readonly string[]> {
  const { text } = await readPage(page);
  const run = blocksOf(text).filter(({ info }) => info === "sh run by test/cli/move-project.long.test.ts");
  return run.map(({ text: command }) => command);
}

test("the commands of the page on restores keep a project in a file, and bring it up to the chain at a new service", async () => {
  const [backUp = "", restore = "", reconcile = "", ...others] = await commandsOf("shared/cli/restore.md");
  expect(others).toEqual([]);
  // Later than the tests before have moved any clock. A recovery waits for a chain whose clock is behind.
  const clockOffsetMs = DAY_MS + 4 * SETTLED_MS;
  await hosted.chain.restart({ ...variables(clockOffsetMs), ...SHOWS_AT_ONCE });
  for (const place of [first, second]) await place.restart(clockOffsetMs);
  const user = new Ed25519Keypair();
  const project = await createMovingProject(first, { user, wallets: 2, keys: 1, live: 8 });
  const { projectId, fundId } = project;
  const early = await sponsorLive(first, project, 2);
  await execute(first, project, early);
  const source = await startCuttingProxy(first.serviceUrl, (frame) =>
    frame === 1 ? { when: "before", doing: () => first.restart(clockOffsetMs + SETTLED_MS) } : null,
  );
  const env = {
    ...{ PROJECT: projectId, FUND_ID: fundId, COPY: join(directory, "backup.gasworks") },
    ...{ OLD_URL: source.serviceUrl, OLD_ADMIN_TOKEN: first.adminToken },
    ...{ NEW_URL: second.serviceUrl, NEW_ADMIN_TOKEN: second.adminToken },
  };
  const run = async (command: string) => {
    const options = { cwd: root, env: { ...process.env, ...env } };
    return (await promisify(execFile)("bash", ["-euo", "pipefail", "-c", command], options)).stdout;
  };
  expect(await run(backUp)).toContain('"state":"open"');
  await source.stop();

  // The service works on, and is lost then.
  const [used, ...forgotten] = await sponsorLive(first, project, 3);
  if (used === undefined) throw new Error("nothing was sponsored");
  await execute(first, project, [used]);
  await adminCall(first, "POST", `/projects/${projectId}/transfer`, { destination: second.serviceUrl });
  expect(await run(restore)).toContain("works at the new service");
  const recovery = async () => {
    const answer = await adminCall(second, "GET", `/funds/${fundId}`);
    return expectAnswer("the fund", answer, z.object({ recovery: z.object({ state: z.string() }) })).recovery.state;
  };
  await expect.poll(recovery, { timeout: 60_000, interval: 250 }).toBe("done");
  expect(JSON.parse(await run(reconcile))).toMatchObject({ exact: true });
  const executed = early.map(({ txDigest }) => txDigest);
  await expectAllAt(second, project, { executed, live: [] });
  const chain = new SuiGrpcClient({ network: "localnet", baseUrl: `${hosted.chainUrl}/sui` });
  for (const { txBytes, signature } of forgotten) {
    const transaction = fromBase64(txBytes);
    const signatures = [(await user.signTransaction(transaction)).signature, signature];
    await expect(chain.executeTransaction({ transaction, signatures, include: {} })).rejects.toThrow("unavailable");
  }
  await execute(second, project, await sponsorLive(second, project, 1));
});
