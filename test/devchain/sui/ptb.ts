import { fromBase64, toHex } from "@mysten/sui/utils";
import { badArgument, ExecutionFailure, fail } from "./failure.ts";
import { moveFunds } from "./funds.ts";
import { COMMAND_UNITS } from "./gas.ts";
import { abilitiesOf, canonicalType } from "./move/abilities.ts";
import { readU64 } from "./move/data.ts";
import { encodeUleb, isPureType, isPureValue } from "./move/pure.ts";
import type { MoveValue } from "./move/types.ts";
import { runMoveCall } from "./move-call.ts";
import { coinBalance, coinObjectType, coinTypeOf } from "./objects.ts";
import {
  type ArgumentReader,
  argumentReader,
  type CommandResult,
  type Frame,
  type Slot,
  type SlotAccess,
} from "./slots.ts";
import { type Command, commandArguments, type ProgrammableTransaction } from "./transaction.ts";
import type { Withdrawal } from "./withdrawals.ts";
import {
  createCoin,
  deleteObject,
  type LiveObject,
  setCoinBalance,
  transferObject,
  type Workspace,
} from "./workspace.ts";

/** How each object input may be used, by object id. */
export type InputAccess = ReadonlyMap<string, SlotAccess>;

const ADDRESS_BYTES = 32;

/**
 * Runs the commands of a programmable transaction in the workspace.
 * Throws {@link ExecutionFailure} with the index of the command that failed.
 */
export function runProgrammable(
  workspace: Workspace,
  programmable: ProgrammableTransaction,
  withdrawals: ReadonlyMap<number, Withdrawal>,
  access: InputAccess,
  gasCoin: LiveObject,
): readonly CommandResult[] {
  const frame: Frame = {
    gas: { value: { kind: "object", object: gasCoin }, access: "gas" },
    inputs: programmable.inputs.map((input, place) => inputSlot(workspace, access, withdrawals.get(place), input)),
    results: [],
  };
  const outputs = programmable.commands.map((command, index) => {
    try {
      const result = runCommand(workspace, frame, command);
      frame.results.push(result.returned.map((value) => ({ value, access: "value" })));
      return result;
    } catch (error) {
      throw error instanceof ExecutionFailure ? new ExecutionFailure(error.failure, index) : error;
    }
  });
  refuseUnusedValues(frame);
  sendBackReserved(workspace, programmable, withdrawals, frame);
  return outputs;
}

function inputSlot(
  workspace: Workspace,
  access: InputAccess,
  withdrawal: Withdrawal | undefined,
  input: ProgrammableTransaction["inputs"][number],
): Slot {
  switch (input.$kind) {
    case "Pure":
      return { value: { kind: "pure", bytes: fromBase64(input.Pure.bytes) }, access: "value" };
    case "FundsWithdrawal":
      if (withdrawal === undefined) throw new Error("a withdrawal was not read");
      return { value: { kind: "withdrawal", ...withdrawal }, access: "value" };
    case "Object": {
      if (withdrawal !== undefined) return reservedCoinSlot(workspace, withdrawal);
      if (input.Object.Receiving) {
        return { value: { kind: "receiving", id: input.Object.Receiving.objectId }, access: "value" };
      }
      const { objectId } = input.Object.ImmOrOwnedObject ?? input.Object.SharedObject;
      const object = workspace.objects.get(objectId);
      if (object === undefined) throw new Error(`input ${objectId} was not loaded`);
      return { value: { kind: "object", object }, access: access.get(objectId) ?? "readonly" };
    }
  }
}

/** A coin reservation is withdrawn into a coin before the first command, used or not. */
function reservedCoinSlot(workspace: Workspace, { account, amount }: Withdrawal): Slot {
  moveFunds(workspace.funds, account, -amount);
  const coin = createCoin(workspace, coinObjectType(account.coinType), amount);
  return { value: { kind: "object", object: coin }, access: "owned" };
}

/** What no command took of a coin reservation goes back where it came from. */
function sendBackReserved(
  workspace: Workspace,
  { inputs }: ProgrammableTransaction,
  withdrawals: ReadonlyMap<number, Withdrawal>,
  frame: Frame,
): void {
  for (const [place, { account }] of withdrawals) {
    const value = frame.inputs[place]?.value;
    if (inputs[place]?.Object === undefined || value?.kind !== "object") continue;
    moveFunds(workspace.funds, account, coinBalance(value.object.contents));
    deleteObject(workspace, value.object);
  }
}

function runCommand(workspace: Workspace, frame: Frame, command: Command): CommandResult {
  const argumentCount = BigInt(commandArguments(command).length);
  workspace.record.units += COMMAND_UNITS.perCommand + COMMAND_UNITS.perArgument * argumentCount;
  const reader = argumentReader(frame);
  switch (command.$kind) {
    case "SplitCoins":
      return splitCoins(workspace, reader, command.SplitCoins);
    case "MergeCoins":
      return mergeCoins(workspace, reader, command.MergeCoins);
    case "TransferObjects":
      return transferObjects(workspace, reader, command.TransferObjects);
    case "MakeMoveVec":
      return makeMoveVec(reader, command.MakeMoveVec);
    case "MoveCall":
      workspace.record.units += COMMAND_UNITS.perMoveCall;
      return runMoveCall(workspace, reader, command.MoveCall);
    case "Publish":
    case "Upgrade":
      throw fail("FeatureNotYetSupported");
  }
}

