import { cp, rm } from "node:fs/promises";
import { Ed25519Keypair } from "@mysten/sui/keypairs/ed25519";
import { expect } from "vitest";
import * as z from "zod";
import { adminCall } from "../../shared/cli/client/admin.ts";
import { faucet, faucetApt } from "../../shared/cli/client/faucet.ts";
import { expectAnswer, type HttpAnswer, http } from "../../shared/cli/client/http.ts";
import { localNodes } from "../../shared/cli/platform.ts";
import { type SelfHosted, startSelfHosted } from "../harness/self-hosted.ts";
import { sleep } from "../support/random.ts";
import { expectExactBooks } from "./aged-funds.ts";
import { type CallGate, type CallMoment, startCallGate } from "./call-gate.ts";
import { clockAhead } from "./fixture.ts";
import { killOnce, Tally } from "./kill-points.ts";
import { type HeldSignature, openRestorable, type RestorableFund } from "./restored-funds.ts";
import { RecoverySteps } from "./rows-on-disk.ts";

/**
 * All three recoveries make at least so many calls. With the 21 kills each of retention and migration, 60 kills are
 * made by default.
 */
const FEWEST_KILLS = 18;
/** A forgotten signature of Aptos expires within an hour of the chain's clock. */
const HOUR_AHEAD_MS = 3_600_000 + 120_000;
const HELD = 3;
const LATER_DEPOSIT_ATOMS = 2_000_000_000n;
const STEP_MS = 200_000;
/** A fund believes a later epoch after a second look. */
const LOOK_AGAIN_MS = 300;
const RETRY_MS = 100;
/** One call more passes before each kill, until the step of the recovery ends. Its next step is killed at its first call. */
const MOMENTS: readonly CallMoment[] = ["asked", "answered"];

const recoverySchema = z.object({ state: z.enum(["needed", "running", "waiting", "done"]) });
const fundSchema = z.object({ recovery: z.object({ corrections: z.string() }) });

/** Work that the restored copy has forgotten. */
interface Forgotten {
  readonly held: HeldSignature[];
  readonly to: string;
}

interface Scene {
  readonly hosted: SelfHosted;
  readonly gate: CallGate;
  readonly hits: Tally;
  /** Readers of the files, opened before the service starts on the copy. */
  readonly steps: Map<RestorableFund, RecoverySteps>;
  kills: number;
  readonly most: number;
}

function stepOf({ steps }: Scene, fund: RestorableFund): string | null {
  return steps.get(fund)?.now() ?? null;
}

function withdraw({ hosted }: Scene, fund: RestorableFund, to: string): Promise<HttpAnswer> {
  const body = { to, from: "available", amount: fund.withdrawnAtoms.toString() };
  return adminCall(hosted, "POST", `/funds/${fund.fund.fundId}/withdraw`, body, "forgotten payout");
}

/** Executes, holds, deposits and withdraws. */
async function driveOn(scene: Scene, fund: RestorableFund): Promise<Forgotten> {
  const { chainUrl } = scene.hosted;
  expect(await (await fund.hold()).submit(), "a signature is good").toBe(true);
  const held: HeldSignature[] = [];
  for (let index = 0; index < HELD; index++) held.push(await fund.hold());
  const give = fund.prefix === "/sui" ? faucet : faucetApt;
  await give(chainUrl, fund.fund.depositAddress, LATER_DEPOSIT_ATOMS);
  const to = new Ed25519Keypair().toSuiAddress();
  for (;;) {
    const paid = await withdraw(scene, fund, to);
    const { state } = expectAnswer("the payout", paid, z.object({ state: z.string() }));
    if (state === "complete") return { held, to };
    await sleep(RETRY_MS);
  }
}

/** Orders the recovery again and again, until the service answers. Null if it was killed meanwhile. */
async function recover({ hosted }: Scene, { fund }: RestorableFund) {
  const answer = await adminCall(hosted, "POST", `/funds/${fund.fundId}/recover`, {}).catch(() => null);
  return answer === null ? null : expectAnswer("the recovery", answer, recoverySchema).state;
}

/**
 * Kills the service at every call that the recovery makes, before and after the node has it, until the recovery waits for
 * its chain or is done.
 */
async function killThrough(scene: Scene, fund: RestorableFund): Promise<"waiting" | "done"> {
  const { hosted, gate, hits } = scene;
  const stepNow = () => stepOf(scene, fund);
  const deadline = Date.now() + STEP_MS;
  for (let passing = 0; ; ) {
    if (Date.now() > deadline) throw new Error(`the recovery of ${fund.name} does not end`);
    const step = stepNow();
    const moment = MOMENTS[scene.kills % MOMENTS.length] ?? "asked";
    // A recovery that goes on after a kill makes fewer calls. So the next step can begin before all of them have passed.
    const isHeld = (passed: number) => passed >= passing || stepNow() !== step;
    const held = scene.kills < scene.most ? gate.holdAt(fund.prefix, isHeld, moment) : new Promise<string>(() => {});
    const ended = recover(scene, fund);
    const first = await Promise.race([held, ended.then(() => null)]);
    if (first === null) {
      gate.open();
      const state = await ended;
      if (state === "waiting" || state === "done") return state;
      await sleep(RETRY_MS);
      continue;
    }
    await hosted.service.kill();
    gate.open();
    scene.kills += 1;
    const after = stepNow();
    hits.add(`${fund.name} ${after}`);
    passing = after === step ? passing + 1 : 0;
    await hosted.service.restart();
  }
}

/**
 * Kills through a whole recovery.
 *
 * @param passTime makes the chain come to what the recovery waits for.
 */
