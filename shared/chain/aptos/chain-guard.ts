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
  /** True if a ledger of the network is of another chain than the caller's. */
  readonly isAnother: (ledger: AptosSeen<null>) => boolean;
  /**
   * Every endpoint has answered for another chain, and goes on doing so. Then the chain has changed, and no endpoint.
   */
  readonly onReset: (ledger: AptosSeen<null>) => void;
}

/** Keeps endpoints of another chain from being believed, one by one. */
export class ChainGuard {
  readonly #options: ChainGuardOptions;
  /** The endpoints by URL whose last answer was of a reset chain of the network, or of another network; since when. */
  readonly #strangers = new Map<string, { readonly kind: "reset" | "other_network"; readonly sinceMs: number }>();

  constructor(options: ChainGuardOptions) {
    this.#options = options;
  }

  /** Checks that an endpoint's answer is of the expected chain. Logs each change. */
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
    // A list of another network's endpoints is a mistake in the configuration, and over once that is set right.
    const isReset = (one: string) => this.#strangers.get(one)?.kind === "reset";
    const isSaidAgain = before?.kind === "reset" && nowMs - before.sinceMs >= SECOND_LOOK_MS;
    if (isSaidAgain && urls.every(isReset)) onReset(ledger);
    return false;
  }
}
