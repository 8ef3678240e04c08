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
 * The answer about a transaction that is refused for what it is. A simulation words it in its own way (sui-node 1.62,
 * recorded): INTERNAL, and the reason as a `UserInputError` of sui-types is displayed.
 */
export class TransactionRefusal extends GrpcStatus {
  readonly ofSimulation: GrpcStatus;

  constructor(message: string, simulated: string) {
    super(GrpcCode.INVALID_ARGUMENT, message);
    this.ofSimulation = new GrpcStatus(GrpcCode.INTERNAL, simulated);
  }
}

/** A transaction whose inputs a node refuses; `reason` is the text of a `UserInputError` of sui-types. */
export function transactionRefused(reason: string): TransactionRefusal {
  const message = `Error checking transaction input objects: ${reason}`;
  return new TransactionRefusal(message, message);
}

/**
 * A transaction that is not valid whatever the state of the chain, worded as sui-rpc-api's error.rs does for
 * `NonRecoverableTransactionError`; `reason` is the text of a `UserInputError` of sui-types.
 */
export function transactionInvalid(reason: string): TransactionRefusal {
  return new TransactionRefusal(invalidText(reason), `Error checking transaction input objects: ${reason}`);
}

/** An input that the chain does not have, or not yet: a simulation is refused, an execution waits for it. */
export class MissingInput extends TransactionRefusal {
  constructor(reason: string) {
    const { message } = transactionRefused(reason);
    super(message, message);
  }
}

/** A transaction outside of its epochs; sui-types error.rs: `SuiErrorKind::TransactionExpired`. */
export function transactionExpired(): TransactionRefusal {
  return new TransactionRefusal(invalidText("Transaction Expired"), "Transaction Expired");
}

function invalidText(reason: string): string {
  return (
    "Transaction execution failed due to issues with transaction inputs, " +
    `please review the errors and try again: ${reason}.`
  );
}
