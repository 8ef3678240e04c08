import type { Clock, Log } from "../../bindings/ports.ts";
import type { AptosNetwork } from "../../networks.ts";
import { SECOND_LOOK_MS } from "../failover.ts";
import { matchesNetwork } from "./chain-id.ts";
import type { AptosSeen } from "./seen.ts";

/** The network and the endpoints that a `ChainGuard` judges, and the chain that it expects. */
export interface ChainGuardOptions {
  readonly network: AptosNetwork;
  readonly urls: readonly string[];
  readonly clock: Clock;
  readonly log: Log;
  /** Returns true if a ledger of the network belongs to another chain than the caller's. */
  readonly isAnother: (ledger: AptosSeen<null>) => boolean;
  /**
   * Called if every endpoint has answered for another chain, and continues to do so. The chain has then changed, not
   * the endpoints.
   */
  readonly onReset: (ledger: AptosSeen<null>) => void;
}

/** Keeps each endpoint of another chain from being believed. */
export class ChainGuard {
  readonly #options: ChainGuardOptions;
  /**
   * The endpoints by URL whose last answer showed a reset chain of the network, or another network. Each has the time
   * since which it does.
   */
  readonly #strangers = new Map<string, { readonly kind: "reset" | "other_network"; readonly sinceMs: number }>();

  constructor(options: ChainGuardOptions) {
    this.#options = options;
  }

  /** Checks that an endpoint's answer belongs to the expected chain. Logs each change. */
  accepts(url: string, ledger: AptosSeen<null>): boolean {
    const { network, urls, clock, log, isAnother, onReset } = this.#options;
    const isOther = !matchesNetwork(ledger.chain, network);
    const isOurs = !isOther && !isAnother(ledger);
    const fields = { network, host: new URL(url).host, chain: String(ledger.chain) };
    if (isOurs) {
      if (this.#strangers.delete(url)) log("node.own_chain", fields);
      return true;
    }
    const nowMs = clock.nowMs();
    const kind = isOther ? "other_network" : "reset";
    const before = this.#strangers.get(url);
    if (before === undefined) log("node.other_chain", fields);
    if (before?.kind !== kind) this.#strangers.set(url, { kind, sinceMs: nowMs });
    // An endpoint list of another network is a mistake in the configuration, and ends when that is corrected.
    const isReset = (one: string) => this.#strangers.get(one)?.kind === "reset";
    const isSaidAgain = before?.kind === "reset" && nowMs - before.sinceMs >= SECOND_LOOK_MS;
    if (isSaidAgain && urls.every(isReset)) onReset(ledger);
    return false;
  }
}
