/** Names of `CommandArgumentError` (sui-types execution_status.rs) that this chain raises, with the node's texts. */
const ARGUMENT_ERROR_TEXTS = {
  TypeMismatch: "The type of the value does not match the expected type",
  InvalidBCSBytes: "The argument cannot be deserialized into a value of the specified type",
  InvalidUsageOfPureArg: "The argument cannot be instantiated from raw bytes",
  InvalidGasCoinUsage: "Invalid taking of the Gas coin. It can only be used by-value with TransferObjects",
  InvalidObjectByValue: "Immutable objects cannot be passed by-value.",
  InvalidObjectByMutRef: "Immutable objects cannot be passed by mutable reference, &mut.",
  SharedObjectOperationNotAllowed:
    "Shared object operations such a wrapping, freezing, or converting to owned are not allowed.",
  InvalidTransferObject: "Object passed to TransferObject does not have public transfer, i.e. the `store` ability",
  InvalidMakeMoveVecNonObjectArgument:
    "First argument to MakeMoveVec is not an object. If no type is specified for MakeMoveVec, all arguments must be " +
    "the same object type.",
  ArgumentWithoutValue: "Specified argument location does not have a value and cannot be used",
  CannotMoveBorrowedValue:
    "Cannot move a borrowed value. The value's type does resulted in this argument usage being inferred as a move. " +
    "This is likely due to the type not having the `copy` ability; although in rare cases, it could also be this is " +
    "the last usage of a value without the `drop` ability.",
  InvalidReferenceArgument:
    "The argument specified cannot be used as a reference argument in the Move call. Either the argument is a mutable " +
    "reference and it conflicts with another argument to the call, or the argument is mutable and another reference " +
    "extends it and will be used in a later command.",
} as const;

export type ArgumentErrorName = keyof typeof ARGUMENT_ERROR_TEXTS;

export type ArgumentError =
  | { readonly name: ArgumentErrorName }
  | { readonly name: "IndexOutOfBounds"; readonly index: number }
  | { readonly name: "SecondaryIndexOutOfBounds"; readonly result: number; readonly subresult: number }
  | { readonly name: "InvalidResultArity"; readonly result: number };

/** Failures without further data, with the node's texts (sui-types execution_status.rs). */
const PLAIN_FAILURE_TEXTS = {
  InsufficientGas: "Insufficient Gas.",
  FeatureNotYetSupported: "Attempted to used feature that is not supported yet",
  InsufficientCoinBalance: "Insufficient coin balance for operation.",
  FunctionNotFound: "Function Not Found.",
  ArityMismatch: "Arity mismatch for Move function. The number of arguments does not match the number of parameters",
  NonEntryFunctionInvoked: "Non Entry Function Invoked. Move Call must start with an entry function",
  InvalidTransferObject: "Invalid Transfer Object, object does not have public transfer.",
  VMVerificationOrDeserializationError:
    "Move Bytecode Verification Error. Please run the Bytecode Verifier for more information.",
  InsufficientFundsForWithdraw: "Insufficient funds for funds accumulator withdrawal",
} as const;

export type PlainFailureName = keyof typeof PLAIN_FAILURE_TEXTS;

export interface MoveLocation {
  readonly package: string;
  readonly module: string;
  readonly function: number;
  readonly instruction: number;
  readonly functionName: string;
}

/** Why a transaction that was executed, and is charged for, changed nothing else. */
export type Failure =
  | { readonly name: PlainFailureName }
  | { readonly name: "MoveAbort"; readonly location: MoveLocation; readonly code: bigint }
  | { readonly name: "MovePrimitiveRuntimeError"; readonly location: MoveLocation }
  | { readonly name: "CommandArgumentError"; readonly argument: number; readonly error: ArgumentError }
  | { readonly name: "TypeArgumentError"; readonly typeArgument: number; readonly error: "TypeNotFound" }
  | { readonly name: "UnusedValueWithoutDrop"; readonly result: number; readonly subresult: number };

/** Unwinds the interpreter, as a Move abort does; caught where the transaction is executed. */
export class ExecutionFailure extends Error {
  readonly failure: Failure;
  readonly command: number | undefined;

  constructor(failure: Failure, command?: number) {
    super(describeFailure(failure));
    this.failure = failure;
    this.command = command;
  }
}

export function fail(name: PlainFailureName): ExecutionFailure {
  return new ExecutionFailure({ name });
}

export function badArgument(argument: number, error: ArgumentErrorName | ArgumentError): ExecutionFailure {
  const detail: ArgumentError = typeof error === "string" ? { name: error } : error;
  return new ExecutionFailure({ name: "CommandArgumentError", argument, error: detail });
}

export function describeFailure(failure: Failure): string {
  switch (failure.name) {
    case "MoveAbort":
      return `Move Runtime Abort. Location: ${describeLocation(failure.location)}, Abort Code: ${failure.code}`;
    case "MovePrimitiveRuntimeError":
      return `Move Primitive Runtime Error. Location: ${describeLocation(failure.location)}. Arithmetic error, stack overflow, max value depth, etc.`;
    case "CommandArgumentError":
      return `Invalid command argument at ${failure.argument}. ${describeArgumentError(failure.error)}`;
    case "TypeArgumentError":
      return `Error for type argument at index ${failure.typeArgument}: A type was not found in the module specified`;
    case "UnusedValueWithoutDrop":
      return `Unused result without the drop ability. Command result ${failure.result}, return value ${failure.subresult}`;
    default:
      return PLAIN_FAILURE_TEXTS[failure.name];
  }
}

function describeArgumentError(error: ArgumentError): string {
  switch (error.name) {
    case "IndexOutOfBounds":
      return `Out of bounds access to input or result vector ${error.index}`;
    case "SecondaryIndexOutOfBounds":
      return `Out of bounds secondary access to result vector ${error.result} at secondary index ${error.subresult}`;
    case "InvalidResultArity":
      return `Invalid usage of result ${error.result}, expected a single result but found either no return values or multiple.`;
    default:
      return ARGUMENT_ERROR_TEXTS[error.name];
  }
}

function describeLocation({ package: address, module, function: index, instruction, functionName }: MoveLocation) {
  return `${address}::${module}::${functionName} (function index ${index}) at offset ${instruction}`;
}
