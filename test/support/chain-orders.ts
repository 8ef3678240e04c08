import * as z from "zod";
import { expectAnswer, http } from "../../shared/cli/client/http.ts";
import { sleep } from "../../shared/timing.ts";
import type { Fault } from "../devchain/control.ts";

const POLL_MS = 10;
/** Aptos makes ten blocks a second. */
const MAX_POLLS = 3_000;

const callsSchema = z.record(z.string(), z.int());
const healthSchema = z.object({ aptos: z.object({ blockHeight: z.coerce.number() }) });

/** The orders that a test gives a development chain. test/devchain/README.md describes the routes. */
export interface ChainOrders {
  /** Counts the calls of the default endpoint, by method, since the chain started or the counts were cleared. */
  calls(): Promise<Readonly<Record<string, number>>>;
  clearCalls(): Promise<void>;
  /** Breaks the next calls of a method. A restart of the chain forgets the order. */
  orderFault(method: string, mode: Fault["mode"], times?: number, delayMs?: number, endpoint?: string): Promise<void>;
  clearFaults(): Promise<void>;
  /** Has the node show what was true so long ago. Null ends it, and so does a restart. */
  orderLag(lagMs: number | null): Promise<void>;
  /** Ends the epoch. The price of the next one stays as it is, unless another is given. */
  nextEpoch(referenceGasPrice?: bigint): Promise<void>;
  /**
   * Holds what is submitted: admitted on Sui, in the mempool on Aptos. The release executes it in the order of arrival.
   * It resolves after the next block of Aptos, which real time makes: a stopped clock can pass a minute before that.
   */
  holdConsensus(held: boolean): Promise<void>;
}

/** @param chainUrl of a development chain, as the test reaches it. */
export function chainOrders(chainUrl: string): ChainOrders {
  async function order(method: string, path: string, body?: object): Promise<void> {
    const answer = await http(`${chainUrl}/control/${path}`, { method, ...(body && { body: JSON.stringify(body) }) });
    expectAnswer(`${method} /control/${path}`, answer, z.unknown());
  }
  async function aptosHeight(): Promise<number> {
    return expectAnswer("the chain's health", await http(`${chainUrl}/control/health`), healthSchema).aptos.blockHeight;
  }
  async function untilNextBlock(): Promise<void> {
    const height = await aptosHeight();
    for (let polls = 0; (await aptosHeight()) === height; polls++) {
      if (polls === MAX_POLLS) throw new Error(`Aptos makes no block after ${height}`);
      await sleep(POLL_MS);
    }
  }
  return {
    calls: async () => expectAnswer("the chain's call counts", await http(`${chainUrl}/control/calls`), callsSchema),
    clearCalls: () => order("DELETE", "calls"),
    orderFault: (method, mode, times = 1, delayMs = 0, endpoint = "default") =>
      order("POST", "fault", { endpoint, method, mode, times, delayMs }),
    clearFaults: () => order("DELETE", "fault"),
    orderLag: (lagMs) => order("POST", "lag", { lagMs }),
    nextEpoch: (price) =>
      order("POST", "epoch", { advance: 1, ...(price !== undefined && { referenceGasPrice: price.toString() }) }),
    holdConsensus: async (held) => {
      await order("POST", "consensus", { held });
      if (!held) await untilNextBlock();
    },
  };
}
