import type { bcs } from "@mysten/sui/bcs";
import { GrpcTypes } from "@mysten/sui/grpc";
import {
  type ArgumentError,
  describeFailure,
  type ExecutionFailure,
  type Failure,
  type PlainFailureName,
} from "./failure.ts";

type EffectsInput = Extract<typeof bcs.TransactionEffects.$inferInput, { V2: unknown }>["V2"];
type StatusInput = Extract<EffectsInput["status"], { Failure: unknown }>["Failure"];
export type FailureInput = StatusInput["error"];

/** The failure as the BCS of the effects carries it (sui-types: `ExecutionFailureStatus`). */
export function failureBcs(failure: Failure): FailureInput {
  switch (failure.name) {
    case "MoveAbort":
      return { MoveAbort: [locationBcs(failure.location), failure.code] };
    case "MovePrimitiveRuntimeError":
      return { MovePrimitiveRuntimeError: locationBcs(failure.location) };
    case "CommandArgumentError":
      return { CommandArgumentError: { argIdx: failure.argument, kind: argumentErrorBcs(failure.error) } };
    case "TypeArgumentError":
      return { TypeArgumentError: { argumentIdx: failure.typeArgument, kind: { TypeNotFound: true } } };
    case "UnusedValueWithoutDrop":
      return { UnusedValueWithoutDrop: { resultIdx: failure.result, secondaryIdx: failure.subresult } };
    default:
      return plainFailureBcs(failure.name);
  }
}

/** The failure as the node's API shows it (`sui.rpc.v2.ExecutionError`). */
export function failureProto({ failure, command }: ExecutionFailure): GrpcTypes.ExecutionError {
  return {
    description: command === undefined ? describeFailure(failure) : `${describeFailure(failure)} in command ${command}`,
    ...(command !== undefined && { command: BigInt(command) }),
    kind: kindProto(failure),
    errorDetails: detailsProto(failure),
  };
}

function plainFailureBcs(name: PlainFailureName): FailureInput {
  switch (name) {
    case "InsufficientGas":
      return { InsufficientGas: true };
    case "FeatureNotYetSupported":
      return { FeatureNotYetSupported: true };
    case "InsufficientCoinBalance":
      return { InsufficientCoinBalance: true };
    case "FunctionNotFound":
      return { FunctionNotFound: true };
    case "ArityMismatch":
      return { ArityMismatch: true };
    case "NonEntryFunctionInvoked":
      return { NonEntryFunctionInvoked: true };
    case "InvalidTransferObject":
      return { InvalidTransferObject: true };
    case "VMVerificationOrDeserializationError":
      return { VMVerificationOrDeserializationError: true };
    case "InsufficientFundsForWithdraw":
      return { InsufficientBalanceForWithdraw: true };
  }
}

function argumentErrorBcs(error: ArgumentError) {
  switch (error.name) {
    case "IndexOutOfBounds":
      return { IndexOutOfBounds: { idx: error.index } } as const;
    case "SecondaryIndexOutOfBounds":
      return { SecondaryIndexOutOfBounds: { resultIdx: error.result, secondaryIdx: error.subresult } } as const;
    case "InvalidResultArity":
      return { InvalidResultArity: { resultIdx: error.result } } as const;
    case "TypeMismatch":
      return { TypeMismatch: true } as const;
    case "InvalidBCSBytes":
      return { InvalidBCSBytes: true } as const;
    case "InvalidUsageOfPureArg":
      return { InvalidUsageOfPureArg: true } as const;
    case "InvalidGasCoinUsage":
      return { InvalidGasCoinUsage: true } as const;
    case "InvalidObjectByValue":
      return { InvalidObjectByValue: true } as const;
    case "InvalidObjectByMutRef":
      return { InvalidObjectByMutRef: true } as const;
    case "SharedObjectOperationNotAllowed":
      return { SharedObjectOperationNotAllowed: true } as const;
    case "InvalidTransferObject":
      return { InvalidTransferObject: true } as const;
    case "InvalidMakeMoveVecNonObjectArgument":
      return { InvalidMakeMoveVecNonObjectArgument: true } as const;
    case "InvalidReferenceArgument":
      return { InvalidReferenceArgument: true } as const;
    case "ArgumentWithoutValue":
      return { ArgumentWithoutValue: true } as const;
    case "CannotMoveBorrowedValue":
      return { CannotMoveBorrowedValue: true } as const;
  }
}

function locationBcs(location: Extract<Failure, { name: "MoveAbort" }>["location"]) {
  const { package: address, module, function: index, instruction, functionName } = location;
  return { module: { address, name: module }, function: index, instruction, functionName };
}

