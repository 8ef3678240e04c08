import { utf8 } from "../bytes.ts";
import { matchesNetwork } from "../chain/aptos/chain-id.ts";
import { transactionHash } from "../chain/aptos/transaction.ts";
import { isAnyJson } from "../http/media-type.ts";
import { isAptosNetwork, type Network } from "../networks.ts";
import { type Checked, type GatewayRefusal, httpStatusOf, passed, refusalHeaders, refused } from "./errors.ts";
import { isEndpointFailure, isRejectedUnprocessed } from "./http-status.ts";
import type { RequestTarget } from "./request-target.ts";
import type { HeadVerdict, ResponseHead, Upstream, UpstreamRequest, WholeResponse } from "./upstream.ts";

/** Rules of the REST API of Aptos full nodes (aptos-core, `api/src/runtime_axum.rs` and `api/doc/spec.yaml`). */

const SIGNED_TRANSACTION_TYPE = "application/x.aptos.signed_transaction+bcs";
const CHAIN_ID = "x-aptos-chain-id";
/** A path segment of nodes that are built for tests of their failures. */
const BLOCKED = "set_failpoint";
/** The first segments of paths that describe the API or the node itself. Their answers name no chain. */
const WITHOUT_CHAIN = new Set(["spec", "spec.json", "spec.yaml", "info"]);
/** Statuses about the request alone, in any words. A proxy in front of a node answers them as well as the node. */
const OF_THE_REQUEST = new Set([400, 413, 414, 415, 431]);

/** POSTs that change nothing. Every other POST is a write, also an unknown one. */
const READ_POSTS: readonly RegExp[] = [
  /^\/view$/,
  /^\/transactions\/(?:simulate|encode_submission)$/,
  /^\/tables\/[^/]+\/(?:item|raw_item)$/,
  /^\/experimental\/state_values\/raw$/,
];

/** Classifies a request as a read or a write. It refuses the paths of failure tests. */
export function classifyAptosRest(
  { rest, segments, query }: RequestTarget,
  { method }: Request,
): Checked<UpstreamRequest> {
  if (segments.some((segment) => decodeURIComponent(segment).toLowerCase() === BLOCKED))
    return refused("unknown_path", "no such path: check the URL");
  const kind = method === "GET" || READ_POSTS.some((read) => read.test(rest)) ? "read" : "write";
  return passed({ logName: kind, target: `${rest}${query}`, kind, streams: false, pathKey: null });
}

function failed(fault: string, nothingDone: boolean): HeadVerdict {
  return nothingDone ? { kind: "failed", fault, nothingDone } : { kind: "failed", fault };
}

/** Returns whether the answer's headers name this network. Null if they name none. */
function namesNetwork(headers: Headers, network: Network): boolean | null {
  const chainId = headers.get(CHAIN_ID);
  if (chainId === null) return null;
  return /^[0-9]{1,3}$/.test(chainId) && isAptosNetwork(network) && matchesNetwork(Number(chainId), network);
}

/** `mempool_is_full`: the only failure of a node's own that shows that a transaction was not taken. */
const MEMPOOL_IS_FULL = 507;

/** Judges a node's answer by its status and headers. */
export function checkAptosRestHead(
  { status, headers }: ResponseHead,
  ask: UpstreamRequest,
  network: Network,
): HeadVerdict {
  const named = namesNetwork(headers, network);
  if (named === false) return failed("a node of another network", false);
  const ofNetwork = named === true;
  if (ask.kind === "write" && ofNetwork && status === MEMPOOL_IS_FULL) return { kind: "pass", ofNetwork };
  if (isEndpointFailure(status)) return failed(`HTTP ${status}`, isRejectedUnprocessed(status));
  if (ofNetwork) return { kind: "pass", ofNetwork };
  // A refusal that comes before the node reads its ledger names no chain, and holds no data of one.
  const holdsNothing = OF_THE_REQUEST.has(status) || (status >= 400 && isAnyJson(headers));
  const [first = ""] = ask.target.slice(1).split(/[/?]/);
  if (holdsNothing || WITHOUT_CHAIN.has(first)) return { kind: "pass", ofNetwork };
  return failed("an answer that is no Aptos node's", false);
}

const GONE = 410;

/** Returns whether an answer must be changed before it passes: a 410 must. */
export function mustTransformAptosRest({ status }: ResponseHead): boolean {
  return status === GONE;
}

const ARCHIVAL_ENDPOINT = "archival_endpoint";

/**
 * Fails JSON that does not parse: it was cut off on the way. The field `archival_endpoint` of a 410 is removed. Stock
 * clients would send their next request, key and all, to the host in that field. They read the body as JSON, whatever
 * its content type is. The field of the error itself is returned as `archive`.
 */
export function transformAptosRestBody({
  status,
  headers,
  body,
}: WholeResponse): ReturnType<NonNullable<Upstream["transformBody"]>> {
  if (body.length === 0 || (status !== GONE && !isAnyJson(headers))) return { kind: "pass", body };
  try {
    const value: unknown = JSON.parse(new TextDecoder().decode(body));
    if (status !== GONE) return { kind: "pass", body };
    const stripped = JSON.stringify(value, (key, item) => (key === ARCHIVAL_ENDPOINT ? undefined : item));
    const archive = Object(value)[ARCHIVAL_ENDPOINT];
    return { kind: "pass", body: utf8(stripped), ...(typeof archive === "string" && { archive }) };
  } catch {
    return { kind: "failed", fault: "an answer that is cut off" };
  }
}

/** Returns the hash of a transaction that is submitted as BCS. Null for any other request. */
export async function hashOfSubmission(
  { target }: UpstreamRequest,
  body: Uint8Array,
  headers: Headers,
): Promise<string | null> {
  const [type = ""] = (headers.get("content-type") ?? "").split(";");
  const single = /^\/transactions(?:\?|$)/.test(target);
  return single && type.trim().toLowerCase() === SIGNED_TRANSACTION_TYPE ? transactionHash(body) : null;
}

/** Returns the closest of the node's own error codes. Strict clients know no other. */
function errorCodeOf(status: number): string {
  if (status === 429) return "rate_limited";
  return status >= 500 ? "internal_error" : "web_framework_error";
}

/** Answers a refusal in the shape of a node's errors. @param methods for the header `Allow`. */
export function aptosRestError(refusal: GatewayRefusal, methods: readonly string[]): Response {
  const status = httpStatusOf(refusal);
  const { details: message, reference } = refusal;
  const hash = reference === undefined ? {} : { hash: reference };
  const headers = { ...refusalHeaders(refusal), ...(refusal.reason === "bad_method" && { allow: methods.join(", ") }) };
  return Response.json({ message, error_code: errorCodeOf(status), vm_error_code: null, ...hash }, { status, headers });
}
