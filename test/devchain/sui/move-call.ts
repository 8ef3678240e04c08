import { normalizeSuiAddress } from "@mysten/sui/utils";
import { badArgument, ExecutionFailure, fail, type MoveLocation } from "./failure.ts";
import { abilitiesOf, canonicalType, satisfies } from "./move/abilities.ts";
import { findFunction, moduleExists } from "./move/functions.ts";
import { isPureType, isPureValue } from "./move/pure.ts";
import {
  isReceivingType,
  type MoveCall,
  type MoveFunction,
  type MoveParameter,
  type MoveValue,
  typeName,
  valueType,
} from "./move/types.ts";
import type { ArgumentReader, CommandResult } from "./slots.ts";
import type { Argument, Command } from "./transaction.ts";
import type { Workspace } from "./workspace.ts";

/** Calls a Move function that this chain knows. Throws {@link ExecutionFailure} for whatever the Move VM refuses. */
export function runMoveCall(
  workspace: Workspace,
  reader: ArgumentReader,
  command: NonNullable<Command["MoveCall"]>,
): CommandResult {
  const shape = findFunction(command.package, command.module, command.function);
  if (shape === undefined && !moduleExists(command.package, command.module))
    throw fail("VMVerificationOrDeserializationError");
  if (shape === undefined) throw fail("FunctionNotFound");
  if (shape.isPrivate === true) throw fail("NonEntryFunctionInvoked");
  const typeArguments = checkTypeArguments(shape, command.typeArguments);
  if (command.arguments.length !== shape.parameters.length) throw fail("ArityMismatch");
  const takesGasCoin = shape.takesGasCoin === true && workspace.context.sendsGasCoin;
  const values = shape.parameters.map((parameter, index) =>
    bindArgument(reader, takesGasCoin, parameter, typeArguments, command.arguments[index], index),
  );
  return {
    returned: shape.run(moveCall(workspace, shape, typeArguments, values)),
    mutated: mutatedValues(shape, command.arguments, values),
  };
}

function checkTypeArguments(shape: MoveFunction, given: readonly string[]): readonly string[] {
  if (given.length !== shape.typeParameters.length) throw fail("VMVerificationOrDeserializationError");
  return shape.typeParameters.map((constraint, typeArgument) => {
    const type = canonicalType(given[typeArgument] ?? "");
    const abilities = abilitiesOf(type);
    if (abilities === undefined) {
      throw new ExecutionFailure({ name: "TypeArgumentError", typeArgument, error: "TypeNotFound" });
    }
    if (!satisfies(abilities, constraint)) throw fail("VMVerificationOrDeserializationError");
    return type;
  });
}

function bindArgument(
  reader: ArgumentReader,
  takesGasCoin: boolean,
  parameter: MoveParameter,
  typeArguments: readonly string[],
  argument: Argument | undefined,
  index: number,
): MoveValue {
  if (argument === undefined) throw fail("ArityMismatch");
  const type = typeName(parameter.type, typeArguments);
  const value = passArgument(reader, takesGasCoin, parameter, argument, index);
  switch (value.kind) {
    case "pure":
      if (!isPureType(type)) throw badArgument(index, "InvalidUsageOfPureArg");
      if (!isPureValue(type, value.bytes)) throw badArgument(index, "InvalidBCSBytes");
      return { kind: "data", type, bytes: value.bytes };
    case "receiving":
      if (!isReceivingType(type)) throw badArgument(index, "TypeMismatch");
      return value;
    default:
      if (valueType(value) !== type) throw badArgument(index, "TypeMismatch");
      return value;
  }
}

function passArgument(
  reader: ArgumentReader,
  takesGasCoin: boolean,
  { reference }: MoveParameter,
  argument: Argument,
  index: number,
): MoveValue {
  if (reference === "mutable") return reader.borrowMutably(argument, index);
  if (reference === "immutable") return reader.borrow(argument, index);
  return reader.take(argument, index, takesGasCoin ? "may-take-gas" : undefined);
}

function moveCall(
  workspace: Workspace,
  shape: MoveFunction,
  typeArguments: readonly string[],
  values: readonly MoveValue[],
): MoveCall {
  const here: MoveLocation = {
    package: normalizeSuiAddress(shape.package),
    module: shape.module,
    function: shape.index,
    instruction: 0,
    functionName: shape.name,
  };
  return {
    workspace,
    typeArguments,
    object: (index) => expectKind(values[index], "object").object,
    objects: (index) => expectKind(values[index], "vector").objects,
    bytes: (index) => expectKind(values[index], "data").bytes,
    balance: (index) => expectKind(values[index], "balance").balance,
    withdrawal: (index) => expectKind(values[index], "withdrawal"),
    receiving: (index) => expectKind(values[index], "receiving").id,
    abort(code, at) {
      throw new ExecutionFailure({ name: "MoveAbort", location: { ...here, ...at }, code });
    },
    arithmeticError(instruction = 0) {
      throw new ExecutionFailure({ name: "MovePrimitiveRuntimeError", location: { ...here, instruction } });
    },
  };
}

function expectKind<Kind extends MoveValue["kind"]>(
  value: MoveValue | undefined,
  kind: Kind,
): Extract<MoveValue, { kind: Kind }> {
  if (value === undefined || !isKind(value, kind)) throw new Error(`a bound argument is not of kind ${kind}`);
  return value;
}

function isKind<Kind extends MoveValue["kind"]>(
  value: MoveValue,
  kind: Kind,
): value is Extract<MoveValue, { kind: Kind }> {
  return value.kind === kind;
}

function mutatedValues(shape: MoveFunction, given: readonly Argument[], values: readonly MoveValue[]) {
  const mutated: { argument: Argument; value: MoveValue }[] = [];
  for (const [index, parameter] of shape.parameters.entries()) {
    const [argument, value] = [given[index], values[index]];
    if (parameter.reference === "mutable" && argument && value) mutated.push({ argument, value });
  }
  return mutated;
}
