import { Aptos, AptosConfig, Network } from "@aptos-labs/ts-sdk";
import { afterAll, beforeAll, expect, test } from "vitest";
import * as z from "zod";
import { APTOS_NETWORK, adminCall, createKey } from "../../shared/cli/client/admin.ts";
import { createAptosFund } from "../../shared/cli/client/funds.ts";
import { expectAnswer } from "../../shared/cli/client/http.ts";
import { type SelfHosted, startSelfHosted } from "../harness/self-hosted.ts";
import { startAptosCaller } from "../kills/aptos-callers.ts";
import { figuresOf } from "../kills/books.ts";
import { startCaller } from "../kills/callers.ts";
import { openBooks } from "../kills/fixture.ts";
import { raiseLimits } from "../support/limits.ts";
import { type ByzantineNode, startByzantineNode } from "./byzantine-node.ts";
import { peakWhile, residentBytes } from "./memory.ts";

const MIB = 1024 * 1024;
const FLOOD_BYTES = 64 * MIB;
const ALLOWED_BYTES = 100 * MIB;
const CALLERS = 4;
/** Sponsorships and executions that are answered while the node floods. */
const ENOUGH_ANSWERS = 60;
/** Kept in memory, so many floods would be twice what is allowed. An endpoint that floods is soon asked last. */
const ENOUGH_FLOODS = 3;
const PATIENCE_MS = 240_000;
const SUI_MIST = 1_000_000_000n;
const APT_OCTAS = 100_000_000n;
const SEED = 64;

let hosted: SelfHosted;
let node: ByzantineNode;

beforeAll(async () => {
  hosted = await startSelfHosted();
  node = await startByzantineNode(hosted.chainUrl, FLOOD_BYTES);
  // The bad one is asked first, whatever is asked.
  await hosted.service.restart({
    SUI_LOCALNET_NODES: `${node.url}/sui ${hosted.chainUrl}/sui`,
    APTOS_LOCALNET_NODES: `${node.url}/aptos/v1 ${hosted.chainUrl}/aptos/v1`,
  });
});
afterAll(async () => {
  await node.stop();
  await hosted.stop();
});

const answered = (told: { readonly executed: ReadonlySet<string> }) => told.executed.size;
const reconciled = z.object({ exact: z.literal(true) });

/** Goes on until so many more are answered than now. */
async function untilMore(count: () => number, more: number): Promise<void> {
  const enough = count() + more;
  await expect.poll(count, { timeout: PATIENCE_MS }).toBeGreaterThanOrEqual(enough);
}

/** Floods until `work` is done and enough floods were sent, whichever is later. */
async function floodWhile(work: () => Promise<void>): Promise<void> {
  const before = await residentBytes(hosted.service);
  const floodsBefore = node.betrayed();
  node.behave(() => "flood");
  const floods = () => node.betrayed() - floodsBefore;
  const peak = await peakWhile(hosted.service, async () => {
    await work();
    await expect.poll(floods, { timeout: PATIENCE_MS }).toBeGreaterThanOrEqual(ENOUGH_FLOODS);
  });
  node.behave(() => "pass");
  console.log(`${floods()} floods: ${(before / 1e6).toFixed(0)} MB before, ${(peak / 1e6).toFixed(0)} MB at most`);
  expect(peak - before).toBeLessThan(ALLOWED_BYTES);
}

test("a Sui node that answers 64 MiB to everything stops nothing, and fills no memory", async () => {
  const books = await openBooks(hosted, "flooded", [20n * SUI_MIST, 20n * SUI_MIST]);
  const callers = Array.from({ length: CALLERS }, (_, index) => startCaller(books, index, SEED));
  const executed = () => callers.reduce((sum, { told }) => sum + answered(told), 0);
  await untilMore(executed, ENOUGH_ANSWERS);
  await floodWhile(() => untilMore(executed, ENOUGH_ANSWERS));
  for (const caller of callers) await caller.stop();
  expect(callers.flatMap(({ told }) => told.unexpected)).toEqual([]);
  const reconciliation = await adminCall(hosted, "POST", `/funds/${books.fund.fundId}/reconcile`);
  expectAnswer("the reconciliation", reconciliation, reconciled);
  expect((await figuresOf(books)).balance).toBeGreaterThan(0n);
});

test("an Aptos node that answers 64 MiB to everything stops nothing, and fills no memory", async () => {
  const { projectId } = await openBooks(hosted, "flooded, on Aptos", [SUI_MIST]).then(({ fund }) => fund);
  const fund = await createAptosFund(hosted, projectId, "flooded", 100n * APT_OCTAS);
  const terms = { name: "flooded", network: APTOS_NETWORK, rights: ["gas"], fundId: fund.fundId };
  const { id: keyId, key: accessKey } = await createKey(hosted, projectId, {
    ...terms,
    limits: { qps: 10_000, cups: 1_000 },
  });
  await raiseLimits(hosted, { ...fund, keyId });
  const aptos = new Aptos(new AptosConfig({ network: Network.LOCAL, fullnode: `${hosted.chainUrl}/aptos/v1` }));
  const surroundings = { ...hosted, accessKey, feePayer: fund.depositAddress, aptos };
  const callers = Array.from({ length: CALLERS }, (_, index) => startAptosCaller(surroundings, index, SEED));
  const executed = () => callers.reduce((sum, { told }) => sum + answered(told), 0);
  await untilMore(executed, ENOUGH_ANSWERS / 2);
  await floodWhile(() => untilMore(executed, ENOUGH_ANSWERS / 2));
  for (const caller of callers) await caller.stop();
  expect(callers.flatMap(({ told }) => told.unexpected)).toEqual([]);
  const reconciliation = await adminCall(hosted, "POST", `/funds/${fund.fundId}/reconcile`);
  expectAnswer("the reconciliation", reconciliation, reconciled);
});
