import { bcs } from "@mysten/sui/bcs";
import { fromBase64, fromHex, toBase64, toHex } from "@mysten/sui/utils";
import { type Compared, compareCase, type LeftOut, NEEDS_FUNDS, type Replay, readable } from "./cases.ts";
import { compare, type Rules } from "./compare.ts";
import { createNames, isId, type Names } from "./names.ts";
import { answerOf, requestType, type SuiAnswer } from "./sui-answers.ts";
import { type SuiExchange, suiExchanges } from "./sui-exchanges.ts";
import { createSuiKeys } from "./sui-keys.ts";

const SUI = 1_000_000_000n;
const ADDRESS_BYTES = 32;

/** What is asked: the development chain, or a node. */
export interface SuiTarget {
  /** Of a call to `sui.rpc.v2.<method>`. */
  call(method: string, body: Uint8Array<ArrayBuffer>): Promise<Response>;
  /** Absent at a node by URL: then only those cases are asked that need no funds. */
  readonly chain?: {
    fund(address: string, mist: bigint): Promise<void>;
    /** Transactions are admitted and not executed. */
    holdConsensus(held: boolean): Promise<void>;
    /** How many of them there are. */
    waiting(): Promise<number>;
    /** Time passes at no other moment, so that what lags behind is still behind when it is asked for. */
    pass(ms: number): void;
  };
}

/** The recorded accounts at the beginning, and the coins of each in MIST. */
const FUNDED: readonly (readonly [string, readonly bigint[]])[] = [
  ["0x13ea1d544e096f792361515e584db6f19f9e32c5309805709dab03aa4330449b", Array(2).fill(2n * SUI)],
  ["0x2270eef2c24c503f7de8861fa7df913db8cda0c10856d955a73f593056e35342", Array(6).fill(2n * SUI)],
];
/** Ids that stand for nothing on any chain. */
const NOTHING = new Set([
  `0x${"99".repeat(32)}`,
  `0x${"88".repeat(32)}`,
  "0x982daf4b26b1e0e4c587e7e133887f07671e0570cea380b97ad52bac1297eab7",
  "4uPUV38Rnyb3cJ3r7CM4N3cUzBjrJ3PUoJGQt2TzL1bt",
]);
/** Two transactions with one gas coin were sent at once: the loser is recorded first, and the winner at the number given. */
const AT_ONCE = new Map([[78, 79]]);

/** The first and the last of those that were asked before the node had shown what was executed last. */
const IN_QUICK_SUCCESSION: readonly (readonly [number, number])[] = [
  [10, 18],
  [49, 66],
  [70, 72],
  [87, 91],
];
/** Longer than a node lags behind. */
const SHOWN_MS = 1_000;

const FREE = [
  /^\.headers\./,
  /[vV]ersion$/,
  /\.(?:timestamp|timestampMs|checkpoint|checkpointHeight|sequenceNumber|server|nextPageToken|consensusStartVersion)$/,
  /\.(?:signature|publicKey|start|end|firstCheckpoint|previousTransaction|timestamp_ms|bitmap)$/,
  /^\.reply\.epoch\.(?:systemState|committee|epoch)/,
  /^\.reply\.epoch\.(?:start|end)/,
];
/** Of the epoch, what a client goes by. */
const EXACT = /\.(?:protocolVersion|referenceGasPrice)$/;
/** Each network has its own, and they change with its age. */
const OF_NETWORK = [
  /\.(?:chain|chainId|lowestAvailableCheckpoint|lowestAvailableCheckpointObjects)$/,
  /\.(?:protocolVersion|referenceGasPrice)$/,
  /\.(?:object|checkpoint)\.digest$/,
];
const UNORDERED =
  /\.(?:objects|changedObjects|unchangedConsensusObjects|dependencies|balanceChanges|validatorReportRecords)$/;

interface Reference {
  readonly objectId: string;
  readonly version: string;
  readonly digest: string;
}

