import type { Clock, Fetch, Log } from "../../bindings/ports.ts";
import type { SuiNetwork } from "../../networks.ts";
import { InvalidReplyError } from "../failover.ts";
import { lags } from "../lag.ts";
import { namesChain } from "./ledger-state.ts";

/** The facts that a caller of nodes knows of its chain already. */
export interface KnownChain {
  /** Base58 genesis digest. */
  readonly chainIdentifier: string;
  readonly epoch: bigint;
}

/** An endpoint of another chain is asked last for this long; then it may have been set right. */
const DROPPED_MS = 60_000;
const SUBMIT = "/sui.rpc.v2.TransactionExecutionService/ExecuteTransaction";
/** Their replies hold the facts of the headers themselves, and their readers compare them. */
const SELF_DESCRIBING = ["/sui.rpc.v2.LedgerService/GetServiceInfo", "/sui.rpc.v2.LedgerService/GetEpoch"];

const TIMESTAMP = /^[0-9]{1,15}$/;
const OTHER_CHAIN = "the endpoint is of another chain";

/** The network and the endpoints that a `ChainGuard` judges, and the chain that it expects. */
export interface ChainGuardOptions {
  readonly network: SuiNetwork;
  readonly urls: readonly string[];
  readonly clock: Clock;
  readonly log: Log;
  /** Null if nothing is known yet, and every endpoint is believed. */
  readonly known: () => KnownChain | null;
}

/** Keeps endpoints of another chain, and endpoints that lag, from being believed. */
export class ChainGuard {
  readonly #options: ChainGuardOptions;
  /** Endpoints of another chain, and when that was last seen. */
  readonly #strangers = new Map<string, number>();
  /** The chain's time of the newest checkpoint in each endpoint's last reply, by URL. */
  readonly #shownMs = new Map<string, number>();

  constructor(options: ChainGuardOptions) {
    this.#options = options;
  }

  /** The endpoints in the order in which to ask them: those of another chain come last. */
  order(): readonly string[] {
    if (this.#strangers.size === 0) return this.#options.urls;
    const nowMs = this.#options.clock.nowMs();
    const isDropped = (url: string) =>
      Math.abs(nowMs - (this.#strangers.get(url) ?? Number.NEGATIVE_INFINITY)) < DROPPED_MS;
    const { urls } = this.#options;
    return [...urls.filter((url) => !isDropped(url)), ...urls.filter(isDropped)];
  }

  /** The chain's time of the newest checkpoint that an endpoint has named; null: a proxy keeps it from us. */
  shownMs(url: string): number | null {
    return this.#shownMs.get(url) ?? null;
  }

  /** True if an endpoint failed because it is of another chain. */
  isStranger(url: string, fault: string): boolean {
    return this.#strangers.has(url) && fault.startsWith(OTHER_CHAIN);
  }

  /** Compares what an endpoint says of its chain, in full or in short, and logs each change. */
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

  /** True if an endpoint is in an earlier epoch than was seen, and not only for a moment. */
  lags(epoch: bigint, timestampMs: number): boolean {
    const { known, clock } = this.#options;
    return epoch < (known()?.epoch ?? 0n) && lags(timestampMs, clock.nowMs());
  }

  /** @throws InvalidReplyError if an endpoint is of another chain, or lags. */
  believe(
    url: string,
    standing: { readonly chain: string; readonly epoch: bigint; readonly timestampMs: number },
  ): void {
    if (!this.isOurs(url, standing.chain)) throw new InvalidReplyError(`${OTHER_CHAIN}: ${standing.chain}`);
    this.#shownMs.set(url, standing.timestampMs);
    if (this.lags(standing.epoch, standing.timestampMs))
      throw new InvalidReplyError(`the node lags: it is in epoch ${standing.epoch}`);
  }

  /** A fetch for one endpoint that throws on a reply of another chain's node, or of one that lags. */
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

  /** An endpoint's execution counts, however far behind the endpoint is otherwise. */
  #faultOf(url: string, headers: Headers, isSubmit: boolean): string | null {
    const chain = headers.get("x-sui-chain-id");
    if (chain !== null && !this.isOurs(url, chain)) return `${OTHER_CHAIN}: ${chain}`;
    const [epoch, timestampMs] = [headers.get("x-sui-epoch"), headers.get("x-sui-timestamp-ms")];
    if (isSubmit || epoch === null || timestampMs === null || !/^[0-9]{1,20}$/.test(epoch)) return null;
    return this.lags(BigInt(epoch), Number(timestampMs)) ? `the node lags: it is in epoch ${epoch}` : null;
  }
}
