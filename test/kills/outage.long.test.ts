import type { SuiGrpcClient } from "@mysten/sui/grpc";
import { Ed25519Keypair } from "@mysten/sui/keypairs/ed25519";
import { Transaction } from "@mysten/sui/transactions";
import { afterAll, beforeAll, describe, expect, test, vi } from "vitest";
import * as z from "zod";
import { adminCall } from "../../shared/cli/client/admin.ts";
import { faucet } from "../../shared/cli/client/faucet.ts";
import { expectAnswer, http } from "../../shared/cli/client/http.ts";
import { untilAllIsShown } from "../../shared/cli/client/shown.ts";
import type { Reply } from "../../shared/client/rpc-client.ts";
import { DEMO_PACKAGE } from "../devchain/demo.ts";
import { type SelfHosted, startSelfHosted } from "../harness/self-hosted.ts";
import { sleep } from "../support/random.ts";
import { type Books, everySponsorship, figuresOf, suiOf } from "./books.ts";
import { checkNothingIsStuck, clockAhead, openBooks, untilSettled } from "./fixture.ts";

const SUI_MIST = 1_000_000_000n;
const GAS_BUDGET_MIST = 5_000_000n;
const PAYOUT_MIST = 1_000_000n;
const MINUTE_MS = 60_000;
/** Longer than the chain takes, and shorter than anybody gives up. */
const HELD_BACK_MS = 8_000;
const SOON_MS = 60_000;
const TICK_MS = 20;
const LIMIT_MS = 120_000;

const user = new Ed25519Keypair();
const sender = user.toSuiAddress();

let hosted: SelfHosted;
let books: Books;
beforeAll(async () => {
  hosted = await startSelfHosted();
  books = await openBooks(hosted, "outage", [10n * SUI_MIST]);
}, LIMIT_MS);
afterAll(() => hosted.stop());

function granted<T>(reply: Reply<T>): T {
  if (!reply.ok) throw new Error(JSON.stringify(reply.error));
  return reply.value;
}

let badges = 0;
async function terms() {
  badges += 1;
  const transaction = new Transaction();
  transaction.moveCall({
    target: `${DEMO_PACKAGE}::demo::mint`,
    arguments: [transaction.pure.string(`badge ${badges}`)],
  });
  const transactionBytes = await transaction.build({ onlyTransactionKind: true });
  return { transactionBytes, sender, gasBudget: GAS_BUDGET_MIST };
}

const sponsor = async () => granted(await books.gas.sponsorTransactionBlock(await terms()));
const prepare = async () => granted(await books.gas.prepareTransactionBlock(await terms()));
const signatureOf = async (txBytes: Uint8Array) => (await user.signTransaction(txBytes)).signature;
const statusOf = (transactionDigest: string) => books.gas.getSponsoredTransactionBlockStatus({ transactionDigest });

async function execute({ txBytes, txDigest }: { txBytes: Uint8Array; txDigest: string }) {
  return books.gas.executeTransactionBlock({ txDigest, senderSignature: await signatureOf(txBytes) });
}

async function submit(sui: SuiGrpcClient, txBytes: Uint8Array, signatures: string[]): Promise<string> {
  const result = await sui.executeTransaction({ transaction: txBytes, signatures });
  return result.$kind;
}

/** As the user would, past the service, with the user's signature and no other. */
async function expectUserAloneRefused({ txBytes }: { txBytes: Uint8Array }): Promise<void> {
  await expect(submit(books.sui, txBytes, [await signatureOf(txBytes)])).rejects.toThrow(/signature/i);
}

/** After all that was executed until now. */
async function badgeCount(): Promise<number> {
  await untilAllIsShown(hosted.chainUrl);
  return (await books.sui.listOwnedObjects({ owner: sender })).objects.length;
}

const EXECUTE = "TransactionExecutionService/ExecuteTransaction";

async function control(method: string, path: string, body?: object): Promise<unknown> {
  const url = `${hosted.chainUrl}/control/${path}`;
  return expectAnswer(path, await http(url, { method, ...(body && { body: JSON.stringify(body) }) }), z.unknown());
}

async function untilSubmitted(count: number): Promise<void> {
  const schema = z.record(z.string(), z.int());
  while ((schema.parse(await control("GET", "calls"))[EXECUTE] ?? 0) < count) await sleep(TICK_MS);
}

const withdrawalSchema = z.object({ digest: z.string(), state: z.literal("complete") });

function withdraw(to: string, key: string) {
  const body = { to, amount: PAYOUT_MIST.toString() };
  return adminCall(hosted, "POST", `/funds/${books.fund.fundId}/withdraw`, body, key);
}

