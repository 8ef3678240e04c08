import type { Ed25519Keypair } from "@mysten/sui/keypairs/ed25519";
import { expect, vi } from "vitest";
import { nodeSql } from "../node-sql.ts";
import { SUPPLY_MIST } from "../sui/genesis.ts";
import { signAll, startChain, type TestChain } from "../testing.ts";
import { buildTransaction } from "./build.ts";
import { allIds, checkExecuted, expectOneLiveVersion, keptByChain, supplyIn } from "./check.ts";
import { ACTORS, type CommandPlan, type RacePlan, type Step } from "./plan.ts";

const DAY_MS = 86_400_000;
const START_MIST = 200_000_000n;
const BUDGET_MIST = 8_000_000n;
/** Every actor starts with a badge, and with a locker that has one in it and one in the mail. */
const FURNISHING: readonly CommandPlan[][] = [
  [{ kind: "mint" }, { kind: "mint" }, { kind: "mint" }, { kind: "newLocker" }],
  [{ kind: "lockBadge" }, { kind: "mailBadge" }],
];
/** Keep the nonces of races and of the start apart from those of the steps. */
const LANE = 10_000;
const FURNISH = 100_000;

/** What came of a history's transactions, so that a property that checks nothing shows. */
export interface Tally {
  succeeded: number;
  failed: number;
  refused: number;
  /** Failed free of charge, because another transaction took the funds that it was admitted for. */
  short: number;
}

/** Lives through a history on a chain of its own and checks the chain after every step. */
export async function liveThrough(steps: readonly Step[], tally: Tally): Promise<void> {
  const sql = nodeSql();
  const chain = await startChain(sql);
  const seen = new Set<string>();
  let collected = 0n;
  const actors: Ed25519Keypair[] = [];

  async function settle(digest: string): Promise<void> {
    collected += await checkExecuted(chain.client, digest, seen);
    expect(supplyIn(sql) + collected).toBe(SUPPLY_MIST);
    expectOneLiveVersion(sql);
  }

  for (let index = 0; index < ACTORS; index++) {
    const actor = await chain.account();
    actors.push(actor);
    for (const form of ["coin", "address_balance"] as const) {
      const { digest } = await chain.chain.sui.faucet(actor.toSuiAddress(), START_MIST, form);
      collected += await keptByChain(chain.client, digest);
    }
  }
  for (const [nonce, commands] of FURNISHING.entries()) {
    for (const sender of actors.keys()) {
      const plan = { kind: "transaction", sender, payer: undefined, pay: "balance", budget: BUDGET_MIST } as const;
      const { bytes, signers } = await buildTransaction(chain.client, actors, { ...plan, commands }, FURNISH + nonce);
      const executed = await send(chain, { bytes, signatures: await signAll(bytes, ...signers) });
      expect(executed?.status).toEqual({ success: true, error: null });
      collected += await keptByChain(chain.client, executed?.digest ?? "");
    }
  }
  expect(supplyIn(sql) + collected).toBe(SUPPLY_MIST);

  for (const id of allIds(sql)) seen.add(id);
  let last: { bytes: Uint8Array; signatures: string[] } | undefined;
  for (const [nonce, step] of steps.entries()) {
    switch (step.kind) {
      case "fund":
        await settle(
          (await chain.chain.sui.faucet(actors[step.to]?.toSuiAddress() ?? "", step.amount, step.form)).digest,
        );
        break;
      case "epoch":
        await chain.control("POST", "/control/epoch", { advance: 1, referenceGasPrice: String(step.price) });
        break;
      case "wait":
        chain.clock.nowMs += step.days * DAY_MS;
        break;
      case "again":
        if (last) await sendAgain(chain, last);
        break;
      case "transaction": {
        const { bytes, signers } = await buildTransaction(chain.client, actors, step, nonce);
        const signed = { bytes, signatures: await signAll(bytes, ...signers) };
        const before = await allBalances(chain, actors);
        const executed = await send(chain, signed);
        if (executed === undefined) {
          tally.refused += 1;
          expect(await allBalances(chain, actors)).toEqual(before);
          break;
        }
        last = signed;
        tally[executed.status.success ? "succeeded" : "failed"] += 1;
        await settle(executed.digest);
        await expectBalances(chain, actors, before, executed);
        break;
      }
      case "race": {
        const runners = await race(chain, actors, step, nonce);
        for (const { digest } of runners) collected += await checkExecuted(chain.client, digest, seen);
        expect(supplyIn(sql) + collected).toBe(SUPPLY_MIST);
        tally.short += runners.filter(({ status }) => isShort(status.error?.message)).length;
      }
    }
  }
}

