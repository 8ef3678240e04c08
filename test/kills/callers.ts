import type { SuiGrpcClient } from "@mysten/sui/grpc";
import { Ed25519Keypair } from "@mysten/sui/keypairs/ed25519";
import { Transaction } from "@mysten/sui/transactions";
import type { SuiGasClient } from "../../shared/client/gas-client.ts";
import type { ClientError, Reply } from "../../shared/client/rpc-client.ts";
import { DEMO_PACKAGE } from "../devchain/demo.ts";
import { seededRandom, sleep } from "../support/random.ts";
import { excuses } from "./excuses.ts";

export const GAS_BUDGET_MIST = 5_000_000n;
const MAX_PAUSE_MS = 40;
const RETRY_MS = 100;

/** What a caller does with its sponsorship. Abandoned ones keep their budget withheld. */
const HABITS = [
  "sponsor_execute_on_chain",
  "sponsor_execute_on_chain",
  "sponsor_execute_by_service",
  "prepare_execute_by_service",
  "prepare_execute_by_service",
  "sponsor_abandon",
  "prepare_abandon",
] as const;
type Habit = (typeof HABITS)[number];

/** Refusals that are honest during a crash. After a restart the calls of everybody come at once. */
const HONEST_IN_A_CRASH: ReadonlySet<string | null> = new Set(["no_gas_object", "outcome_unknown", "overloaded"]);

/** Bytes with the signatures that it takes to execute them. */
interface Signed {
  readonly txBytes: Uint8Array;
  readonly signatures: [string, string];
}

/** What one caller was told. A call whose connection broke told it nothing, and it believes nothing. */
export interface Told {
  /** Bytes of every sponsorship that was answered, by digest. */
  readonly sponsored: Map<string, Uint8Array>;
  /** Digests whose execution was answered, by the chain or by the service. */
  readonly executed: Set<string>;
  /** Signed by both, and not submitted. */
  readonly abandoned: Signed[];
  /** Idempotency keys used for sponsorships; true: answered. */
  readonly named: Map<string, boolean>;
  /** Answers that a crash does not excuse. */
  readonly unexpected: string[];
}

export interface Caller {
  readonly told: Told;
  readonly sender: string;
  /** Each of its sponsorships has an Idempotency-Key, and is asked for until it is answered. */
  readonly patient: boolean;
  /** From here on its access key is revoked: refusals are in order. */
  revoked(): void;
  /** Begins nothing new; returns when what is under way has ended. */
  stop(): Promise<void>;
}

interface Surroundings {
  readonly gas: SuiGasClient;
  readonly sui: SuiGrpcClient;
}

type Lent = { readonly txBytes: Uint8Array; readonly txDigest: string; readonly signature?: string };

