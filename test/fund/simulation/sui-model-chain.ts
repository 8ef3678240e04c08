import { toBase58 } from "@mysten/sui/utils";
import { blake2b } from "@noble/hashes/blake2.js";
import type { AddressOwner, ObjectRef, ObservedCoin, SuiCoin } from "../../../shared/chain/sui/coins.ts";
import type { ChangedObject, GasUsed, SuiExecution } from "../../../shared/chain/sui/execution.ts";
import { createdObjectId } from "../../../shared/chain/sui/transaction.ts";
import type { ModelTransaction } from "./model-transaction.ts";

export const CHAIN_IDENTIFIER = toBase58(new Uint8Array(32).fill(1));
export const EPOCH_MS = 86_400_000;
/** Of transactions that are nobody's business here. */
const FOREIGN_DIGEST = toBase58(new Uint8Array(32));
/** Of one coin object, and what of it comes back when the coin is written again or deleted. */
const STORAGE_MIST = 988_000n;
const REBATE_MIST = 978_120n;
const COMPUTATION_MIST = 1_000_000n;
/** Freed by a user who deletes what he once paid for: more than the transaction costs. */
const LARGE_REBATE_MIST = 3_000_000n;
const FREE: GasUsed = {
  computationCostMist: 0n,
  storageCostMist: 0n,
  storageRebateMist: 0n,
  nonRefundableStorageFeeMist: 0n,
};

/**
 * What becomes of a transaction that the chain takes. `abort`: its commands fail, and its gas is charged. `rebate`: it
 * frees more storage than it costs. `funds_short`: others have emptied the address balance that it draws on meanwhile.
 */
export const fates = ["success", "abort", "rebate", "funds_short"] as const;
export type Fate = (typeof fates)[number];

interface ModelCoin {
  readonly version: bigint;
  readonly digest: string;
  readonly balanceMist: bigint;
  readonly previousTransaction: string;
  /** It is owned through consensus, since this version; null: the owner owns it alone. */
  readonly startVersion: bigint | null;
}

/** The chain between two changes. */
interface Block {
  readonly coins: ReadonlyMap<string, ModelCoin>;
  readonly addressBalanceMist: bigint;
  readonly epoch: bigint;
  readonly epochStartMs: number;
  readonly priceMist: bigint;
  readonly timeMs: number;
}

/** What the chain knows of a transaction, beside its effects. */
interface Executed {
  readonly execution: SuiExecution;
  /** By how much it changed the owner's address balance. */
  readonly addressBalanceMist: bigint;
  /** To others. */
  readonly paidOutMist: bigint;
}

/** The chain as one endpoint shows it. */
export interface ChainView {
  readonly height: number;
  /** Transactions of lower heights are pruned. */
  readonly lowestHeight: number;
  readonly epoch: bigint;
  readonly epochStartMs: number;
  readonly priceMist: bigint;
  /** What had not happened by then is not shown, and everything else is. */
  readonly checkpointTimeMs: number;
  readonly addressBalanceMist: bigint;
  listing(): SuiCoin[];
  observe(objectIds: readonly string[]): (ObservedCoin | null)[];
  lookUp(digest: string): SuiExecution | null;
  /** Whether it was executed, and the endpoint has the transaction no more. */
  hasForgotten(digest: string): boolean;
}

/**
 * Gas coins and the address balance of one owner, and the transactions that spend them: just enough chain to judge a
 * fund's bookkeeping. Each change is a block of its own, so that an endpoint can lag behind by any number of them.
 */
export class ModelChain {
  readonly executed = new Map<string, Executed>();
  /** The transaction that last wrote, or deleted, an object. */
  readonly lastWriter = new Map<string, string>();
  readonly #owner: string;
  readonly #blocks: [Block, ...Block[]];
  #deposits = 0;
  /** All that was ever paid into the address balance, by height. */
  readonly #paidIn: number[] = [];
  readonly #paidInMist: bigint[] = [];
  nowMs: number;

  constructor(owner: string, startMs: number) {
    this.#owner = owner;
    this.nowMs = startMs;
    const coins = new Map<string, ModelCoin>();
    const epochs = { epoch: 5n, epochStartMs: startMs, priceMist: 1_000n };
    this.#blocks = [{ coins, addressBalanceMist: 0n, ...epochs, timeMs: startMs }];
  }

