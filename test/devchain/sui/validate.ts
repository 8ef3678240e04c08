import { fromBase64 } from "@mysten/sui/utils";
import { suiAccount } from "./accounts.ts";
import { aliasesId } from "./aliases.ts";
import { whyNotAllowed } from "./allowances.ts";
import { isCoinReservation } from "./coin-reservation.ts";
import type { ChainContext, CheckMode } from "./context.ts";
import { checkExpiration, invalidExpiration, isReplayProtected } from "./expiration.ts";
import { GAS } from "./gas.ts";
import { checkGasless, checkGaslessInputs, isGasless, whyRemainderIsTooSmall } from "./gasless.ts";
import { gasReservation, type InputObject, readGasCoin, readInput, readReceiving } from "./inputs.ts";
import { packageExists } from "./move/functions.ts";
import { type ChainObject, mockGasCoin } from "./objects.ts";
import { type GasPayment, paymentTotal } from "./payment.ts";
import { MissingInput, transactionInvalid, transactionRefused } from "./status.ts";
import type { ObjectStore } from "./store.ts";
import { type Command, type DecodedTransaction, gasBudget, gasPrice, usesGasCoin } from "./transaction.ts";
import {
  checkWithdrawals,
  explicitWithdrawal,
  gasWithdrawal,
  invalidWithdrawal,
  missingFunds,
  reservedWithdrawal,
  type Withdrawal,
} from "./withdrawals.ts";

/** Limits of sui-protocol-config, mainnet v136. */
export const LIMITS = {
  maxCommands: 1_024,
  maxInputs: 2_048,
  maxPureBytes: 16_384,
  maxGasObjects: 256,
  maxArguments: 512,
} as const;

export interface CheckedInputs {
  readonly inputs: readonly InputObject[];
  /** What each input that is no object may withdraw, by its place. */
  readonly withdrawals: ReadonlyMap<number, Withdrawal>;
  readonly receivable: readonly ChainObject[];
  readonly payment: GasPayment;
  readonly gasIsMocked: boolean;
  /** The accounts no longer hold what the transaction was admitted for. */
  readonly fundsShort: boolean;
  readonly context: ChainContext;
  /** Pays no gas, as transfers of listed coins do. */
  readonly isGasless: boolean;
  readonly senderHasAliases: boolean;
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
  const free = isGasless(transaction);
  if (mode !== "inspect") {
    checkExpiration(transaction, context);
    checkWithdrawals(transaction, context);
    if (free) checkGasless(transaction);
    else checkGasPriceAndBudget(transaction, context.referenceGasPrice);
  }
  const seen = new Set<string>();
  const withdrawals = readWithdrawals(store, context, transaction);
  const inputs = transaction.programmable.inputs.flatMap(({ Object: given }, place) => {
    const read = given && !withdrawals.has(place) && readInput(store, transaction.sender, given, seen, mode);
    return read ? [read] : [];
  });
  const isMocked = mocksGas(store, transaction, inputs, withdrawals, mode);
  const payment = isMocked ? mockPayment(transaction) : readPayment(store, context, transaction, seen, mode);
  const receivable = transaction.programmable.inputs.flatMap((input) => {
    const ref = input.Object?.Receiving;
    return ref ? [readReceiving(store, ref, seen)] : [];
  });
  const checked = {
    ...{ inputs, withdrawals, receivable, payment, gasIsMocked: isMocked, context },
    isGasless: free,
    senderHasAliases: store.liveObject(aliasesId(transaction.sender)) !== undefined,
  };
  if (mode === "inspect") return { ...checked, fundsShort: false };
  if (free) checkGaslessInputs(inputs);
  checkGasBalance(payment, gasBudget(transaction));
  if (!isMocked) checkReplayProtection(transaction, inputs, withdrawals);
  const missing = missingFunds(store.funds, allWithdrawals(checked));
  const refused = missing ?? (mode === "schedule" ? undefined : whyNotWithdrawn(store, transaction, checked));
  if (refused !== undefined && mode !== "schedule") throw invalidWithdrawal(refused);
  return { ...checked, fundsShort: missing !== undefined };
}

