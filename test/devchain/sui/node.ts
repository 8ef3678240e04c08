import type { Controls, Fault } from "../control.ts";
import type { Sql } from "../sql.ts";
import { openOrCreateChainState } from "./chain-state.ts";
import { createFaucet, faucetAddress } from "./faucet.ts";
import { errorResponse, formatOf, messageResponse, readMessage, statusResponse } from "./grpc-web.ts";
import { createLedger } from "./ledger.ts";
import { executionService } from "./services/execution-service.ts";
import { ledgerService } from "./services/ledger-service.ts";
import { type Methods, RPC_PACKAGE } from "./services/method.ts";
import { packageService } from "./services/package-service.ts";
import { stateService } from "./services/state-service.ts";
import { GrpcCode, GrpcStatus } from "./status.ts";
import { createObjectStore } from "./store.ts";

export interface SuiNodeOptions {
  readonly sql: Sql;
  readonly controls: Controls;
  readonly nowMs: () => number;
  readonly epochDurationMs: bigint;
}

export type SuiNode = Awaited<ReturnType<typeof openSuiNode>>;

/** The part of the chain that stands in for a Sui full node. Opens the chain of the storage, or starts one. */
export async function openSuiNode({ sql, controls, nowMs, epochDurationMs }: SuiNodeOptions) {
  const store = createObjectStore(sql);
  const state = await openOrCreateChainState(sql, store, nowMs, faucetAddress);
  const ledger = createLedger(sql, store, state);
  const methods: Methods = {
    ...ledgerService(store, state, ledger, nowMs, epochDurationMs),
    ...stateService(store),
    ...executionService(store, state, ledger),
    ...packageService(),
  };

  return {
    store,
    state,
    ledger,
    faucet: await createFaucet(store, state, ledger),

    /** Serves one gRPC-web call; `path` is what follows the base URL, `/sui.rpc.v2.<Service>/<Method>`. */
    async serve(path: string, request: Request): Promise<Response> {
      const format = formatOf(request);
      try {
        const name = path.startsWith(`/${RPC_PACKAGE}`) ? path.slice(RPC_PACKAGE.length + 1) : path;
        const method = methods[name];
        // A node built with tonic answers an unknown path without a message.
        if (method === undefined) return statusResponse(format, GrpcCode.UNIMPLEMENTED, "");
        controls.countCall(name);
        const message = await readMessage(request);
        return messageResponse(format, await callWithFault(controls.takeFault(name), () => method(message)));
      } catch (error) {
        if (error instanceof GrpcStatus) return errorResponse(format, error);
        console.error("the development chain failed", error);
        return statusResponse(format, GrpcCode.INTERNAL, error instanceof Error ? error.message : "internal error");
      }
    },
  };
}

async function callWithFault(fault: Fault | undefined, call: () => Promise<Uint8Array>): Promise<Uint8Array> {
  if (fault === undefined) return call();
  if (fault.mode === "drop_after_commit") {
    await call();
    await delay(fault.delayMs);
    throw new GrpcStatus(GrpcCode.UNAVAILABLE, "timed-out before finality could be reached");
  }
  await delay(fault.delayMs);
  throw new GrpcStatus(GrpcCode.UNAVAILABLE, "the service is currently unavailable");
}

async function delay(ms: number): Promise<void> {
  if (ms > 0) await new Promise((resolve) => setTimeout(resolve, ms));
}
