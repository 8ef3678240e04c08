import { GrpcTypes } from "@mysten/sui/grpc";
import { toBase58 } from "@mysten/sui/utils";
import { describe, expect, test } from "vitest";
import * as z from "zod";
import { failureText, readAbort } from "../../../shared/chain/sui/execution-failure.ts";
import recorded from "../../devchain/truth/recorded/sui-node-1.62-failures.json" with { type: "json" };

type Details = GrpcTypes.ExecutionError["errorDetails"];
const Kind = GrpcTypes.ExecutionError_ExecutionErrorKind;
const ArgumentKind = GrpcTypes.CommandArgumentError_CommandArgumentErrorKind;
const UpgradeKind = GrpcTypes.PackageUpgradeError_PackageUpgradeErrorKind;
const TypeKind = GrpcTypes.TypeArgumentError_TypeArgumentErrorKind;

const u64 = z.string().transform(BigInt).optional();
const location = z.object({
  package: z.string(),
  module: z.string(),
  function: z.number(),
  instruction: z.number(),
  functionName: z.string(),
});
const indexError = z.object({ index: z.number().optional(), subresult: z.number().optional() });
/** The status as the recording writes it: 64-bit numbers as text. */
const Failed = z.object({
  name: z.string(),
  grpcStatus: z.object({
    success: z.literal(false),
    error: z.object({
      kind: z.number(),
      command: u64,
      errorDetails: z.union([
        z.object({ oneofKind: z.literal("abort"), abort: z.object({ abortCode: u64, location }) }),
        z.object({ oneofKind: z.literal("indexError"), indexError }),
        z.object({
          oneofKind: z.literal("commandArgumentError"),
          commandArgumentError: z.object({ argument: z.number(), kind: z.number(), indexError: indexError.optional() }),
        }),
        z.strictObject({}).transform(() => ({ oneofKind: undefined })),
      ]),
    }),
  }),
  jsonRpcStatus: z.object({ status: z.literal("failure"), error: z.string() }),
});
const vectors = recorded.filter((vector) => !("refused" in vector)).map((vector) => Failed.parse(vector));

test("the recording has 20 failures, and three transactions that the node refused", () => {
  expect([recorded.length, vectors.length]).toEqual([23, 20]);
});

test.each(vectors)("$name is told in the words of the node's own JSON-RPC", ({ grpcStatus, jsonRpcStatus }) => {
  const error = grpcStatus.error as GrpcTypes.ExecutionError;
  // Through the wire, as a node's reply comes.
  const read = GrpcTypes.ExecutionError.fromBinary(GrpcTypes.ExecutionError.toBinary(error));
  expect(failureText(read)).toBe(jsonRpcStatus.error);
  expect(failureText({ ...read, description: "Another text." })).toBe(jsonRpcStatus.error);
});

test("an abort is told in parts, too", () => {
  const [split, divide] = vectors.map(({ grpcStatus }) => readAbort(grpcStatus.error as GrpcTypes.ExecutionError));
  const framework = `0x${"2".padStart(64, "0")}`;
  expect(split).toEqual({ package: framework, module: "balance", function: "split", abortCode: 2n, command: 1 });
  expect(divide).toEqual({ package: framework, module: "coin", function: "divide_into_n", abortCode: 1n, command: 3 });
});

test("an abort has bounds, whatever a node writes", () => {
  const long = "x".repeat(100_000);
  const location = { package: long, module: long, functionName: long };
  const errorDetails = { oneofKind: "abort", abort: { abortCode: 1n, location } } as const;
  const read = readAbort({ kind: 13, command: 2n ** 60n, errorDetails });
  expect(JSON.stringify({ ...read, abortCode: "1" }).length).toBeLessThan(600);
  expect(read?.command).toBe(null);
  expect(readAbort({ kind: 13, command: 65_535n, errorDetails })?.command).toBe(65_535);
});