/** Asks every recorded question again, in the recorded order, on a chain that was set up in the same way. */
export async function askSuiAgain(target: SuiTarget): Promise<Replay> {
  const names = createNames();
  const keys = createSuiKeys(names);
  const references = new Map<string, Reference>();
  const exchanges = suiExchanges();
  const rules = rulesOf(references, target.chain === undefined);

  async function setUp(chain: NonNullable<SuiTarget["chain"]>): Promise<void> {
    for (const { method, request } of exchanges)
      for (const signature of signaturesIn(method, request)) await keys.learn(fromBase64(signature));
    for (const [address, coins] of FUNDED) for (const mist of coins) await chain.fund(names.translate(address), mist);
  }

  async function requestOf({ method, request }: SuiExchange): Promise<Uint8Array> {
    const type = requestType(method);
    const json = Object(type.toJson(type.fromBinary(request)));
    const recorded: unknown = json.transaction?.bcs?.value;
    const translated = translate(names, references, json);
    if (typeof recorded === "string") {
      const bytes = transactionAgain(names, references, fromBase64(recorded));
      translated.transaction.bcs.value = toBase64(bytes);
      const signatures = signaturesIn(method, request);
      const again = await Promise.all(signatures.map((one) => keys.signAgain(one, fromBase64(recorded), bytes)));
      if (signatures.length > 0) translated.signatures = again.map((value) => ({ bcs: { value } }));
    }
    return type.toBinary(type.fromJson(translated as never));
  }

  async function ask(exchange: SuiExchange): Promise<SuiAnswer> {
    const response = await target.call(exchange.method, framed(await requestOf(exchange)));
    const body = new Uint8Array(await response.arrayBuffer());
    const headers = Object.fromEntries(response.headers);
    return readable(() => answerOf(exchange.method, response.status, headers, body));
  }

  function compared(index: number, asked: () => Promise<SuiAnswer>): Promise<Compared> {
    const exchange = at(exchanges, index);
    const recorded = answerOf(exchange.method, exchange.status, exchange.headers, exchange.body);
    return compareCase(nameOf(index, exchange), requestText(exchange), async () =>
      compare(names, rules, recorded, await asked()),
    );
  }

  const { chain } = target;
  if (chain !== undefined) await setUp(chain);
  const cases: Compared[] = [];
  const leftOut: LeftOut[] = [];
  const answered = new Map<number, SuiAnswer>();
  for (const [index, exchange] of exchanges.entries()) {
    if (chain === undefined && needsFunds(exchange)) {
      leftOut.push({ name: nameOf(index, exchange), reason: NEEDS_FUNDS });
      continue;
    }
    if (!IN_QUICK_SUCCESSION.some(([first, last]) => index >= first && index <= last)) chain?.pass(SHOWN_MS);
    const winner = AT_ONCE.get(index);
    if (winner !== undefined && chain !== undefined) {
      await chain.holdConsensus(true);
      const first = ask(at(exchanges, winner));
      await admitted(chain, 1);
      const second = ask(exchange);
      await admitted(chain, 2);
      await chain.holdConsensus(false);
      answered.set(winner, await first);
      answered.set(index, await second);
    }
    cases.push(await compared(index, async () => answered.get(index) ?? (await ask(exchange))));
  }
  return { cases, leftOut };
}

function nameOf(index: number, { method }: SuiExchange): string {
  return `${index} ${method}`;
}

function requestText({ method, request }: SuiExchange): string {
  const type = requestType(method);
  return `${method} ${JSON.stringify(type.toJson(type.fromBinary(request)))}`;
}

async function admitted({ waiting }: NonNullable<SuiTarget["chain"]>, count: number): Promise<void> {
  while ((await waiting()) < count) await new Promise((resolve) => setTimeout(resolve, 1));
}

function at<T>(all: readonly T[], index: number): T {
  const one = all[index];
  if (one === undefined) throw new Error(`no exchange ${index}`);
  return one;
}

