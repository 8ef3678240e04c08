import { readBoundedText } from "../http/bounded-text.ts";
import { retryAfterMs } from "../http/retry-after.ts";
import { sleep, unlessAborted } from "../waits.ts";

/** A transaction may have 64 KiB in BCS. Its JSON is several times as long. */
const MAX_REPLY_BYTES = 1_048_576;
const MAX_MESSAGE_CHARACTERS = 4_096;
const DEFAULT_TIMEOUT_MS = 30_000;
const DEFAULT_RETRIES = 2;
const FIRST_WAIT_MS = 250;
/** The longest sleep of the submitter. For a longer wait, the caller gets the error and decides. */
const MAX_WAIT_MS = 5_000;
const HASH = /^0x[0-9a-f]{64}$/;
/** Statuses of a proxy: too many calls, or no service behind it. */
const REPEATED_STATUSES = new Set([429, 502, 503, 504]);
/** Refusals of the service that pass by themselves. */
const REPEATED_REASONS = new Set([
  "rate_limited",
  "overloaded",
  "node_unavailable",
  "storage",
  "key_service",
  "outcome_unknown",
]);
const NO_ANSWER = "no_answer";
const OUTCOME_UNKNOWN = "outcome_unknown";

/** A value of the SDK that encodes itself as BCS. */
export interface BcsValue {
  bcsToBytes(): Uint8Array;
}

/** A `SimpleTransaction` or a `MultiAgentTransaction` of the SDK. */
export interface AptosTransaction extends BcsValue {
  readonly rawTransaction: {
    readonly sender: { toString(): string };
    readonly sequence_number: bigint;
    readonly max_gas_amount: bigint;
    readonly gas_unit_price: bigint;
    readonly expiration_timestamp_secs: bigint;
  };
  readonly feePayerAddress?: unknown;
}

/** The values that the SDK passes to a submitter. */
export interface AptosSubmission {
  readonly transaction: AptosTransaction;
  readonly senderAuthenticator: BcsValue;
  readonly additionalSignersAuthenticators?: readonly BcsValue[] | undefined;
}

/** The transaction while it waits for its execution: the SDK's `PendingTransactionResponse`. */
export interface PendingAptosTransaction {
  readonly type: string;
  readonly hash: string;
  readonly sender: string;
  readonly sequence_number: string;
  readonly max_gas_amount: string;
  readonly gas_unit_price: string;
  readonly expiration_timestamp_secs: string;
  /** As the node shows it. */
  readonly payload: object;
}

/** Settings of a submitter. */
export interface AptosSubmitterOptions {
  /** The URL of the interface: `https://gasworks.example.com/gs/v1`. */
  readonly url: string;
  /** The access key. Leave it out if `url` is your own back end, which adds the key. */
  readonly key?: string;
  /** Replaces the global `fetch`. */
  readonly fetch?: (url: string, init: RequestInit) => Promise<Response>;
  /** The longest duration of one submission, with its repeats. */
  readonly timeoutMs?: number;
  /** The most repeats of a submission. 0 means none. */
  readonly retries?: number;
}

/** A submitter for the seam of the SDK. */
export interface AptosSubmitter {
  /**
   * Has the fund sign as fee payer, and submits.
   *
   * @typeParam Pending the SDK's own type of the same value. It names an enum, which this file does not import.
   * @throws AptosSubmitError
   */
  submitTransaction<Pending = PendingAptosTransaction>(submission: AptosSubmission): Promise<Pending>;
}

/** Reports a submission without a hash. The service's own reason shows whether a repeat helps. */
export class AptosSubmitError extends Error {
  /**
   * The service's reason, such as `policy_refused` or `sequence_conflict`. `no_answer` and `outcome_unknown`: the
   * transaction may have been submitted. The same transaction is safe to submit again.
   */
  readonly reason: string;
  /** The HTTP status. Null if there was no answer. */
  readonly status: number | null;
  readonly data: Readonly<Record<string, unknown>>;

  constructor(message: string, reason: string, status: number | null, data: Readonly<Record<string, unknown>> = {}) {
    super(message);
    this.name = "AptosSubmitError";
    this.reason = reason;
    this.status = status;
    this.data = data;
  }
}

/** One try of a submission. */
type Tried =
  | { readonly hash: string; readonly payload: object }
  | { readonly error: AptosSubmitError; readonly waitMs: number | null };

