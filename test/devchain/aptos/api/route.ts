import type { Address } from "../address.ts";
import type { Blocks } from "../blocks.ts";
import type { LedgerView } from "../clock.ts";
import type { GasSchedule } from "../gas.ts";
import type { Genesis } from "../genesis.ts";
import type { Ledger } from "../ledger.ts";
import type { Item } from "../move/world.ts";
import type { Store } from "../store.ts";

/** The first block and version that an endpoint has. `archivalEndpoint`: where it says that what came before is. */
export interface Oldest {
  readonly height: number;
  readonly version: number;
  readonly archivalEndpoint: string | undefined;
}

/** What an endpoint has at hand: the one ledger, as far as this endpoint shows it. */
export interface Node {
  readonly genesis: Genesis;
  readonly store: Store;
  readonly ledger: Ledger;
  /** What gas costs now. */
  readonly gas: GasSchedule;
  readonly blocks: Blocks;
  /** The ledger that this endpoint shows to one call: an answer and its headers are of one ledger, as a node's are. */
  view(): LedgerView;
  /** The ledger that this endpoint shows now, which the rest of the call is about. */
  viewAgain(): LedgerView;
  /** What it has not pruned. */
  oldest(): Oldest;
  /** Whether this endpoint would have heard by now of what was admitted then. */
  knowsOf(admittedMs: number): boolean;
}

/** One call of a route. Path segments are decoded. */
export interface ApiCall {
  readonly node: Node;
  readonly params: Readonly<Record<string, string>>;
  readonly query: URLSearchParams;
  readonly contentType: string;
  readonly body: Uint8Array;
}

export interface ApiAnswer {
  readonly status?: number;
  readonly json: unknown;
  readonly headers?: Readonly<Record<string, string>>;
}

export type Route = (call: ApiCall) => ApiAnswer | Promise<ApiAnswer>;
/** By `GET /accounts/:address`: these are also the names by which calls are counted and faults ordered. */
export type Routes = Readonly<Record<string, Route>>;

/** The state as of a version. */
export function stateAt(store: Store, version: number) {
  return { get: (address: Address, slot: string): Item | undefined => store.item(address, slot, version) };
}