const id = `0x${"ab".repeat(32)}`;
const ticket = `0x${"cd".repeat(32)}`;
const none: Details = { oneofKind: undefined };
const size: Details = { oneofKind: "sizeError", sizeError: { size: 2n ** 64n - 1n, maxSize: 5n } };
const argument = (kind: number, at?: GrpcTypes.IndexError): Details => ({
  oneofKind: "commandArgumentError",
  commandArgumentError: { argument: 3, kind, ...(at && { indexError: at }) },
});
const upgrade = (packageUpgradeError: GrpcTypes.PackageUpgradeError): Details => ({
  oneofKind: "packageUpgradeError",
  packageUpgradeError,
});

/** As Rust writes the types of sui-types `execution_status.rs` with `{:?}`. */
const others: readonly (readonly [number, Details, string])[] = [
  [Kind.INVALID_GAS_OBJECT, none, "InvalidGasObject"],
  [Kind.INVARIANT_VIOLATION, none, "InvariantViolation"],
  [Kind.FEATURE_NOT_YET_SUPPORTED, none, "FeatureNotYetSupported"],
  [Kind.OBJECT_TOO_BIG, size, "MoveObjectTooBig { object_size: 18446744073709551615, max_object_size: 5 }"],
  [Kind.PACKAGE_TOO_BIG, size, "MovePackageTooBig { object_size: 18446744073709551615, max_object_size: 5 }"],
  [
    Kind.CIRCULAR_OBJECT_OWNERSHIP,
    { oneofKind: "objectId", objectId: id },
    `CircularObjectOwnership { object: ${id} }`,
  ],
  [Kind.COIN_BALANCE_OVERFLOW, none, "CoinBalanceOverflow"],
  [Kind.PUBLISH_ERROR_NON_ZERO_ADDRESS, none, "PublishErrorNonZeroAddress"],
  [Kind.SUI_MOVE_VERIFICATION_ERROR, none, "SuiMoveVerificationError"],
  [Kind.MOVE_PRIMITIVE_RUNTIME_ERROR, none, "MovePrimitiveRuntimeError(MoveLocationOpt(None))"],
  [
    Kind.MOVE_ABORT,
    {
      oneofKind: "abort",
      abort: { abortCode: 0n, location: { package: "0x2", module: "coin", function: 0, instruction: 1 } },
    },
    `MoveAbort(MoveLocation { module: ModuleId { address: ${"2".padStart(64, "0")}, name: Identifier("coin") }, function: 0, instruction: 1, function_name: None }, 0)`,
  ],
  [Kind.VM_INVARIANT_VIOLATION, none, "VMInvariantViolation"],
  [Kind.TYPE_ARITY_MISMATCH, none, "TypeArityMismatch"],
  [
    Kind.COMMAND_ARGUMENT_ERROR,
    argument(ArgumentKind.INDEX_OUT_OF_BOUNDS, { index: 5 }),
    "CommandArgumentError { arg_idx: 3, kind: IndexOutOfBounds { idx: 5 } }",
  ],
  [
    Kind.COMMAND_ARGUMENT_ERROR,
    argument(ArgumentKind.INVALID_RESULT_ARITY, { index: 5 }),
    "CommandArgumentError { arg_idx: 3, kind: InvalidResultArity { result_idx: 5 } }",
  ],
  ...(
    [
      [ArgumentKind.INVALID_ARGUMENT_TO_PRIVATE_ENTRY_FUNCTION, "InvalidArgumentToPrivateEntryFunction"],
      [ArgumentKind.INVALID_GAS_COIN_USAGE, "InvalidGasCoinUsage"],
      [ArgumentKind.INVALID_OBJECT_BY_VALUE, "InvalidObjectByValue"],
      [ArgumentKind.INVALID_OBJECT_BY_MUT_REF, "InvalidObjectByMutRef"],
      [ArgumentKind.CONSENSUS_OBJECT_OPERATION_NOT_ALLOWED, "SharedObjectOperationNotAllowed"],
      [ArgumentKind.INVALID_ARGUMENT_ARITY, "InvalidArgumentArity"],
      [ArgumentKind.INVALID_TRANSFER_OBJECT, "InvalidTransferObject"],
      [ArgumentKind.INVALID_MAKE_MOVE_VEC_NON_OBJECT_ARGUMENT, "InvalidMakeMoveVecNonObjectArgument"],
      [ArgumentKind.ARGUMENT_WITHOUT_VALUE, "ArgumentWithoutValue"],
      [ArgumentKind.CANNOT_MOVE_BORROWED_VALUE, "CannotMoveBorrowedValue"],
      [ArgumentKind.CANNOT_WRITE_TO_EXTENDED_REFERENCE, "CannotWriteToExtendedReference"],
      [ArgumentKind.INVALID_REFERENCE_ARGUMENT, "InvalidReferenceArgument"],
    ] as const
  ).map(
    ([kind, name]) =>
      [Kind.COMMAND_ARGUMENT_ERROR, argument(kind), `CommandArgumentError { arg_idx: 3, kind: ${name} }`] as const,
  ),
  [
    Kind.TYPE_ARGUMENT_ERROR,
    { oneofKind: "typeArgumentError", typeArgumentError: { typeArgument: 1, kind: TypeKind.TYPE_NOT_FOUND } },
    "TypeArgumentError { argument_idx: 1, kind: TypeNotFound }",
  ],
  [
    Kind.TYPE_ARGUMENT_ERROR,
    { oneofKind: "typeArgumentError", typeArgumentError: { typeArgument: 0, kind: TypeKind.CONSTRAINT_NOT_SATISFIED } },
    "TypeArgumentError { argument_idx: 0, kind: ConstraintNotSatisfied }",
  ],
  [
    Kind.INVALID_PUBLIC_FUNCTION_RETURN_TYPE,
    { oneofKind: "indexError", indexError: { index: 4 } },
    "InvalidPublicFunctionReturnType { idx: 4 }",
  ],
  [Kind.INVALID_TRANSFER_OBJECT, none, "InvalidTransferObject"],
  [Kind.EFFECTS_TOO_LARGE, size, "EffectsTooLarge { current_size: 18446744073709551615, max_size: 5 }"],
  [Kind.PUBLISH_UPGRADE_MISSING_DEPENDENCY, none, "PublishUpgradeMissingDependency"],
  [Kind.PUBLISH_UPGRADE_DEPENDENCY_DOWNGRADE, none, "PublishUpgradeDependencyDowngrade"],
  [
    Kind.PACKAGE_UPGRADE_ERROR,
    upgrade({ kind: UpgradeKind.UNABLE_TO_FETCH_PACKAGE, packageId: id }),
    `PackageUpgradeError { upgrade_error: UnableToFetchPackage { package_id: ${id} } }`,
  ],
  [
    Kind.PACKAGE_UPGRADE_ERROR,
    upgrade({ kind: UpgradeKind.NOT_A_PACKAGE, packageId: id }),
    `PackageUpgradeError { upgrade_error: NotAPackage { object_id: ${id} } }`,
  ],
  [
    Kind.PACKAGE_UPGRADE_ERROR,
    upgrade({ kind: UpgradeKind.INCOMPATIBLE_UPGRADE }),
    "PackageUpgradeError { upgrade_error: IncompatibleUpgrade }",
  ],
  [
    Kind.PACKAGE_UPGRADE_ERROR,
    upgrade({ kind: UpgradeKind.DIGEST_DOES_NOT_MATCH, digest: toBase58(Uint8Array.of(0, 7, 255)) }),
    "PackageUpgradeError { upgrade_error: DigestDoesNotMatch { digest: [0, 7, 255] } }",
  ],
  [
    Kind.PACKAGE_UPGRADE_ERROR,
    upgrade({ kind: UpgradeKind.UNKNOWN_UPGRADE_POLICY, policy: 9 }),
    "PackageUpgradeError { upgrade_error: UnknownUpgradePolicy { policy: 9 } }",
  ],
  [
    Kind.PACKAGE_UPGRADE_ERROR,
    upgrade({ kind: UpgradeKind.PACKAGE_ID_DOES_NOT_MATCH, packageId: id, ticketId: ticket }),
    `PackageUpgradeError { upgrade_error: PackageIDDoesNotMatch { package_id: ${id}, ticket_id: ${ticket} } }`,
  ],
  [Kind.WRITTEN_OBJECTS_TOO_LARGE, size, "WrittenObjectsTooLarge { current_size: 18446744073709551615, max_size: 5 }"],
  [Kind.CERTIFICATE_DENIED, none, "CertificateDenied"],
  [Kind.SUI_MOVE_VERIFICATION_TIMEDOUT, none, "SuiMoveVerificationTimedout"],
  [Kind.CONSENSUS_OBJECT_OPERATION_NOT_ALLOWED, none, "SharedObjectOperationNotAllowed"],
  [Kind.INPUT_OBJECT_DELETED, none, "InputObjectDeleted"],
  [
    Kind.EXECUTION_CANCELED_DUE_TO_CONSENSUS_OBJECT_CONGESTION,
    { oneofKind: "congestedObjects", congestedObjects: { objects: [id, ticket] } },
    `ExecutionCancelledDueToSharedObjectCongestion { congested_objects: CongestedObjects([${id}, ${ticket}]) }`,
  ],
  [
    Kind.ADDRESS_DENIED_FOR_COIN,
    { oneofKind: "coinDenyListError", coinDenyListError: { address: id, coinType: "0x5::c::C" } },
    `AddressDeniedForCoin { address: ${id}, coin_type: "0x5::c::C" }`,
  ],
  [
    Kind.COIN_TYPE_GLOBAL_PAUSE,
    { oneofKind: "coinDenyListError", coinDenyListError: { coinType: "0x5::c::C" } },
    'CoinTypeGlobalPause { coin_type: "0x5::c::C" }',
  ],
  [Kind.EXECUTION_CANCELED_DUE_TO_RANDOMNESS_UNAVAILABLE, none, "ExecutionCancelledDueToRandomnessUnavailable"],
  [
    Kind.MOVE_VECTOR_ELEM_TOO_BIG,
    size,
    "MoveVectorElemTooBig { value_size: 18446744073709551615, max_scaled_size: 5 }",
  ],
  [Kind.MOVE_RAW_VALUE_TOO_BIG, size, "MoveRawValueTooBig { value_size: 18446744073709551615, max_scaled_size: 5 }"],
  [Kind.INVALID_LINKAGE, none, "InvalidLinkage"],
  [Kind.INSUFFICIENT_FUNDS_FOR_WITHDRAW, none, "InsufficientFundsForWithdraw"],
  [
    Kind.NON_EXCLUSIVE_WRITE_INPUT_OBJECT_MODIFIED,
    { oneofKind: "objectId", objectId: id },
    `NonExclusiveWriteInputObjectModified { id: ${id} }`,
  ],
];

