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
/** Of nodes that are built for tests of their failures. */
const BLOCKED = "set_failpoint";
/** These describe the API or the node itself, and say nothing of a chain. */
const WITHOUT_CHAIN = new Set(["spec", "spec.json", "spec.yaml", "info"]);
/** About the request alone, in whatever words: what stands before a node says so as well as the node. */
const OF_THE_REQUEST = new Set([400, 413, 414, 415, 431]);

/** POSTs that change nothing. Every other one is a write, also one that is not known. */
const READ_POSTS: readonly RegExp[] = [
  /^\/view$/,
  /^\/transactions\/(?:simulate|encode_submission)$/,
  /^\/tables\/[^/]+\/(?:item|raw_item)$/,
  /^\/experimental\/state_values\/raw$/,
];

export function classifyAptosRest(
  { rest, segments, query }: RequestTarget,
  { method }: Request,
): Checked<UpstreamRequest> {
  if (segments.some((segment) => decodeURIComponent(segment).toLowerCase() === BLOCKED))
    return refused("unknown_path", "no such path");
  const kind = method === "GET" || READ_POSTS.some((read) => read.test(rest)) ? "read" : "write";
  return passed({ logName: kind, target: `${rest}${query}`, kind, streams: false, pathKey: null });
}

function failed(fault: string, nothingDone: boolean): HeadVerdict {
  return nothingDone ? { kind: "failed", fault, nothingDone } : { kind: "failed", fault };
}

/** Null: the answer does not say. */
function namesNetwork(headers: Headers, network: Network): boolean | null {
  const chainId = headers.get(CHAIN_ID);
  if (chainId === null) return null;
  return /^[0-9]{1,3}$/.test(chainId) && isAptosNetwork(network) && matchesNetwork(Number(chainId), network);
}

/** `mempool_is_full`: the only failure of a node's own that says that a transaction was not taken. */
const MEMPOOL_IS_FULL = 507;

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
  // What a node refuses before it looks at its ledger says nothing of a chain, and holds nothing of one.
  const holdsNothing = OF_THE_REQUEST.has(status) || (status >= 400 && isAnyJson(headers));
  const [first = ""] = ask.target.slice(1).split(/[/?]/);
  if (holdsNothing || WITHOUT_CHAIN.has(first)) return { kind: "pass", ofNetwork };
  return failed("an answer that is no Aptos node's", false);
}

const GONE = 410;

export function mustTransformAptosRest({ status }: ResponseHead): boolean {
  return status === GONE;
}

/**
 * JSON that does not parse was cut off on the way. Of a 410 the field `archival_endpoint` goes: stock clients would send
 * their next request, key and all, to whatever it names. They read it as JSON whatever its type says.
 */
export function transformAptosRestBody({
  status,
  headers,
  body,
}: WholeResponse): ReturnType<NonNullable<Upstream["transformBody"]>> {
  if (body.length === 0 || (status !== GONE && !isAnyJson(headers))) return { kind: "pass", body };
  try {
    const text = new TextDecoder().decode(body);
    const isArchival = (key: string) => status === GONE && key === "archival_endpoint";
    const value: unknown = JSON.parse(
      text,
      status === GONE ? (key, item) => (isArchival(key) ? undefined : item) : undefined,
    );
    return { kind: "pass", body: status === GONE ? new TextEncoder().encode(JSON.stringify(value)) : body };
  } catch {
    return { kind: "failed", fault: "an answer that is cut off" };
  }
}

/** The hash of a transaction that is submitted as BCS. */
export async function hashOfSubmission(
  { target }: UpstreamRequest,
  body: Uint8Array,
  headers: Headers,
): Promise<string | null> {
  const [type = ""] = (headers.get("content-type") ?? "").split(";");
  const single = /^\/transactions(?:\?|$)/.test(target);
  return single && type.trim().toLowerCase() === SIGNED_TRANSACTION_TYPE ? transactionHash(body) : null;
}

/** The closest of the node's own codes: strict clients know no other. */
function errorCodeOf(status: number): string {
  if (status === 429) return "rate_limited";
  return status >= 500 ? "internal_error" : "web_framework_error";
}

export function aptosRestError(refusal: GatewayRefusal, methods: readonly string[]): Response {
  const status = httpStatusOf(refusal);
  const { details: message, reference } = refusal;
  const hash = reference === undefined ? {} : { hash: reference };
  const headers = { ...refusalHeaders(refusal), ...(refusal.reason === "bad_method" && { allow: methods.join(", ") }) };
  return Response.json({ message, error_code: errorCodeOf(status), vm_error_code: null, ...hash }, { status, headers });
}
