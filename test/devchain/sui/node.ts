import { fromBase58, toHex } from "@mysten/sui/utils";
import type { Controls } from "../control.ts";
import type { Sql } from "../sql.ts";
import { openOrCreateChainState } from "./chain-state.ts";
import { withClock } from "./clock-object.ts";
import { createFaucet, faucetAddress } from "./faucet.ts";
import { serveFaulty } from "./faults.ts";
import { errorResponse, formatOf, messageResponse, readMessage, statusResponse } from "./grpc-web.ts";
import { createLedger } from "./ledger.ts";
import { asRelease } from "./release.ts";
import { executionService } from "./services/execution-service.ts";
import { ledgerService } from "./services/ledger-service.ts";
import { listService } from "./services/list-service.ts";
import { type Methods, NODE_METHODS, RPC_PACKAGE } from "./services/method.ts";
import { nameService } from "./services/name-service.ts";
import { packageService } from "./services/package-service.ts";
import { signatureService } from "./services/signature-service.ts";
import { stateService } from "./services/state-service.ts";
import { GrpcCode, GrpcStatus } from "./status.ts";
import { createObjectStore } from "./store.ts";
import { type ChainView, viewChain } from "./view.ts";

export interface SuiNodeOptions {
  readonly sql: Sql;
  readonly controls: Controls;
  readonly nowMs: () => number;
  readonly epochDurationMs: bigint;
}

export type SuiNode = Awaited<ReturnType<typeof openSuiNode>>;

/** The streams of a node that was built without its subscription service (sui-rpc-api subscription_service.rs). */
const NO_SUBSCRIPTIONS = "subscription service not enabled";
/** What the server code that tonic generates answers for a method that the node does not implement. */
const NOT_IMPLEMENTED = "Not yet implemented";

/**
 * The part of the chain that stands in for Sui full nodes: endpoints with a lag and faults of their own over one state.
 * Opens the chain of the storage, or starts one.
 */
export async function openSuiNode({ sql, controls, nowMs, epochDurationMs }: SuiNodeOptions) {
  const objects = createObjectStore(sql);
  const state = await openOrCreateChainState(sql, objects, { nowMs, epochDurationMs }, faucetAddress);
  const store = withClock(objects, state.currentCheckpoint);
  const ledger = createLedger(sql, store, state, controls);

  function methodsOf(view: () => ChainView): Methods {
    return {
      ...ledgerService(view, state, { epochDurationMs, protocol: controls.protocol }),
      ...listService(view),
      ...stateService(view),
      ...executionService(view, ledger),
      ...packageService(),
      ...signatureService(),
      ...nameService(),
    };
  }

  /** sui-rpc-api response.rs, `append_info_headers`: what every reply says of the node, once its method has run. */
  function describe(endpointName: string, response: Response): Response {
    const { checkpoint, epoch } = viewChain(sql, { store, state, ledger }, controls.suiLagMs(endpointName));
    const headers = {
      "x-sui-chain-id": shortChainId(state.chainId),
      "x-sui-chain": "unknown",
      "x-sui-epoch": `${epoch.epoch}`,
      "x-sui-checkpoint-height": `${checkpoint.sequenceNumber}`,
      "x-sui-timestamp": new Date(checkpoint.timestampMs).toISOString(),
      "x-sui-timestamp-ms": `${checkpoint.timestampMs}`,
      "x-sui-lowest-available-checkpoint": "0",
      "x-sui-lowest-available-checkpoint-objects": "0",
    };
    for (const [name, value] of Object.entries(headers)) response.headers.set(name, value);
    return response;
  }

  const endpoints = new Map<string, Methods>();

  function endpoint(name: string): Methods {
    const known = endpoints.get(name);
    if (known) return known;
    const methods = methodsOf(() => viewChain(sql, { store, state, ledger }, controls.suiLagMs(name)));
    endpoints.set(name, methods);
    return methods;
  }

  async function answer(endpointName: string, path: string, request: Request): Promise<Response> {
    const format = formatOf(request);
    try {
      const name = path.startsWith(`/${RPC_PACKAGE}`) ? path.slice(RPC_PACKAGE.length + 1) : path;
      const method = endpoint(endpointName)[name];
      if (method === undefined) return statusResponse(format, GrpcCode.UNIMPLEMENTED, whyUnimplemented(name));
      controls.countCall(endpointName, name);
      const message = await readMessage(request);
      const told = async () =>
        (await method(message)).map((reply) => asRelease(controls.release(endpointName), name, reply));
      const fault = controls.takeFault(endpointName, name);
      if (fault === undefined) return messageResponse(format, ...(await told()));
      return await serveFaulty(fault, { format, message, signal: request.signal, answer: told });
    } catch (error) {
      if (error instanceof GrpcStatus) return errorResponse(format, error);
      console.error("the development chain failed", error);
      return statusResponse(format, GrpcCode.INTERNAL, error instanceof Error ? error.message : "internal error");
    }
  }

  return {
    store,
    state,
    ledger,
    faucet: await createFaucet(store, state, ledger),

    /** Serves one gRPC-web call; `path` is what follows the endpoint's base URL, `/sui.rpc.v2.<Service>/<Method>`. */
    async serve(endpointName: string, path: string, request: Request): Promise<Response> {
      return describe(endpointName, await answer(endpointName, path, request));
    },
  };
}

/** sui-types digests.rs, `ChainIdentifier`: shown by its first four bytes. */
function shortChainId(chainId: string): string {
  return toHex(fromBase58(chainId).subarray(0, 4));
}

/** A node built with tonic answers a path that it does not know without a message. */
function whyUnimplemented(name: string): string {
  if (!NODE_METHODS.has(name)) return "";
  return name.startsWith("SubscriptionService/") ? NO_SUBSCRIPTIONS : NOT_IMPLEMENTED;
}
