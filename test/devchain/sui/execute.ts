import { DEMO_PACKAGE } from "../demo.ts";
import { type BalanceChange, deriveBalanceChanges } from "./balance-changes.ts";
import { type Effects, encodeEffects } from "./effects.ts";
import { encodeEvents, type TransactionEvents } from "./events.ts";
import { type AccumulatorWrite, accumulatorWrites } from "./funds.ts";
import { type GasUsed, inputReadUnits, netGas, storageCost } from "./gas.ts";
import { type ChainObject, storageBytes } from "./objects.ts";
import { dependencies, lamportVersion, objectChanges, writtenVersion } from "./outcome.ts";
import { chargeGas, paymentCoins } from "./payment.ts";
import type { Protocol } from "./protocol.ts";
import type { InputAccess } from "./ptb.ts";
import { replacedObjects, type Settlement, settle, type Taken, writtenObjects } from "./settlement.ts";
import type { CommandResult } from "./slots.ts";
import type { DecodedTransaction } from "./transaction.ts";
import type { CheckedInputs } from "./validate.ts";
import type { RunRecord } from "./workspace.ts";

/** What a transaction does to the chain, whether it is committed or only simulated. */
export interface Execution {
  readonly transaction: DecodedTransaction;
  readonly effects: Effects;
  readonly events: TransactionEvents | undefined;
  readonly gas: GasUsed;
  readonly balanceChanges: readonly BalanceChange[];
  readonly commandResults: readonly CommandResult[];
  /** What it took, as that was before. */
  readonly taken: readonly ChainObject[];
  readonly written: readonly ChainObject[];
  readonly removedIds: readonly string[];
  readonly funds: readonly AccumulatorWrite[];
}

/** Executes a checked transaction. Reads and writes nothing: the caller commits what it returns. */
export function execute(transaction: DecodedTransaction, checked: CheckedInputs, epoch: bigint): Execution {
  const objects = [...checked.inputs.map(({ object }) => object), ...paymentCoins(checked.payment)];
  const before = new Map(objects.map((object) => [object.id, object]));
  const access: InputAccess = new Map(checked.inputs.map((input) => [input.object.id, input.access]));
  const taken: Taken = { before, access };
  const record: RunRecord = { units: readUnits(transaction, objects, checked.context.protocol), received: new Map() };
  return conclude(transaction, checked, taken, record, settle(transaction, checked, taken, record), epoch);
}

/** A call of a package depends on the transaction that published it (recorded, 1.62). */
function publisherOf({ programmable }: DecodedTransaction, { context }: CheckedInputs): string | null {
  return programmable.commands.some(({ $kind }) => $kind === "MoveCall") ? context.publishedBy : null;
}

/** A modelled size: there is no bytecode. */
const DEMO_PACKAGE_BYTES = 8_000n;

/** The computation that reading costs, before any command runs. Packages of the system cost nothing. */
function readUnits({ programmable }: DecodedTransaction, objects: readonly ChainObject[], protocol: Protocol): bigint {
  const objectBytes = objects.reduce((sum, { type, contents }) => sum + storageBytes(type, contents), 0n);
  const named = programmable.commands.flatMap(({ MoveCall: call }) =>
    call ? [call.package, ...call.typeArguments] : [],
  );
  const packageBytes = named.some((name) => name.startsWith(DEMO_PACKAGE)) ? DEMO_PACKAGE_BYTES : 0n;
  return inputReadUnits(objectBytes, packageBytes, protocol);
}

function conclude(
  transaction: DecodedTransaction,
  checked: CheckedInputs,
  taken: Taken,
  record: RunRecord,
  { attempt, gas, deposits, failure }: Settlement,
  epoch: bigint,
): Execution {
  const { workspace, location } = attempt;
  chargeGas(workspace, location, netGas(gas));
  const inputs = [...taken.before.values()];
  const replaced = new Map(replacedObjects(workspace, taken).map((object) => [object.id, object]));
  const version = lamportVersion([...inputs, ...checked.receivable]);
  const written = writtenObjects(workspace, taken.access).map((object) => {
    const before = replaced.get(object.id);
    const full = storageCost(storageBytes(object.type, object.contents));
    const deposit = { charged: full, none: 0n, kept: before?.storageRebate ?? 0n }[deposits];
    return writtenVersion(object, before, { version, previousTransaction: transaction.digest }, deposit);
  });
  const changes = objectChanges(replaced, written, workspace);
  const funds = accumulatorWrites(workspace.funds);
  const events = failure === undefined ? encodeEvents(workspace.events) : undefined;
  const effects = encodeEffects({
    transactionDigest: transaction.digest,
    epoch,
    failure,
    gas,
    gasObjectId: location.kind === "coin" ? location.coin.id : undefined,
    eventsDigest: events?.digest,
    lamportVersion: version,
    changes,
    funds,
    readShared: checked.inputs.flatMap(({ object, access, isConsensus }) =>
      isConsensus && access === "readonly" ? [object] : [],
    ),
    dependencies: dependencies([...inputs, ...record.received.values()], publisherOf(transaction, checked)),
  });
  return {
    transaction,
    effects,
    events,
    gas,
    balanceChanges: deriveBalanceChanges(changes, funds),
    commandResults: attempt.results,
    taken: inputs,
    written,
    removedIds: changes.filter(({ after }) => after === undefined).map(({ id }) => id),
    funds,
  };
}
