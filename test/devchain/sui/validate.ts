import { fromBase64 } from "@mysten/sui/utils";
import { GAS } from "./gas.ts";
import { type InputObject, readGasCoin, readInput } from "./inputs.ts";
import { packageExists } from "./move/functions.ts";
import { type ChainObject, coinBalance } from "./objects.ts";
import { transactionRefused } from "./status.ts";
import type { ObjectStore } from "./store.ts";
import { type Command, type DecodedTransaction, gasBudget, gasPrice } from "./transaction.ts";

/** Limits of sui-protocol-config, mainnet v136. */
export const LIMITS = {
  maxCommands: 1_024,
  maxInputs: 2_048,
  maxPureBytes: 16_384,
  maxGasObjects: 256,
  maxArguments: 512,
} as const;

/** The state of the chain that a transaction is checked against. */
export interface ChainContext {
  readonly chainId: string;
  readonly epoch: bigint;
  readonly referenceGasPrice: bigint;
}

/**
 * `execute` checks everything. `simulate` lets an empty gas payment pass, which is then mocked.
 * `inspect` is a simulation with checks disabled: no ownership, gas or expiration rules.
 */
export type CheckMode = "execute" | "simulate" | "inspect";

export interface CheckedInputs {
  readonly inputs: readonly InputObject[];
  /** In payment order; empty when the gas is mocked. */
  readonly gasCoins: readonly ChainObject[];
}

/**
 * Checks a transaction as validators do before they execute it, and reads its inputs.
 * Throws `INVALID_ARGUMENT` with the text of the `UserInputError` (sui-types error.rs).
 */
export function checkTransaction(
  store: ObjectStore,
  context: ChainContext,
  transaction: DecodedTransaction,
  mode: CheckMode,
): CheckedInputs {
  checkShape(transaction);
  if (mode !== "inspect") {
    checkExpiration(transaction, context);
    checkGasPriceAndBudget(transaction, context.referenceGasPrice);
  }
  if (mode === "execute" && transaction.data.gasData.payment.length === 0) {
    throw transactionRefused("Gas paid from an address balance is not supported by this development chain yet");
  }
  const seen = new Set<string>();
  const inputs = transaction.programmable.inputs.flatMap((input) => {
    const object = readInput(store, transaction.sender, input, seen, mode);
    return object === undefined ? [] : [object];
  });
  // What an inspection pays with does not matter: it gets a mocked coin, whatever its payment can cover.
  if (mode === "inspect") return { inputs, gasCoins: [] };
  const gasCoins = transaction.data.gasData.payment.map((ref) => readGasCoin(store, transaction.gasOwner, ref, seen));
  if (gasCoins.length > 0) checkGasBalance(gasCoins, gasBudget(transaction));
  return { inputs, gasCoins };
}

function checkShape({ programmable, data }: DecodedTransaction): void {
  const { commands, inputs } = programmable;
  checkLimit("commands in a programmable transaction", commands.length, LIMITS.maxCommands);
  checkLimit("input objects in a transaction", inputs.length, LIMITS.maxInputs);
  checkLimit("gas payment objects in a transaction", data.gasData.payment.length, LIMITS.maxGasObjects);
  for (const input of inputs) {
    if (input.$kind === "Pure") {
      checkLimit("bytes in a pure argument", fromBase64(input.Pure.bytes).length, LIMITS.maxPureBytes);
    }
  }
  for (const command of commands) checkCommandShape(command);
}

function checkCommandShape(command: Command): void {
  const listed = listedArguments(command);
  if (listed !== undefined) {
    if (listed === 0) throw transactionRefused("Empty command input");
    checkLimit("arguments in a programmable transaction command", listed, LIMITS.maxArguments);
  }
  if (command.$kind === "MoveCall" && !packageExists(command.MoveCall.package)) {
    throw transactionRefused(`Dependent package not found on-chain: ${command.MoveCall.package}`);
  }
}

/** The number of arguments of a command that must not be empty, or undefined where it may be. */
function listedArguments(command: Command): number | undefined {
  switch (command.$kind) {
    case "TransferObjects":
      return command.TransferObjects.objects.length;
    case "SplitCoins":
      return command.SplitCoins.amounts.length;
    case "MergeCoins":
      return command.MergeCoins.sources.length;
    case "MakeMoveVec":
      return command.MakeMoveVec.type === null ? command.MakeMoveVec.elements.length : undefined;
    default:
      return undefined;
  }
}

function checkLimit(what: string, size: number, limit: number): void {
  if (size > limit) {
    throw transactionRefused(`Size limit exceeded: maximum ${what} is ${limit}`);
  }
}

function checkExpiration({ data }: DecodedTransaction, { epoch, chainId }: ChainContext): void {
  const { expiration } = data;
  switch (expiration.$kind) {
    case "None":
      return;
    case "Epoch":
      if (epoch > BigInt(expiration.Epoch)) throw transactionRefused("Transaction Expired");
      return;
    case "ValidDuring": {
      const { minEpoch, maxEpoch, minTimestamp, maxTimestamp, chain } = expiration.ValidDuring;
      if (minTimestamp !== null || maxTimestamp !== null) {
        throw transactionRefused("Timestamp-based transaction expiration is not yet supported");
      }
      if (chain !== chainId) throw transactionRefused(`Invalid chain ID. Provided: ${chain}, expected: ${chainId}`);
      if (minEpoch !== null && epoch < BigInt(minEpoch)) throw transactionRefused("Transaction Expired");
      if (maxEpoch !== null && epoch > BigInt(maxEpoch)) throw transactionRefused("Transaction Expired");
      return;
    }
    case "Validity":
      throw transactionRefused("Validity expiration is not supported by this development chain");
  }
}

function checkGasPriceAndBudget(transaction: DecodedTransaction, referenceGasPrice: bigint): void {
  const price = gasPrice(transaction);
  const budget = gasBudget(transaction);
  const minimum = GAS.minimumComputationUnits * price;
  if (price < referenceGasPrice) {
    throw transactionRefused(`Gas price ${price} under reference gas price (RGP) ${referenceGasPrice}`);
  }
  if (price > GAS.maxPriceMist) throw transactionRefused(`Gas price cannot exceed ${GAS.maxPriceMist} mist`);
  if (budget > GAS.maxBudgetMist) {
    throw transactionRefused(`Gas budget: ${budget} is higher than max: ${GAS.maxBudgetMist}`);
  }
  if (budget < minimum) throw transactionRefused(`Gas budget: ${budget} is lower than min: ${minimum}`);
}

function checkGasBalance(gasCoins: readonly ChainObject[], budget: bigint): void {
  const balance = gasCoins.reduce((total, coin) => total + coinBalance(coin.contents), 0n);
  if (balance < budget) {
    throw transactionRefused(`Balance of gas object ${balance} is lower than the needed amount: ${budget}`);
  }
}
