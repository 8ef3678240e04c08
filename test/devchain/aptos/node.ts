import type { Controls } from "../control.ts";
import type { Sql } from "../sql.ts";
import { ledgerHeaders } from "./api/general.ts";
import type { ApiAnswer, Node } from "./api/route.ts";
import { type Found, findRoute } from "./api/router.ts";
import { GRAPHQL, ROUTES } from "./api/routes.ts";
import type { LedgerView } from "./clock.ts";
import { ApiError } from "./errors.ts";
import { createFaucet } from "./faucet.ts";
import { serveFaulty } from "./faults.ts";
import { openOrCreateGenesis } from "./genesis.ts";
import { answerQuery } from "./indexer/indexer.ts";
import { createLedger } from "./ledger.ts";
import { createStore } from "./store.ts";

export interface AptosNodeOptions {
  readonly sql: Sql;
  readonly controls: Controls;
  readonly nowMs: () => number;
}

/** Of the API's configuration. */
const MAX_BODY_BYTES = 8 * 1024 * 1024;
const BCS = "application/x-bcs";

export type AptosNode = ReturnType<typeof openAptosNode>;

/**
 * The part of the chain that stands in for Aptos full nodes: endpoints with a lag of their own over one ledger. Opens the
 * chain of the storage, or starts one.
 */
export function openAptosNode({ sql, controls, nowMs }: AptosNodeOptions) {
  const store = createStore(sql);
  const genesis = openOrCreateGenesis(sql, store, nowMs());
  const ledger = createLedger(sql, store, genesis.genesisMs, nowMs, controls.aptosGas);

  /** For one call. */
  function nodeOf(endpoint: string, lagMs = () => controls.aptosLagMs(endpoint)): Node {
    let shown: LedgerView | null = null;
    const viewAgain = () => {
      shown = ledger.view(lagMs());
      return shown;
    };
    return {
      genesis,
      store,
      ledger,
      gas: controls.aptosGas(),
      blocks: ledger.blocks,
      view: () => shown ?? viewAgain(),
      viewAgain,
      oldest: () => {
        const { oldestHeight: height, archivalEndpoint } = controls.pruned(endpoint) ?? { oldestHeight: 0 };
        return { height, version: ledger.blocks.firstVersion(height), archivalEndpoint };
      },
      // A node that is behind with the ledger has the mempool of the present, unless it was told to be late with all.
      knowsOf: (admittedMs) => admittedMs <= nowMs() - controls.orderedLagMs(endpoint),
    };
  }

  async function answer(node: Node, { route, params }: Found, request: Request): Promise<Response> {
    try {
      const body = new Uint8Array(await request.arrayBuffer());
      if (body.length > MAX_BODY_BYTES) throw new ApiError(413, "web_framework_error", "payload too large");
      if (request.headers.get("accept") === BCS) {
        throw new ApiError(400, "bcs_not_supported", "The development chain answers in JSON only");
      }
      const contentType = (request.headers.get("content-type") ?? "").split(";")[0]?.trim() ?? "";
      const query = new URL(request.url).searchParams;
      return respond(node, await route({ node, params, query, contentType, body }));
    } catch (error) {
      if (error instanceof ApiError) return refuse(node, error);
      throw error;
    }
  }

  /** Counts a call, and lets an ordered fault hit it. */
  function observed(
    endpoint: string,
    name: string,
    request: Request,
    call: () => Promise<Response>,
  ): Promise<Response> {
    controls.countCall(endpoint, name);
    const fault = controls.takeFault(endpoint, name);
    return fault === undefined ? call() : serveFaulty(fault, request, call);
  }

  return {
    ledger,
    faucet: createFaucet(genesis, store, ledger),

    /** Serves one call of the REST API; `path` is what follows the endpoint's base URL, as it came. */
    serve(endpoint: string, path: string, request: Request): Promise<Response> {
      const node = nodeOf(endpoint);
      return guarded(node, () => {
        const found = findRoute(ROUTES, request.method, path);
        if (found === undefined) throw new ApiError(404, "web_framework_error", "not found");
        return observed(endpoint, found.name, request, () => answer(node, found, request));
      });
    },

    /** Serves one call of the indexer. */
    query(endpoint: string, request: Request): Promise<Response> {
      const node = nodeOf(endpoint, () => controls.aptosIndexerLagMs(endpoint));
      return guarded(node, () => observed(endpoint, GRAPHQL, request, () => answerQuery(node, request)));
    },
  };
}

async function guarded(node: Node, call: () => Response | Promise<Response>): Promise<Response> {
  try {
    return await call();
  } catch (error) {
    if (error instanceof ApiError) return refuse(node, error);
    // Without the headers: where the storage is closed, nobody knows where the ledger is.
    console.error("the development chain failed", error);
    const message = error instanceof Error ? error.message : "internal error";
    return Response.json(new ApiError(500, "internal_error", message).body, { status: 500 });
  }
}

/** What the web framework answers by itself has no headers of the ledger, and no charset (recorded). */
function refuse(node: Node, { status, body }: ApiError): Response {
  return body.error_code === "web_framework_error"
    ? Response.json(body, { status, headers: { "content-type": "application/json" } })
    : respond(node, { status, json: body });
}

function respond(node: Node, { status = 200, json, headers }: ApiAnswer): Response {
  const type = { "content-type": "application/json; charset=utf-8" };
  return Response.json(json, { status, headers: { ...type, ...ledgerHeaders(node), ...headers } });
}