function isRecord(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

function parsed(text: string): Readonly<Record<string, unknown>> {
  try {
    const value: unknown = JSON.parse(text);
    return isRecord(value) ? value : {};
  } catch {
    return {};
  }
}

function noAnswer(details: string, status: number | null = null): AptosSubmitError {
  return new AptosSubmitError(`${details}: submit the same transaction again`, NO_ANSWER, status);
}

/** Reads a reply, which is hostile input. */
function readReply({ ok, status, headers }: Response, text: string): Tried {
  const body = parsed(text);
  if (ok) {
    const { transactionHash: hash, pendingTransaction: pending } = body;
    if (typeof hash !== "string" || !HASH.test(hash))
      return { error: noAnswer("the reply has no hash", status), waitMs: null };
    const payload = isRecord(pending) && isRecord(pending.payload) ? pending.payload : {};
    return { hash, payload };
  }
  const waitMs = retryAfterMs(headers, Date.now()) ?? 0;
  const { message, error_code: reason, data } = body;
  if (typeof message !== "string" || typeof reason !== "string")
    return {
      error: noAnswer(`HTTP ${status} without an error of the service`, status),
      waitMs: REPEATED_STATUSES.has(status) ? waitMs : null,
    };
  const error = new AptosSubmitError(
    message.slice(0, MAX_MESSAGE_CHARACTERS),
    reason,
    status,
    isRecord(data) ? data : {},
  );
  return { error, waitMs: REPEATED_REASONS.has(reason) ? waitMs : null };
}

/**
 * Creates a submitter for the plug-in seam of the Aptos SDK: `pluginSettings: { TRANSACTION_SUBMITTER }`. The fund of
 * the access key pays for each transaction, which must be built with `withFeePayer: true`.
 *
 * If the service is too busy or does not answer, waits and submits again. The same transaction has one sponsorship, so
 * a repeat is safe. Does not follow redirects, so that the key goes nowhere else.
 */
export function createAptosSubmitter(options: AptosSubmitterOptions): AptosSubmitter {
  const { key, timeoutMs = DEFAULT_TIMEOUT_MS, retries = DEFAULT_RETRIES } = options;
  const url = `${options.url.replace(/\/+$/, "")}/api/transaction/signAndSubmit`;
  const send = options.fetch ?? ((to: string, init: RequestInit) => fetch(to, init));
  const headers = { "content-type": "application/json", ...(key !== undefined && { authorization: `Bearer ${key}` }) };

  async function exchange(body: string, signal: AbortSignal) {
    const response = await send(url, { method: "POST", headers, body, redirect: "manual", signal });
    return { response, text: await readBoundedText(response.body, MAX_REPLY_BYTES) };
  }

  async function once(body: string, signal: AbortSignal): Promise<Tried> {
    try {
      const { response, text } = await unlessAborted(signal, exchange(body, signal));
      return readReply(response, text ?? "");
    } catch (error) {
      if (signal.aborted) return { error: noAnswer(`no answer within ${timeoutMs} ms`), waitMs: null };
      return { error: noAnswer(error instanceof Error ? error.message : "the connection failed"), waitMs: 0 };
    }
  }

  return {
    async submitTransaction<Pending = PendingAptosTransaction>(submission: AptosSubmission): Promise<Pending> {
      const { transaction, senderAuthenticator, additionalSignersAuthenticators } = submission;
      if (transaction.feePayerAddress === undefined)
        throw new AptosSubmitError(
          "the transaction has no fee payer: build it with withFeePayer: true",
          "bad_params",
          null,
        );
      const body = JSON.stringify({
        transactionBytes: numbersOf(transaction),
        senderAuth: numbersOf(senderAuthenticator),
        additionalSignersAuth: additionalSignersAuthenticators?.map(numbersOf),
      });
      const signal = AbortSignal.timeout(timeoutMs);
      const deadlineMs = Date.now() + timeoutMs;
      let lost: AptosSubmitError | null = null;
      for (let repeated = 0; ; repeated++) {
        const tried = await once(body, signal);
        if (!("error" in tried)) return pendingOf(transaction, tried) as Pending;
        const { error, waitMs } = tried;
        // The refusal of a repeat proves nothing about an earlier try without an answer.
        const shown = lost === null || error.reason === OUTCOME_UNKNOWN ? error : lost;
        if (waitMs === null || repeated >= retries) throw shown;
        const pauseMs = waitMs + FIRST_WAIT_MS * 2 ** repeated * (0.5 + Math.random() / 2);
        if (pauseMs > MAX_WAIT_MS || Date.now() + pauseMs >= deadlineMs) throw shown;
        if (error.reason === NO_ANSWER) lost ??= error;
        await sleep(pauseMs);
      }
    },
  };
}

function numbersOf(value: BcsValue): readonly number[] {
  return Array.from(value.bcsToBytes());
}

/** Takes from the service only the fields that the caller cannot know. */
function pendingOf(
  { rawTransaction }: AptosTransaction,
  { hash, payload }: Pick<PendingAptosTransaction, "hash" | "payload">,
): PendingAptosTransaction {
  const { sender, sequence_number, max_gas_amount, gas_unit_price, expiration_timestamp_secs } = rawTransaction;
  return {
    type: "pending_transaction",
    hash,
    sender: sender.toString(),
    sequence_number: sequence_number.toString(),
    max_gas_amount: max_gas_amount.toString(),
    gas_unit_price: gas_unit_price.toString(),
    expiration_timestamp_secs: expiration_timestamp_secs.toString(),
    payload,
  };
}