/** Why the withdrawals may not be made although the accounts hold enough; undefined if they may. */
function whyNotWithdrawn(
  store: ObjectStore,
  { programmable: { inputs }, sender }: DecodedTransaction,
  { withdrawals, isGasless: free }: Pick<CheckedInputs, "withdrawals" | "isGasless">,
): string | undefined {
  for (const { account, allowance } of withdrawals.values()) {
    if (allowance === undefined) continue;
    const declared = { allowance, funder: account.address, coinType: account.coinType };
    const reason = whyNotAllowed(store, { inputs, sender }, declared);
    if (reason !== undefined) return reason;
  }
  return free ? whyRemainderIsTooSmall(store.funds, withdrawals.values()) : undefined;
}

/** Objects may be as many as their limit, everything else must stay below its own (sui-types transaction.rs). */
function checkShape({ programmable, data }: DecodedTransaction): void {
  const { commands, inputs } = programmable;
  const objects = inputs.filter(({ $kind }) => $kind === "Object");
  checkLimit("commands in a programmable transaction", commands.length, LIMITS.maxCommands, "below");
  checkLimit("input + receiving objects in a transaction", objects.length, LIMITS.maxInputs);
  checkLimit("gas payment objects in a transaction", data.gasData.payment.length, LIMITS.maxGasObjects);
  for (const input of inputs) {
    if (input.$kind === "Pure") {
      checkLimit("pure argument size", fromBase64(input.Pure.bytes).length, LIMITS.maxPureBytes, "below");
    }
  }
  for (const command of commands) checkCommandShape(command);
}

function checkCommandShape(command: Command): void {
  const listed = listedArguments(command);
  if (listed !== undefined) {
    if (listed === 0 && !mayBeEmpty(command)) throw transactionInvalid("Empty command input");
    checkLimit("arguments in a programmable transaction command", listed, LIMITS.maxArguments, "below");
  }
  if (command.$kind === "MoveCall") {
    checkLimit("arguments in a move call", command.MoveCall.arguments.length, LIMITS.maxArguments, "below");
  }
  if (command.$kind === "MoveCall" && !packageExists(command.MoveCall.package)) {
    throw new MissingInput(`Dependent package not found on-chain: ${command.MoveCall.package}`);
  }
}

/** The number of arguments that a command lists, or undefined where it lists none. */
function listedArguments(command: Command): number | undefined {
  switch (command.$kind) {
    case "TransferObjects":
      return command.TransferObjects.objects.length;
    case "SplitCoins":
      return command.SplitCoins.amounts.length;
    case "MergeCoins":
      return command.MergeCoins.sources.length;
    case "MakeMoveVec":
      return command.MakeMoveVec.elements.length;
    default:
      return undefined;
  }
}

function mayBeEmpty({ MakeMoveVec: vector }: Command): boolean {
  return vector !== undefined && vector.type !== null;
}

function checkLimit(what: string, size: number, limit: number, bound: "up to" | "below" = "up to"): void {
  if (size > limit || (size === limit && bound === "below")) {
    throw transactionInvalid(`Size limit exceeded: maximum ${what} is ${limit}`);
  }
}

function checkGasPriceAndBudget(transaction: DecodedTransaction, referenceGasPrice: bigint): void {
  const price = gasPrice(transaction);
  const budget = gasBudget(transaction);
  const minimum = GAS.minimumComputationUnits * price;
  if (price < referenceGasPrice) {
    throw transactionRefused(`Gas price ${price} under reference gas price (RGP) ${referenceGasPrice}`);
  }
  if (price >= GAS.maxPriceMist) throw transactionRefused(`Gas price cannot exceed ${GAS.maxPriceMist} mist`);
  if (budget > GAS.maxBudgetMist) {
    throw transactionRefused(`Gas budget: ${budget} is higher than max: ${GAS.maxBudgetMist}`);
  }
  if (budget < minimum) throw transactionRefused(`Gas budget: ${budget} is lower than min: ${minimum}`);
}

