import type { Failure, Result } from "./result.ts";

/**
 * Every way in which the service says no, and how that looks on the JSON-RPC wire. Refusals are values that travel
 * from the place that decides (a pure function or a Durable Object) to the edge, where `rpcErrorOf` is the only
 * code that turns them into an error object. Faults (bugs, broken storage) throw and become `internal`.
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
  outcome_unknown: { code: -32017, message: "Outcome unknown" },
  idempotency_conflict: { code: -32018, message: "Idempotency key reused" },
  corrupt_record: { code: -32603, message: "Internal error" },
  master_key_missing: { code: -32603, message: "Internal error" },
  wrong_master_key: { code: -32603, message: "Internal error" },
  internal: { code: -32603, message: "Internal error" },
  no_gas_object: { code: -1, message: "No gas object available" },
  balance_too_low: { code: -2, message: "Fund balance too low" },
} as const satisfies Record<string, { code: number; message: string }>;

export type Reason = keyof typeof wire;

/**
 * Client libraries find these texts in `details` and act on them: after the first they make a new session and try again,
 * after the second they take the wallet for created. No other refusal's details may contain either.
 */
export const BAD_SESSION_TOKEN = "Bad session token";
export const WALLET_EXISTS = "Wallet ID already exists";

/**
 * Told by their texts alone: the deployed client libraries read `data` strictly, and where it has any field beside
 * `details` they find no text and do not act (`errorDetails` in `rpc.js` of the npm package @shinami/clients 0.9.8).
 */
const toldByText: ReadonlyMap<Reason, string> = new Map<Reason, string>([
  ["bad_session_token", BAD_SESSION_TOKEN],
  ["wallet_exists", WALLET_EXISTS],
]);

/**
 * How the message begins with which an object ends after a commit that failed: of what it throws to the calls of that
 * commit, or of the reason of its abort. Of an abort only the message reaches the caller, so that is what tells.
 */
export const STORAGE_FAILED = "storage failed: nothing was committed";

/** Plain data, so that it crosses a Durable Object call unchanged. `details` is for people, `data` for programs. */
export interface Refusal {
  readonly reason: Reason;
  readonly details: string;
  readonly data?: Readonly<Record<string, unknown>>;
}

/** Of a call of the service: its value, or why it was refused. */
export type Outcome<T> = Result<T, Refusal>;

export function done<T>(value: T): Outcome<T> {
  return { ok: true, value };
}

export function refuse(reason: Reason, details: string, data?: Readonly<Record<string, unknown>>): Failure<Refusal> {
  return { ok: false, error: data ? { reason, details, data } : { reason, details } };
}

export interface RpcError {
  readonly code: number;
  readonly message: string;
  readonly data: Readonly<Record<string, unknown>>;
}

/** The fixed text of the code goes to `message`; stock clients read the explanation from `data.details`. */
export function rpcErrorOf({ reason, details, data }: Refusal): RpcError {
  const { code, message } = wire[reason];
  return { code, message, data: toldByText.has(reason) ? { details } : { details, reason, ...data } };
}

export function codeOf(reason: Reason): number {
  return wire[reason].code;
}

/** The two codes that every service of this interface has, and that mean one thing each. */
const toldByCode: readonly Reason[] = ["rate_limited", "quota_reached"];

/** The fixed `details` of a refusal that is told by them; null: it is told by its reason. */
export function textOfReason(reason: Reason): string | null {
  return toldByText.get(reason) ?? null;
}

/** The reason that an error tells by its text or its code where `data.reason` does not; null: none. */
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
