import type { Clock, Fetch, Log } from "../../bindings/ports.ts";
import type { SuiNetwork } from "../../networks.ts";
import { InvalidReplyError } from "../failover.ts";
import { lags } from "../lag.ts";
import { namesChain } from "./ledger-state.ts";

/** The facts of its chain that a caller of nodes already knows. */
export interface KnownChain {
  /** Base58 genesis digest. */
  readonly chainIdentifier: string;
  readonly epoch: bigint;
}

/** The time for which an endpoint of another chain is called last. Then it may have been corrected. */
const DROPPED_MS = 60_000;
const SUBMIT = "/sui.rpc.v2.TransactionExecutionService/ExecuteTransaction";
/** The replies of these methods hold the facts of the headers themselves, and their readers compare them. */
const SELF_DESCRIBING = ["/sui.rpc.v2.LedgerService/GetServiceInfo", "/sui.rpc.v2.LedgerService/GetEpoch"];

const TIMESTAMP = /^[0-9]{1,15}$/;
const OTHER_CHAIN = "the endpoint is of another chain";

/** The network and the endpoints that a `ChainGuard` judges, and the chain that it expects. */
export interface ChainGuardOptions {
  readonly network: SuiNetwork;
  readonly urls: readonly string[];
  readonly clock: Clock;
  readonly log: Log;
  /** Null if nothing is known yet, so that every endpoint is believed. */
  readonly known: () => KnownChain | null;
}

/** Keeps endpoints of another chain, and endpoints that lag, from being believed. */
export class ChainGuard {
  readonly #options: ChainGuardOptions;
  /** Endpoints of another chain, each with the time at which that was last seen. */
  readonly #strangers = new Map<string, number>();
  /** The chain's time of the newest checkpoint in each endpoint's last reply, by URL. */
  readonly #shownMs = new Map<string, number>();

  constructor(options: ChainGuardOptions) {
    this.#options = options;
  }

  /** Returns the endpoints in their calling order. Those of another chain come last. */
  order(): readonly string[] {
    if (this.#strangers.size === 0) return this.#options.urls;
    const nowMs = this.#options.clock.nowMs();
    const isDropped = (url: string) =>
      Math.abs(nowMs - (this.#strangers.get(url) ?? Number.NEGATIVE_INFINITY)) < DROPPED_MS;
    const { urls } = this.#options;
    return [...urls.filter((url) => !isDropped(url)), ...urls.filter(isDropped)];
  }

  /** Returns the chain's time of the newest checkpoint that an endpoint has named. Null if a proxy hides it. */
  shownMs(url: string): number | null {
    return this.#shownMs.get(url) ?? null;
  }

  /** Returns true if an endpoint failed because it serves another chain. */
  isStranger(url: string, fault: string): boolean {
    return this.#strangers.has(url) && fault.startsWith(OTHER_CHAIN);
  }

  /** Compares an endpoint's chain id, in full or in short, and logs each change. */
  isOurs(url: string, chain: string): boolean {
    const { known, log, network, clock } = this.#options;
    const ours = known()?.chainIdentifier;
    const isOurs = ours === undefined || namesChain(chain, ours);
    const fields = () => ({ network, host: new URL(url).host, chain });
    if (!isOurs && !this.#strangers.has(url)) log("node.other_chain", fields());
    if (isOurs && this.#strangers.delete(url)) log("node.own_chain", fields());
    if (!isOurs) this.#strangers.set(url, clock.nowMs());
    return isOurs;
  }

  /** Returns true if an endpoint stays in an earlier epoch than the one seen. */
  lags(epoch: bigint, timestampMs: number): boolean {
    const { known, clock } = this.#options;
    return epoch < (known()?.epoch ?? 0n) && lags(timestampMs, clock.nowMs());
  }

  /** @throws InvalidReplyError if an endpoint serves another chain, or lags. */
  believe(
    url: string,
    standing: { readonly chain: string; readonly epoch: bigint; readonly timestampMs: number },
  ): void {
    if (!this.isOurs(url, standing.chain)) throw new InvalidReplyError(`${OTHER_CHAIN}: ${standing.chain}`);
    this.#shownMs.set(url, standing.timestampMs);
    if (this.lags(standing.epoch, standing.timestampMs))
      throw new InvalidReplyError(`the node lags: it is in epoch ${standing.epoch}`);
  }

  /** Makes a fetch for one endpoint. It throws on a reply of another chain's node, or of one that lags. */
  fetchOf(url: string, fetch: Fetch): Fetch {
    return async (input, init) => {
      const response = await fetch(input, init);
      const timestampMs = response.headers.get("x-sui-timestamp-ms");
      if (timestampMs !== null && TIMESTAMP.test(timestampMs)) this.#shownMs.set(url, Number(timestampMs));
      const path = new URL(input instanceof Request ? input.url : input).pathname;
      if (SELF_DESCRIBING.some((method) => path.endsWith(method))) return response;
      const fault = this.#faultOf(url, response.headers, path.endsWith(SUBMIT));
      if (fault === null) return response;
      await response.body?.cancel();
      throw new InvalidReplyError(fault);
    };
  }

  /** An endpoint's execution counts, even if the endpoint lags. */
  #faultOf(url: string, headers: Headers, isSubmit: boolean): string | null {
    const chain = headers.get("x-sui-chain-id");
    if (chain !== null && !this.isOurs(url, chain)) return `${OTHER_CHAIN}: ${chain}`;
    const [epoch, timestampMs] = [headers.get("x-sui-epoch"), headers.get("x-sui-timestamp-ms")];
    if (isSubmit || epoch === null || timestampMs === null || !/^[0-9]{1,20}$/.test(epoch)) return null;
    return this.lags(BigInt(epoch), Number(timestampMs)) ? `the node lags: it is in epoch ${epoch}` : null;
  }
}
