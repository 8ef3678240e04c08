import type { GrpcTypes } from "@mysten/sui/grpc";
import { fromBase58 } from "@mysten/sui/utils";
import type { MoveAbort } from "./execution.ts";

/**
 * A failure in the text of a full node's JSON-RPC: the `Debug` form of sui-types' `ExecutionErrorKind`
 * (`execution_status.rs`), and the command (sui-json-rpc-types, `SuiExecutionStatus`). Applications parse this text.
 */

type ExecutionError = GrpcTypes.ExecutionError;
type Location = GrpcTypes.MoveLocation;

/** Failure kinds without details, by their number in `ExecutionErrorKind` of `sui.rpc.v2`. */
const PLAIN_KINDS: Readonly<Record<number, string>> = {
  1: "InsufficientGas",
  2: "InvalidGasObject",
  3: "InvariantViolation",
  4: "FeatureNotYetSupported",
  8: "InsufficientCoinBalance",
  9: "CoinBalanceOverflow",
  10: "PublishErrorNonZeroAddress",
  11: "SuiMoveVerificationError",
  14: "VMVerificationOrDeserializationError",
  15: "VMInvariantViolation",
  16: "FunctionNotFound",
  17: "ArityMismatch",
  18: "TypeArityMismatch",
  19: "NonEntryFunctionInvoked",
  24: "InvalidTransferObject",
  26: "PublishUpgradeMissingDependency",
  27: "PublishUpgradeDependencyDowngrade",
  30: "CertificateDenied",
  31: "SuiMoveVerificationTimedout",
  32: "SharedObjectOperationNotAllowed",
  33: "InputObjectDeleted",
  37: "ExecutionCancelledDueToRandomnessUnavailable",
  40: "InvalidLinkage",
  41: "InsufficientFundsForWithdraw",
};

/** Failure kinds with a size and its limit, by code: kind name, and the names of both fields. */
const SIZE_KINDS: Readonly<Record<number, readonly [string, string, string]>> = {
  5: ["MoveObjectTooBig", "object_size", "max_object_size"],
  6: ["MovePackageTooBig", "object_size", "max_object_size"],
  25: ["EffectsTooLarge", "current_size", "max_size"],
  29: ["WrittenObjectsTooLarge", "current_size", "max_size"],
  38: ["MoveVectorElemTooBig", "value_size", "max_scaled_size"],
  39: ["MoveRawValueTooBig", "value_size", "max_scaled_size"],
};

/** Failure kinds that name an object, by code: kind and field name. */
const OBJECT_KINDS: Readonly<Record<number, readonly [string, string]>> = {
  7: ["CircularObjectOwnership", "object"],
  42: ["NonExclusiveWriteInputObjectModified", "id"],
};

/** `CommandArgumentErrorKind` without an index. */
const PLAIN_ARGUMENT_KINDS: Readonly<Record<number, string>> = {
  1: "TypeMismatch",
  2: "InvalidBCSBytes",
  3: "InvalidUsageOfPureArg",
  4: "InvalidArgumentToPrivateEntryFunction",
  8: "InvalidGasCoinUsage",
  9: "InvalidValueUsage",
  10: "InvalidObjectByValue",
  11: "InvalidObjectByMutRef",
  12: "SharedObjectOperationNotAllowed",
  13: "InvalidArgumentArity",
  14: "InvalidTransferObject",
  15: "InvalidMakeMoveVecNonObjectArgument",
  16: "ArgumentWithoutValue",
  17: "CannotMoveBorrowedValue",
  18: "CannotWriteToExtendedReference",
  19: "InvalidReferenceArgument",
};

const TYPE_ARGUMENT_KINDS: Readonly<Record<number, string>> = { 1: "TypeNotFound", 2: "ConstraintNotSatisfied" };

/** Writes numbers and names as Rust's `{:?}` writes a struct. Null if one of them is missing. */
function struct(name: string, fields: Readonly<Record<string, string | number | bigint | null | undefined>>) {
  const values = Object.entries(fields);
  if (values.some(([, value]) => value === null || value === undefined)) return null;
  return `${name} { ${values.map(([field, value]) => `${field}: ${value}`).join(", ")} }`;
}

function quoted(text: string | undefined): string | undefined {
  return text === undefined ? undefined : JSON.stringify(text);
}

function locationText({ package: address, module, function: index, instruction, functionName }: Location) {
  if (address === undefined || module === undefined) return null;
  return struct("MoveLocation", {
    module: `ModuleId { address: ${address.replace(/^0x/, "").padStart(64, "0")}, name: Identifier(${quoted(module)}) }`,
    function: index,
    instruction,
    function_name: functionName === undefined ? "None" : `Some(${quoted(functionName)})`,
  });
}

function abortText({ errorDetails: details }: ExecutionError): string | null {
  if (details.oneofKind !== "abort") return null;
  const { abortCode, location } = details.abort;
  const at = location && locationText(location);
  return at == null || abortCode === undefined ? null : `MoveAbort(${at}, ${abortCode})`;
}

function primitiveErrorText({ errorDetails: details }: ExecutionError): string | null {
  const location = details.oneofKind === "abort" ? details.abort.location : undefined;
  if (location === undefined) return "MovePrimitiveRuntimeError(MoveLocationOpt(None))";
  const at = locationText(location);
  return at && `MovePrimitiveRuntimeError(MoveLocationOpt(Some(${at})))`;
}