function kindProto(failure: Failure): GrpcTypes.ExecutionError_ExecutionErrorKind {
  const { ExecutionError_ExecutionErrorKind: Kind } = GrpcTypes;
  switch (failure.name) {
    case "InsufficientGas":
      return Kind.INSUFFICIENT_GAS;
    case "FeatureNotYetSupported":
      return Kind.FEATURE_NOT_YET_SUPPORTED;
    case "InsufficientCoinBalance":
      return Kind.INSUFFICIENT_COIN_BALANCE;
    case "FunctionNotFound":
      return Kind.FUNCTION_NOT_FOUND;
    case "ArityMismatch":
      return Kind.ARITY_MISMATCH;
    case "NonEntryFunctionInvoked":
      return Kind.NON_ENTRY_FUNCTION_INVOKED;
    case "InvalidTransferObject":
      return Kind.INVALID_TRANSFER_OBJECT;
    case "VMVerificationOrDeserializationError":
      return Kind.VM_VERIFICATION_OR_DESERIALIZATION_ERROR;
    case "InsufficientFundsForWithdraw":
      return Kind.INSUFFICIENT_FUNDS_FOR_WITHDRAW;
    case "MoveAbort":
      return Kind.MOVE_ABORT;
    case "MovePrimitiveRuntimeError":
      return Kind.MOVE_PRIMITIVE_RUNTIME_ERROR;
    case "CommandArgumentError":
      return Kind.COMMAND_ARGUMENT_ERROR;
    case "TypeArgumentError":
      return Kind.TYPE_ARGUMENT_ERROR;
    case "UnusedValueWithoutDrop":
      return Kind.UNUSED_VALUE_WITHOUT_DROP;
  }
}

function detailsProto(failure: Failure): GrpcTypes.ExecutionError["errorDetails"] {
  switch (failure.name) {
    case "MoveAbort":
      return { oneofKind: "abort", abort: { abortCode: failure.code, location: failure.location } };
    case "MovePrimitiveRuntimeError":
      return { oneofKind: "abort", abort: { location: failure.location } };
    case "CommandArgumentError":
      return {
        oneofKind: "commandArgumentError",
        commandArgumentError: { argument: failure.argument, ...argumentErrorProto(failure.error) },
      };
    case "TypeArgumentError":
      return {
        oneofKind: "typeArgumentError",
        typeArgumentError: {
          typeArgument: failure.typeArgument,
          kind: GrpcTypes.TypeArgumentError_TypeArgumentErrorKind.TYPE_NOT_FOUND,
        },
      };
    case "UnusedValueWithoutDrop":
      return { oneofKind: "indexError", indexError: { index: failure.result, subresult: failure.subresult } };
    default:
      return { oneofKind: undefined };
  }
}

function argumentErrorProto(error: ArgumentError): Pick<GrpcTypes.CommandArgumentError, "kind" | "indexError"> {
  const { CommandArgumentError_CommandArgumentErrorKind: Kind } = GrpcTypes;
  switch (error.name) {
    case "IndexOutOfBounds":
      return { kind: Kind.INDEX_OUT_OF_BOUNDS, indexError: { index: error.index } };
    case "SecondaryIndexOutOfBounds":
      return {
        kind: Kind.SECONDARY_INDEX_OUT_OF_BOUNDS,
        indexError: { index: error.result, subresult: error.subresult },
      };
    case "InvalidResultArity":
      return { kind: Kind.INVALID_RESULT_ARITY, indexError: { index: error.result } };
    case "TypeMismatch":
      return { kind: Kind.TYPE_MISMATCH };
    case "InvalidBCSBytes":
      return { kind: Kind.INVALID_BCS_BYTES };
    case "InvalidUsageOfPureArg":
      return { kind: Kind.INVALID_USAGE_OF_PURE_ARGUMENT };
    case "InvalidGasCoinUsage":
      return { kind: Kind.INVALID_GAS_COIN_USAGE };
    case "InvalidObjectByValue":
      return { kind: Kind.INVALID_OBJECT_BY_VALUE };
    case "InvalidObjectByMutRef":
      return { kind: Kind.INVALID_OBJECT_BY_MUT_REF };
    case "SharedObjectOperationNotAllowed":
      return { kind: Kind.CONSENSUS_OBJECT_OPERATION_NOT_ALLOWED };
    case "InvalidTransferObject":
      return { kind: Kind.INVALID_TRANSFER_OBJECT };
    case "InvalidMakeMoveVecNonObjectArgument":
      return { kind: Kind.INVALID_MAKE_MOVE_VEC_NON_OBJECT_ARGUMENT };
    case "InvalidReferenceArgument":
      return { kind: Kind.INVALID_REFERENCE_ARGUMENT };
    case "ArgumentWithoutValue":
      return { kind: Kind.ARGUMENT_WITHOUT_VALUE };
    case "CannotMoveBorrowedValue":
      return { kind: Kind.CANNOT_MOVE_BORROWED_VALUE };
  }
}