describe("a service that is killed in the middle", () => {
  const [early, late] = [new Ed25519Keypair().toSuiAddress(), new Ed25519Keypair().toSuiAddress()];
  let prepared: Awaited<ReturnType<typeof prepare>>;
  let signed: Awaited<ReturnType<typeof prepare>>;

  beforeAll(async () => {
    [prepared, signed] = [await prepare(), await prepare()];
    await control("DELETE", "calls");
    // In this order: an execution and a withdrawal that the chain never gets to see, and a withdrawal that it makes.
    await control("POST", "fault", { method: EXECUTE, mode: "hang", times: 2 });
    await control("POST", "fault", { method: EXECUTE, mode: "drop_after_commit", times: 1, delayMs: HELD_BACK_MS });
    const broken = [execute(signed).then(({ ok }) => expect(ok).toBe(false))];
    await untilSubmitted(1);
    for (const [count, to] of [
      [2, early],
      [3, late],
    ] as const) {
      broken.push(
        withdraw(to, to).then(
          () => expect.fail("a killed service has answered"),
          () => undefined,
        ),
      );
      await untilSubmitted(count);
    }
    await vi.waitUntil(async () => (await suiOf(books, late)) === PAYOUT_MIST, SOON_MS);
    await hosted.service.kill();
    await Promise.all(broken);
    await control("DELETE", "fault");
    for (const one of [prepared, signed]) await expectUserAloneRefused(one);
    await hosted.service.restart();
  }, LIMIT_MS);

  test("pays a withdrawal once by itself, whether or not the chain had seen it", async () => {
    await expect.poll(() => suiOf(books, early), { timeout: SOON_MS }).toBe(PAYOUT_MIST);
    for (const to of [early, late]) {
      const answers = [await withdraw(to, to), await withdraw(to, to)];
      const [first, again] = answers.map((answer) => expectAnswer("the withdrawal", answer, withdrawalSchema));
      expect(again).toEqual(first);
      expect(await suiOf(books, to)).toBe(PAYOUT_MIST);
    }
  });

  test.each([
    ["prepared", () => prepared],
    ["signed", () => signed],
  ])(
    "while a sponsorship was %s: the user alone cannot execute it, and it is executed once",
    async (_, sponsorship) => {
      const before = await badgeCount();
      expect(await statusOf(sponsorship().txDigest)).toEqual({ ok: true, value: "IN_FLIGHT" });
      await expectUserAloneRefused(sponsorship());
      expect(await badgeCount()).toBe(before);
      for (let call = 0; call < 2; call++)
        expect(await execute(sponsorship())).toMatchObject({ ok: true, value: { digest: sponsorship().txDigest } });
      expect(await statusOf(sponsorship().txDigest)).toEqual({ ok: true, value: "COMPLETE" });
      expect(await badgeCount()).toBe(before + 1);
    },
  );
});

test("after ten minutes without the node, in which the hour ends, everything settles with no request and no cron", {
  timeout: LIMIT_MS,
}, async () => {
  const executed = await sponsor();
  const abandoned = [await sponsor(), await sponsor()];
  await hosted.chain.restart(clockAhead(55 * MINUTE_MS));
  await hosted.service.restart(clockAhead(55 * MINUTE_MS));
  const unsigned = await prepare();
  const executedBefore = await badgeCount();
  // In the last moment the user executes one, and somebody deposits.
  await submit(books.sui, executed.txBytes, [await signatureOf(executed.txBytes), executed.signature]);
  await faucet(hosted.chainUrl, books.fund.depositAddress, SUI_MIST);
  await hosted.chain.kill();

  expect(await statusOf(executed.txDigest)).toEqual({ ok: true, value: "IN_FLIGHT" });
  const heldMist = (await figuresOf(books)).inFlight;
  expect(heldMist).toBe(4n * GAS_BUDGET_MIST);
  await hosted.service.restart(clockAhead(65 * MINUTE_MS));
  // Nobody can tell: neither COMPLETE nor INVALID would be known to be true, and nothing new can be promised.
  const unavailable = { ok: false, error: { kind: "refused", reason: "node_unavailable" } };
  for (const { txDigest } of [executed, ...abandoned]) expect(await statusOf(txDigest)).toMatchObject(unavailable);
  expect(await books.gas.sponsorTransactionBlock(await terms())).toMatchObject(unavailable);
  expect(await figuresOf(books)).toMatchObject({ inFlight: heldMist - GAS_BUDGET_MIST });

  await hosted.chain.restart(clockAhead(65 * MINUTE_MS));
  await untilSettled(hosted);
  await checkNothingIsStuck(hosted);
  const states = new Map((await everySponsorship(books)).map(({ digest, state }) => [digest, state]));
  expect([executed, unsigned, ...abandoned].map(({ txDigest }) => states.get(txDigest))).toEqual([
    "complete",
    "dead",
    "dead",
    "dead",
  ]);
  expect(await badgeCount()).toBe(executedBefore + 1);
  for (const { txBytes, signature } of abandoned)
    await expect(submit(books.sui, txBytes, [await signatureOf(txBytes), signature])).rejects.toThrow(/unavailable/);
  await expectUserAloneRefused(unsigned);
  const { balance, inFlight } = await figuresOf(books);
  expect({ balance, inFlight }).toEqual({ balance: await suiOf(books, books.fund.depositAddress), inFlight: 0n });
  expect(balance).toBeGreaterThan(10n * SUI_MIST);
  granted(await execute(await prepare()));
});