/** Sends two transactions while consensus is held, releases it and gives what was executed. */
async function race(chain: TestChain, actors: readonly Ed25519Keypair[], plan: RacePlan, nonce: number) {
  const { consensus } = chain.chain.sui.ledger;
  const { sender, amount } = plan;
  const spend = { kind: "redeemCoin", amount, to: 0 } as const;
  const each = { kind: "transaction", sender, payer: undefined, pay: "balance", budget: BUDGET_MIST } as const;
  consensus.hold();
  const answers: ReturnType<typeof send>[] = [];
  for (const lane of [1, 2]) {
    const transaction = { ...each, commands: [spend] };
    const { bytes, signers } = await buildTransaction(chain.client, actors, transaction, nonce + lane * LANE);
    const before = consensus.waiting();
    const answer = send(chain, { bytes, signatures: await signAll(bytes, ...signers) });
    answers.push(answer);
    let isRefused = false;
    void answer.then(() => {
      isRefused = true;
    });
    await vi.waitUntil(() => consensus.waiting() > before || isRefused, { timeout: 30_000, interval: 1 });
  }
  consensus.release();
  return (await Promise.all(answers)).flatMap((executed) => executed ?? []);
}

function isShort(message: string | undefined): boolean {
  return message?.includes("Insufficient funds for funds accumulator withdrawal") ?? false;
}

type Sent = { readonly bytes: Uint8Array; readonly signatures: string[] };

/** Sends a transaction; undefined when the chain refuses it, which must change nothing. */
async function send({ client }: TestChain, { bytes, signatures }: Sent) {
  try {
    const include = { effects: true, balanceChanges: true } as const;
    const result = await client.executeTransaction({ transaction: bytes, signatures, include });
    return result.Transaction ?? result.FailedTransaction;
  } catch (error) {
    if (error instanceof Error && "code" in error && error.code === "INVALID_ARGUMENT") return undefined;
    throw error;
  }
}

/** What was executed is answered from the chain and nothing is charged again. */
async function sendAgain(chain: TestChain, last: Sent): Promise<void> {
  const first = await send(chain, last);
  const second = await send(chain, last);
  expect(second?.effects?.bcs).toEqual(first?.effects?.bcs);
}

async function allBalances({ client }: TestChain, actors: readonly Ed25519Keypair[]) {
  return Promise.all(
    actors.map(async (actor) => {
      const { balance } = await client.getBalance({ owner: actor.toSuiAddress() });
      return { total: BigInt(balance.balance), inFunds: BigInt(balance.addressBalance) };
    }),
  );
}

/** The balance changes are what the accounts gained and lost; a failure cost its payer gas and nobody else anything. */
async function expectBalances(
  chain: TestChain,
  actors: readonly Ed25519Keypair[],
  before: Awaited<ReturnType<typeof allBalances>>,
  executed: NonNullable<Awaited<ReturnType<typeof send>>>,
): Promise<void> {
  const after = await allBalances(chain, actors);
  for (const [index, actor] of actors.entries()) {
    const owner = actor.toSuiAddress();
    const changes = (executed.balanceChanges ?? []).filter(({ address }) => address === owner);
    const changed = changes.reduce((sum, { amount }) => sum + BigInt(amount), 0n);
    expect((after[index]?.total ?? 0n) - (before[index]?.total ?? 0n)).toBe(changed);
  }
  if (!executed.status.success) expect(executed.balanceChanges?.length ?? 0).toBeLessThanOrEqual(1);
}
