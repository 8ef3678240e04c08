import { badArgument } from "./failure.ts";
import type { MoveValue } from "./move/types.ts";
import type { Argument } from "./transaction.ts";

/**
 * What a transaction may do with the value in a slot: `readonly` is an immutable object or a shared one
 * taken without mutability, `gas` may be moved by TransferObjects and `0x2::coin::send_funds` only.
 */
export type SlotAccess = "gas" | "owned" | "shared" | "readonly" | "value";

/** A place that arguments refer to. A moved-out slot has no value. */
export interface Slot {
  value: MoveValue | undefined;
  readonly access: SlotAccess;
}

export interface Frame {
  readonly gas: Slot;
  readonly inputs: readonly Slot[];
  readonly results: Slot[][];
}

/** Access to the arguments of one command; keeps what the command has borrowed from being moved as well. */
export interface ArgumentReader {
  borrow(argument: Argument, index: number): MoveValue;
  borrowMutably(argument: Argument, index: number): MoveValue;
  /** Moves a value out of its slot; pure and plain values are copied instead. */
  take(argument: Argument, index: number, gasCoin?: "may-take-gas"): MoveValue;
}

export function argumentReader(frame: Frame): ArgumentReader {
  const borrowed = new Set<Slot>();
  const borrowedMutably = new Set<Slot>();

  function read(argument: Argument, index: number): { slot: Slot; value: MoveValue } {
    const slot = findSlot(frame, argument, index);
    if (slot.value === undefined) throw badArgument(index, "ArgumentWithoutValue");
    return { slot, value: slot.value };
  }

  return {
    borrow(argument, index) {
      const { slot, value } = read(argument, index);
      if (borrowedMutably.has(slot)) throw badArgument(index, "InvalidReferenceArgument");
      borrowed.add(slot);
      return value;
    },
    borrowMutably(argument, index) {
      const { slot, value } = read(argument, index);
      if (slot.access === "readonly") throw badArgument(index, "InvalidObjectByMutRef");
      if (borrowed.has(slot)) throw badArgument(index, "InvalidReferenceArgument");
      borrowed.add(slot);
      borrowedMutably.add(slot);
      return value;
    },
    take(argument, index, gasCoin) {
      const { slot, value } = read(argument, index);
      if (value.kind === "pure" || value.kind === "data") return value;
      if (borrowed.has(slot)) throw badArgument(index, "CannotMoveBorrowedValue");
      if (slot.access === "gas" && gasCoin === undefined) throw badArgument(index, "InvalidGasCoinUsage");
      if (slot.access === "readonly") throw badArgument(index, "InvalidObjectByValue");
      if (slot.access === "shared") throw badArgument(index, "SharedObjectOperationNotAllowed");
      slot.value = undefined;
      return value;
    },
  };
}

function findSlot(frame: Frame, argument: Argument, index: number): Slot {
  switch (argument.$kind) {
    case "GasCoin":
      return frame.gas;
    case "Input":
      return frame.inputs[argument.Input] ?? outOfBounds(index, argument.Input);
    case "Result": {
      const results = frame.results[argument.Result] ?? outOfBounds(index, argument.Result);
      const [only] = results;
      if (only === undefined || results.length !== 1) {
        throw badArgument(index, { name: "InvalidResultArity", result: argument.Result });
      }
      return only;
    }
    case "NestedResult": {
      const [result, subresult] = argument.NestedResult;
      const results = frame.results[result] ?? outOfBounds(index, result);
      const slot = results[subresult];
      if (slot === undefined) throw badArgument(index, { name: "SecondaryIndexOutOfBounds", result, subresult });
      return slot;
    }
  }
}

function outOfBounds(argument: number, index: number): never {
  throw badArgument(argument, { name: "IndexOutOfBounds", index });
}

/** What a command gave back, for the simulation's `command_outputs`. */
export interface CommandResult {
  readonly returned: readonly MoveValue[];
  readonly mutated: readonly { readonly argument: Argument; readonly value: MoveValue }[];
}
