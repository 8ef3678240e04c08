import { Ed25519Keypair } from "@mysten/sui/keypairs/ed25519";
import * as z from "zod";
import { adminCall } from "../../shared/cli/client/admin.ts";
import { faucet } from "../../shared/cli/client/faucet.ts";
import { expectAnswer, type HttpAnswer } from "../../shared/cli/client/http.ts";
import { faucetIntoBalance } from "../support/faucet.ts";
import { seededRandom, sleep } from "../support/random.ts";
import type { Books } from "./books.ts";

const LEAST_PAYOUT_MIST = 1_000_000n;
/** The largest payout is so much above the least. */
const SPAN_MIST = 50_000_000;
const MAX_PAUSE_MS = 400;
const RETRY_MS = 100;
/** Every third payout collects fees. */
const PAYOUTS_PER_COLLECTION = 3;

export const COIN_DEPOSIT_MIST = 1_500_000_000n;
export const BALANCE_DEPOSIT_MIST = 700_000_000n;

interface Payout {
  readonly idempotencyKey: string;
  readonly to: string;
  readonly amountMist: bigint;
  readonly from: "available" | "fees";
  /** Null: no answer has reached the operator yet. */
  digest: string | null;
}

export interface Operator {
  /** Where it pays to. */
  readonly treasury: string;
  readonly payouts: readonly Payout[];
  readonly unexpected: string[];
  /** Repeats what was never answered, and everything else once more, and collects the rest of the fees. */
  finish(): Promise<void>;
  /** Begins no payout; returns when what is under way has ended and each deposit is made. */
  stop(): Promise<void>;
}

const withdrawalSchema = z.object({ digest: z.string(), state: z.string() });
const accruedSchema = z.object({ accruedFees: z.string().transform(BigInt) });

/** Pays out of a fund, collects its fees and deposits to it, all through crashes of the service. */
export function startOperator({ access, fund }: Books, seed: number): Operator {
  const random = seededRandom(seed);
  const treasury = new Ed25519Keypair().toSuiAddress();
  const payouts: Payout[] = [];
  const unexpected: string[] = [];
  let stopping = false;

  /** Null where the connection broke. */
  async function call(method: string, path: string, body?: object, key?: string): Promise<HttpAnswer | null> {
    return adminCall(access, method, path, body, key).catch(() => null);
  }

  /** Asks with the same key until it is answered. */
  async function pay(payout: Payout): Promise<void> {
    const { to, amountMist, from, idempotencyKey } = payout;
    const body = { to, from, amount: amountMist.toString() };
    for (; ; await sleep(RETRY_MS)) {
      const answer = await call("POST", `/funds/${fund.fundId}/withdraw`, body, idempotencyKey);
      if (answer?.status === 202) {
        const { digest, state } = expectAnswer("a withdrawal", answer, withdrawalSchema);
        if (payout.digest !== null && payout.digest !== digest)
          unexpected.push(`${idempotencyKey}: ${digest} after ${payout.digest}`);
        payout.digest = digest;
        if (state === "complete") return;
        if (state !== "pending") unexpected.push(`${idempotencyKey}: ${state}`);
      } else if (answer !== null && answer.status !== 503)
        unexpected.push(`${idempotencyKey}: ${answer.status} ${JSON.stringify(answer.body)}`);
      if (stopping) return;
    }
  }

  async function accruedMist(): Promise<bigint> {
    const answer = await call("GET", `/funds/${fund.fundId}`);
    return answer === null ? 0n : expectAnswer("the fund", answer, accruedSchema).accruedFees;
  }

  function newPayout(idempotencyKey: string, amountMist: bigint, from: Payout["from"]): Payout {
    const payout: Payout = { idempotencyKey, to: treasury, amountMist, from, digest: null };
    payouts.push(payout);
    return payout;
  }

  /** One after each of the first payouts. On a slow machine the load may end before that: `stop` makes the rest. */
  const deposits = [
    () => faucet(access.chainUrl, fund.depositAddress, COIN_DEPOSIT_MIST),
    () => faucetIntoBalance(access.chainUrl, fund.depositAddress, BALANCE_DEPOSIT_MIST),
  ];

  async function live(): Promise<void> {
    for (let index = 1; !stopping; index += 1) {
      const collects = index % PAYOUTS_PER_COLLECTION === 0;
      const amountMist = collects ? await accruedMist() : LEAST_PAYOUT_MIST + BigInt(Math.floor(random() * SPAN_MIST));
      if (amountMist > 0n) await pay(newPayout(`payout ${index}`, amountMist, collects ? "fees" : "available"));
      await deposits.shift()?.();
      await sleep(random() * MAX_PAUSE_MS);
    }
  }

  const running = live();
  return {
    treasury,
    payouts,
    unexpected,
    async finish() {
      for (const payout of payouts) await pay(payout);
      await pay(newPayout("the rest of the fees", await accruedMist(), "fees"));
    },
    async stop() {
      stopping = true;
      await running;
      for (const deposit of deposits.splice(0)) await deposit();
    },
  };
}