/** A user of a fund, who goes on through crashes of the service. */
export function startCaller({ gas, sui }: Surroundings, index: number, seed: number): Caller {
  const random = seededRandom(seed + index);
  const user = new Ed25519Keypair();
  const patient = index % 2 === 0;
  const told: Told = {
    sponsored: new Map(),
    executed: new Set(),
    abandoned: [],
    named: new Map(),
    unexpected: [],
  };
  const isExcused = excuses(HONEST_IN_A_CRASH);
  let stopping = false;
  let isRevoked = false;

  /** A broken connection is the crash. */
  function note(what: string, error: ClientError): void {
    if (error.kind !== "refused" || isExcused(error.reason)) return;
    if (isRevoked && (error.reason === "bad_key" || error.reason === "sponsorship_expired")) return;
    told.unexpected.push(`${what}: ${JSON.stringify(error)}`);
  }

  async function ask(habit: Habit, name: string, idempotencyKey: string | null): Promise<Reply<Lent>> {
    const transaction = new Transaction();
    transaction.moveCall({ target: `${DEMO_PACKAGE}::demo::mint`, arguments: [transaction.pure.string(name)] });
    const transactionBytes = await transaction.build({ onlyTransactionKind: true });
    const params = { transactionBytes, sender: user.toSuiAddress(), gasBudget: GAS_BUDGET_MIST };
    const method = habit.startsWith("sponsor") ? gas.sponsorTransactionBlock : gas.prepareTransactionBlock;
    return method(params, { idempotencyKey });
  }

  /** Twice at once, and again after a broken connection: one sponsorship, or none that anybody was told of. */
  async function askPatiently(habit: Habit, name: string): Promise<Lent | null> {
    told.named.set(name, false);
    for (; !stopping; await sleep(RETRY_MS)) {
      const replies = await Promise.all([ask(habit, name, name), ask(habit, name, name)]);
      const digests = new Set<string>();
      for (const reply of replies)
        if (reply.ok) digests.add(reply.value.txDigest);
        else note(habit, reply.error);
      if (digests.size > 1) told.unexpected.push(`${habit}: ${[...digests].join(" and ")} under one key`);
      const answered = replies.find((reply) => reply.ok);
      if (answered?.ok) {
        const again = await ask(habit, name, name);
        if (again.ok && again.value.txDigest !== answered.value.txDigest)
          told.unexpected.push(`${habit}: ${again.value.txDigest} after ${answered.value.txDigest} under one key`);
        told.named.set(name, true);
        return answered.value;
      }
      if (isRevoked) return null;
    }
    return null;
  }

  async function askOnce(habit: Habit, name: string): Promise<Lent | null> {
    const reply = await ask(habit, name, null);
    if (reply.ok) return reply.value;
    note(habit, reply.error);
    await sleep(RETRY_MS);
    return null;
  }

  async function executeByService(digest: string, senderSignature: string): Promise<void> {
    for (; !stopping; await sleep(RETRY_MS)) {
      const options = { idempotencyKey: patient ? digest : null };
      const executed = await gas.executeTransactionBlock({ txDigest: digest, senderSignature }, options);
      if (!executed.ok) note("execute", executed.error);
      else if (executed.value.digest !== digest)
        told.unexpected.push(`executed ${executed.value.digest} for ${digest}`);
      else told.executed.add(digest);
      if (executed.ok || (executed.error.kind === "refused" && executed.error.reason !== "outcome_unknown")) return;
    }
  }

  async function once(name: string, habit: Habit): Promise<void> {
    const lent = await (patient ? askPatiently(habit, name) : askOnce(habit, name));
    if (lent === null) return;
    const { txBytes, txDigest } = lent;
    told.sponsored.set(txDigest, txBytes);
    const { signature } = await user.signTransaction(txBytes);
    if (habit.endsWith("by_service")) return executeByService(txDigest, signature);
    if (lent.signature === undefined) return;
    const signed: Signed = { txBytes, signatures: [signature, lent.signature] };
    if (habit.endsWith("abandon")) {
      told.abandoned.push(signed);
      return;
    }
    await sui.executeTransaction({ transaction: signed.txBytes, signatures: signed.signatures });
    told.executed.add(txDigest);
  }

  async function live(): Promise<void> {
    for (let call = 0; !stopping; call += 1) {
      const habit = HABITS[Math.floor(random() * HABITS.length)] ?? "sponsor_abandon";
      await once(`badge ${index}.${call}`, habit).catch((error: unknown) => {
        // The chain refuses what a revocation has made worthless.
        if (!isRevoked) told.unexpected.push(`${habit}: ${String(error)}`);
      });
      await sleep(isRevoked ? RETRY_MS : random() * MAX_PAUSE_MS);
    }
  }

  const running = live();
  return {
    told,
    sender: user.toSuiAddress(),
    patient,
    revoked() {
      isRevoked = true;
    },
    async stop() {
      stopping = true;
      await running;
    },
  };
}

/** All that they were told, as if it were one. */
export function toldOf(callers: readonly Caller[]): Told {
  const all = callers.map(({ told }) => told);
  return {
    sponsored: new Map(all.flatMap(({ sponsored }) => [...sponsored])),
    executed: new Set(all.flatMap(({ executed }) => [...executed])),
    abandoned: all.flatMap(({ abandoned }) => abandoned),
    named: new Map(all.flatMap(({ named }) => [...named])),
    unexpected: all.flatMap(({ unexpected }) => unexpected),
  };
}
