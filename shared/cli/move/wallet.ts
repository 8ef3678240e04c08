import { createHash } from "node:crypto";
import type { SuiGrpcClient } from "@mysten/sui/grpc";
import { concatBytes, equalBytes, lengthPrefixed } from "../../bytes.ts";
import { readSponsoredBytes } from "../../chain/sui/read-sponsored-bytes.ts";
import type { SuiGasClient } from "../../client/gas-client.ts";
import type { Refused, Reply } from "../../client/rpc-client.ts";
import { sleep } from "../../timing.ts";
import { LaunchError } from "../terminal.ts";
import { type Assets, assetsOf, kindThatMoves, verifyMove } from "./assets.ts";
import type { Journal, Submitting } from "./journal.ts";
import { explained, type OpenWallet, patiently, required, type Wallets } from "./services.ts";

/** The old and the new place of a wallet's assets, and the paying fund of the new service. */
export interface Move {
  readonly source: OpenWallet;
  readonly target: OpenWallet;
  /** The old service, which signs as the sender. */
  readonly old: Wallets;
  readonly gas: SuiGasClient;
  readonly chain: SuiGrpcClient;
  readonly journal: Journal;
}

/** The result of one wallet's move. */
export interface Moved {
  readonly objects: number;
  readonly balances: number;
  /** Assets that cannot be moved, each with the reason. */
  readonly left: readonly string[];
}

const MAX_OBJECTS = 100;
const MAX_BALANCES = 20;
const REPEATS = 5;
const REPEAT_MS = 1_000;
/** A sponsorship that a node has refused ends within a minute. */
const END_POLLS = 90;
const INVALID_PARAMS = -32602;
const NODE_REFUSED = -32002;
const OUTCOME_UNKNOWN = -32017;
const IDEMPOTENCY_CONFLICT = -32018;

/** Moves everything, in as few transactions as possible. Safe to repeat, because moved assets are no longer listed. */
export async function moveWallet(move: Move): Promise<Moved> {
  const results: Moved[] = [];
  for (let refusals = 0; ; ) {
    try {
      for (const line of move.journal.unsettled(move.source.walletId)) await goOn(move, line);
      const assets = await assetsOf(move.chain, move.source.address);
      for (const batch of batchesOf(assets)) results.push(await moveBatch(move, batch));
      return sum(results);
    } catch (error) {
      // An asset was spent after it had been listed, perhaps by a submission of an earlier run.
      if (!(error instanceof NotExecuted) || ++refusals > REPEATS) throw error;
      await sleep(REPEAT_MS);
    }
  }
}

/** The chain has refused a transaction, or it has failed. It had no effect and can have none. */
class NotExecuted extends LaunchError {}

/** Continues a submission of an earlier run. If its sponsorship still stands, that one is used. */
async function goOn(move: Move, line: Submitting): Promise<void> {
  const { submitting: digest, signature } = line;
  const status = await statusOf(move, digest);
  if (status !== "IN_FLIGHT") return settle(move, line, status === "COMPLETE" ? "is_there" : "may_be_absent");
  if (signature === undefined)
    throw new LaunchError(`the sponsorship of transaction ${digest} still stands: run this again in an hour`);
  return submit(move, line, signature);
}

async function statusOf({ gas }: Move, digest: string): Promise<"IN_FLIGHT" | "COMPLETE" | "INVALID"> {
  const asked = await patiently(() => gas.getSponsoredTransactionBlockStatus({ transactionDigest: digest }));
  return required(`the status of transaction ${digest}`, asked);
}

function batchesOf({ objects, balances }: Assets): readonly Assets[] {
  const batches: Assets[] = [];
  for (let at = 0; at < objects.length; at += MAX_OBJECTS)
    batches.push({ objects: objects.slice(at, at + MAX_OBJECTS), balances: [] });
  for (let at = 0; at < balances.length; at += MAX_BALANCES)
    batches.push({ objects: [], balances: balances.slice(at, at + MAX_BALANCES) });
  return batches;
}

function sum(parts: readonly Moved[]): Moved {
  return {
    objects: parts.reduce((total, { objects }) => total + objects, 0),
    balances: parts.reduce((total, { balances }) => total + balances, 0),
    // Repeated tries are reported once.
    left: [...new Set(parts.flatMap(({ left }) => left))],
  };
}

/** Moves a batch. A refused batch is tried by halves, until it is clear which part cannot be moved. */
async function moveBatch(move: Move, batch: Assets): Promise<Moved> {
  const kind = await kindThatMoves(batch, move.target.address);
  const { source, gas, journal } = move;
  // The key is the same for the same move until one has ended. A run after a kill gets the sponsorship of the last
  // run.
  const idempotencyKey = keyOf([journal.id, source.walletId, String(journal.ended)], kind);
  const prepared = await patiently(() =>
    gas.prepareTransactionBlock({ transactionBytes: kind, sender: source.address }, { idempotencyKey }),
  );
  if (!prepared.ok && isAbout(prepared, IDEMPOTENCY_CONFLICT)) return startAfresh(move, prepared.error);
  if (!prepared.ok && isAbout(prepared, INVALID_PARAMS)) {
    const halves = halvesOf(batch);
    if (halves !== null) return sum([await moveBatch(move, halves[0]), await moveBatch(move, halves[1])]);
    const what = [
      ...batch.objects.map(({ objectId, type }) => `${objectId} (${type})`),
      ...batch.balances.map(({ coinType }) => coinType),
    ];
    return { objects: 0, balances: 0, left: [`${what.join()}: ${explained(prepared.error)}`] };
  }
  const { txBytes, txDigest } = required(`the fund for ${source.walletId}`, prepared);
  const said = readSponsoredBytes(txBytes);
  if (said === null || said.sender !== source.address || !equalBytes(said.kindBytes, kind))
    throw new LaunchError("the new service has prepared another transaction than the requested one: check NEW_URL");
  await execute(move, batch, txBytes, txDigest);
  return { objects: batch.objects.length, balances: batch.balances.length, left: [] };
}

