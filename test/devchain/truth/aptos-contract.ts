import { type AptosExchange, aptosExchanges } from "./aptos-exchanges.ts";
import { createAptosKeys } from "./aptos-keys.ts";
import { manyAtOnce, rulesFor } from "./aptos-rules.ts";
import { learnSigners, transactionAgain } from "./aptos-transactions.ts";
import { type Compared, compareCase, type LeftOut, NEEDS_FUNDS, type Replay, readable } from "./cases.ts";
import { compare } from "./compare.ts";
import { createNames, isId } from "./names.ts";

const APT = 100_000_000n;
const JSON_TYPE = "application/json";
/** Long enough for a block. */
const BLOCK_MS = 300;
const STARTING = 503;
const US_PER_SECOND = 1_000_000;

/** What is asked: the development chain, or a node. */
export interface AptosTarget {
  /** The path follows `/v1`. */
  call(method: string, path: string, init: RequestInit): Promise<Response>;
  /** Absent at a node by URL: then only those cases are asked that need no funds. */
  readonly chain?: {
    fund(address: string, octas: bigint): Promise<void>;
    nowSeconds(): number;
    /** Time passes at no other moment, so that what waits is still waiting when it is asked for. */
    pass(ms: number): void;
  };
}

/** Who was paid how much, before which exchange. */
const FUNDED: readonly (readonly [number, string, bigint])[] = [
  [0, "0x330a", APT],
  [0, "0x852a", 10n * APT],
  [93, "0x5625", APT],
  [99, "0xd51a", APT],
  [116, "0x7306", 100n * APT],
  [146, "0x8097", 100n * APT],
  [166, "0xff25", 1_000n * APT],
];
const VERSION_HEADER = "x-aptos-ledger-version";
/**
 * From here on many users were served at once. The node showed late what it had executed, and whose transaction came
 * first is not recorded: what the one payer has left goes by that.
 */
const MANY_AT_ONCE = 167;
/** Addresses and hashes that stand for nothing on any chain. */
const NOTHING = new Set([
  ...["99", "88", "77"].map((byte) => `0x${byte.repeat(32)}`),
  "0xfc77a1b21e046a7b7cb363109e344726bb034ef54f373aa569b43e8068febb1b",
]);

/** A chain of a million blocks has what the recorded one had not, and may have forgotten its beginning. */
const BY_AGE = /\/blocks\/by_height\/|\/transactions\/by_version\/\d|\/transactions\?start=\d|ledger_version=\d{7,9}$/;

interface Answer {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly type: string | undefined;
  readonly body: unknown;
}

/** Why a question is not for a node of any network. Null: it is. */
export function reasonToLeaveOut(path: string, recordedStatus: number): string | null {
  if (BY_AGE.test(path)) return "goes by the age of the chain";
  return recordedStatus === STARTING ? "the recorded node was just starting" : null;
}