test.each(others)("kind %i with %o", (kind, errorDetails, text) => {
  expect(failureText({ kind, errorDetails, command: 0n })).toBe(`${text} in command 0`);
  expect(failureText({ kind, errorDetails })).toBe(text);
});

test("every kind that the node's API has is told", () => {
  const told = new Set([...others.map(([kind]) => kind), ...vectors.map(({ grpcStatus }) => grpcStatus.error.kind)]);
  const kinds = Object.values(Kind).filter((kind) => typeof kind === "number");
  expect(kinds.filter((kind) => !told.has(kind))).toEqual([0]);
});

describe("what the node does not say in parts is told in its description:", () => {
  const description = "Something new. in command 4";
  test.each([
    ["a kind of a later release", { kind: 99 as GrpcTypes.ExecutionError_ExecutionErrorKind, errorDetails: none }],
    ["no kind", { errorDetails: none }],
    [
      "an abort without a place",
      { kind: Kind.MOVE_ABORT, errorDetails: { oneofKind: "abort", abort: { abortCode: 1n } } },
    ],
    [
      "a size without a limit",
      { kind: Kind.EFFECTS_TOO_LARGE, errorDetails: { oneofKind: "sizeError", sizeError: { size: 1n } } },
    ],
    [
      "details of another kind",
      { kind: Kind.EFFECTS_TOO_LARGE, errorDetails: { oneofKind: "objectId", objectId: id } },
    ],
  ] as const)("%s", (_, error) => {
    expect(failureText({ ...error, description, command: 4n })).toBe(description);
    expect(failureText({ ...error, command: 4n })).toBe("execution failed in command 4");
    expect(readAbort(error)).toBe(null);
  });

  test("no error at all", () => {
    expect(failureText(undefined)).toBe("execution failed");
  });
});