function rulesOf(references: Map<string, Reference>, isAnyNetwork: boolean): Rules {
  const isOfNetwork = (path: string) => isAnyNetwork && OF_NETWORK.some((own) => own.test(path));
  return {
    isFree: (path) => isOfNetwork(path) || (FREE.some((free) => free.test(path)) && !EXACT.test(path)),
    keyOf: (path) => (UNORDERED.test(path) ? "" : null),
    // Versions of objects.
    mask: (text) => text.replace(/([vV]ersion:? )0x[0-9a-f]+/g, "$1<n>").replace(/k#[0-9a-f]{8}/g, "k#<id>"),
    learn: (recorded, asked) => {
      const [one, other] = [referenceIn(recorded), referenceIn(asked)];
      if (one !== null && other !== null) references.set(`${one.objectId}@${one.version}`, other);
    },
  };
}

function referenceIn(value: object): Reference | null {
  const { objectId, version, digest, outputVersion, outputDigest } = value as Readonly<Record<string, unknown>>;
  const [atVersion, withDigest] = [version ?? outputVersion, digest ?? outputDigest];
  if (typeof objectId !== "string" || typeof atVersion !== "string" || typeof withDigest !== "string") return null;
  return { objectId, version: atVersion, digest: withDigest };
}

function signaturesIn(method: string, request: Uint8Array): readonly string[] {
  const type = requestType(method);
  const { signatures = [] } = Object(type.toJson(type.fromBinary(request)));
  return signatures.map((signature: { readonly bcs: { readonly value: string } }) => signature.bcs.value);
}

/** Whether a question is about somebody's coins, or a transaction. */
function needsFunds({ method, request }: SuiExchange): boolean {
  if (/\/(?:Execute|Simulate)Transaction$/.test(method)) return true;
  const type = requestType(method);
  const ids = JSON.stringify(type.toJson(type.fromBinary(request))).match(/[0-9a-zA-Z]{32,}/g) ?? [];
  return ids.some((id) => isId(id) && !NOTHING.has(id));
}

// biome-ignore lint/suspicious/noExplicitAny: JSON of any message.
function translate(names: Names, references: ReadonlyMap<string, Reference>, value: unknown): any {
  if (typeof value === "string") return names.translate(value);
  if (Array.isArray(value)) return value.map((item) => translate(names, references, item));
  if (typeof value !== "object" || value === null || value instanceof Uint8Array) return value;
  const recorded = referenceIn(value);
  const known = recorded === null ? undefined : references.get(`${recorded.objectId}@${recorded.version}`);
  const entries = Object.entries(value).map(([name, inner]) => [name, translate(names, references, inner)]);
  return { ...Object.fromEntries(entries), ...known };
}

/** The same transaction, of the accounts and objects of the asked chain. What follows it in its bytes follows it again. */
function transactionAgain(
  names: Names,
  references: ReadonlyMap<string, Reference>,
  recorded: Uint8Array,
): Uint8Array<ArrayBuffer> {
  let data: ReturnType<typeof bcs.TransactionData.parse>;
  try {
    data = bcs.TransactionData.parse(recorded);
  } catch {
    // Not a transaction.
    return recorded.slice();
  }
  const length = bcs.TransactionData.serialize(data).toBytes().length;
  const translated = translate(names, references, data);
  for (const input of translated.V1.kind.ProgrammableTransaction?.inputs ?? []) {
    const bytes = input.Pure === undefined ? new Uint8Array() : fromBase64(input.Pure.bytes);
    if (bytes.length !== ADDRESS_BYTES) continue;
    const address = names.of(`0x${toHex(bytes)}`);
    if (address !== undefined) input.Pure.bytes = toBase64(fromHex(address));
  }
  const again = bcs.TransactionData.serialize(translated).toBytes();
  return Uint8Array.from([...again, ...recorded.subarray(length)]);
}

/** One message, as the body of a call by gRPC-web. */
export function framed(message: Uint8Array): Uint8Array<ArrayBuffer> {
  const frame = new Uint8Array(5 + message.length);
  new DataView(frame.buffer).setUint32(1, message.length);
  frame.set(message, 5);
  return frame;
}