function argumentKindText({ kind, indexError }: GrpcTypes.CommandArgumentError): string | null {
  switch (kind) {
    case 5:
      return struct("IndexOutOfBounds", { idx: indexError?.index });
    case 6:
      return struct("SecondaryIndexOutOfBounds", {
        result_idx: indexError?.index,
        secondary_idx: indexError?.subresult,
      });
    case 7:
      return struct("InvalidResultArity", { result_idx: indexError?.index });
    default:
      return PLAIN_ARGUMENT_KINDS[kind ?? 0] ?? null;
  }
}

function upgradeKindText({ kind, packageId, digest, policy, ticketId }: GrpcTypes.PackageUpgradeError): string | null {
  switch (kind) {
    case 1:
      return struct("UnableToFetchPackage", { package_id: packageId });
    case 2:
      return struct("NotAPackage", { object_id: packageId });
    case 3:
      return "IncompatibleUpgrade";
    case 4:
      return struct("DigestDoesNotMatch", { digest: digest && bytesText(digest) });
    case 5:
      return struct("UnknownUpgradePolicy", { policy });
    case 6:
      return struct("PackageIDDoesNotMatch", { package_id: packageId, ticket_id: ticketId });
    default:
      return null;
  }
}

function bytesText(base58: string): string | null {
  return /^[1-9A-HJ-NP-Za-km-z]{1,64}$/.test(base58) ? `[${[...fromBase58(base58)].join(", ")}]` : null;
}

function detailsText(kind: number, { errorDetails: details }: ExecutionError): string | null {
  const size = SIZE_KINDS[kind];
  const object = OBJECT_KINDS[kind];
  switch (details.oneofKind) {
    case "sizeError":
      return size ? struct(size[0], { [size[1]]: details.sizeError.size, [size[2]]: details.sizeError.maxSize }) : null;
    case "objectId":
      return object ? struct(object[0], { [object[1]]: details.objectId }) : null;
    case "commandArgumentError": {
      const { commandArgumentError: error } = details;
      return struct("CommandArgumentError", { arg_idx: error.argument, kind: argumentKindText(error) });
    }
    case "typeArgumentError": {
      const { typeArgument, kind: typeKind } = details.typeArgumentError;
      return struct("TypeArgumentError", {
        argument_idx: typeArgument,
        kind: TYPE_ARGUMENT_KINDS[typeKind ?? 0],
      });
    }
    case "indexError": {
      const { index, subresult } = details.indexError;
      return kind === 22
        ? struct("UnusedValueWithoutDrop", { result_idx: index, secondary_idx: subresult })
        : struct("InvalidPublicFunctionReturnType", { idx: index });
    }
    case "packageUpgradeError":
      return struct("PackageUpgradeError", { upgrade_error: upgradeKindText(details.packageUpgradeError) });
    case "congestedObjects":
      return struct("ExecutionCancelledDueToSharedObjectCongestion", {
        congested_objects: `CongestedObjects([${details.congestedObjects.objects.join(", ")}])`,
      });
    case "coinDenyListError": {
      const { address, coinType } = details.coinDenyListError;
      return kind === 35
        ? struct("AddressDeniedForCoin", { address, coin_type: quoted(coinType) })
        : struct("CoinTypeGlobalPause", { coin_type: quoted(coinType) });
    }
    default:
      return null;
  }
}

function kindText(error: ExecutionError): string | null {
  const kind: number = error.kind ?? 0;
  const plain = PLAIN_KINDS[kind];
  if (plain !== undefined) return plain;
  if (kind === 12) return primitiveErrorText(error);
  return kind === 13 ? abortText(error) : detailsText(kind, error);
}

/** No identifier of Move and no package id is longer. */
const MAX_NAME_CHARACTERS = 128;

/** The chain numbers commands with 16 bits. */
const MAX_COMMAND = 0xffffn;

/** Far above the need of every kind except a list of congested objects. */
const MAX_TEXT_CHARACTERS = 16_384;

/** Writes a failure as text. For an unknown kind, or one without its details, uses the node's description. */
export function failureText(error: ExecutionError | undefined): string {
  const text = error && kindText(error);
  const command = error?.command === undefined ? "" : ` in command ${error.command}`;
  const told = text == null ? (error?.description ?? `execution failed${command}`) : `${text}${command}`;
  return told.slice(0, MAX_TEXT_CHARACTERS);
}

/** Returns the place and the code of an abort of Move code. Null for every other failure. */
export function readAbort(error: ExecutionError | undefined): MoveAbort | null {
  if (error?.kind !== 13 || error.errorDetails.oneofKind !== "abort") return null;
  const { abortCode, location, cleverError } = error.errorDetails.abort;
  const constant = cleverError?.constantName?.slice(0, MAX_NAME_CHARACTERS);
  if (abortCode === undefined || location?.package === undefined || location.module === undefined) return null;
  return {
    package: location.package.slice(0, MAX_NAME_CHARACTERS),
    module: location.module.slice(0, MAX_NAME_CHARACTERS),
    function: location.functionName?.slice(0, MAX_NAME_CHARACTERS) ?? null,
    abortCode,
    command: error.command === undefined || error.command > MAX_COMMAND ? null : Number(error.command),
    ...(constant !== undefined && { constant }),
  };
}
