import type { Aptos } from "@aptos-labs/ts-sdk";
import { aptosSponsorAndSubmit, aptosSponsorTransaction } from "../../shared/api/aptos-gas.ts";
import { APTOS_GAS_PATH } from "../../shared/cli/client/rpc.ts";
import { type ClientError, createRpcClient } from "../../shared/client/rpc-client.ts";
import { assembleDraft, type Draft, draftOf, newUser, signDraft, submitToAptos } from "../support/aptos-chain.ts";
import { seededRandom, sleep } from "../support/random.ts";
import { excuses } from "./excuses.ts";

const MAX_PAUSE_MS = 40;
const RETRY_MS = 100;
/** Longer than all kills together may take: what a caller has begun, it ends. */
const TTL_SECONDS = 1_800n;
const MAX_GAS_UNITS = 20_000n;

/** What one caller does next. Abandoned promises keep their budget withheld until their time is over. */
const HABITS = ["execute", "execute", "execute", "sponsor", "sponsor", "abandon"] as const;

/** Honest answers during a crash; anything else that is refused is not. After a restart all calls come at once. */
const EXCUSED: ReadonlySet<string | null> = new Set(["outcome_unknown", "overloaded"]);

/** What one caller was told. A call whose connection broke told it nothing, and it believes nothing. */
export interface AptosTold {
  /** Everybody in whose name it has asked for anything. */
  readonly senders: Set<string>;
  /** Of each promise or execution that was answered: in whose name. */
  readonly answered: string[];
  /** Hashes that the service has answered. */
  readonly executed: Set<string>;
  /** Answers that a crash does not excuse. */
  readonly unexpected: string[];
}

export interface AptosCaller {
  readonly told: AptosTold;
  /** Begins nothing new; returns when what is under way has ended. */
  stop(): Promise<void>;
}

interface Surroundings {
  readonly serviceUrl: string;
  readonly chainUrl: string;
  readonly accessKey: string;
  readonly feePayer: string;
  /** The stock client, at the chain. */
  readonly aptos: Aptos;
  /** How far ahead the clock of the chain is. */
  readonly aheadMs?: number;
}

/** A user of an Aptos fund, who goes on through crashes of the service. */
export function startAptosCaller(surroundings: Surroundings, index: number, seed: number): AptosCaller {
  const { serviceUrl, chainUrl, accessKey, feePayer, aptos, aheadMs = 0 } = surroundings;
  const method = createRpcClient(APTOS_GAS_PATH, { baseUrl: serviceUrl, accessKey });
  const [sponsorCall, executeCall] = [method(aptosSponsorTransaction), method(aptosSponsorAndSubmit)];
  const random = seededRandom(seed + index);
  const user = newUser();
  const told: AptosTold = { senders: new Set(), answered: [], executed: new Set(), unexpected: [] };
  const isExcused = excuses(EXCUSED);
  let sequenceNumber = 0n;
  let stopping = false;

  function note(what: string, error: ClientError): void {
    if (error.kind === "refused" && !isExcused(error.reason)) told.unexpected.push(`${what}: ${JSON.stringify(error)}`);
  }

  /** Twice at once, and again until it is answered: one signature for the same bytes. */
  async function askForSignature(draft: Draft): Promise<Uint8Array | null> {
    const { rawTransaction, sender } = draft;
    for (; !stopping; await sleep(RETRY_MS)) {
      const ask = () => sponsorCall({ rawTransaction });
      const replies = await Promise.all([ask(), ask()]);
      const signatures = new Set<string>();
      let signature: Uint8Array | null = null;
      for (const reply of replies)
        if (reply.ok) {
          signature = reply.value.feePayer.signature;
          signatures.add(String(signature));
        } else note("sponsor", reply.error);
      if (signatures.size > 1) told.unexpected.push("two signatures over the same bytes");
      if (signature === null) continue;
      told.answered.push(sender.address);
      return signature;
    }
    return null;
  }

  async function execute(draft: Draft): Promise<boolean> {
    const { rawTransaction, sender } = draft;
    const { senderAuthenticator } = signDraft(draft, feePayer);
    const hashes = new Set<string>();
    for (; !stopping; await sleep(RETRY_MS)) {
      const reply = await executeCall({ rawTransaction, senderAuthenticator });
      if (!reply.ok) {
        note("execute", reply.error);
        continue;
      }
      hashes.add(reply.value.pendingTransaction.hash);
      told.executed.add(reply.value.pendingTransaction.hash);
      told.answered.push(sender.address);
      if (hashes.size > 1) told.unexpected.push(`${[...hashes].join(" and ")} for the same bytes`);
      return true;
    }
    return false;
  }

  /** What a node has taken is committed, whatever becomes of the service. */
  async function untilCommitted(): Promise<void> {
    for (; ; await sleep(RETRY_MS)) {
      const { sequence_number: next } = await aptos.getAccountInfo({ accountAddress: user.address });
      if (BigInt(next) <= sequenceNumber) continue;
      sequenceNumber = BigInt(next);
      return;
    }
  }

  async function once(habit: (typeof HABITS)[number]): Promise<void> {
    const sender = habit === "abandon" ? newUser() : user;
    told.senders.add(sender.address);
    const expirationSecs = BigInt(Math.floor((Date.now() + aheadMs) / 1_000)) + TTL_SECONDS;
    const terms = { maxGasUnits: MAX_GAS_UNITS, expirationSecs };
    const draft = draftOf(sender, { ...terms, sequenceNumber: habit === "abandon" ? 0n : sequenceNumber });
    if (habit === "execute") {
      if (await execute(draft)) await untilCommitted();
      return;
    }
    const signature = await askForSignature(draft);
    if (signature === null || habit === "abandon") return;
    const answer = await submitToAptos(assembleDraft(draft, feePayer, signature), `${chainUrl}/aptos/v1`);
    if (answer === "accepted") await untilCommitted();
    else told.unexpected.push(`the chain refuses what was handed out: ${answer}`);
  }

  async function live(): Promise<void> {
    while (!stopping) {
      await once(HABITS[Math.floor(random() * HABITS.length)] ?? "execute");
      await sleep(random() * MAX_PAUSE_MS);
    }
  }

  const running = live().catch((error: unknown) => {
    told.unexpected.push(String(error));
  });
  return {
    told,
    async stop() {
      stopping = true;
      await running;
    },
  };
}
