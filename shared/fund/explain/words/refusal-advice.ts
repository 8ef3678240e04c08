import type { Reason } from "../../../errors.ts";
import type { AnsweredRefusal } from "./answer.ts";
import { textOf } from "./text-of.ts";

const REPEAT = "Repeat the call with the same Idempotency-Key: it cannot have an effect twice.";
const CALLER = "The caller has to mend the request.";

/** The next step after a refusal, by its reason. */
export const REFUSAL_ADVICE: Readonly<Record<Reason, string>> = {
  parse_error: `${CALLER} The body was no valid JSON.`,
  invalid_request: `${CALLER} The body was no JSON-RPC request.`,
  method_not_found: `${CALLER} The interface has no such method: compare the name and the path.`,
  bad_params: `${CALLER} The details name the field.`,
  dry_run_failed: "Nothing was charged. The app has to change what it calls: the details are the chain's own words.",
  gas_coin_used: `${CALLER} A sponsored transaction must not use the gas coin, because it is the fund's.`,
  sender_is_fund: `${CALLER} The sender must be the user's address, never the fund's.`,
  wrong_sender: `${CALLER} The transaction must name the wallet that signs as its sender.`,
  wrong_chain_id: `${CALLER} The transaction names another chain: build it for the network of the key.`,
  duplicate_signer: `${CALLER} Name each signer once.`,
  foreign_withdrawal: `${CALLER} The transaction takes money from an address balance that is not the sender's.`,
  non_canonical_bytes: `${CALLER} Encode the transaction with the chain's SDK, and send its bytes unchanged.`,
  unsupported_transaction: `${CALLER} Nobody sponsors a transaction of this form here.`,
  expired: `${CALLER} Build the transaction anew: its time is over.`,
  expiration_too_far: `${CALLER} Let the transaction expire within an hour, or sooner if the refusal says so.`,
  sequence_conflict: "Wait until the sender's other transaction has ended, then build this one anew.",
  gas_price_out_of_range: `${CALLER} Leave the gas price out, and the service sets it.`,
  gas_budget_out_of_range: `${CALLER} Leave the gas budget out, and a dry run sets it.`,
  bad_signature: "The user's wallet has to sign exactly the bytes that were prepared, with the sender's key.",
  unsupported_network: "Use a key of a network that this deployment serves, or configure nodes for the network.",
  policy_refused: "Change the rule if it refuses what you want to pay for. Otherwise the refusal did its work.",
  fund_paused: "Look at the fund: its page names the cause of the pause, and what ends it.",
  recovery_unconfirmed: "Confirm the withdrawal: name its address and its amount once more.",
  unknown_sponsorship: "Compare the digest with the answer of the sponsorship, and the fund with that of the key.",
  sponsorship_expired: "Ask for a new sponsorship. The user has to sign within its time.",
  unknown_wallet: "Compare the wallet id, or create the wallet first.",
  wallet_exists: "The wallet was there before: go on with it.",
  bad_session_token: "The app has to open a new session and repeat the call.",
  wrong_secret: "The secret is not that of this wallet. The app has to send the one that the wallet was made with.",
  export_disabled: "An owner may allow exports in the settings of the project.",
  unconvertible_export: "The export is not of this service, or it is damaged: export the wallet again.",

  bad_key: "Give the app a key that is active, or make this one active again if it was disabled by mistake.",
  wrong_region: "The key belongs to a deployment of another region: use that one's address.",
  wrong_network: "Give the app a key of this network.",
  missing_right: "Add the right to the key, or use another key.",
  browser_origin: "Call the service from a back end. A key in a browser is open to everybody.",

  node_refused: "The details are the node's own words. A transaction that is built anew may pass.",
  rate_limited: "Raise the limits of the key if its app needs more calls a second.",
  quota_reached: "Raise the wallets a month of the project, or wait for the next month.",
  already_initialized: "The account was there before: go on with it.",
  account_not_found: "The account does not exist on the chain yet: initialise it first.",
  node_unavailable: `Look at the nodes. ${REPEAT}`,
  overloaded: `It passes by itself. ${REPEAT}`,
  storage: `If it stays, look at the log of the service. ${REPEAT}`,
  storage_budget: "Raise limits.fundBytes of the fund, or lower limits.retentionDays.",
  key_service: `The details name the version, and GET /health says what to do. ${REPEAT}`,
  project_moved: "The project works on another deployment: send its calls there.",
  outcome_unknown: "Wait: the fund keeps looking, and this page shows the end once a node does.",
  idempotency_conflict: "The app has to use a new Idempotency-Key for a new request.",
  corrupt_record: "A stored record cannot be read: restore a backup, and keep the damaged state.",
  master_key_missing: "Add the named version to MASTER_KEYS.",
  wrong_master_key: "Put the right key back into MASTER_KEYS. Nothing is lost while it exists somewhere.",
  internal: "It is a fault of the service: search its log for the request id.",
  no_gas_object: "Wait some seconds. If it comes often, the fund has too few free coins: deposit more.",
  balance_too_low: "Deposit into the fund.",
};

/** The rules that a call itself names. */
const OF_THE_CALL: readonly string[] = ["allowedAddresses", "allowedMoveCallTargets"];

/** Returns the next step after a refusal. A reason of a newer build gets the general one. */
export function adviceOnRefusal({ reason, rule, policy }: Pick<AnsweredRefusal, "reason" | "rule" | "policy">): string {
  if (reason === "policy_refused" && rule !== null && OF_THE_CALL.includes(rule))
    return `The call itself allowed less than its transaction does. If the app wants it, its back end has to widen ${rule}.`;
  if (reason === "policy_refused" && rule !== null)
    return `If you want to pay for it, change ${rule} in the policy of the ${policy ?? "fund or key"}. Otherwise the rule did its work.`;
  return textOf(REFUSAL_ADVICE, reason) ?? "The details say what the service expected.";
}
