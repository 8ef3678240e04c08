import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Aptos, AptosConfig, Network } from "@aptos-labs/ts-sdk";
import { Ed25519Keypair } from "@mysten/sui/keypairs/ed25519";
import { Transaction } from "@mysten/sui/transactions";
import { afterAll, beforeAll, expect, test } from "vitest";
import * as z from "zod";
import { build, DEVELOPMENT_CHAIN } from "../../shared/cli/build.ts";
import { APTOS_NETWORK, adminCall, createKey, refreshPast } from "../../shared/cli/client/admin.ts";
import { faucet } from "../../shared/cli/client/faucet.ts";
import { createAptosFund, type ProjectFund } from "../../shared/cli/client/funds.ts";
import { expectAnswer, http } from "../../shared/cli/client/http.ts";
import { startWorkerd, type WorkerdProcess } from "../../shared/cli/workerd.ts";
import { DEMO_PACKAGE } from "../devchain/demo.ts";
import { type SelfHosted, startSelfHosted } from "../harness/self-hosted.ts";
import { startAptosCaller } from "../kills/aptos-callers.ts";
import { type Books, everySponsorship, figuresOf, suiOf } from "../kills/books.ts";
import { GAS_BUDGET_MIST, startCaller } from "../kills/callers.ts";
import { clockAhead, openBooks } from "../kills/fixture.ts";
import { raiseLimits } from "../support/limits.ts";
import { sleep } from "../support/random.ts";
import { type ByzantineNode, startByzantineNode } from "./byzantine-node.ts";
import { peakWhile, residentBytes } from "./memory.ts";

const MIB = 1024 * 1024;
const FLOOD_BYTES = 64 * MIB;
const ALLOWED_BYTES = 100 * MIB;
const EPOCH_MS = 600_000;
/** The second epoch has begun. */
const AHEAD_MS = EPOCH_MS + 300_000;
/** The endpoint that lags still shows the first one, when the funds had just been made. */
const LAG_MS = AHEAD_MS - 60_000;
const SECOND_LOOK_MS = 4_000;
/** A call may take so long, whatever its nodes do. */
const PROMISED_MS = 25_000;
const PATIENCE_MS = 60_000;
const CALLERS = 2;
const ENOUGH_ANSWERS = 6;
const SUI_MIST = 1_000_000_000n;
const APT_OCTAS = 100_000_000n;
const DEPOSIT_MIST = 3n * SUI_MIST;
const PAYOUT_MIST = 50_000_000n;
const SEED = 5;

let hosted: SelfHosted;
let other: WorkerdProcess;
let otherState: string;
let flooding: ByzantineNode;
let hanging: ByzantineNode;
/** Before another chain. On Aptos it shows another chain id, since all development chains have one. */
let foreign: ByzantineNode;
/** Before the chain's own endpoints: it fails each look-up of one digest, and passes everything else. */
let right: ByzantineNode;

beforeAll(async () => {
  hosted = await startSelfHosted({ vars: { chain: { EPOCH_DURATION_MS: String(EPOCH_MS) } } });
  otherState = await mkdtemp(join(tmpdir(), "gasworks-other-chain-"));
  // Its clock is right: it must be known by its chain alone.
  other = await startWorkerd({
    bundle: await build(DEVELOPMENT_CHAIN),
    stateDirectory: otherState,
    vars: clockAhead(AHEAD_MS),
  });
  [foreign, flooding, hanging, right] = await Promise.all([
    startByzantineNode(other.url, FLOOD_BYTES),
    startByzantineNode(hosted.chainUrl, FLOOD_BYTES),
    startByzantineNode(hosted.chainUrl, FLOOD_BYTES),
    startByzantineNode(hosted.chainUrl, FLOOD_BYTES),
  ]);
  foreign.behave((path) => (path.startsWith("/aptos/") ? "other_chain" : "pass"));
});
afterAll(async () => {
  for (const node of [foreign, flooding, hanging, right]) await node.stop();
  await other.kill();
  await rm(otherState, { recursive: true, force: true });
  await hosted.stop();
});

/** The worst come first. */
function besiegingNodes() {
  const nodes = [foreign, flooding, right, hanging, right];
  const urls = (chain: string, version: string) =>
    nodes.map(({ url }, index) => `${url}/${chain}${index === 2 ? "/late" : ""}${version}`).join(" ");
  return { SUI_LOCALNET_NODES: urls("sui", ""), APTOS_LOCALNET_NODES: urls("aptos", "/v1") };
}

const reconciled = z.object({ exact: z.literal(true) });
const withdrawal = z.object({ digest: z.string(), state: z.enum(["pending", "complete"]) });

async function expectReconciled({ fundId }: ProjectFund): Promise<void> {
  const reconcile = () => adminCall(hosted, "POST", `/funds/${fundId}/reconcile`);
  expectAnswer("the reconciliation", await reconcile(), reconciled);
}

async function inTime<T>(what: string, work: () => Promise<T>): Promise<T> {
  const startedAtMs = performance.now();
  const value = await work();
  expect(performance.now() - startedAtMs, what).toBeLessThan(PROMISED_MS);
  return value;
}

/** Another epoch begins, and the fund believes it: two looks at one endpoint tell it so. */
async function nextEpoch(books: Books): Promise<void> {
  await hosted.chain.restart(clockAhead(AHEAD_MS));
  await hosted.service.restart(clockAhead(AHEAD_MS));
  await expectReconciled(books.fund);
  await sleep(SECOND_LOOK_MS);
  await expectReconciled(books.fund);
  const order = JSON.stringify({ endpoint: "late", lagMs: LAG_MS });
  expectAnswer("the lag", await http(`${hosted.chainUrl}/control/lag`, { method: "POST", body: order }), z.unknown());
}

