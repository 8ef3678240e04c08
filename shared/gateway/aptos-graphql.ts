import * as z from "zod";
import type { Fetch } from "../bindings/ports.ts";
import { matchesNetwork } from "../chain/aptos/chain-id.ts";
import { readReplyText } from "../chain/bounded-reply.ts";
import { isAnyJson } from "../http/media-type.ts";
import { isAptosNetwork, type Network } from "../networks.ts";
import { parseExactJson, stringifyJson } from "../rpc/json.ts";
import { type Checked, type GatewayRefusal, httpStatusOf, passed, refusalHeaders, refused } from "./errors.ts";
import { isEndpointFailure } from "./http-status.ts";
import type { RequestTarget } from "./request-target.ts";
import type { HeadVerdict, Meter, Quote, ResponseHead, Upstream, UpstreamRequest, WholeResponse } from "./upstream.ts";

/** Rules of GraphQL over HTTP to Aptos indexers (graphql/graphql-over-http, and Hasura's answers). */

/** Accepts a POST of JSON to the interface's own path. Every query is a read. */
export function classifyGraphql({ rest }: RequestTarget, { headers }: Request): Checked<UpstreamRequest> {
  if (rest !== "" && rest !== "/") return refused("unknown_path", "no such path: check the URL");
  if (!isAnyJson(headers)) return refused("bad_content_type", "content-type must be application/json");
  return passed({ logName: "query", target: "", kind: "read", streams: false, pathKey: null });
}

/** The members that pass. Other members, as clients add them, are dropped. */
const bodySchema = z.object({
  query: z.string("query must be a string"),
  variables: z
    .record(z.string(), z.unknown())
    .nullish()
    .transform((variables) => variables ?? {}),
  operationName: z
    .string()
    .nullish()
    .transform((name) => name ?? null),
});

/** Loads the library of the GraphQL language, which no other interface needs. */
export async function loadGraphqlMeter(): Promise<Meter> {
  const { LEAST_QUERY_UNITS, quoteQuery } = await import("./graphql-meter.ts");
  return {
    leastComputeUnits: LEAST_QUERY_UNITS,
    quote: (text): Checked<Quote> => {
      let json: unknown;
      try {
        json = parseExactJson(text);
      } catch {
        return refused("bad_body", "the body must be valid JSON");
      }
      if (Array.isArray(json)) return refused("query_not_allowed", "a batch is not answered: send one query");
      const body = bodySchema.safeParse(json);
      if (!body.success) return refused("bad_body", "the body must be {query, variables?, operationName?}");
      const { variables, operationName } = body.data;
      const quoted = quoteQuery(body.data);
      if (!quoted.ok) return quoted;
      const { query, computeUnits } = quoted.value;
      try {
        return passed({ computeUnits, body: stringifyJson({ query, variables, operationName }) });
      } catch {
        return refused("bad_body", "the variables are nested too deeply: nest them less");
      }
    },
  };
}

const MAX_PROBE_BYTES = 65_536;
const probeSchema = z.object({
  data: z.object({ ledger_infos: z.array(z.object({ chain_id: z.int().min(0).max(255) })).length(1) }),
});

/**
 * Returns whether an indexer belongs to a network. Its table `ledger_infos` names its chain.
 *
 * @throws if the indexer does not answer.
 */
export async function isIndexerOf(url: string, network: Network, fetch: Fetch, abort: AbortSignal): Promise<boolean> {
  const response = await fetch(url, {
    method: "POST",
    headers: { "content-type": "application/json", accept: "application/json" },
    body: JSON.stringify({ query: "{ ledger_infos(limit: 1) { chain_id } }" }),
    redirect: "manual",
    signal: abort,
  });
  const { data } = probeSchema.parse(JSON.parse(await readReplyText(response, MAX_PROBE_BYTES)));
  const [info] = data.ledger_infos;
  return info !== undefined && isAptosNetwork(network) && matchesNetwork(info.chain_id, network);
}

/** Judges an indexer's answer by its status and its type. */
export function checkGraphqlHead({ status, headers }: ResponseHead): HeadVerdict {
  if (isEndpointFailure(status)) return { kind: "failed", fault: `HTTP ${status}` };
  if (!isAnyJson(headers)) return { kind: "failed", fault: "an answer that is no indexer's" };
  return { kind: "pass", ofNetwork: false };
}

/** Fails a body that is no JSON: it was cut off on the way. */
export function checkGraphqlBody({ body }: WholeResponse): ReturnType<NonNullable<Upstream["transformBody"]>> {
  try {
    JSON.parse(new TextDecoder().decode(body));
    return { kind: "pass", body };
  } catch {
    return { kind: "failed", fault: "an answer that is cut off" };
  }
}

/** Answers a refusal in the shape of GraphQL errors. */
export function graphqlError(refusal: GatewayRefusal): Response {
  const { details: message, reason } = refusal;
  const headers = { ...refusalHeaders(refusal), ...(reason === "bad_method" && { allow: "POST" }) };
  return Response.json(
    { errors: [{ message, extensions: { code: reason.toUpperCase() } }] },
    { status: httpStatusOf(refusal), headers },
  );
}
