import { fromBase64, normalizeStructTag, normalizeSuiAddress } from "@mysten/sui/utils";
import { accountKey, balanceType } from "./accounts.ts";
import type { FundReads } from "./fund-store.ts";
import { accumulatorWrites, signedAmount } from "./funds.ts";
import type { InputObject } from "./inputs.ts";
import { DEMO_COIN_TYPE } from "./move/demo-types.ts";
import { type ChainObject, coinTypeOf } from "./objects.ts";
import { transactionInvalid, transactionRefused } from "./status.ts";
import { commandArguments, type DecodedTransaction, gasBudget, gasPrice } from "./transaction.ts";
import type { Withdrawal } from "./withdrawals.ts";
import type { Workspace } from "./workspace.ts";

/**
 * Coin types whose transfers cost no gas, and the least amount of one (sui-protocol-config:
 * `gasless_allowed_token_types`). Mainnet lists seven stablecoins; here it is the demo package's coin.
 */
const ALLOWED_COINS: ReadonlyMap<string, bigint> = new Map([[DEMO_COIN_TYPE, 10_000n]]);
/** `gasless_max_tx_size_bytes`, `gasless_max_pure_input_bytes`, `gasless_max_unused_inputs`. */
const MAX_BYTES = 16_384;
const MAX_PURE_BYTES = 32;
const MAX_UNUSED_PURE = 1;
/** `gasless_max_computation_units`. */
export const MAX_GASLESS_UNITS = 5_000n;

const FRAMEWORK = normalizeSuiAddress("0x2");
/** The functions of the framework that such a transfer may call (sui-types transaction.rs), each over one coin type. */
const FUNCTIONS = new Set([
  "balance::send_funds",
  "balance::redeem_funds",
  "balance::split",
  "balance::zero",
  "funds_accumulator::withdrawal_split",
  "coin::into_balance",
  "coin::redeem_funds",
  "coin::send_funds",
  "coin::put",
]);
const OVER_BALANCE = "funds_accumulator::withdrawal_split";

/** Whether a transaction pays no gas: without a payment, and at price 0 (sui-types: `is_gasless_transaction`). */
export function isGasless(transaction: DecodedTransaction): boolean {
  return transaction.data.gasData.payment.length === 0 && gasPrice(transaction) === 0n;
}

/** Checks a transaction without gas by itself, in the words of sui-types transaction.rs. */
export function checkGasless(transaction: DecodedTransaction): void {
  const { programmable, bytes } = transaction;
  if (bytes.length > MAX_BYTES) {
    throw transactionInvalid(
      `Size limit exceeded: serialized gasless transaction size exceeded maximum of ${MAX_BYTES} is ${bytes.length}`,
    );
  }
  if (gasBudget(transaction) !== 0n) throw unsupported("gas_budget must be 0 for gasless transactions");
  if (programmable.commands.length === 0) throw unsupported("Gasless transactions must have at least one command");
  if (programmable.inputs.some(({ Object: given }) => given?.Receiving)) {
    throw unsupported("Gasless transactions do not support Receiving objects");
  }
  for (const command of programmable.commands) {
    if (command.$kind === "MoveCall") checkCall(command.MoveCall);
    else if (command.$kind !== "MergeCoins" && command.$kind !== "SplitCoins") {
      throw unsupported("Gasless transactions only support MoveCall, MergeCoins, and SplitCoins commands");
    }
  }
  checkInputs(transaction);
}

type Call = NonNullable<DecodedTransaction["programmable"]["commands"][number]["MoveCall"]>;

function checkCall({ package: id, module, function: name, typeArguments }: Call): void {
  const target = `${module}::${name}`;
  if (id !== FRAMEWORK || !FUNCTIONS.has(target)) {
    throw unsupported(`Function ${id}::${target} is not supported in gasless transactions`);
  }
  const [given] = typeArguments;
  if (given === undefined || typeArguments.length !== 1) {
    throw unsupported(`Function ${id}::${target} requires 1 type arguments, but ${typeArguments.length} were provided`);
  }
  const type = given.includes("::") ? normalizeStructTag(given) : given;
  const coinType = target === OVER_BALANCE ? [...ALLOWED_COINS.keys()].find((one) => balanceType(one) === type) : type;
  if (coinType === undefined) throw unsupported(`Expected a type Balance<_> but got ${type}`);
  if (!ALLOWED_COINS.has(coinType)) {
    throw unsupported(`Fund type ${type} is not currently allowed in gasless transactions`);
  }
}

