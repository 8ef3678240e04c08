/** What a node answers when it does not do what it was asked (aptos-core api/types/src/error.rs). */
export type ErrorCode =
  | "resource_not_found"
  | "struct_field_not_found"
  | "module_not_found"
  | "version_not_found"
  | "transaction_not_found"
  | "block_not_found"
  | "version_pruned"
  | "block_pruned"
  | "invalid_input"
  | "invalid_transaction_update"
  | "vm_error"
  | "mempool_is_full"
  | "internal_error"
  | "web_framework_error"
  | "bcs_not_supported";

/** The statuses with which the VM refuses a transaction, and their numbers (move-core-types vm_status.rs). */
export const VALIDATION_STATUS = {
  INVALID_SIGNATURE: 1,
  INVALID_AUTH_KEY: 2,
  SEQUENCE_NUMBER_TOO_OLD: 3,
  SEQUENCE_NUMBER_TOO_NEW: 4,
  INSUFFICIENT_BALANCE_FOR_TRANSACTION_FEE: 5,
  TRANSACTION_EXPIRED: 6,
  SENDING_ACCOUNT_DOES_NOT_EXIST: 7,
  EXCEEDED_MAX_TRANSACTION_SIZE: 10,
  MAX_GAS_UNITS_EXCEEDS_MAX_GAS_UNITS_BOUND: 13,
  MAX_GAS_UNITS_BELOW_MIN_TRANSACTION_GAS_UNITS: 14,
  GAS_UNIT_PRICE_BELOW_MIN_BOUND: 15,
  GAS_UNIT_PRICE_ABOVE_MAX_BOUND: 16,
  BAD_CHAIN_ID: 23,
  SEQUENCE_NUMBER_TOO_BIG: 24,
  SECONDARY_KEYS_ADDRESSES_COUNT_MISMATCH: 27,
  SIGNERS_CONTAIN_DUPLICATES: 28,
  // The numbers of these two are modelled.
  NONCE_ALREADY_USED: 43,
  TRANSACTION_EXPIRATION_TOO_FAR_IN_FUTURE: 44,
} as const;

export type ValidationStatus = keyof typeof VALIDATION_STATUS;

/** What a refused read of something pruned says besides. */
interface PrunedHint {
  readonly hint: string;
  readonly oldest_ledger_version: string;
  readonly archival_endpoint: string;
}

export interface ErrorBody extends Partial<PrunedHint> {
  readonly message: string;
  readonly error_code: ErrorCode;
  readonly vm_error_code: number | null;
}

export class ApiError extends Error {
  override readonly name = "ApiError";
  readonly status: number;
  readonly body: ErrorBody;

  constructor(
    status: number,
    code: ErrorCode,
    message: string,
    vmCode: number | null = null,
    hint: Partial<PrunedHint> = {},
  ) {
    super(message);
    this.status = status;
    this.body = { message, error_code: code, vm_error_code: vmCode, ...hint };
  }
}

const HINT = "This node has pruned it. Its archival endpoint has the whole history.";

/** A version or a block below what the node has (aptos-core api/src/response.rs; the hint as ts-sdk 7.3 reads it). */
export function pruned(
  code: "version_pruned" | "block_pruned",
  what: string,
  { version, archivalEndpoint }: { readonly version: number; readonly archivalEndpoint: string | undefined },
): ApiError {
  const hint = archivalEndpoint === undefined ? {} : { hint: HINT, archival_endpoint: archivalEndpoint };
  return new ApiError(410, code, `${what} has been pruned`, null, { ...hint, oldest_ledger_version: String(version) });
}

export function invalidInput(message: string, vmCode: number | null = null): ApiError {
  return new ApiError(400, "invalid_input", message, vmCode);
}

/**
 * A part of the path, or a parameter of the query, that is not of its type: the web framework answers, not the API
 * (recorded).
 */
export function unparsable(place: "path" | "parameter", name: string, type: string, why: string): ApiError {
  const wanted = place === "path" ? "" : ` (occurred while parsing "optional<${type}>")`;
  const message = `failed to parse ${place} \`${name}\`: failed to parse "${type}": ${why}${wanted}`;
  return new ApiError(400, "web_framework_error", message);
}

/** A body that is not what it has to be: the web framework answers, not the API (recorded). */
export function unparsableBody(why: string): ApiError {
  return new ApiError(400, "web_framework_error", `parse request payload error: ${why}`);
}

export function vmError(status: ValidationStatus): ApiError {
  const message = `Invalid transaction: Type: Validation Code: ${status}`;
  return new ApiError(400, "vm_error", message, VALIDATION_STATUS[status]);
}

export function notFound(code: ErrorCode, what: string, by: string): ApiError {
  return new ApiError(404, code, `${what} not found by ${by}`);
}
