import * as z from "zod";
import { expectAnswer, http } from "../../shared/cli/client/http.ts";
import { chainUrl } from "../harness/harness.ts";

/** The development chain's control routes: see test/devchain/README.md. */

async function control(method: string, path: string, body?: object): Promise<void> {
  const answer = await http(`${chainUrl}/control/${path}`, { method, ...(body && { body: JSON.stringify(body) }) });
  expectAnswer(`${method} /control/${path}`, answer, z.unknown());
}

const callsSchema = z.record(z.string(), z.int());

/** Upstream calls by method, of everything that runs on this chain, since it was started or the counts were cleared. */
export async function upstreamCalls(): Promise<Readonly<Record<string, number>>> {
  return expectAnswer("the chain's call counts", await http(`${chainUrl}/control/calls`), callsSchema);
}

export function clearUpstreamCalls(): Promise<void> {
  return control("DELETE", "calls");
}

export const EXECUTE = "TransactionExecutionService/ExecuteTransaction";
export const SIMULATE = "TransactionExecutionService/SimulateTransaction";
export const LOOK_UP = "LedgerService/BatchGetTransactions";

/** Orders a fault; a restart of the chain forgets it. */
export function orderFault(
  method: string,
  mode: "unavailable" | "unavailable_before_commit" | "drop_after_commit" | "lock_conflict" | "delay" | "hang",
  times = 1_000,
  delayMs = 0,
  endpoint = "default",
): Promise<void> {
  return control("POST", "fault", { endpoint, method, mode, times, delayMs });
}

export function clearFaults(): Promise<void> {
  return control("DELETE", "fault");
}

/** The node shows what was true so long ago; null ends it, and so does a restart. */
export function orderLag(lagMs: number | null): Promise<void> {
  return control("POST", "lag", { lagMs });
}

export function advanceEpoch(): Promise<void> {
  return control("POST", "epoch", { advance: 1 });
}
