import { GrpcTypes } from "@mysten/sui/grpc";
import { toBase64 } from "@mysten/sui/utils";
import { pause } from "../pause.ts";
import type { Sql } from "../sql.ts";
import { signersFor } from "./aliases.ts";
import type { ChainState, EpochInfo } from "./chain-state.ts";
import { createConsensus } from "./consensus.ts";
import type { ChainContext, CheckMode } from "./context.ts";
import { type Execution, execute } from "./execute.ts";
import { consumedBy } from "./inputs.ts";
import { lockConflict } from "./lock-conflict.ts";
import type { ChainObject } from "./objects.ts";
import { timestampProto } from "./proto.ts";
import type { Protocol } from "./protocol.ts";
import { signatureProto } from "./signature-proto.ts";
import { requireSigners, type SignersFor, verifySignatures } from "./signatures.ts";
import { GrpcCode, GrpcStatus, MissingInput } from "./status.ts";
import type { ObjectStore, TransactionRecord } from "./store.ts";
import { type DecodedTransaction, encodeTransaction } from "./transaction.ts";
import { checkTransaction } from "./validate.ts";

/** A committed transaction as the API shows it, without its `transaction` field. */
export interface CommittedTransaction {
  readonly bytes: Uint8Array;
  readonly executed: GrpcTypes.ExecutedTransaction;
  /** What it took and what it wrote, where the caller may ask for that. */
  readonly objects?: readonly ChainObject[];
}

export type Ledger = ReturnType<typeof createLedger>;

/** Between two tries of a transaction whose inputs are not there. */
const TRY_AGAIN_MS = 50;

/** What may be ordered of a ledger while it runs. */
export interface LedgerRules {
  /** How long an execution waits for an input that the chain does not have: a node goes on trying. */
  inputWaitMs(): number;
  /** Whether `0x2::coin::send_funds` takes the gas coin. */
  sendsGasCoin(): boolean;
  /** The version of the protocol. */
  protocol(): Protocol;
}

/** Modelled: one transaction published all of them. */
interface Packages {
  publishedBy: string | null;
}

/** The address of the system, which pays for nothing. */
const SYSTEM = `0x${"0".repeat(64)}`;

/** Stores the transaction of the packages, because a node shows what a call depends on. Returns its digest. */
function publishPackages(store: ObjectStore): string {
  const { digest, bytes } = encodeTransaction({
    kind: { ProgrammableTransaction: { inputs: [], commands: [] } },
    sender: SYSTEM,
    gasData: { payment: [], owner: SYSTEM, price: "1", budget: "0" },
    expiration: { None: true },
  });
  if (store.transaction(digest) !== undefined) return digest;
  const status = { success: true };
  const executed = GrpcTypes.ExecutedTransaction.create({
    digest,
    effects: { transactionDigest: digest, epoch: 0n, status },
    checkpoint: 0n,
    timestamp: timestampProto(0),
  });
  store.putTransaction({ digest, bytes, signatures: [], executed: GrpcTypes.ExecutedTransaction.toBinary(executed) });
  return digest;
}