/** Asks every recorded question again, in the recorded order, on a chain that was set up in the same way. */
export async function askAptosAgain(target: AptosTarget): Promise<Replay> {
  const { call, chain } = target;
  const rules = rulesFor(target);
  const names = createNames();
  const keys = createAptosKeys(names);
  const exchanges = aptosExchanges();
  let recordedSeconds = 0;
  let newestRecorded = 0;

  for (const { request } of exchanges.filter(isTransaction)) learnSigners(keys, request.body);

  async function fundBefore(index: number): Promise<void> {
    for (const [before, start, octas] of FUNDED) {
      if (before !== index || chain === undefined) continue;
      await chain.fund(names.translate(recordedAddress(exchanges, start)), octas);
      chain.pass(BLOCK_MS);
    }
  }

  function bodyOf(exchange: AptosExchange): string | Uint8Array<ArrayBuffer> {
    const { body } = exchange.request;
    if (!isTransaction(exchange)) return names.translate(new TextDecoder().decode(body));
    const laterSeconds = BigInt((chain?.nowSeconds() ?? 0) - recordedSeconds);
    return transactionAgain(names, keys, body, laterSeconds);
  }

  async function latest(): Promise<string> {
    const response = await call("GET", "/", { method: "GET" });
    return response.headers.get(VERSION_HEADER) ?? "0";
  }

  /** The version that stands for a recorded one. A recorded node that had begun anew was far behind for a while. */
  async function versionAt(recorded: number): Promise<string> {
    return chain !== undefined && recorded < newestRecorded ? "0" : latest();
  }

  async function ask(exchange: AptosExchange): Promise<Answer> {
    const { method, request } = exchange;
    const translated = names.translate(exchange.path.slice("/v1".length));
    const [, version] = /ledger_version=(\d{1,6})$/.exec(translated) ?? [];
    const path = version === undefined ? translated : translated.replace(/\d+$/, await versionAt(Number(version)));
    const contentType = request.headers["content-type"];
    const response = await call(method, path, {
      method,
      headers: contentType === undefined ? {} : { "content-type": contentType },
      ...(method === "POST" && { body: bodyOf(exchange) }),
    });
    // The mempool keeps the order in which they came.
    if (isTransaction(exchange)) chain?.pass(1);
    const text = await response.text();
    return readable(() => aptosAnswer(response.status, Object.fromEntries(response.headers), text));
  }

  async function askWhenThere(exchange: AptosExchange, recorded: Answer): Promise<Answer> {
    const isWaited = exchange.path.includes("/wait_by_hash/") && isCommitted(recorded.body);
    if (isWaited || isTooOld(recorded.body)) chain?.pass(BLOCK_MS);
    const answer = await ask(exchange);
    if (chain === undefined || !isCommitted(recorded.body) || isCommitted(answer.body)) return answer;
    chain.pass(BLOCK_MS);
    return ask(exchange);
  }

  function whyNot(exchange: AptosExchange): string | null {
    if (chain !== undefined) return null;
    return needsFunds(exchange) ? NEEDS_FUNDS : reasonToLeaveOut(exchange.path, exchange.response.status);
  }

  const cases: Compared[] = [];
  const leftOut: LeftOut[] = [];
  for (const [index, exchange] of exchanges.entries()) {
    await fundBefore(index);
    const name = nameOf(index, exchange);
    const reason = whyNot(exchange);
    if (reason !== null) {
      leftOut.push({ name, reason });
      continue;
    }
    const { status, headers, body } = exchange.response;
    recordedSeconds = Math.floor(Number(headers["x-aptos-ledger-timestampusec"]) / US_PER_SECOND) || recordedSeconds;
    const recordedVersion = Number(headers[VERSION_HEADER] ?? 0);
    const recorded = aptosAnswer(status, headers, new TextDecoder().decode(body));
    const ended = await compareCase(name, requestText(exchange), async () => {
      const asked = await askWhenThere(exchange, recorded);
      const isLate = index >= MANY_AT_ONCE && recorded.status === 404 && asked.status === 200;
      return isLate
        ? []
        : compare(names, index < MANY_AT_ONCE ? rules : manyAtOnce(rules), recorded, asWaiting(recorded, asked));
    });
    cases.push(ended);
    newestRecorded = Math.max(newestRecorded, recordedVersion);
  }
  return { cases, leftOut };
}

function requestText({ method, path, request }: AptosExchange): string {
  return `${method} ${path} ${isBinary(request.body) ? `${request.body.length} bytes` : new TextDecoder().decode(request.body)}`;
}

function isBinary(body: Uint8Array): boolean {
  return body.some((byte) => byte < 9 || byte > 126);
}

function nameOf(index: number, { method, path }: AptosExchange): string {
  return `${index} ${method} ${path.slice("/v1".length).replace(/0x[0-9a-f]{20,64}/g, ":id") || "/"}`;
}

export function aptosAnswer(status: number, headers: Readonly<Record<string, string>>, text: string): Answer {
  return {
    status,
    headers: Object.fromEntries(Object.entries(headers).filter(([name]) => name.startsWith("x-aptos-"))),
    type: headers["content-type"],
    body: JSON.parse(text),
  };
}

function isTransaction({ method, path, request }: AptosExchange): boolean {
  const isSubmission = method === "POST" && /^\/v1\/transactions(?:\/simulate)?$/.test(path);
  return isSubmission && request.headers["content-type"] !== JSON_TYPE && request.body.length > 0;
}

function isTooOld(body: unknown): boolean {
  return /SEQUENCE_NUMBER_TOO_OLD/.test(String(Object(body).message));
}

function isCommitted(body: unknown): boolean {
  if (Array.isArray(body)) return body.length > 0;
  return typeof body === "object" && body !== null && "hash" in body && "version" in body;
}

/** A transaction that is executed by now, as it was while it waited. */
function asWaiting(recorded: Answer, asked: Answer): Answer {
  const { type } = Object(recorded.body);
  if (type !== "pending_transaction" || !isCommitted(asked.body)) return asked;
  const kept = Object.entries(Object(asked.body)).filter(([name]) => name in Object(recorded.body));
  return { ...asked, body: { ...Object.fromEntries(kept), type } };
}

/** The one address in the recording that starts like this. */
function recordedAddress(exchanges: readonly AptosExchange[], start: string): string {
  const pattern = new RegExp(`${start}[0-9a-f]{60}`);
  for (const { path, request, response } of exchanges)
    for (const text of [path, ...[request.body, response.body].map((body) => new TextDecoder().decode(body))]) {
      const found = pattern.exec(text);
      if (found !== null) return found[0];
    }
  throw new Error(`no recorded address starts with ${start}`);
}

/** Whether a question is about somebody's funds, or a transaction. */
function needsFunds(exchange: AptosExchange): boolean {
  const { path, request } = exchange;
  if (/\/transactions(?:\/simulate)?$/.test(path) && request.body.length > 3) return true;
  const ids = `${path} ${new TextDecoder().decode(request.body)}`.match(/0x[0-9a-f]{20,64}/g) ?? [];
  return ids.some((id) => isId(id) && !NOTHING.has(id));
}