function checkInputs({ programmable: { inputs, commands } }: DecodedTransaction): void {
  const used = new Set(
    commands.flatMap((command) =>
      commandArguments(command).flatMap((argument) => (argument.$kind === "Input" ? [argument.Input] : [])),
    ),
  );
  let unusedPure = 0;
  for (const [place, input] of inputs.entries()) {
    if (input.$kind === "Pure") {
      const { length } = fromBase64(input.Pure.bytes);
      if (length > MAX_PURE_BYTES) {
        throw unsupported(
          `Input ${place} has size ${length} bytes, but gasless transactions allow at most ${MAX_PURE_BYTES} bytes per Pure input`,
        );
      }
      if (!used.has(place)) unusedPure += 1;
    } else if (!used.has(place)) {
      throw unsupported(`Gasless transactions do not allow unused ${input.$kind} inputs (input ${place})`);
    }
  }
  if (unusedPure > MAX_UNUSED_PURE) {
    throw unsupported(
      `Gasless transactions allow at most ${MAX_UNUSED_PURE} unused Pure inputs, but found ${unusedPure}`,
    );
  }
}

/** Checks what a transaction without gas takes (sui-transaction-checks: `check_gasless_object_inputs`). */
export function checkGaslessInputs(inputs: readonly InputObject[]): void {
  for (const { object, access } of inputs) {
    if (access !== "owned") throw unsupported("Gasless transactions only support owned object inputs");
    const coinType = coinTypeOf(object.type);
    if (coinType === undefined || !ALLOWED_COINS.has(coinType)) {
      throw unsupported("Gasless transactions only support allowlisted types for Coin inputs");
    }
  }
}

/** An account is emptied, or keeps at least what may be transferred. @returns what is wrong, if anything is. */
export function whyRemainderIsTooSmall(funds: FundReads, withdrawals: Iterable<Withdrawal>): string | undefined {
  const left = new Map<string, { readonly coinType: string; readonly address: string; amount: bigint }>();
  for (const { account, amount } of withdrawals) {
    const key = accountKey(account);
    const entry = left.get(key) ?? { ...account, amount: funds.balance(account) };
    entry.amount -= amount;
    left.set(key, entry);
  }
  for (const { coinType, address, amount } of left.values()) {
    const least = ALLOWED_COINS.get(coinType) ?? 0n;
    if (amount <= 0n || amount >= least) continue;
    return (
      `Invalid gasless withdrawal from ${address}. Gasless transactions must either use the entire balance, or leave ` +
      `at least ${least} for token type ${coinType}. Remaining amount is ${amount}`
    );
  }
  return undefined;
}

/**
 * What a transaction without gas must have done once it ran: no object is made or kept, each recipient gets the least
 * amount, and so is what a withdrawal leaves over (sui-adapter temporary_store.rs).
 */
export function metGaslessTerms(
  { objects, funds }: Workspace,
  before: ReadonlyMap<string, ChainObject>,
  withdrawals: Iterable<Withdrawal>,
): boolean {
  if (objects.size > 0) return false;
  if ([...before.values()].some(({ type }) => coinTypeOf(type) === undefined)) return false;
  const net = new Map(accumulatorWrites(funds).map((write) => [accountKey(write.account), signedAmount(write)]));
  for (const { account, operation, amount } of accumulatorWrites(funds)) {
    if (operation === "merge" && amount > 0n && amount < (ALLOWED_COINS.get(account.coinType) ?? 0n)) return false;
  }
  const reserved = new Map<string, { readonly coinType: string; amount: bigint }>();
  for (const { account, amount } of withdrawals) {
    const entry = reserved.get(accountKey(account)) ?? { coinType: account.coinType, amount: 0n };
    entry.amount += amount;
    reserved.set(accountKey(account), entry);
  }
  return [...reserved].every(([key, { coinType, amount }]) => {
    const unused = amount + (net.get(key) ?? 0n);
    return unused <= 0n || unused >= (ALLOWED_COINS.get(coinType) ?? 0n);
  });
}

function unsupported(what: string) {
  return transactionRefused(`Feature is not supported: ${what}`);
}
