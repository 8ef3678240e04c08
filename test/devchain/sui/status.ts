/** gRPC status codes (https://grpc.io/docs/guides/status-codes/), the ones that a full node gives. */
export const GrpcCode = {
  INVALID_ARGUMENT: 3,
  NOT_FOUND: 5,
  FAILED_PRECONDITION: 9,
  ABORTED: 10,
  UNIMPLEMENTED: 12,
  INTERNAL: 13,
  UNAVAILABLE: 14,
} as const;

export type GrpcCode = (typeof GrpcCode)[keyof typeof GrpcCode];

/**
 * The answer of a refused call. It is thrown, as the node's handlers return it with `?`: a refusal
 * may come up deep inside a check and always ends the whole call.
 */
export class GrpcStatus extends Error {
  readonly code: GrpcCode;

  constructor(code: GrpcCode, message: string) {
    super(message);
    this.code = code;
  }
}

export function invalidArgument(message: string): GrpcStatus {
  return new GrpcStatus(GrpcCode.INVALID_ARGUMENT, message);
}

export function notFound(message: string): GrpcStatus {
  return new GrpcStatus(GrpcCode.NOT_FOUND, message);
}

/**
 * A transaction that the validators refuse, worded as sui-rpc-api's error.rs does for
 * `NonRecoverableTransactionError`; `reason` is the text of a `UserInputError` of sui-types.
 */
export function transactionRefused(reason: string): GrpcStatus {
  return invalidArgument(
    "Transaction execution failed due to issues with transaction inputs, " +
      `please review the errors and try again: ${reason}.`,
  );
}

/** A transaction outside of its epochs; sui-types error.rs: `SuiErrorKind::TransactionExpired`. */
export function transactionExpired(): GrpcStatus {
  return transactionRefused("Transaction Expired");
}
