import { ApiError, invalidInput, notFound, pruned, unparsableBody } from "../errors.ts";
import { pendingJson } from "../render.ts";
import { decodeBatch, decodeSigned, type Signed } from "../signed.ts";
import { waitUntil } from "../wait.ts";
import { foundType, parseJson, whileParsing } from "./json-body.ts";
import { renderBlock, renderCommitted, renderPending, renderVersion } from "./ledger-json.ts";
import {
  flagQuery,
  hashParam,
  limitQuery,
  numberParam,
  numberQuery,
  requireContentType,
  requireUnpruned,
} from "./parameters.ts";
import type { ApiCall, Node, Routes } from "./route.ts";

const JSON_TYPE = "application/json";
export const SIGNED_TRANSACTION = "application/x.aptos.signed_transaction+bcs";
/** Of the API's configuration: how many a batch may have, and how long a look-up waits. */
const MAX_BATCH = 10;
const WAIT_MS = 1_000;

const IDENTIFIER = /^(?:[a-zA-Z][a-zA-Z0-9_]*|_[a-zA-Z0-9_]+)$/;

/** BCS can hold any text as a name; the API refuses what is none (recorded). */
function requireNames({ executable }: Signed): void {
  if (executable.kind !== "entry_function") return;
  const { module_name: module, function_name: name } = executable.call;
  const refuse = (what: string, text: string) => {
    throw invalidInput(
      `Transaction entry function ${what === "module" ? "module" : "name"} invalid: invalid Move ${what} name: ${text}`,
    );
  };
  if (!IDENTIFIER.test(module.name.identifier)) refuse("module", module.name.identifier);
  if (!IDENTIFIER.test(name.identifier)) refuse("function", name.identifier);
}

export const transactionRoutes: Routes = {
  "GET /transactions": (call) => {
    const { version } = call.node.view();
    const limit = limitQuery(call);
    const given = numberQuery(call, "start");
    if (given !== undefined && given > BigInt(version)) throw beyondTheEnd(given, version);
    if (given !== undefined) requireUnpruned(call, given);
    const oldest = call.node.oldest().version;
    const start = given === undefined ? Math.max(oldest, version + 1 - limit) : Number(given);
    const length = Math.max(0, Math.min(limit, version + 1 - start));
    return { json: Array.from({ length }, (_, index) => renderVersion(call.node, start + index)) };
  },

  "GET /transactions/by_hash/:hash": (call) => {
    const hash = hashParam(call);
    return { json: find(call.node, hash) ?? unknownHash(hash) };
  },

  "GET /transactions/wait_by_hash/:hash": async (call) => {
    const hash = hashParam(call);
    const settled = () => {
      call.node.viewAgain();
      const found = find(call.node, hash);
      return found === undefined || found.type !== "pending_transaction";
    };
    await waitUntil(settled, WAIT_MS);
    return { json: find(call.node, hash) ?? unknownHash(hash) };
  },

  "GET /transactions/by_version/:version": (call) => {
    const version = numberParam(call, "version");
    if (version > BigInt(call.node.view().version)) {
      throw notFound("transaction_not_found", "Transaction", `Ledger version(${version})`);
    }
    requireUnpruned(call, version);
    return { json: renderVersion(call.node, Number(version)) };
  },

  "GET /blocks/by_height/:height": (call) => blockAnswer(call, numberParam(call, "height")),

  "GET /blocks/by_version/:version": (call) => {
    const version = numberParam(call, "version");
    if (version > BigInt(call.node.view().version)) {
      throw notFound("version_not_found", "Ledger version", `Ledger version(${version})`);
    }
    requireUnpruned(call, version);
    return blockAnswer(call, BigInt(call.node.blocks.locate(Number(version)).block));
  },

  "POST /transactions": async (call) => {
    requireContentType(call, SIGNED_TRANSACTION, JSON_TYPE);
    if (call.contentType === JSON_TYPE) throw unservedJson(parseJson(call.body));
    const signed = decodeSigned(call.body);
    requireNames(signed);
    await call.node.ledger.submit(signed);
    return { status: 202, json: pendingJson(signed) };
  },

  "POST /transactions/batch": async (call) => {
    requireContentType(call, SIGNED_TRANSACTION);
    const batch = decodeBatch(call.body, MAX_BATCH);
    const failures = await submitAll(call.node, batch);
    const status = failures.length === 0 ? 202 : failures.length < batch.length ? 206 : 400;
    return { status, json: { transaction_failures: failures } };
  },
};

async function submitAll({ ledger }: Node, batch: readonly Signed[]) {
  const failures: { error: ApiError["body"]; transaction_index: number }[] = [];
  for (const [index, signed] of batch.entries()) {
    try {
      await ledger.submit(signed);
    } catch (error) {
      if (!(error instanceof ApiError)) throw error;
      failures.push({ error: error.body, transaction_index: index });
    }
  }
  return failures;
}

/** JSON is read as far as a node would refuse it (recorded). */
function unservedJson(json: unknown): ApiError {
  const { sender } = Object(json);
  if (typeof sender === "string") return invalidInput("The development chain takes transactions in BCS only");
  const within = whileParsing("UserTransactionRequestInner", "SubmitTransactionRequest");
  return unparsableBody(
    `failed to parse "string(Address)": invalid type: ${foundType(sender)}, expected a string${within}`,
  );
}

/** What the endpoint knows of a hash: a node that lags may have a transaction in its mempool still, or not have it yet. */
function find(node: Node, hash: string): { readonly type?: string } | undefined {
  const { version } = node.view();
  const committed = node.store.transactionByHash(hash);
  if (committed !== undefined && committed.version <= version) return renderCommitted(node, committed);
  if (committed !== undefined) {
    return node.knowsOf(committed.admittedMs) ? renderPending(decodeSigned(committed.bytes)) : undefined;
  }
  const waiting = node.ledger.mempool.byHash(hash);
  return waiting !== undefined && node.knowsOf(waiting.admittedMs) ? renderPending(waiting.signed) : undefined;
}

function unknownHash(hash: string): never {
  throw notFound("transaction_not_found", "Transaction", `Transaction hash(${hash})`);
}

function beyondTheEnd(start: bigint, version: number): ApiError {
  return invalidInput(
    `Given start value (${start}) is higher than the current ledger version, it must be < ${version}`,
  );
}

function blockAnswer(call: ApiCall, height: bigint) {
  const latest = call.node.view().height;
  if (height > BigInt(latest)) throw notFound("block_not_found", "Block", `Block height(${height})`);
  const oldest = call.node.oldest();
  if (height < BigInt(oldest.height)) throw pruned("block_pruned", `Block(${height})`, oldest);
  return { json: renderBlock(call.node, Number(height), flagQuery(call, "with_transactions")) };
}