function splitCoins(
  workspace: Workspace,
  reader: ArgumentReader,
  { coin: coinArgument, amounts }: NonNullable<Command["SplitCoins"]>,
): CommandResult {
  const coin = asCoin(reader.borrowMutably(coinArgument, 0), 0);
  const returned = amounts.map((argument, position): MoveValue => {
    const amount = readU64(asPure(reader.borrow(argument, position + 1), "u64", position + 1));
    const balance = coinBalance(coin.contents);
    if (balance < amount) throw fail("InsufficientCoinBalance");
    setCoinBalance(coin, balance - amount);
    return { kind: "object", object: createCoin(workspace, coin.type, amount) };
  });
  return { returned, mutated: [{ argument: coinArgument, value: { kind: "object", object: coin } }] };
}

function mergeCoins(
  workspace: Workspace,
  reader: ArgumentReader,
  { destination, sources }: NonNullable<Command["MergeCoins"]>,
): CommandResult {
  const into = asCoin(reader.borrowMutably(destination, 0), 0);
  for (const [position, argument] of sources.entries()) {
    const coin = asCoin(reader.take(argument, position + 1), position + 1);
    if (coin.type !== into.type) throw badArgument(position + 1, "TypeMismatch");
    setCoinBalance(into, coinBalance(into.contents) + coinBalance(coin.contents));
    deleteObject(workspace, coin);
  }
  return { returned: [], mutated: [{ argument: destination, value: { kind: "object", object: into } }] };
}

function transferObjects(
  workspace: Workspace,
  reader: ArgumentReader,
  { objects, address }: NonNullable<Command["TransferObjects"]>,
): CommandResult {
  const moved = objects.map((argument, index) => {
    const object = asObject(reader.take(argument, index, "may-take-gas"), index);
    if (!object.hasPublicTransfer) throw badArgument(index, "InvalidTransferObject");
    return object;
  });
  const recipient = asPure(reader.borrow(address, objects.length), "address", objects.length);
  if (recipient.length !== ADDRESS_BYTES) throw badArgument(objects.length, "InvalidBCSBytes");
  for (const object of moved) {
    transferObject(object, `0x${toHex(recipient)}`);
    if (object.id === workspace.gasCoin?.id) workspace.gasCoin.givenTo = { kind: "object" };
  }
  return { returned: [], mutated: [] };
}

function makeMoveVec(reader: ArgumentReader, { type, elements }: NonNullable<Command["MakeMoveVec"]>): CommandResult {
  const declared = type === null ? undefined : canonicalType(type);
  if (declared !== undefined && abilitiesOf(declared) === undefined) {
    throw new ExecutionFailure({ name: "TypeArgumentError", typeArgument: 0, error: "TypeNotFound" });
  }
  if (declared !== undefined && isPureType(declared)) {
    const parts = elements.map((argument, index) => asPure(reader.borrow(argument, index), declared, index));
    const bytes = Buffer.concat([encodeUleb(parts.length), ...parts]);
    return { returned: [{ kind: "data", type: `vector<${declared}>`, bytes }], mutated: [] };
  }
  const objects = elements.map((argument, index) => {
    const value = reader.take(argument, index);
    if (declared === undefined && index === 0 && value.kind !== "object") {
      throw badArgument(0, "InvalidMakeMoveVecNonObjectArgument");
    }
    return asObject(value, index);
  });
  const elementType = declared ?? objects[0]?.type ?? "";
  const stranger = objects.findIndex((object) => object.type !== elementType);
  if (stranger >= 0) throw badArgument(stranger, "TypeMismatch");
  return { returned: [{ kind: "vector", elementType, objects }], mutated: [] };
}

function asObject(value: MoveValue, index: number): LiveObject {
  if (value.kind === "pure") throw badArgument(index, "InvalidUsageOfPureArg");
  if (value.kind !== "object") throw badArgument(index, "TypeMismatch");
  return value.object;
}

function asCoin(value: MoveValue, index: number): LiveObject {
  const object = asObject(value, index);
  if (coinTypeOf(object.type) === undefined) throw badArgument(index, "TypeMismatch");
  return object;
}

function asPure(value: MoveValue, type: string, index: number): Uint8Array {
  if (value.kind === "data" && value.type === type) return value.bytes;
  if (value.kind !== "pure") throw badArgument(index, "TypeMismatch");
  if (!isPureValue(type, value.bytes)) throw badArgument(index, "InvalidBCSBytes");
  return value.bytes;
}

/** Values that nobody took and that cannot be dropped fail the whole transaction. */
function refuseUnusedValues(frame: Frame): void {
  for (const [result, slots] of frame.results.entries()) {
    for (const [subresult, { value }] of slots.entries()) {
      if (value?.kind === "object" || value?.kind === "vector" || value?.kind === "balance") {
        throw new ExecutionFailure({ name: "UnusedValueWithoutDrop", result, subresult });
      }
    }
  }
}