function keyOf(names: readonly string[], kind: Uint8Array): string {
  const named = concatBytes(...names.map(lengthPrefixed), kind);
  return createHash("sha256").update(named).digest("base64url");
}

/** Ends the use of an earlier run's sponsorship, which is over. The next one gets its own key. */
async function startAfresh(move: Move, { data, details }: Refused): Promise<never> {
  const { digest } = data;
  if (typeof digest !== "string" || (await statusOf(move, digest)) === "IN_FLIGHT")
    throw new LaunchError(`the fund for ${move.source.walletId}: ${details}`);
  await move.journal.settled(digest, false);
  throw new NotExecuted(`the fund for ${move.source.walletId}: ${details}`);
}

function isAbout(
  reply: { readonly error: { readonly kind: string } },
  code: number,
): reply is { readonly error: Refused } {
  return reply.error.kind === "refused" && "code" in reply.error && reply.error.code === code;
}

function halvesOf({ objects, balances }: Assets): readonly [Assets, Assets] | null {
  if (objects.length + balances.length < 2) return null;
  const [byObjects, byBalances] = [Math.ceil(objects.length / 2), Math.ceil(balances.length / 2)];
  return [
    { objects: objects.slice(0, byObjects), balances: balances.slice(0, byBalances) },
    { objects: objects.slice(byObjects), balances: balances.slice(byBalances) },
  ];
}

async function execute(move: Move, batch: Assets, txBytes: Uint8Array, digest: string): Promise<void> {
  const { source, target, old, journal } = move;
  const { walletId } = source;
  const asked = { wallet_id: walletId, session_token: source.session, tx_bytes: txBytes };
  const { signature } = required(`wallet ${walletId}`, await patiently(() => old.signTransactionBlock(asked)));
  const line: Submitting = {
    submitting: digest,
    walletId,
    from: source.address,
    to: target.address,
    objectIds: batch.objects.map(({ objectId }) => objectId),
    balances: [...batch.balances],
    signature,
  };
  await journal.submitting(line);
  await submit(move, line, signature);
}

async function submit(move: Move, line: Submitting, senderSignature: string): Promise<void> {
  const { gas, journal } = move;
  const { submitting: txDigest, walletId } = line;
  const params = { txDigest, senderSignature, requestType: "WaitForLocalExecution" } as const;
  const executed = await untilKnown(() => patiently(() => gas.executeTransactionBlock(params)));
  if (executed.ok && executed.value.effects.status.status === "success") return settle(move, line, "is_there");
  const why = executed.ok ? (executed.value.effects.status.error ?? "it failed") : explained(executed.error);
  const told = `wallet ${walletId}, transaction ${txDigest}: ${why}`;
  if (!executed.ok) {
    if (!isAbout(executed, NODE_REFUSED)) throw new LaunchError(told);
    if ((await untilOver(move, txDigest, told)) === "COMPLETE") return settle(move, line, "is_there");
  }
  await journal.settled(txDigest, false);
  throw new NotExecuted(told);
}

/** Waits for the end of a refused sponsorship. Another node may still take it, so no other is requested before. */
async function untilOver(move: Move, digest: string, told: string): Promise<"COMPLETE" | "INVALID"> {
  for (let polls = 0; polls < END_POLLS; polls++) {
    const status = await statusOf(move, digest);
    if (status !== "IN_FLIGHT") return status;
    await sleep(REPEAT_MS);
  }
  throw new LaunchError(`${told}. Its sponsorship still stands: run this again later`);
}

/** Repeats a call. The service submits the same bytes, or answers with their result. */
async function untilKnown<T>(call: () => Promise<Reply<T>>): Promise<Reply<T>> {
  for (let repeats = 0; ; repeats++) {
    const reply = await call();
    const known = reply.ok || (reply.error.kind === "refused" && reply.error.code !== OUTCOME_UNKNOWN);
    if (known || repeats === REPEATS) return reply;
    await sleep(REPEAT_MS);
  }
}

/** Checks on the chain whether all assets have arrived. A node shows them up to some seconds later. */
async function settle(
  { chain, journal }: Move,
  line: Submitting,
  expected: "is_there" | "may_be_absent",
): Promise<void> {
  let missing = await verifyMove(chain, line.submitting, line);
  for (let repeats = 0; missing === "not_shown" && expected === "is_there" && repeats < REPEATS; repeats++) {
    await sleep(REPEAT_MS);
    missing = await verifyMove(chain, line.submitting, line);
  }
  if (missing === "not_shown" && expected === "is_there")
    throw new LaunchError(`the node does not show transaction ${line.submitting}: run this again`);
  if (typeof missing !== "string" && missing.length > 0)
    throw new LaunchError(
      `transaction ${line.submitting} was executed, but these did not arrive at ${line.to}, look it up: ${missing.join(", ")}`,
    );
  await journal.settled(line.submitting, typeof missing !== "string");
}
