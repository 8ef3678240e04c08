import { bcs } from "@mysten/sui/bcs";
import { seenIn } from "../../../shared/chain/one-reply.ts";
import { type InspectedKind, inspectKind } from "../../../shared/chain/sui/kind.ts";
import type { SuiSeen } from "../../../shared/chain/sui/seen.ts";
import { suiAddress } from "../../../shared/chain/sui/transaction.ts";
import { type ChainFacts, freshness } from "../../../shared/fund/sui/chain-facts.ts";
import type { InputEvidence } from "../../../shared/fund/sui/payment.ts";
import type { SuiFundStore } from "../../../shared/fund/sui/store.ts";
import { type FundMode, UNRESOLVABLE } from "../../../shared/fund/views.ts";
import type { FundPolicy } from "../../../shared/policy/fund-policy.ts";
import { FaultyWorld, type Tally } from "./faulty-world.ts";
import { decodeTransaction, type ModelTransaction } from "./model-transaction.ts";
import { same } from "./same.ts";
import { CHAIN_IDENTIFIER, type ChainView, EPOCH_MS, ModelChain } from "./sui-model-chain.ts";
import type { VisibleStore } from "./visible-store.ts";

export const ADDRESS = suiAddress(new Uint8Array(32).fill(7));
export const SENDERS = [suiAddress(new Uint8Array(32).fill(8)), suiAddress(new Uint8Array(32).fill(9))] as const;
export const OPERATOR = suiAddress(new Uint8Array(32).fill(10));
export const KEYS = ["key_a", "key_b"] as const;
/** An hour before midnight, so that many simulations see a new day. */
const START_MS = 20 * 86_400_000 - 3_600_000;

/** What stays the same during one simulation. */
export interface SuiSimulationTerms {
  readonly mode: FundMode;
  readonly fundPolicy: FundPolicy;
  readonly keyPolicy: FundPolicy;
}

/** How far behind the endpoints are that answer: for what is read first, and for what is looked up after that. */
export interface Lags {
  readonly read: number;
  readonly lookUp: number;
  /** Of how many of the latest changes the endpoint that is asked still has the transactions. */
  readonly kept: number;
}

/** A fund, its chain, and what the outside has of it. The steps of a simulation work through this, as the object's parts do. */
export class FundWorld extends FaultyWorld<SuiFundStore, VisibleStore> {
  readonly chain = new ModelChain(ADDRESS, START_MS);
  readonly terms: SuiSimulationTerms;
  /** Transactions for which a signature of the fund may exist. */
  readonly released = new Map<string, ModelTransaction>();
  /** Executed, and an endpoint that was asked for them had their effects no more. */
  readonly forgotten = new Set<string>();
  /** Expired because an endpoint has seen their time pass. */
  readonly expired = new Set<string>();
  feeMist = 0n;
  #facts: ChainFacts | null = null;

  constructor(view: VisibleStore, terms: SuiSimulationTerms, tally: Tally) {
    super(view, KEYS, tally);
    this.terms = terms;
  }

  /** What unresolvable sponsorships have changed of the address balance. A correction or a deposit has taken it in. */
  hiddenMist(): bigint {
    return this.view
      .rows()
      .sponsorships.filter(({ state, gasObjectId }) => state === UNRESOLVABLE && gasObjectId === null)
      .reduce((sum, { digest }) => sum + (this.chain.executed.get(digest)?.addressBalanceMist ?? 0n), 0n);
  }

  get nowMs(): number {
    return this.chain.nowMs;
  }

  /** From here on a signature of the fund over this transaction may be anywhere. */
  release(digest: string): ModelTransaction {
    const known = this.released.get(digest);
    if (known !== undefined) return known;
    const row = this.view.store.sponsorship(digest) ?? this.view.store.treasuryTransaction(digest);
    if (row === null) throw new Error(`guarantee 2: ${digest} is signed, and nothing of it is stored`);
    const transaction = decodeTransaction(row.transactionBytes);
    same(transaction.digest, digest, "guarantee 2: the stored bytes are not those that are signed");
    this.released.set(digest, transaction);
    return transaction;
  }

  /** What the fund knows of its chain. It asks again where the machine's own rule says so. */
  get facts(): ChainFacts {
    if (this.#facts === null || freshness(this.#facts, this.nowMs) === "stale") return this.refreshFacts(0);
    return this.#facts;
  }

  /** Endpoints that show a lower epoch than one that was seen are not believed. */
  refreshFacts(lag: number): ChainFacts {
    const shown = this.chain.view(lag);
    const { epoch, epochStartMs, priceMist, height, checkpointTimeMs } =
      shown.epoch < (this.#facts?.epoch ?? 0n) ? this.chain.view(0) : shown;
    this.#facts = {
      chainIdentifier: CHAIN_IDENTIFIER,
      epoch,
      epochStartMs,
      epochDurationMs: EPOCH_MS,
      referenceGasPriceMist: priceMist,
      checkpoint: BigInt(height),
      timestampMs: checkpointTimeMs,
      fetchedAtMs: this.nowMs,
    };
    return this.#facts;
  }

  /** Reads coins first, and looks the digest up after that: what a miss is weighed against. */
  evidence(objectIds: readonly string[], { read, lookUp, kept }: Lags, meanwhile: () => void = () => {}): Evidence {
    const observed = this.chain.view(read);
    const shownCoins = observed.observe(objectIds);
    const coins = new Map(objectIds.map((objectId, index) => [objectId, shownCoins[index] ?? null]));
    meanwhile();
    const shown = this.chain.view(lookUp, kept);
    return { shown, evidence: { coins: seen(observed, coins), miss: seen(shown, null) } };
  }
}

/** What an endpoint shows, with how far it has seen. */
export function seen<T>(view: ChainView, value: T): SuiSeen<T> {
  const state = {
    endpoint: "model",
    chain: CHAIN_IDENTIFIER,
    checkpoint: BigInt(view.height),
    newestCheckpoint: BigInt(view.height),
    timestampMs: view.checkpointTimeMs,
    epoch: view.epoch,
    lowestAvailable: BigInt(view.lowestHeight),
  };
  return seenIn(state, value);
}

export interface Evidence {
  /** The endpoint that is asked for the digest. */
  readonly shown: ChainView;
  readonly evidence: InputEvidence;
}

/** The one of them that a random number means. */
export function pickOf<T>(rows: readonly T[], pick: number): T | undefined {
  return rows[pick % Math.max(rows.length, 1)];
}

const kinds = new Map<number, InspectedKind>();

/** What a user wants done: touches no coin, and differs with its label. */
export function userKind(label: number): InspectedKind {
  const known = kinds.get(label);
  if (known !== undefined) return known;
  const bytes = bcs.TransactionKind.serialize({
    ProgrammableTransaction: {
      inputs: [{ Pure: { bytes: bcs.u64().serialize(label).toBytes() } }],
      commands: [{ MakeMoveVec: { type: "u64", elements: [{ Input: 0 }] } }],
    },
  }).toBytes();
  const inspected = inspectKind(bytes);
  if (!inspected.ok) throw new Error(inspected.error.details);
  kinds.set(label, inspected.value);
  return inspected.value;
}
