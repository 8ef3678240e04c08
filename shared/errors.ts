import type { Failure, Result } from "./result.ts";

/**
 * Every refusal of the service, and its form on the JSON-RPC wire. Refusals are values. They travel from the place
 * that decides (a pure function or a Durable Object) to the edge. Only `rpcErrorOf` there turns them into an error
 * object. Faults (bugs, broken storage) throw and become `internal`.
 */
const wire = {
  parse_error: { code: -32700, message: "Parse error" },
  invalid_request: { code: -32600, message: "Invalid Request" },
  method_not_found: { code: -32601, message: "Method not found" },

  bad_params: { code: -32602, message: "Invalid params" },
  dry_run_failed: { code: -32602, message: "Invalid params" },
  gas_coin_used: { code: -32602, message: "Invalid params" },
  sender_is_fund: { code: -32602, message: "Invalid params" },
  wrong_sender: { code: -32602, message: "Invalid params" },
  wrong_chain_id: { code: -32602, message: "Invalid params" },
  duplicate_signer: { code: -32602, message: "Invalid params" },
  foreign_withdrawal: { code: -32602, message: "Invalid params" },
  non_canonical_bytes: { code: -32602, message: "Invalid params" },
  unsupported_transaction: { code: -32602, message: "Invalid params" },
  expired: { code: -32602, message: "Invalid params" },
  expiration_too_far: { code: -32602, message: "Invalid params" },
  sequence_conflict: { code: -32602, message: "Invalid params" },
  gas_price_out_of_range: { code: -32602, message: "Invalid params" },
  gas_budget_out_of_range: { code: -32602, message: "Invalid params" },
  bad_signature: { code: -32602, message: "Invalid params" },
  unsupported_network: { code: -32602, message: "Invalid params" },
  policy_refused: { code: -32602, message: "Invalid params" },
  fund_paused: { code: -32602, message: "Invalid params" },
  recovery_unconfirmed: { code: -32602, message: "Invalid params" },
  unknown_sponsorship: { code: -32602, message: "Invalid params" },
  sponsorship_expired: { code: -32602, message: "Invalid params" },
  unknown_wallet: { code: -32602, message: "Invalid params" },
  wallet_exists: { code: -32602, message: "Invalid params" },
  bad_session_token: { code: -32602, message: "Invalid params" },
  wrong_secret: { code: -32602, message: "Invalid params" },
  export_disabled: { code: -32602, message: "Invalid params" },
  unconvertible_export: { code: -32602, message: "Invalid params" },

  bad_key: { code: -32001, message: "Unauthorized" },
  wrong_region: { code: -32001, message: "Unauthorized" },
  wrong_network: { code: -32001, message: "Unauthorized" },
  missing_right: { code: -32001, message: "Unauthorized" },
  browser_origin: { code: -32003, message: "Forbidden" },

  node_refused: { code: -32002, message: "Transaction refused by the node" },
  rate_limited: { code: -32010, message: "Too many requests" },
  quota_reached: { code: -32012, message: "Monthly wallet creations reached" },
  already_initialized: { code: -32013, message: "Already initialized on chain" },
  account_not_found: { code: -32014, message: "Account not found on chain" },
  node_unavailable: { code: -32016, message: "Temporarily unavailable" },
  overloaded: { code: -32016, message: "Temporarily unavailable" },
  storage: { code: -32016, message: "Temporarily unavailable" },
  storage_budget: { code: -32016, message: "Temporarily unavailable" },
  project_moved: { code: -32016, message: "Temporarily unavailable" },
  key_service: { code: -32016, message: "Temporarily unavailable" },
  outcome_unknown: { code: -32017, message: "Outcome unknown" },
  idempotency_conflict: { code: -32018, message: "Idempotency key reused" },
  corrupt_record: { code: -32603, message: "Internal error" },
  master_key_missing: { code: -32603, message: "Internal error" },
  wrong_master_key: { code: -32603, message: "Internal error" },
  internal: { code: -32603, message: "Internal error" },
  no_gas_object: { code: -1, message: "No gas object available" },
  balance_too_low: { code: -2, message: "Fund balance too low" },
} as const satisfies Record<string, { code: number; message: string }>;

