import { type BalanceChange, deriveBalanceChanges } from "./balance-changes.ts";
import { type Effects, encodeEffects } from "./effects.ts";
import { encodeEvents, type TransactionEvents } from "./events.ts";
import { ExecutionFailure } from "./failure.ts";
import { type GasUsed, gasUsed, netGas, roundComputationUnits, storageCost } from "./gas.ts";
import {
  type ChainObject,
  coinBalance,
  coinContents,
  GENESIS_TRANSACTION,
  SUI_COIN_TYPE,
  storageBytes,
  withDigest,
} from "./objects.ts";
import { dependencies, lamportVersion, objectChanges, writtenVersion } from "./outcome.ts";
import { type CommandResult, type InputAccess, runProgrammable } from "./ptb.ts";
import { type DecodedTransaction, gasBudget, gasPrice } from "./transaction.ts";
import type { CheckedInputs } from "./validate.ts";
import {
  type ComputationMeter,
  createWorkspace,
  deleteObject,
  type LiveObject,
  setCoinBalance,
  type Workspace,
} from "./workspace.ts";

/** What a transaction does to the chain, whether it is committed or only simulated. */
export interface Execution {
  readonly transaction: DecodedTransaction;
  readonly effects: Effects;
  readonly events: TransactionEvents | undefined;
  readonly gas: GasUsed;
  readonly balanceChanges: readonly BalanceChange[];
  readonly commandResults: readonly CommandResult[];
  readonly written: readonly ChainObject[];
  readonly deletedIds: readonly string[];
}

/** Stands in for the gas payment of a simulation that names none (sui-core: mock gas object). */
const MOCK_GAS_ID = `0x${"ff".repeat(32)}`;
const MOCK_GAS_BALANCE_MIST = 1_000_000_000n * 1_000_000_000n;

/** One attempt to run the transaction, with the gas coins already smashed into the first. */
interface Attempt {
  readonly workspace: Workspace;
  readonly gasCoin: LiveObject;
  readonly results: readonly CommandResult[];
}

interface Settlement {
  readonly attempt: Attempt;
  readonly gas: GasUsed;
  /** Out of gas even for the inputs: they are written without a storage deposit. */
  readonly withoutDeposits: boolean;
  readonly failure: ExecutionFailure | undefined;
}

/** Executes a checked transaction. Reads and writes nothing: the caller commits what it returns. */
export function execute(transaction: DecodedTransaction, checked: CheckedInputs, epoch: bigint): Execution {
  const gasCoins = checked.gasCoins.length === 0 ? [mockGasCoin(transaction.gasOwner)] : checked.gasCoins;
  const before = new Map([...checked.inputs.map(({ object }) => object), ...gasCoins].map((one) => [one.id, one]));
  const access: InputAccess = new Map(checked.inputs.map((input) => [input.object.id, input.access]));
  const meter: ComputationMeter = { units: 0n };

  function start(): Attempt {
    const workspace = createWorkspace(transaction.digest, transaction.sender, before.values(), meter);
    return { workspace, gasCoin: smashGas(workspace, gasCoins), results: [] };
  }

  const settlement = settle(transaction, before, access, start);
  return conclude(transaction, before, access, settlement, epoch);
}

/** Runs the commands and charges for them; falls back to charging for gas only, as sui-adapter's gas_charger.rs. */
function settle(
  transaction: DecodedTransaction,
  before: ReadonlyMap<string, ChainObject>,
  access: InputAccess,
  start: () => Attempt,
): Settlement {
  const budget = gasBudget(transaction);
  let attempt = start();
  let failure: ExecutionFailure | undefined;
  try {
    attempt = { ...attempt, results: runCommands(transaction, attempt, access, budget) };
  } catch (error) {
    if (!(error instanceof ExecutionFailure)) throw error;
    failure = error;
    attempt = start();
  }

  const wanted = roundComputationUnits(attempt.workspace.meter.units) * gasPrice(transaction);
  const computation = wanted < budget ? wanted : budget;
  if (wanted >= budget && failure === undefined) {
    failure = new ExecutionFailure({ name: "InsufficientGas" });
    attempt = start();
  }

  const gas = chargeStorage(attempt.workspace, before, access, computation);
  if (netGas(gas) <= budget) return { attempt, gas, withoutDeposits: false, failure };

  const outOfGas = failure ?? new ExecutionFailure({ name: "InsufficientGas" });
  const reset = start();
  const inputsOnly = chargeStorage(reset.workspace, before, access, computation);
  if (netGas(inputsOnly) <= budget) {
    return { attempt: reset, gas: inputsOnly, withoutDeposits: false, failure: outOfGas };
  }
  const rebateOnly = gasUsed(budget, 0n, depositsRead(before, access));
  return { attempt: reset, gas: rebateOnly, withoutDeposits: true, failure: outOfGas };
}