  get #latest(): Block {
    return this.#blocks[this.#blocks.length - 1] ?? this.#blocks[0];
  }

  #append(change: Partial<Block>): void {
    this.nowMs += 1;
    this.#blocks.push({ ...this.#latest, ...change, timeMs: this.nowMs });
  }

  /** Somebody sends the owner a coin. */
  deposit(balanceMist: bigint): void {
    this.#deposit(balanceMist, null);
  }

  /** Somebody sends the owner a coin that consensus orders. */
  depositParty(balanceMist: bigint): void {
    this.#deposit(balanceMist, 1n);
  }

  #deposit(balanceMist: bigint, startVersion: bigint | null): void {
    this.#deposits += 1;
    const objectId = `0x${this.#deposits.toString(16).padStart(64, "0")}`;
    const digest = coinDigest(objectId, 1n);
    const coins = new Map(this.#latest.coins);
    coins.set(objectId, { version: 1n, digest, balanceMist, previousTransaction: FOREIGN_DIGEST, startVersion });
    this.#append({ coins });
  }

  /** Somebody pays into the owner's address balance. */
  payIn(amountMist: bigint): void {
    this.#append({ addressBalanceMist: this.#latest.addressBalanceMist + amountMist });
    this.#paidIn.push(this.#blocks.length - 1);
    this.#paidInMist.push(amountMist);
  }

  /** What had been paid into the address balance up to a height. */
  paidInMist(height: number): bigint {
    return this.#paidInMist.reduce((sum, mist, index) => ((this.#paidIn[index] ?? 0) <= height ? sum + mist : sum), 0n);
  }

  /** Time passes, and nothing changes. */
  pass(ms: number): void {
    this.nowMs += ms;
  }

  nextEpoch(priceMist: bigint): void {
    this.#append({ epoch: this.#latest.epoch + 1n, epochStartMs: this.nowMs + 1, priceMist });
  }

  /**
   * An endpoint so many changes behind. Its time is the latest that it can claim without lying.
   *
   * @param kept of so many of its latest changes it still has the transactions.
   */
  view(lag: number, kept = Number.POSITIVE_INFINITY): ChainView {
    const height = Math.max(this.#blocks.length - 1 - lag, 0);
    const lowestHeight = Math.max(height - kept, 0);
    const block = this.#blocks[height] ?? this.#latest;
    const next = this.#blocks[height + 1];
    const { coins, epoch, epochStartMs, priceMist, addressBalanceMist } = block;
    return {
      height,
      lowestHeight,
      epoch,
      epochStartMs,
      priceMist,
      addressBalanceMist,
      checkpointTimeMs: next === undefined ? this.nowMs : next.timeMs - 1,
      listing: () => [...coins].map(([objectId, coin]) => this.#coinOf(objectId, coin)),
      observe: (objectIds) =>
        objectIds.map((objectId) => {
          const coin = coins.get(objectId);
          return coin === undefined
            ? null
            : { ...this.#coinOf(objectId, coin), previousTransaction: coin.previousTransaction };
        }),
      lookUp: (digest) => {
        const execution = this.executed.get(digest)?.execution;
        const at = Number(execution?.checkpoint ?? Number.NaN);
        return execution !== undefined && at <= height && at >= lowestHeight ? execution : null;
      },
      hasForgotten: (digest) => Number(this.executed.get(digest)?.execution.checkpoint ?? Number.NaN) < lowestHeight,
    };
  }

  #coinOf(objectId: string, coin: ModelCoin): SuiCoin {
    const { version, digest, balanceMist } = coin;
    return { objectId, version, digest, balanceMist, owner: this.#ownerOf(coin) };
  }

  #ownerOf({ startVersion }: Pick<ModelCoin, "startVersion">): AddressOwner {
    return startVersion === null
      ? { kind: "address", address: this.#owner }
      : { kind: "consensus", address: this.#owner, startVersion };
  }

  /**
   * Whether the chain can still take it, now or later, given its signatures: prices and balances come and go, while
   * epochs and versions only rise.
   */
  canEverAccept({ digest, lastEpoch, payment, inputs, ordered, chainIdentifier }: ModelTransaction): boolean {
    const { coins, epoch } = this.#latest;
    if (this.executed.has(digest) || epoch > lastEpoch) return false;
    if (chainIdentifier !== null ? chainIdentifier !== CHAIN_IDENTIFIER : payment.length === 0) return false;
    const isThere = ordered.every(({ objectId, startVersion }) => coins.get(objectId)?.startVersion === startVersion);
    return (
      isThere &&
      [...payment, ...inputs].every((ref) => {
        const coin = coins.get(ref.objectId);
        return coin?.version === ref.version && coin.digest === ref.digest && coin.startVersion === null;
      })
    );
  }

  #accepts(transaction: ModelTransaction): boolean {
    const { epoch, priceMist, addressBalanceMist } = this.#latest;
    const { payment, firstEpoch, budgetMist } = transaction;
    if (!this.canEverAccept(transaction) || epoch < firstEpoch) return false;
    if (transaction.priceMist < priceMist && !isGasless(transaction)) return false;
    if (payment.length > 0 && this.#sumMist(payment) < budgetMist) return false;
    return addressBalanceMist >= reservedMist(transaction);
  }

  #sumMist(refs: readonly ObjectRef[]): bigint {
    return refs.reduce((sum, { objectId }) => sum + (this.#latest.coins.get(objectId)?.balanceMist ?? 0n), 0n);
  }

  /** Executes a transaction, once; null where the chain refuses it. */
  execute(transaction: ModelTransaction, fate: Fate): SuiExecution | null {
    const known = this.executed.get(transaction.digest);
    if (known !== undefined) return known.execution;
    if (!this.#accepts(transaction)) return null;
    const draws = reservedMist(transaction) > 0n;
    const outcome = fate === "funds_short" && !draws ? "success" : fate;
    const executed = this.#run(transaction, outcome);
    this.executed.set(transaction.digest, executed);
    return executed.execution;
  }

  #run(transaction: ModelTransaction, fate: Fate): Executed {
    const { digest, payment, inputs, ordered, budgetMist } = transaction;
    const { coins: before, addressBalanceMist } = this.#latest;
    const orderedVersions = ordered.map(({ objectId }) => before.get(objectId)?.version ?? 0n);
    const versions = [...[...payment, ...inputs].map(({ version }) => version), ...orderedVersions];
    const lamportVersion = versions.reduce((max, version) => (version > max ? version : max), 0n) + 1n;
    const [gasCoin, ...smashed] = payment;
    const success = fate === "success" || fate === "rebate";
    const moved = movedBy(transaction, success ? this.#sumMist(payment) - budgetMist : null, this.#owner);
    const gasUsed = gasOf(transaction, moved, fate);
    const gasMist = gasUsed.computationCostMist + gasUsed.storageCostMist - gasUsed.storageRebateMist;
    if (gasMist > budgetMist) throw new Error("the model knows no transaction that runs out of gas");

    const coins = new Map(before);
    const changed = new Map<string, ChangedObject>();
    const write = (objectId: string, balanceMist: bigint, operation: "none" | "created") => {
      const written = { version: lamportVersion, digest: coinDigest(objectId, lamportVersion) };
      const startVersion = before.get(objectId)?.startVersion ?? null;
      coins.set(objectId, { ...written, balanceMist, previousTransaction: digest, startVersion });
      const output = { ...written, owner: this.#ownerOf({ startVersion }) };
      changed.set(objectId, { objectId, objectType: null, operation, input: null, output });
    };
    const remove = (objectId: string) => {
      coins.delete(objectId);
      changed.set(objectId, { objectId, objectType: null, operation: "deleted", input: null, output: null });
    };
    for (const { objectId } of smashed) remove(objectId);
    for (const { objectId } of inputs) write(objectId, before.get(objectId)?.balanceMist ?? 0n, "none");
    const orderedMist = ordered.reduce((sum, { objectId }) => sum + (before.get(objectId)?.balanceMist ?? 0n), 0n);
    for (const { objectId } of ordered)
      if (moved.takesInto === null) write(objectId, before.get(objectId)?.balanceMist ?? 0n, "none");
      else remove(objectId);
    const takenMist = (into: "gas coin" | "address balance") => (moved.takesInto === into ? orderedMist : 0n);
    const leftMist = this.#sumMist(payment) - moved.splitOffMist + takenMist("gas coin");
    if (gasCoin !== undefined && moved.swept) remove(gasCoin.objectId);
    else if (gasCoin !== undefined) write(gasCoin.objectId, leftMist - gasMist, "none");
    for (const { objectId, balanceMist } of moved.created) write(objectId, balanceMist, "created");

    const paysFromBalance = gasCoin === undefined || moved.swept;
    const inMist = (moved.swept ? leftMist : 0n) + takenMist("address balance");
    const changeMist = inMist - moved.redeemedMist - (paysFromBalance ? gasMist : 0n);
    this.#append({ coins, addressBalanceMist: addressBalanceMist + changeMist });
    for (const objectId of changed.keys()) this.lastWriter.set(objectId, digest);
    const execution: SuiExecution = {
      digest,
      success: moved.done,
      error: moved.done ? null : fate,
      abort: null,
      epoch: this.#latest.epoch,
      gasUsed,
      gasObjectId: paysFromBalance ? null : gasCoin.objectId,
      lamportVersion,
      dependencies: [],
      eventsDigest: null,
      changedObjects: [...changed.values()],
      events: [],
      balanceChanges: [],
      checkpoint: BigInt(this.#blocks.length - 1),
      timestampMs: this.nowMs,
    };
    return { execution, addressBalanceMist: changeMist, paidOutMist: moved.paidOutMist };
  }
}

/** What it may take out of the address balance. */
function reservedMist({ payment, commands, budgetMist }: ModelTransaction): bigint {
  const gasMist = payment.length === 0 ? budgetMist : 0n;
  return commands.reduce((sum, command) => (command.do === "redeem" ? sum + command.amountMist : sum), gasMist);
}

interface Moved {
  readonly done: boolean;
  readonly created: readonly { readonly objectId: string; readonly balanceMist: bigint }[];
  readonly splitOffMist: bigint;
  readonly redeemedMist: bigint;
  readonly paidOutMist: bigint;
  readonly swept: boolean;
  /** Where what consensus orders among its inputs goes; null: it stays. */
  readonly takesInto: "gas coin" | "address balance" | null;
}

const NOTHING: Moved = {
  done: false,
  created: [],
  splitOffMist: 0n,
  redeemedMist: 0n,
  paidOutMist: 0n,
  swept: false,
  takesInto: null,
};

/** @param spendableMist what the commands find in the gas coin, the budget being withheld; null: they do not run. */
function movedBy(transaction: ModelTransaction, spendableMist: bigint | null, owner: string): Moved {
  const { digest, commands, payment } = transaction;
  if (spendableMist === null) return NOTHING;
  // Without a payment the first id goes to the gas coin that the chain makes up (sui-adapter, `context.rs`).
  let index = payment.length === 0 ? 1n : 0n;
  const created: { objectId: string; balanceMist: bigint }[] = [];
  let moved: Moved = { ...NOTHING, done: true, created };
  const hand = (balanceMist: bigint, to: string) => {
    const objectId = createdObjectId(digest, index++);
    if (to === owner) created.push({ objectId, balanceMist });
    else moved = { ...moved, paidOutMist: moved.paidOutMist + balanceMist };
  };
  for (const command of commands) {
    if (command.do === "split")
      for (const amountMist of command.amountsMist) {
        moved = { ...moved, splitOffMist: moved.splitOffMist + amountMist };
        hand(amountMist, command.to);
      }
    else if (command.do === "redeem") {
      moved = { ...moved, redeemedMist: moved.redeemedMist + command.amountMist };
      hand(command.amountMist, command.to);
    } else if (command.do === "take in") moved = { ...moved, takesInto: command.into };
    else moved = { ...moved, swept: true };
  }
  return moved.splitOffMist > 0n && moved.splitOffMist > spendableMist ? NOTHING : moved;
}

/** It names no payment, no price and no budget. */
function isGasless({ payment, priceMist, budgetMist }: ModelTransaction): boolean {
  return payment.length === 0 && priceMist === 0n && budgetMist === 0n;
}

function gasOf(transaction: ModelTransaction, moved: Moved, fate: Fate): GasUsed {
  const { payment, inputs, ordered } = transaction;
  if (isGasless(transaction)) return FREE;
  if (fate === "funds_short" && payment.length === 0) return FREE;
  const read = BigInt(payment.length + inputs.length + ordered.length);
  const kept = moved.takesInto === null ? ordered.length : 0;
  const gasCoins = payment.length > 0 && !moved.swept ? 1 : 0;
  const created = moved.created.length + (moved.paidOutMist > 0n ? 1 : 0);
  return {
    computationCostMist: COMPUTATION_MIST,
    storageCostMist: STORAGE_MIST * BigInt(gasCoins + inputs.length + kept + created),
    storageRebateMist: REBATE_MIST * read + (fate === "rebate" ? LARGE_REBATE_MIST : 0n),
    nonRefundableStorageFeeMist: (STORAGE_MIST - REBATE_MIST) * read,
  };
}

/** A digest that differs with id and version, as the chain's do. */
function coinDigest(objectId: string, version: bigint): string {
  return toBase58(blake2b(new TextEncoder().encode(`${objectId} ${version}`), { dkLen: 32 }));
}