async function untilDone(scene: Scene, fund: RestorableFund, passTime: () => Promise<unknown>): Promise<void> {
  const { hosted, hits } = scene;
  if ((await killThrough(scene, fund)) === "done") return;
  await passTime();
  let isAlive = true;
  const keepAsking = async () => {
    for (; isAlive; await sleep(LOOK_AGAIN_MS)) await recover(scene, fund);
  };
  const asking = keepAsking();
  const step = () => stepOf(scene, fund);
  // The calls that this step makes last much longer than a millisecond.
  await killOnce(
    hosted.service,
    `${fund.name} adopts its chain`,
    () => step() !== "waiting",
    () => false,
  );
  isAlive = false;
  await asking;
  scene.kills += 1;
  hits.add(`${fund.name} ${step()}`);
  await hosted.service.restart();
  expect(await killThrough(scene, fund)).toBe("done");
}

async function putBack({ hosted }: Scene, copy: string): Promise<void> {
  await hosted.service.kill();
  await rm(hosted.serviceState, { recursive: true });
  await cp(copy, hosted.serviceState, { recursive: true });
}

/** Begins all recoveries while no node answers, so that no fund works on its old state. The service is killed then. */
async function beginAll(scene: Scene, funds: readonly RestorableFund[]): Promise<void> {
  const { hosted, gate, hits } = scene;
  for (const fund of funds) scene.steps.set(fund, new RecoverySteps(hosted.serviceState, fund.fund.fundId));
  void gate.holdAt("/", () => true, "asked");
  await hosted.service.restart();
  const orders = funds.map((fund) => recover(scene, fund));
  const steps = () => funds.map((fund) => stepOf(scene, fund));
  await expect.poll(steps, { timeout: STEP_MS }).toEqual(funds.map(() => "closing"));
  await hosted.service.kill();
  gate.open();
  scene.kills += 1;
  hits.add("begun");
  await Promise.all(orders);
  await hosted.service.restart();
}

/** A signature over an address balance lives until the end of the next epoch. */
async function endEpochs({ hosted }: Scene): Promise<void> {
  const init = { method: "POST", body: JSON.stringify({ advance: 2 }) };
  const answer = await http(`${hosted.chainUrl}/control/epoch`, init);
  expectAnswer("the epoch", answer, z.unknown());
}

/** Expects exact books, a refusal of every forgotten signature, and that the forgotten payout is not made again. */
async function expectRecovered(scene: Scene, fund: RestorableFund, { held, to }: Forgotten) {
  const { hosted } = scene;
  const { fundId } = fund.fund;
  await expectExactBooks(hosted, fundId);
  for (const signature of held) expect(await signature.submit(), `a forgotten signature of ${fund.name}`).toBe(false);
  const again = await withdraw(scene, fund, to);
  expect({ status: again.status, body: again.body }).toMatchObject({ status: 409 });
  expect(await fund.ownedBy(to), "the payout is made once").toBe(fund.withdrawnAtoms);
  const { recovery } = expectAnswer("the fund", await adminCall(hosted, "GET", `/funds/${fundId}`), fundSchema);
  expect(BigInt(recovery.corrections), "what was forgotten is booked").not.toBe(0n);
  const next = await fund.hold(HOUR_AHEAD_MS);
  expect(await next.submit(), `${fund.name} sponsors again`).toBe(true);
  await expectExactBooks(hosted, fundId);
}

/**
 * Puts an older copy of a service's state back, and kills the service at every call to a node that `recover` makes: for a
 * Sui fund of coins, one of an address balance, and an Aptos fund.
 */
export async function assertRecoveryRepeatsNothing(most: number): Promise<void> {
  const hosted = await startSelfHosted();
  const gate = await startCallGate(hosted.chainUrl);
  const scene: Scene = { hosted, gate, hits: new Tally(), steps: new Map(), kills: 0, most };
  try {
    await hosted.service.restart(localNodes(gate.url));
    const funds = await openRestorable(hosted);
    const open = new Map<RestorableFund, HeldSignature[]>();
    for (const fund of funds) open.set(fund, [await fund.hold()]);
    await hosted.service.kill();
    const copy = `${hosted.serviceState}-copy`;
    await cp(hosted.serviceState, copy, { recursive: true });
    await hosted.service.restart();
    const forgotten = new Map<RestorableFund, Forgotten>();
    for (const fund of funds) forgotten.set(fund, await driveOn(scene, fund));
    await putBack(scene, copy);
    await beginAll(scene, funds);
    // A user executes a forgotten signature while the funds are closed.
    for (const { held } of forgotten.values()) expect(await held.pop()?.submit()).toBe(true);
    const [coins, balance, aptos] = funds;
    if (coins === undefined || balance === undefined || aptos === undefined) throw new Error("a fund is missing");
    await untilDone(scene, coins, async () => {});
    await untilDone(scene, balance, () => endEpochs(scene));
    await untilDone(scene, aptos, async () => {
      await hosted.chain.restart(clockAhead(HOUR_AHEAD_MS));
      await hosted.service.restart(clockAhead(HOUR_AHEAD_MS));
    });
    process.stdout.write(`${scene.kills} kills in three recoveries: ${scene.hits}\n`);
    for (const fund of funds) {
      const { held, to } = forgotten.get(fund) ?? { held: [], to: "" };
      await expectRecovered(scene, fund, { held: [...held, ...(open.get(fund) ?? [])], to });
    }
    expect(scene.kills, "kills in three recoveries").toBeGreaterThanOrEqual(Math.min(most, FEWEST_KILLS));
    if (scene.kills < most)
      for (const state of ["begun", "coins closing", "balance waiting", ...funds.map(({ name }) => `${name} adopting`)])
        expect(scene.hits.count(state), `kills: ${state}`).toBeGreaterThan(0);
  } finally {
    for (const steps of scene.steps.values()) steps.close();
    await hosted.stop();
    await gate.stop();
  }
}
