import { expect } from "vitest";
import * as z from "zod";
import { adminCall } from "../../shared/cli/client/admin.ts";
import { expectAnswer } from "../../shared/cli/client/http.ts";
import { type SelfHosted, startSelfHosted } from "../harness/self-hosted.ts";
import { seededRandom, sleep } from "../support/random.ts";
import { type Books, checkBooks, everySponsorship, figuresOf, suiOf } from "./books.ts";
import { type Caller, startCaller, toldOf } from "./callers.ts";
import { AFTER_THE_HOUR_MS, checkNothingIsStuck, clockAhead, newGas, openBooks, untilSettled } from "./fixture.ts";
import { BALANCE_DEPOSIT_MIST, COIN_DEPOSIT_MIST, type Operator, startOperator } from "./operator.ts";

const SUI_MIST = 1_000_000_000n;
const DEPOSITS_MIST = [20n * SUI_MIST, 20n * SUI_MIST, 20n * SUI_MIST];
const FEE_MIST = 70_000n;
const CALLERS = 4;
/** More of them, with an access key that is revoked in the middle. */
const REVOKED_CALLERS = 2;
/** Each run of the service ends after so many answers at most, and so many milliseconds more; whatever comes, it ends. */
const MOST_ANSWERS = 24;
const LONGEST_REST_MS = 300;
const LONGEST_RUN_MS = 4_000;
const LONGEST_DOWN_MS = 200;
const RETRY_MS = 100;
const TICK_MS = 10;

interface KillFixture {
  readonly hosted: SelfHosted;
  readonly books: Books;
  readonly callers: readonly Caller[];
  /** Those whose access key is revoked. */
  readonly thieves: readonly Caller[];
  readonly leakedKeyId: string;
  readonly operator: Operator;
}

async function open(hosted: SelfHosted, seed: number): Promise<KillFixture> {
  const books = await openBooks(hosted, "killed", DEPOSITS_MIST, { sponsorshipFee: FEE_MIST.toString() });
  const leaked = await newGas(hosted, books.fund, "leaked");
  const start = (gas: Books["gas"], count: number, first: number) =>
    Array.from({ length: count }, (_, index) => startCaller({ gas, sui: books.sui }, first + index, seed));
  const thieves = start(leaked.gas, REVOKED_CALLERS, CALLERS);
  const callers = [...start(books.gas, CALLERS, 0), ...thieves];
  return { hosted, books, callers, thieves, leakedKeyId: leaked.keyId, operator: startOperator(books, seed) };
}

const revokedSchema = z.object({ pending: z.int() });

/** Repeats the revocation until it has come to an end. Then nothing that its key was given can be executed. */
async function revokeLeakedKey({ books, thieves, leakedKeyId }: KillFixture): Promise<void> {
  for (const thief of thieves) thief.revoked();
  const stolen = toldOf(thieves).abandoned.slice();
  for (; ; await sleep(RETRY_MS)) {
    const body = { outstanding: true };
    const answer = await adminCall(books.access, "POST", `/keys/${leakedKeyId}/revoke`, body).catch(() => null);
    if (answer !== null && expectAnswer("the revocation", answer, revokedSchema).pending === 0) break;
  }
  for (const { txBytes, signatures } of stolen)
    await expect(books.sui.executeTransaction({ transaction: txBytes, signatures })).rejects.toThrow(
      /unavailable for consumption/,
    );
}

/** A random part of the load: how fast the machine is does not matter. */
async function someLoad(callers: readonly Caller[], random: () => number): Promise<void> {
  const answers = () => callers.reduce((sum, { told }) => sum + told.sponsored.size + told.executed.size, 0);
  const enough = answers() + Math.ceil(random() * MOST_ANSWERS);
  for (const deadline = Date.now() + LONGEST_RUN_MS; answers() < enough && Date.now() < deadline; )
    await sleep(TICK_MS);
  await sleep(random() * LONGEST_REST_MS);
}

/** Kills the service again and again under load. The last time it comes back, an hour has passed and nobody calls it. */
async function killUnderLoad(fixture: KillFixture, kills: number, seed: number): Promise<void> {
  const { service, chain } = fixture.hosted;
  const random = seededRandom(seed);
  let revoking: Promise<void> | null = null;
  for (let kill = 1; kill <= kills; kill += 1) {
    await someLoad(fixture.callers, random);
    if (kill === kills) await revoking;
    await service.kill();
    if (kill === Math.ceil(kills / 2)) revoking = revokeLeakedKey(fixture);
    if (kill === kills) await Promise.all([...fixture.callers, fixture.operator].map((one) => one.stop()));
    await sleep(random() * LONGEST_DOWN_MS);
    if (kill < kills) await service.restart();
  }
  await chain.restart(clockAhead(AFTER_THE_HOUR_MS));
  await service.restart(clockAhead(AFTER_THE_HOUR_MS));
}

async function checkPayouts({ books, operator }: KillFixture): Promise<void> {
  await operator.finish();
  expect(operator.unexpected).toEqual([]);
  expect(operator.payouts.filter(({ digest }) => digest === null)).toEqual([]);
  const paidMist = operator.payouts.reduce((sum, { amountMist }) => sum + amountMist, 0n);
  expect(await suiOf(books, operator.treasury), "each withdrawal is paid once").toBe(paidMist);
  expect((await figuresOf(books)).accruedFees, "all fees are collected").toBe(0n);
}

/** SIGKILLs the service at random moments of a load, and compares what it believes afterwards with the chain. */
export async function assertNothingIsLost(kills: number, seed: number): Promise<void> {
  const hosted = await startSelfHosted();
  try {
    const fixture = await open(hosted, seed);
    const { books, callers, leakedKeyId } = fixture;
    await killUnderLoad(fixture, kills, seed);
    const told = toldOf(callers);
    expect(told.unexpected, "a crash excuses broken connections, and nothing else").toEqual([]);
    expect(told.executed.size, "there was a load").toBeGreaterThan(kills);
    const { payouts } = fixture.operator;
    process.stdout.write(
      `${kills} kills: ${told.sponsored.size} sponsorships answered, ${told.executed.size} executions, ${payouts.length} payouts\n`,
    );

    await untilSettled(hosted);
    await checkNothingIsStuck(hosted);
    const depositedMist = [...DEPOSITS_MIST, COIN_DEPOSIT_MIST, BALANCE_DEPOSIT_MIST].reduce((a, b) => a + b);
    const expected = { feeMist: FEE_MIST, depositedMist };
    await checkBooks(books, told, callers, expected);
    await checkPayouts(fixture);
    expect((await everySponsorship(books)).some(({ keyId }) => keyId === leakedKeyId)).toBe(true);

    const next = startCaller(books, callers.length, seed);
    await someLoad([next], () => 0);
    await next.stop();
    expect(next.told.unexpected).toEqual([]);
    expect(next.told.sponsored.size, "the fund still sponsors").toBeGreaterThan(0);
  } finally {
    await hosted.stop();
  }
}
