import { ExecutionFailure } from "./failure.ts";
import { type GasUsed, gasUsed, NO_GAS, netGas, roundComputationUnits, storageCost } from "./gas.ts";
import { MAX_GASLESS_UNITS, metGaslessTerms } from "./gasless.ts";
import { type ChainObject, storageBytes } from "./objects.ts";
import { type ChargeLocation, closeGasCoin, openGasCoin, smashGas } from "./payment.ts";
import type { Protocol } from "./protocol.ts";
import { type InputAccess, runProgrammable } from "./ptb.ts";
import type { CommandResult } from "./slots.ts";
import { type DecodedTransaction, gasBudget, gasPrice } from "./transaction.ts";
import type { CheckedInputs } from "./validate.ts";
import { createWorkspace, type LiveObject, type RunRecord, type Workspace } from "./workspace.ts";

/** What a transaction takes, by object id. */
export interface Taken {
  readonly before: ReadonlyMap<string, ChainObject>;
  readonly access: InputAccess;
}

/** One attempt to run the transaction. */
interface Attempt {
  readonly workspace: Workspace;
  readonly location: ChargeLocation;
  readonly results: readonly CommandResult[];
}

export interface Settlement {
  readonly attempt: Attempt;
  readonly gas: GasUsed;
  /**
   * What becomes of the storage deposits: they are charged anew, there is no gas left to charge them, or the
   * transaction costs nothing and they stay as they are.
   */
  readonly deposits: "charged" | "none" | "kept";
  readonly failure: ExecutionFailure | undefined;
}

/** Runs the commands and charges for them; falls back to charging for gas only, as sui-adapter's gas_charger.rs. */
export function settle(
  transaction: DecodedTransaction,
  checked: CheckedInputs,
  taken: Taken,
  record: RunRecord,
): Settlement {
  const { digest, sender } = transaction;
  const budget = gasBudget(transaction);
  const receivable = new Map(checked.receivable.map((object) => [object.id, object]));

  function start(): Attempt {
    const objects = taken.before.values();
    const { context, senderHasAliases } = checked;
    const inputs = { digest, sender, objects, receivable, context, senderHasAliases };
    const workspace = createWorkspace(inputs, record);
    return { workspace, location: smashGas(workspace, checked.payment, checked.fundsShort), results: [] };
  }

  function runCommands({ workspace, location }: Attempt): Attempt {
    const gasCoin = openGasCoin(workspace, checked.payment, location, budget);
    const results = runProgrammable(workspace, transaction.programmable, checked.withdrawals, taken.access, gasCoin);
    return { workspace, results, location: closeGasCoin(workspace, checked.payment, location, gasCoin, budget) };
  }

  let attempt = start();
  let failure: ExecutionFailure | undefined;
  if (checked.fundsShort) {
    failure = new ExecutionFailure({ name: "InsufficientFundsForWithdraw" });
    if (checked.payment.kind === "balance") return { attempt, gas: NO_GAS, deposits: "kept", failure };
  } else {
    try {
      attempt = runCommands(attempt);
    } catch (error) {
      if (!(error instanceof ExecutionFailure)) throw error;
      failure = error;
      attempt = start();
    }
  }

  if (checked.isGasless) return settleGasless(attempt, failure, { taken, checked, units: record.units, start });

  const wanted = roundComputationUnits(record.units) * gasPrice(transaction);
  const computation = wanted < budget ? wanted : budget;
  if (wanted >= budget && failure === undefined) {
    failure = new ExecutionFailure({ name: "InsufficientGas" });
    attempt = start();
  }

  const gas = chargeStorage(attempt.workspace, taken, computation, checked.context.protocol);
  if (netGas(gas) <= budget) return { attempt, gas, deposits: "charged", failure };

  const outOfGas = failure ?? new ExecutionFailure({ name: "InsufficientGas" });
  const reset = start();
  const inputsOnly = chargeStorage(reset.workspace, taken, computation, checked.context.protocol);
  if (netGas(inputsOnly) <= budget) {
    return { attempt: reset, gas: inputsOnly, deposits: "charged", failure: outOfGas };
  }
  const deposits = { charged: 0n, returned: depositsRead(reset.workspace, taken) };
  const rebateOnly = gasUsed(budget, deposits, checked.context.protocol);
  return { attempt: reset, gas: rebateOnly, deposits: "none", failure: outOfGas };
}

interface Gasless {
  readonly taken: Taken;
  readonly checked: CheckedInputs;
  readonly units: bigint;
  start(): Attempt;
}

/**
 * Ends a transaction that pays no gas. What comes back of the deposits of the coins that it has used up is its
 * computation cost; what breaks its terms has run out of gas (gasless_coin.snap, gasless_min_transfer.snap).
 */
function settleGasless(
  attempt: Attempt,
  failure: ExecutionFailure | undefined,
  { taken, checked, units, start }: Gasless,
): Settlement {
  const { withdrawals, context } = checked;
  const isMet = units <= MAX_GASLESS_UNITS && metGaslessTerms(attempt.workspace, taken.before, withdrawals.values());
  const ended = failure ?? (isMet ? undefined : new ExecutionFailure({ name: "InsufficientGas" }));
  if (ended !== undefined) return { attempt: start(), gas: NO_GAS, deposits: "kept", failure: ended };
  const returned = depositsRead(attempt.workspace, taken);
  const gas = gasUsed(0n, { charged: 0n, returned }, context.protocol);
  return { attempt, gas: { ...gas, computationCost: gas.storageRebate }, deposits: "charged", failure };
}

function chargeStorage(workspace: Workspace, taken: Taken, computation: bigint, protocol: Protocol): GasUsed {
  let charged = 0n;
  for (const object of writtenObjects(workspace, taken.access)) {
    charged += storageCost(storageBytes(object.type, object.contents));
  }
  return gasUsed(computation, { charged, returned: depositsRead(workspace, taken) }, protocol);
}

function depositsRead(workspace: Workspace, taken: Taken): bigint {
  let deposits = 0n;
  for (const object of replacedObjects(workspace, taken)) {
    if (taken.access.get(object.id) !== "readonly") deposits += object.storageRebate;
  }
  return deposits;
}

/** The objects as they were that the transaction had in its hands: its inputs, and what it received on the way. */
export function replacedObjects(workspace: Workspace, { before }: Taken): ChainObject[] {
  return [...before.values(), ...workspace.received.values()];
}

/** Every mutable input is written, touched or not, and everything that was created and kept. */
export function writtenObjects(workspace: Workspace, access: InputAccess): LiveObject[] {
  return [...workspace.objects.values()].filter(({ id }) => access.get(id) !== "readonly");
}