/** The budget is withheld from the gas coin while the commands run, so that they cannot spend it. */
function runCommands(
  transaction: DecodedTransaction,
  { workspace, gasCoin }: Attempt,
  access: InputAccess,
  budget: bigint,
): readonly CommandResult[] {
  setCoinBalance(gasCoin, coinBalance(gasCoin.contents) - budget);
  const results = runProgrammable(workspace, transaction.programmable, access, gasCoin);
  setCoinBalance(gasCoin, coinBalance(gasCoin.contents) + budget);
  return results;
}

function smashGas(workspace: Workspace, gasCoins: readonly ChainObject[]): LiveObject {
  const [first, ...others] = gasCoins.map(({ id }) => workspace.objects.get(id));
  if (first === undefined) throw new Error("a transaction without a gas coin");
  const total = gasCoins.reduce((sum, coin) => sum + coinBalance(coin.contents), 0n);
  for (const other of others) if (other) deleteObject(workspace, other);
  setCoinBalance(first, total);
  return first;
}

function chargeStorage(
  workspace: Workspace,
  before: ReadonlyMap<string, ChainObject>,
  access: InputAccess,
  computation: bigint,
): GasUsed {
  let newDeposits = 0n;
  for (const object of writtenObjects(workspace, access)) {
    newDeposits += storageCost(storageBytes(object.type, object.contents));
  }
  return gasUsed(computation, newDeposits, depositsRead(before, access));
}

function depositsRead(before: ReadonlyMap<string, ChainObject>, access: InputAccess): bigint {
  let deposits = 0n;
  for (const object of before.values()) if (access.get(object.id) !== "readonly") deposits += object.storageRebate;
  return deposits;
}

/** Every mutable input is written, touched or not, and everything that was created and kept. */
function writtenObjects(workspace: Workspace, access: InputAccess): LiveObject[] {
  return [...workspace.objects.values()].filter(({ id }) => access.get(id) !== "readonly");
}

function conclude(
  transaction: DecodedTransaction,
  before: ReadonlyMap<string, ChainObject>,
  access: InputAccess,
  { attempt, gas, withoutDeposits, failure }: Settlement,
  epoch: bigint,
): Execution {
  const { workspace, gasCoin } = attempt;
  setCoinBalance(gasCoin, coinBalance(gasCoin.contents) - netGas(gas));
  const version = lamportVersion(before.values());
  const written = writtenObjects(workspace, access).map((object) =>
    writtenVersion(object, version, transaction.digest, withoutDeposits),
  );
  const deleted = [...before.values()].filter(({ id }) => !workspace.objects.has(id));
  const changes = objectChanges(before, written, deleted);
  const events = failure === undefined ? encodeEvents(workspace.events) : undefined;
  const effects = encodeEffects({
    transactionDigest: transaction.digest,
    epoch,
    failure,
    gas,
    gasObjectId: gasCoin.id,
    eventsDigest: events?.digest,
    lamportVersion: version,
    changes,
    readShared: [...before.values()].filter(
      ({ id, owner }) => owner.kind === "shared" && access.get(id) === "readonly",
    ),
    dependencies: dependencies(before.values()),
  });
  return {
    transaction,
    effects,
    events,
    gas,
    balanceChanges: deriveBalanceChanges(changes),
    commandResults: attempt.results,
    written,
    deletedIds: deleted.map(({ id }) => id),
  };
}

function mockGasCoin(owner: string): ChainObject {
  return withDigest({
    id: MOCK_GAS_ID,
    version: 1n,
    owner: { kind: "address", address: owner },
    type: SUI_COIN_TYPE,
    hasPublicTransfer: true,
    contents: coinContents(MOCK_GAS_ID, MOCK_GAS_BALANCE_MIST),
    previousTransaction: GENESIS_TRANSACTION,
    storageRebate: 0n,
  });
}