/** Executed past the service, and no node will tell it so. */
async function executeUntold({ gas, sui }: Books): Promise<string> {
  const user = new Ed25519Keypair();
  const kind = new Transaction();
  kind.moveCall({ target: `${DEMO_PACKAGE}::demo::mint`, arguments: [kind.pure.string("untold")] });
  const transactionBytes = await kind.build({ onlyTransactionKind: true });
  const params = { transactionBytes, sender: user.toSuiAddress(), gasBudget: GAS_BUDGET_MIST };
  const lent = await gas.sponsorTransactionBlock(params);
  if (!lent.ok) throw new Error(JSON.stringify(lent.error));
  const { txBytes, txDigest, signature } = lent.value;
  right.behave((path, body) => (path.endsWith("BatchGetTransactions") && body.includes(txDigest) ? "fail" : "pass"));
  const own = (await user.signTransaction(txBytes)).signature;
  await sui.executeTransaction({ transaction: txBytes, signatures: [own, signature] });
  return txDigest;
}

async function openAptos({ fund: { projectId } }: Books) {
  const fund = await createAptosFund(hosted, projectId, "besieged", 100n * APT_OCTAS);
  const terms = { name: "besieged", network: APTOS_NETWORK, rights: ["gas"], fundId: fund.fundId };
  const limits = { qps: 10_000, cups: 1_000 };
  const { id: keyId, key: accessKey } = await createKey(hosted, projectId, { ...terms, limits });
  await raiseLimits(hosted, { ...fund, keyId });
  const aptos = new Aptos(new AptosConfig({ network: Network.LOCAL, fullnode: `${hosted.chainUrl}/aptos/v1` }));
  return { fund, surroundings: { ...hosted, accessKey, feePayer: fund.depositAddress, aptos } };
}

test("a flood, another chain, an epoch's lag, silence and a digest that nobody tells of stop nothing else", async () => {
  const books = await openBooks(hosted, "besieged", [20n * SUI_MIST, 20n * SUI_MIST]);
  const aptos = await openAptos(books);
  await nextEpoch(books);
  await hosted.service.restart(besiegingNodes());
  const { gas, fund } = books;
  const status = async (txDigest: string) => {
    const told = await inTime("a status", () =>
      gas.getSponsoredTransactionBlockStatus({ transactionDigest: txDigest }),
    );
    return told.ok ? told.value : told.error;
  };

  const callers = Array.from({ length: CALLERS }, (_, index) => startCaller(books, index, SEED));
  const onAptos = Array.from({ length: CALLERS }, (_, index) => startAptosCaller(aptos.surroundings, index, SEED));
  const executed = (some: readonly Pick<(typeof callers)[number] | (typeof onAptos)[number], "told">[]) =>
    some.reduce((sum, { told }) => sum + told.executed.size, 0);
  const untilMore = async () => {
    const [sui, onAptosBefore] = [executed(callers), executed(onAptos)];
    const isEnough = () =>
      executed(callers) - sui >= ENOUGH_ANSWERS && executed(onAptos) - onAptosBefore >= ENOUGH_ANSWERS;
    await expect.poll(isEnough, { timeout: PATIENCE_MS, interval: 500 }).toBe(true);
  };
  // What a service loads for its first calls is no harm of the nodes'.
  await untilMore();
  flooding.behave(() => "flood");
  hanging.behave(() => "hang");
  const before = await residentBytes(hosted.service);
  let untold = "";
  const peak = await peakWhile(hosted.service, async () => {
    untold = await executeUntold(books);

    const to = new Ed25519Keypair().toSuiAddress();
    const payout = { to, from: "available", amount: PAYOUT_MIST.toString() };
    const path = `/funds/${fund.fundId}/withdraw`;
    const paid = await inTime("a withdrawal", () => adminCall(hosted, "POST", path, payout, "besieged"));
    expectAnswer("the withdrawal", paid, withdrawal);
    await expect.poll(() => suiOf(books, to), { timeout: PATIENCE_MS }).toBe(PAYOUT_MIST);

    await untilMore();
    for (const caller of [...callers, ...onAptos]) await caller.stop();
    expect([...callers, ...onAptos].flatMap(({ told }) => told.unexpected)).toEqual([]);

    const balanceMist = (await figuresOf(books)).balance;
    await faucet(hosted.chainUrl, fund.depositAddress, DEPOSIT_MIST);
    await refreshPast(hosted, fund.fundId, balanceMist + DEPOSIT_MIST / 2n);

    const all = new Set(callers.flatMap(({ told }) => [...told.executed]));
    const states = async () => {
      const rows = (await everySponsorship(books)).filter(({ digest }) => all.has(digest));
      return new Set(rows.map(({ state }) => state));
    };
    await expect.poll(states, { timeout: 2 * PATIENCE_MS, interval: 500 }).toEqual(new Set(["complete"]));
    expect(await status(untold)).toBe("IN_FLIGHT");
  });
  const [beforeMb, peakMb] = [before / 1e6, peak / 1e6].map((bytes) => bytes.toFixed(0));
  console.log(`${flooding.betrayed()} floods, ${hanging.betrayed()} hung: ${beforeMb} MB before, ${peakMb} MB at most`);
  expect(peak - before).toBeLessThan(ALLOWED_BYTES);
  for (const node of [foreign, flooding, hanging, right]) expect(node.betrayed()).toBeGreaterThan(0);

  right.behave(() => "pass");
  await expect.poll(() => status(untold), { timeout: PATIENCE_MS }).toBe("COMPLETE");
  for (const one of [fund, aptos.fund]) await expectReconciled(one);
  expect((await figuresOf(books)).balance).toBe(await suiOf(books, fund.depositAddress));
});