/** The reason of a refusal. Programs decide by it. */
export type Reason = keyof typeof wire;
/** All reasons. */
export const reasons = Object.keys(wire) as readonly Reason[];

/**
 * Client libraries search `details` for these texts and act on them. The first makes them open a new session and try
 * again. The second makes them take the wallet for created. No other refusal's details may contain either.
 */
export const BAD_SESSION_TOKEN = "Bad session token";
/** See `BAD_SESSION_TOKEN`. */
export const WALLET_EXISTS = "Wallet ID already exists";

/**
 * Reasons that only their texts identify. The deployed client libraries read `data` strictly. If it has any field
 * beside `details`, they find no text and do not act. See `errorDetails` in `rpc.js` of the npm package
 * @shinami/clients 0.9.8.
 */
const toldByText: ReadonlyMap<Reason, string> = new Map<Reason, string>([
  ["bad_session_token", BAD_SESSION_TOKEN],
  ["wallet_exists", WALLET_EXISTS],
]);

/**
 * The first words of the message with which an object ends after a failed commit. They begin the error that the calls
 * of that commit get, and the reason of its abort. Only the message of an abort reaches the caller, so the text
 * identifies it.
 */
export const STORAGE_FAILED = "storage failed: nothing was committed";

/** The first words of the error of a read that needs an archive of the fund which does not answer. */
export const ARCHIVE_SILENT = "an archive of the fund did not answer";

/** The first words of an error if the key service did not unwrap a master key. Nothing was sealed, opened or signed. */
export const KEY_SERVICE_FAILED = "the key service gave no master key";

/** The first words of the error of an object whose project has moved to another service, or is arriving. */
export const PROJECT_MOVED = "the project does not work here";

/**
 * A refusal as plain data, so that it crosses a Durable Object call unchanged. `details` is for people, `data` for
 * programs.
 */
export interface Refusal {
  readonly reason: Reason;
  readonly details: string;
  readonly data?: Readonly<Record<string, unknown>>;
  /** The policy that refused. The service keeps it, and no caller gets it. */
  readonly scope?: "fund" | "key";
}

/** The result of a call of the service: its value, or the refusal. */
export type Outcome<T> = Result<T, Refusal>;

/** Returns a value as an outcome. */
export function done<T>(value: T): Outcome<T> {
  return { ok: true, value };
}

/** Returns a refusal as an outcome. */
export function refuse(reason: Reason, details: string, data?: Readonly<Record<string, unknown>>): Failure<Refusal> {
  return { ok: false, error: data ? { reason, details, data } : { reason, details } };
}

/** The error object of JSON-RPC 2.0. */
export interface RpcError {
  readonly code: number;
  readonly message: string;
  readonly data: Readonly<Record<string, unknown>>;
}

/**
 * Returns the wire error. `message` has the code's fixed text. Stock clients read the explanation from `data.details`.
 */
export function rpcErrorOf({ reason, details, data }: Refusal): RpcError {
  const { code, message } = wire[reason];
  return { code, message, data: toldByText.has(reason) ? { details } : { details, reason, ...data } };
}

/** Returns the JSON-RPC code of a reason. */
export function codeOf(reason: Reason): number {
  return wire[reason].code;
}

/** The two codes that every service of this interface has, with one meaning each. */
const toldByCode: readonly Reason[] = ["rate_limited", "quota_reached"];

/** Returns the fixed `details` of a refusal that its text identifies. Null if its reason identifies it. */
export function textOfReason(reason: Reason): string | null {
  return toldByText.get(reason) ?? null;
}

/** Returns the reason of an error's text or code, for an error without `data.reason`. Null if they imply none. */
export function reasonWithoutData({
  code,
  details,
}: {
  readonly code: number;
  readonly details: string;
}): Reason | null {
  const byText = [...toldByText].find(([, text]) => text === details)?.[0];
  return byText ?? toldByCode.find((reason) => codeOf(reason) === code) ?? null;
}