/** Executes transactions against the stored objects. */
export function createLedger(sql: Sql, store: ObjectStore, state: ChainState, rules: LedgerRules) {
  const consensus = createConsensus(pause);

  const packages: Packages = { publishedBy: publishPackages(store) };

  function contextOf({ epoch, referenceGasPrice }: EpochInfo): ChainContext {
    const { chainId } = state;
    const ordered = { sendsGasCoin: rules.sendsGasCoin(), protocol: rules.protocol() };
    return { chainId, epoch, referenceGasPrice, ...ordered, ...packages };
  }

  function run(transaction: DecodedTransaction, mode: CheckMode, reads: ObjectStore, epoch: EpochInfo): Execution {
    return execute(transaction, checkTransaction(reads, contextOf(epoch), transaction, mode), epoch.epoch);
  }

  /** Checks, executes and stores in one synchronous step, so that no other transaction comes between. */
  function commit(
    transaction: DecodedTransaction,
    signatures: readonly Uint8Array[],
    mode: "execute" | "schedule",
  ): CommittedTransaction {
    const epoch = state.epoch();
    return sql.transaction(() => {
      const execution = run(transaction, mode, store, epoch);
      const { sequenceNumber, timestampMs } = state.sealCheckpoint();
      const executed = GrpcTypes.ExecutedTransaction.create({
        ...executedProto(execution),
        signatures: signatures.map(signatureProto),
        checkpoint: sequenceNumber,
        timestamp: timestampProto(timestampMs),
      });
      store.applyChanges(execution, sequenceNumber);
      store.putTransaction({
        digest: transaction.digest,
        bytes: transaction.bytes,
        signatures: signatures.map(toBase64),
        executed: GrpcTypes.ExecutedTransaction.toBinary(executed),
      });
      return { bytes: transaction.bytes, executed, objects: touchedObjects(execution) };
    });
  }

  /** A node never says of an input that it does not exist: it tries until its own time is over (recorded, 1.62). */
  async function commitInTime(...order: Parameters<typeof commit>): Promise<CommittedTransaction> {
    for (let waitedMs = 0; ; waitedMs += TRY_AGAIN_MS) {
      try {
        return commit(...order);
      } catch (error) {
        if (!(error instanceof MissingInput)) throw error;
        if (waitedMs >= rules.inputWaitMs())
          throw new GrpcStatus(GrpcCode.UNAVAILABLE, "timed-out before finality could be reached");
      }
      await pause(TRY_AGAIN_MS);
    }
  }

  return {
    chainId: state.chainId,

    consensus,

    packages,

    /** Runs a transaction on what a node shows, without storing anything. */
    simulate: (
      transaction: DecodedTransaction,
      mode: Exclude<CheckMode, "execute" | "schedule">,
      view: { readonly store: ObjectStore; readonly epoch: EpochInfo },
    ) => run(transaction, mode, view.store, view.epoch),

    /**
     * Verifies and executes a signed transaction. A transaction that is already final is answered from the
     * store, unless it was signed otherwise. The answer does not say which checkpoint the transaction will be in, and
     * that to a repeat does not say the balance changes (recorded of a node, 1.62). Throws {@link GrpcStatus} when the
     * transaction is refused.
     */
    async submit(transaction: DecodedTransaction, signatures: readonly Uint8Array[]): Promise<CommittedTransaction> {
      const signers = new Set([transaction.sender, transaction.gasOwner]);
      const byAliases: SignersFor = (address) => signersFor(store, address);
      await verifySignatures(transaction.bytes, signatures, signers, byAliases);
      const isHeld = consensus.isHeld();
      if (store.transaction(transaction.digest) === undefined) {
        if (isHeld) checkTransaction(store, contextOf(state.epoch()), transaction, "execute");
        const lost = await consensus.turn(transaction.digest, consumedBy(store, transaction, state.chainId));
        if (lost !== null) throw lockConflict(lost.ref, lost.winner);
        if (isHeld) requireSigners(signatures, signers, byAliases);
      }
      const final = store.transaction(transaction.digest);
      if (final !== undefined) {
        const { bytes, executed } = answerFinal(final, signatures);
        return { bytes, executed: { ...withoutCheckpoint(executed), balanceChanges: [] }, objects: [] };
      }
      const committed = await commitInTime(transaction, signatures, isHeld ? "schedule" : "execute");
      return { ...committed, executed: withoutCheckpoint(committed.executed) };
    },

    /** All of them, by checkpoint, and in a checkpoint by digest: which came first there is not kept. */
    all: (): readonly CommittedTransaction[] =>
      store
        .transactions()
        .map(committedTransaction)
        .toSorted((one, other) => Number((one.executed.checkpoint ?? 0n) - (other.executed.checkpoint ?? 0n))),

    find(digest: string): CommittedTransaction | undefined {
      const record = store.transaction(digest);
      return record && committedTransaction(record);
    },
  };
}

/** The parts of `ExecutedTransaction` that execution determines. */
export function executedProto({ transaction, effects, events, balanceChanges }: Execution) {
  return {
    digest: transaction.digest,
    effects: effects.proto,
    ...(events && { events: events.proto }),
    balanceChanges: balanceChanges.map(({ address, coinType, amount }) => ({
      address,
      coinType,
      amount: String(amount),
    })),
  };
}

/** What a transaction took and what it wrote, by id and version. */
export function touchedObjects({ taken, written }: Pick<Execution, "taken" | "written">): readonly ChainObject[] {
  return [...taken, ...written].sort((a, b) => (a.id === b.id ? Number(a.version - b.version) : a.id < b.id ? -1 : 1));
}

function withoutCheckpoint(executed: GrpcTypes.ExecutedTransaction): GrpcTypes.ExecutedTransaction {
  const { checkpoint: _, timestamp: __, ...answered } = executed;
  return answered;
}

function answerFinal(record: TransactionRecord, signatures: readonly Uint8Array[]): CommittedTransaction {
  const given = signatures.map(toBase64).sort();
  const stored = [...record.signatures].sort();
  if (given.some((signature, index) => signature !== stored[index])) {
    throw new GrpcStatus(GrpcCode.ABORTED, "The transaction is already finalized but with different user signatures");
  }
  return committedTransaction(record);
}

function committedTransaction({ bytes, executed }: TransactionRecord): CommittedTransaction {
  return { bytes, executed: GrpcTypes.ExecutedTransaction.fromBinary(executed) };
}
