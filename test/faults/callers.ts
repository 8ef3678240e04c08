import type { SuiGrpcClient } from "@mysten/sui/grpc";
import { Ed25519Keypair } from "@mysten/sui/keypairs/ed25519";
import { Transaction } from "@mysten/sui/transactions";
import type { GasClient } from "../../shared/client/gas-client.ts";
import type { ClientError } from "../../shared/client/rpc-client.ts";
import { DEMO_PACKAGE } from "../devchain/demo.ts";
import { seededRandom, sleep } from "./random.ts";

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

/** What the callers were told. A call whose connection broke told them nothing, and they believe nothing. */
export interface Told {
  /** Bytes of every sponsorship that was answered, by digest. */
  readonly sponsored: Map<string, Uint8Array>;
  /** Digests whose execution was answered, by the chain or by the service. */
  readonly executed: Set<string>;
  /** Answers that a crash does not excuse. */
  readonly unexpected: string[];
}

export interface Callers {
  readonly told: Told;
  /** Sui addresses of the users. */
  readonly users: readonly string[];
  /** Begins nothing new; returns when every call under way has ended. */
  stop(): Promise<void>;
}

interface Surroundings {
  readonly gas: GasClient;
  readonly sui: SuiGrpcClient;
}

/** Concurrent users of one fund, who go on through crashes of the service. */
export function startCallers({ gas, sui }: Surroundings, count: number, seed: number): Callers {
  const told: Told = { sponsored: new Map(), executed: new Set(), unexpected: [] };
  let stopping = false;

  /** A broken connection is the crash; `no_gas_object` and `outcome_unknown` are honest answers during one. */
  function note(what: string, error: ClientError): void {
    if (error.kind !== "refused" || error.reason === "no_gas_object" || error.reason === "outcome_unknown") return;
    told.unexpected.push(`${what}: ${JSON.stringify(error)}`);
  }

  async function executeByService(digest: string, senderSignature: string): Promise<void> {
    for (; !stopping; await sleep(RETRY_MS)) {
      const executed = await gas.executeTransactionBlock({ txDigest: digest, senderSignature });
      if (!executed.ok) note("execute", executed.error);
      else if (executed.value.digest !== digest)
        told.unexpected.push(`executed ${executed.value.digest} for ${digest}`);
      else told.executed.add(digest);
      if (executed.ok || (executed.error.kind === "refused" && executed.error.reason !== "outcome_unknown")) return;
    }
  }

  async function once(user: Ed25519Keypair, name: string, habit: Habit): Promise<void> {
    const transaction = new Transaction();
    transaction.moveCall({ target: `${DEMO_PACKAGE}::demo::mint`, arguments: [transaction.pure.string(name)] });
    const params = {
      transactionBytes: await transaction.build({ onlyTransactionKind: true }),
      sender: user.toSuiAddress(),
      gasBudget: GAS_BUDGET_MIST,
    };
    const sponsored = habit.startsWith("sponsor")
      ? await gas.sponsorTransactionBlock(params)
      : await gas.prepareTransactionBlock(params);
    if (!sponsored.ok) {
      note(habit, sponsored.error);
      return sleep(RETRY_MS);
    }
    const { txBytes, txDigest } = sponsored.value;
    told.sponsored.set(txDigest, txBytes);
    if (habit.endsWith("abandon")) return;
    const { signature } = await user.signTransaction(txBytes);
    const sponsorSignature = "signature" in sponsored.value ? sponsored.value.signature : null;
    if (habit.endsWith("by_service") || typeof sponsorSignature !== "string")
      return executeByService(txDigest, signature);
    await sui.executeTransaction({ transaction: txBytes, signatures: [signature, sponsorSignature] });
    told.executed.add(txDigest);
  }

  async function live(user: Ed25519Keypair, index: number): Promise<void> {
    const random = seededRandom(seed + index);
    for (let call = 0; !stopping; call += 1) {
      const habit = HABITS[Math.floor(random() * HABITS.length)] ?? "sponsor_abandon";
      await once(user, `badge ${index}.${call}`, habit).catch((error: unknown) => {
        told.unexpected.push(`${habit}: ${String(error)}`);
      });
      await sleep(random() * MAX_PAUSE_MS);
    }
  }

  const keys = Array.from({ length: count }, () => new Ed25519Keypair());
  const lives = keys.map(live);
  return {
    told,
    users: keys.map((key) => key.toSuiAddress()),
    async stop() {
      stopping = true;
      await Promise.all(lives);
    },
  };
}
