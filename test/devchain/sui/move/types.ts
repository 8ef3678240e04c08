import { normalizeStructTag } from "@mysten/sui/utils";
import { DEMO_PACKAGE } from "../../demo.ts";
import { type Account, allowanceWithdrawalType, balanceType, withdrawalType } from "../accounts.ts";
import type { LiveObject, Workspace } from "../workspace.ts";

export type PrimitiveName = "bool" | "u8" | "u16" | "u32" | "u64" | "u128" | "u256" | "address";

/** A type in a function's signature. */
export type MoveType =
  | { readonly kind: "primitive"; readonly name: PrimitiveName }
  | { readonly kind: "vector"; readonly element: MoveType }
  | { readonly kind: "datatype"; readonly name: string; readonly typeArguments: readonly MoveType[] }
  | { readonly kind: "parameter"; readonly index: number };

export interface MoveParameter {
  readonly reference?: "immutable" | "mutable";
  readonly type: MoveType;
}

/** A value that is in the hands of a programmable transaction. `pure` bytes have no type until they are used. */
export type MoveValue =
  | { readonly kind: "object"; readonly object: LiveObject }
  | { readonly kind: "pure"; readonly bytes: Uint8Array }
  | { readonly kind: "data"; readonly type: string; readonly bytes: Uint8Array }
  | { readonly kind: "vector"; readonly elementType: string; readonly objects: readonly LiveObject[] }
  | { readonly kind: "balance"; readonly balance: LiveBalance }
  | ({ readonly kind: "withdrawal" } & LiveWithdrawal)
  | { readonly kind: "receiving"; readonly id: string };

/** What a transaction may take out of an account, by an allowance where one is named. */
export interface LiveWithdrawal {
  readonly account: Account;
  readonly amount: bigint;
  readonly allowance?: string;
}

/** A `0x2::balance::Balance<T>` in a transaction's hands. It is no object and cannot be dropped. */
export interface LiveBalance {
  readonly coinType: string;
  value: bigint;
}

export interface MoveCall {
  readonly workspace: Workspace;
  readonly typeArguments: readonly string[];
  /** The argument as an object; the interpreter has checked its type. */
  object(index: number): LiveObject;
  /** The argument as a vector of objects. */
  objects(index: number): readonly LiveObject[];
  /** The BCS of a checked argument that is not an object. */
  bytes(index: number): Uint8Array;
  balance(index: number): LiveBalance;
  withdrawal(index: number): LiveWithdrawal;
  /** The id of an object that is to be received. */
  receiving(index: number): string;
  /** Ends the transaction with a Move abort at this function. */
  abort(code: bigint, at?: AbortLocation): never;
  /** Ends the transaction as integer overflow does. `instruction`: 0 if it is left out. */
  arithmeticError(instruction?: number): never;
}

/** Where an abort is raised when it is not in the called function itself. */
export interface AbortLocation {
  readonly package: string;
  readonly module: string;
  readonly function: number;
  /** 0 if it is left out. */
  readonly instruction?: number;
  readonly functionName: string;
}

/** A native stand-in for a public Move function. `index` is its place in the module, as aborts name it. */
export interface MoveFunction {
  readonly package: string;
  readonly module: string;
  readonly name: string;
  readonly index: number;
  readonly isEntry: boolean;
  /** Only its own module may call it. */
  readonly isPrivate?: true;
  readonly typeParameters: readonly TypeConstraint[];
  /** Without the trailing `&mut TxContext`, which callers do not pass. */
  readonly parameters: readonly MoveParameter[];
  readonly returns: readonly MoveType[];
  readonly takesContext: boolean;
  /** Whether the gas coin may be passed by value; only `0x2::coin::send_funds` takes it. */
  readonly takesGasCoin?: boolean;
  run(call: MoveCall): readonly MoveValue[];
}

/** What a type argument must be able to do. */
export type TypeConstraint = "any" | "key+store";

/** A function of the demo package. */
export function demoFunction(
  shape: Pick<MoveFunction, "name" | "index" | "parameters" | "run"> &
    Partial<Pick<MoveFunction, "returns" | "takesContext" | "typeParameters">>,
): MoveFunction {
  return {
    package: DEMO_PACKAGE,
    module: "demo",
    isEntry: false,
    typeParameters: [],
    returns: [],
    takesContext: false,
    ...shape,
  };
}

export const U64: MoveType = { kind: "primitive", name: "u64" };
export const ADDRESS: MoveType = { kind: "primitive", name: "address" };

export function typeParameter(index: number): MoveType {
  return { kind: "parameter", index };
}

export function datatype(name: string, ...typeArguments: MoveType[]): MoveType {
  return { kind: "datatype", name: normalizeStructTag(name), typeArguments };
}

export function coinOf(type: MoveType): MoveType {
  return datatype("0x2::coin::Coin", type);
}

export function balanceOf(type: MoveType): MoveType {
  return datatype("0x2::balance::Balance", type);
}

export function withdrawalOf(type: MoveType): MoveType {
  return datatype("0x2::funds_accumulator::Withdrawal", balanceOf(type));
}

export function vectorOf(element: MoveType): MoveType {
  return { kind: "vector", element };
}

export function mutable(type: MoveType): MoveParameter {
  return { reference: "mutable", type };
}

export function immutable(type: MoveType): MoveParameter {
  return { reference: "immutable", type };
}

export function byValue(type: MoveType): MoveParameter {
  return { type };
}

/** The canonical name of a type once its parameters are filled in. */
export function typeName(type: MoveType, typeArguments: readonly string[]): string {
  switch (type.kind) {
    case "primitive":
      return type.name;
    case "vector":
      return `vector<${typeName(type.element, typeArguments)}>`;
    case "parameter":
      return typeArguments[type.index] ?? "";
    case "datatype": {
      const inner = type.typeArguments.map((argument) => typeName(argument, typeArguments));
      return inner.length === 0 ? type.name : `${type.name}<${inner.join(",")}>`;
    }
  }
}

const RECEIVING_PREFIX = `${normalizeStructTag("0x2::transfer::Receiving")}<`;

export function isReceivingType(type: string): boolean {
  return type.startsWith(RECEIVING_PREFIX);
}

export function receivingOf(type: MoveType): MoveType {
  return datatype("0x2::transfer::Receiving", type);
}

/** The type of a value that has one; pure bytes and objects that are yet to be received have none. */
export function valueType(value: Exclude<MoveValue, { kind: "pure" | "receiving" }>): string {
  switch (value.kind) {
    case "object":
      return value.object.type;
    case "data":
      return value.type;
    case "vector":
      return `vector<${value.elementType}>`;
    case "balance":
      return balanceType(value.balance.coinType);
    case "withdrawal":
      return value.allowance === undefined
        ? withdrawalType(value.account.coinType)
        : allowanceWithdrawalType(value.account.coinType);
  }
}
