import { bcs } from "@mysten/sui/bcs";
import { fromBase64 } from "@mysten/sui/utils";
import { type Argument, addressIn, type Command } from "../../policy/commands.ts";

type Programmable = NonNullable<ReturnType<typeof bcs.TransactionKind.parse>["ProgrammableTransaction"]>;
type ParsedCommand = Programmable["commands"][number];
type ParsedInput = Programmable["inputs"][number];
type ParsedArgument = ReturnType<typeof bcs.Argument.parse>;

const UNKNOWN: Command = { kind: "unknown" };

/** Reports an argument that names an absent input, or one of an unknown kind. */
class UnknownArgument extends Error {
  override readonly name = "UnknownArgument";
}

/**
 * Reads the commands of a programmable transaction, with each input in its place of use.
 *
 * @param kindBytes BCS of `TransactionKind` (sui-types, `transaction.rs`) that `inspectKind` or `inspectTransaction`
 * has accepted. It has the one form that BCS allows, so every reader reads the same.
 */
export function readCommands(kindBytes: Uint8Array): readonly Command[] {
  const { ProgrammableTransaction: programmable } = bcs.TransactionKind.parse(kindBytes);
  if (programmable === undefined) return [UNKNOWN];
  const { inputs, commands } = programmable;
  const borrowed = new Set<number>();
  return commands.map((command) => {
    const read = (argument: ParsedArgument) => argumentOf(argument, inputs, borrowed);
    try {
      return commandOf(command, read);
    } catch (error) {
      if (error instanceof UnknownArgument) return UNKNOWN;
      throw error;
    } finally {
      for (const input of inputsOfCall(command)) borrowed.add(input);
    }
  });
}

/**
 * A call may take a plain input by `&mut`, and later commands get the value that it wrote (sui-adapter, `context.rs`).
 */
function inputsOfCall({ MoveCall: call }: ParsedCommand): readonly number[] {
  return (call?.arguments ?? []).flatMap(({ $kind, Input: input }) => ($kind === "Input" ? [input] : []));
}

function commandOf(command: ParsedCommand, read: (argument: ParsedArgument) => Argument): Command {
  switch (command.$kind) {
    case "MoveCall": {
      const { package: id, module, function: name, typeArguments, arguments: args } = command.MoveCall;
      return { kind: "call", target: `${id}::${module}::${name}`, typeArguments, arguments: args.map(read) };
    }
    case "TransferObjects": {
      const { objects, address } = command.TransferObjects;
      return { kind: "transfer", objects: objects.map(read), recipient: addressIn(read(address)) };
    }
    case "SplitCoins":
      return { kind: "split", coin: read(command.SplitCoins.coin), amounts: command.SplitCoins.amounts.map(read) };
    case "MergeCoins": {
      const { destination, sources } = command.MergeCoins;
      return { kind: "merge", into: read(destination), coins: sources.map(read) };
    }
    case "MakeMoveVec":
      return { kind: "vector", elements: command.MakeMoveVec.elements.map(read) };
    case "Publish":
      return { kind: "publish" };
    case "Upgrade":
      return { kind: "upgrade" };
    default:
      return UNKNOWN;
  }
}

/** @param borrowed inputs that earlier calls have taken. */
function argumentOf(argument: ParsedArgument, inputs: readonly ParsedInput[], borrowed: ReadonlySet<number>): Argument {
  switch (argument.$kind) {
    case "GasCoin":
      return { kind: "gas" };
    case "Input": {
      const input = inputOf(inputs[argument.Input]);
      return input.kind === "pure" && borrowed.has(argument.Input) ? { kind: "changeable" } : input;
    }
    case "Result":
      return { kind: "result", command: argument.Result, index: null };
    case "NestedResult": {
      const [command, index] = argument.NestedResult;
      return { kind: "result", command, index };
    }
    default:
      throw new UnknownArgument();
  }
}

function inputOf(input: ParsedInput | undefined): Argument {
  switch (input?.$kind) {
    case "Pure":
      return { kind: "pure", bytes: fromBase64(input.Pure.bytes) };
    case "Object":
      return objectOf(input.Object);
    case "FundsWithdrawal":
      return { kind: "withdrawal", from: input.FundsWithdrawal.withdrawFrom.$kind === "Sender" ? "sender" : "other" };
    default:
      throw new UnknownArgument();
  }
}

function objectOf(object: NonNullable<ParsedInput["Object"]>): Argument {
  switch (object.$kind) {
    case "ImmOrOwnedObject":
      return { kind: "object", objectId: object.ImmOrOwnedObject.objectId, ownership: "owned" };
    case "SharedObject":
      return { kind: "object", objectId: object.SharedObject.objectId, ownership: "shared" };
    case "Receiving":
      return { kind: "object", objectId: object.Receiving.objectId, ownership: "received" };
    default:
      throw new UnknownArgument();
  }
}
