import { normalizeSuiAddress } from "@mysten/sui/utils";
import type { Account } from "../accounts.ts";
import { moveFunds } from "../funds.ts";
import { coinObjectType } from "../objects.ts";
import { createCoin } from "../workspace.ts";
import { readAddress, readU64, u64Value } from "./data.ts";
import {
  type AbortLocation,
  ADDRESS,
  balanceOf,
  byValue,
  coinOf,
  immutable,
  type MoveCall,
  type MoveFunction,
  type MoveValue,
  mutable,
  typeParameter,
  U64,
  withdrawalOf,
} from "./types.ts";

export const FRAMEWORK = normalizeSuiAddress("0x2");
export const COIN = coinOf(typeParameter(0));
export const BALANCE = balanceOf(typeParameter(0));
export const WITHDRAWAL = withdrawalOf(typeParameter(0));

/** Abort codes of sui-framework balance.move. The place of a split is recorded (1.62), other places are modelled. */
const ENonZero = 0n;
const ENotEnough = 2n;
const SPLIT: AbortLocation = {
  package: FRAMEWORK,
  module: "balance",
  function: 7,
  instruction: 10,
  functionName: "split",
};
const DESTROY_ZERO: AbortLocation = {
  package: FRAMEWORK,
  module: "balance",
  function: 8,
  functionName: "destroy_zero",
};

type FunctionShape = Omit<MoveFunction, "package" | "isEntry" | "takesContext" | "typeParameters" | "returns"> &
  Partial<Pick<MoveFunction, "isEntry" | "takesContext" | "returns">>;

/** A function of the framework with one type parameter, the type of a coin. */
export function coinFunction(shape: FunctionShape): MoveFunction {
  return { package: FRAMEWORK, typeParameters: ["any"], isEntry: false, takesContext: false, returns: [], ...shape };
}

/** The functions of `0x2::balance` that a transaction can call by itself. */
export const BALANCE_FUNCTIONS: readonly MoveFunction[] = [
  coinFunction({
    module: "balance",
    name: "value",
    index: 0,
    parameters: [immutable(BALANCE)],
    returns: [U64],
    run: (call) => [u64Value(call.balance(0).value)],
  }),
  coinFunction({
    module: "balance",
    name: "zero",
    index: 4,
    parameters: [],
    returns: [BALANCE],
    run: (call) => [balanceValue(call, 0n)],
  }),
  coinFunction({
    module: "balance",
    name: "join",
    index: 5,
    parameters: [mutable(BALANCE), byValue(BALANCE)],
    returns: [U64],
    run: (call) => {
      const into = call.balance(0);
      into.value += call.balance(1).value;
      return [u64Value(into.value)];
    },
  }),
  coinFunction({
    module: "balance",
    name: "split",
    index: SPLIT.function,
    parameters: [mutable(BALANCE), byValue(U64)],
    returns: [BALANCE],
    run: (call) => [splitBalance(call, readU64(call.bytes(1)))],
  }),
  coinFunction({
    module: "balance",
    name: "withdraw_all",
    index: 7,
    parameters: [mutable(BALANCE)],
    returns: [BALANCE],
    run: (call) => [splitBalance(call, call.balance(0).value)],
  }),
  coinFunction({
    module: "balance",
    name: "destroy_zero",
    index: DESTROY_ZERO.function,
    parameters: [byValue(BALANCE)],
    run: (call) => {
      destroyZero(call, call.balance(0).value);
      return [];
    },
  }),
  coinFunction({
    module: "balance",
    name: "send_funds",
    index: 9,
    parameters: [byValue(BALANCE), byValue(ADDRESS)],
    run: (call) => {
      moveFunds(call.workspace.funds, accountOf(call, readAddress(call.bytes(1))), call.balance(0).value);
      return [];
    },
  }),
  coinFunction({
    module: "balance",
    name: "redeem_funds",
    index: 11,
    parameters: [byValue(WITHDRAWAL)],
    returns: [BALANCE],
    run: (call) => [balanceValue(call, redeem(call))],
  }),
];

/** Takes what a withdrawal reserved out of its account, all of it. */
export function redeem(call: MoveCall, index = 0): bigint {
  const { account, amount } = call.withdrawal(index);
  moveFunds(call.workspace.funds, account, -amount);
  return amount;
}

export function accountOf(call: MoveCall, address: string): Account {
  return { address, coinType: coinType(call) };
}

export function balanceValue(call: MoveCall, value: bigint): MoveValue {
  return { kind: "balance", balance: { coinType: coinType(call), value } };
}

export function coinValue(call: MoveCall, value: bigint): MoveValue {
  return { kind: "object", object: createCoin(call.workspace, coinObjectType(coinType(call)), value) };
}

export function checkSplit(call: MoveCall, held: bigint, amount: bigint): void {
  if (held < amount) call.abort(ENotEnough, SPLIT);
}

export function destroyZero(call: MoveCall, value: bigint): void {
  if (value !== 0n) call.abort(ENonZero, DESTROY_ZERO);
}

function splitBalance(call: MoveCall, amount: bigint): MoveValue {
  const from = call.balance(0);
  checkSplit(call, from.value, amount);
  from.value -= amount;
  return balanceValue(call, amount);
}

function coinType(call: MoveCall): string {
  return call.typeArguments[0] ?? "";
}