function readWithdrawals(
  store: ObjectStore,
  { chainId }: ChainContext,
  transaction: DecodedTransaction,
): Map<number, Withdrawal> {
  const withdrawals = new Map<number, Withdrawal>();
  for (const [place, input] of transaction.programmable.inputs.entries()) {
    const ref = input.Object?.ImmOrOwnedObject;
    const withdrawal = input.FundsWithdrawal
      ? explicitWithdrawal(input.FundsWithdrawal, transaction.sender)
      : ref && reservedWithdrawal(store.funds, ref, transaction, chainId);
    if (withdrawal) withdrawals.set(place, withdrawal);
  }
  return withdrawals;
}

/** Whether a simulation stands in for the gas payment (sui-rpc-api simulate: `address_balance_pays_gas`). */
function mocksGas(
  store: ObjectStore,
  transaction: DecodedTransaction,
  inputs: readonly InputObject[],
  withdrawals: ReadonlyMap<number, Withdrawal>,
  mode: CheckMode,
): boolean {
  // What an inspection pays with does not matter: it gets a mocked coin, whatever its payment can cover.
  if (mode === "inspect") return true;
  if (isGasless(transaction)) return false;
  if (transaction.data.gasData.payment.length > 0 || mode === "execute" || mode === "schedule") return false;
  if (mode === "estimate" || usesGasCoin(transaction) || !replayProtected(transaction, inputs, withdrawals))
    return true;
  return missingFunds(store.funds, [...withdrawals.values(), gasWithdrawal(transaction)]) !== undefined;
}

function mockPayment({ gasOwner }: DecodedTransaction): GasPayment {
  return { kind: "coin", target: mockGasCoin(gasOwner), coins: [], payer: gasOwner, reservedMist: 0n };
}

function readPayment(
  store: ObjectStore,
  { chainId }: ChainContext,
  transaction: DecodedTransaction,
  seen: Set<string>,
  mode: CheckMode,
): GasPayment {
  const { gasOwner: payer, data } = transaction;
  const { payment } = data.gasData;
  const [first] = payment;
  const coins = payment
    .filter((ref) => !isCoinReservation(ref))
    .map((ref) => readGasCoin(store, payer, ref, seen, mode));
  if (first === undefined) return { kind: "balance", coins, payer, reservedMist: gasBudget(transaction) };
  const reservedMist = payment.reduce((sum, ref) => sum + gasReservation(ref, chainId), 0n);
  const [target, ...others] = coins;
  if (isCoinReservation(first) || target === undefined) return { kind: "balance", coins, payer, reservedMist };
  return { kind: "coin", target, coins: others, payer, reservedMist };
}

function allWithdrawals({ withdrawals, payment }: Pick<CheckedInputs, "withdrawals" | "payment">): Withdrawal[] {
  const { payer, reservedMist } = payment;
  const forGas = reservedMist > 0n ? [{ account: suiAccount(payer), amount: reservedMist }] : [];
  return [...withdrawals.values(), ...forGas];
}

function checkGasBalance(payment: GasPayment, budget: bigint): void {
  const balance = paymentTotal(payment);
  if (balance < budget) {
    throw transactionRefused(`Balance of gas object ${balance} is lower than the needed amount: ${budget}`);
  }
}

/** A transaction that consumes no version of an object could come again, unless validators remember it. */
function checkReplayProtection(
  transaction: DecodedTransaction,
  inputs: readonly InputObject[],
  withdrawals: ReadonlyMap<number, Withdrawal>,
): void {
  if (transaction.data.gasData.payment.length > 0 || replayProtected(transaction, inputs, withdrawals)) return;
  throw invalidExpiration(
    "Transactions must either have address-owned inputs, or a ValidDuring expiration with at most two epochs of validity",
  );
}

function replayProtected(
  { data, programmable }: DecodedTransaction,
  inputs: readonly InputObject[],
  withdrawals: ReadonlyMap<number, Withdrawal>,
): boolean {
  if (isReplayProtected(data.expiration)) return true;
  if (inputs.some(({ access, isConsensus }) => access === "owned" && !isConsensus)) return true;
  return [...withdrawals.keys()].some((place) => programmable.inputs[place]?.Object !== undefined);
}
