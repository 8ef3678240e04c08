import type { Outbox } from "../durable/outbox.ts";
import type { SubscribedEvents } from "../durable/subscriptions.ts";
import { isAptosNetwork, isSuiNetwork } from "../networks.ts";
import { AptosFundCore } from "./aptos/engine/chain.ts";
import { AptosFundEngine } from "./aptos/engine/index.ts";
import type { FundParts } from "./core.ts";
import type { FundEngine } from "./engine.ts";
import { type Raise, raisedEvent } from "./events.ts";
import { type FundRecord, readFundRecord } from "./record.ts";
import { SuiFundCore } from "./sui/engine/chain.ts";
import { SuiFundEngine } from "./sui/engine/index.ts";

/** Loads the engine of a fund's chain from the stored record, once per instance. */
export class EngineLoader {
  readonly #parts: Omit<FundParts, "raise">;
  readonly #outbox: Outbox;
  readonly #subscribed: SubscribedEvents;
  #engine: FundEngine | null = null;

  constructor(parts: Omit<FundParts, "raise">, outbox: Outbox, subscribed: SubscribedEvents) {
    this.#parts = parts;
    this.#outbox = outbox;
    this.#subscribed = subscribed;
  }

  /**
   * Loads the engine, and arms an overdue alarm. Null if the fund was never created.
   *
   * @throws the error of a fund whose project has moved.
   */
  load(): FundEngine | null {
    const { deps, due, state, transfer } = this.#parts;
    transfer.requireOpen();
    due.rearmIfOverdue(deps.clock.nowMs());
    if (this.#engine === null) {
      const record = readFundRecord(state.storage.sql);
      if (record !== null) this.#engine = newEngine({ ...this.#parts, raise: this.#raiser(record) }, record);
    }
    return this.#engine;
  }

  /** Forgets the engine and the subscriptions, after the stored rows were replaced. */
  forget(): void {
    this.#engine = null;
    this.#subscribed.forget();
  }

  /** Loads the engine for a call that uses or views the fund. Null if the fund was never created. */
  loadForUse(): FundEngine | null {
    const engine = this.load();
    engine?.core.noteDemand();
    return engine;
  }

  /** Runs a function with the fund's engine, and records the demand. Null if the fund was never created. */
  use<T>(run: (engine: FundEngine) => T): T | null {
    const engine = this.loadForUse();
    return engine === null ? null : run(engine);
  }

  /**
   * Works as `loadForUse`, but throws for a missing fund. An access key names its fund, and no fund is ever deleted.
   */
  require(): FundEngine {
    const engine = this.loadForUse();
    if (engine === null) throw new Error("no such fund");
    return engine;
  }

  /**
   * Works as `require`, but throws for another chain. Admission knows the network of a key, and so its fund's chain.
   */
  requireSui(): SuiFundEngine {
    const engine = this.require();
    if (!(engine instanceof SuiFundEngine)) throw new Error("not a fund on Sui");
    return engine;
  }

  /** Works as `requireSui`, for Aptos. */
  requireAptos(): AptosFundEngine {
    const engine = this.require();
    if (!(engine instanceof AptosFundEngine)) throw new Error("not a fund on Aptos");
    return engine;
  }

  /** Writes events to the outbox in the commit under way. An event without a subscriber only costs a memory look-up. */
  #raiser({ fundId, network }: FundRecord): Raise {
    return (event) => {
      if (this.#subscribed.wants(event.type)) this.#outbox.raise(raisedEvent(event, { fundId, network }));
    };
  }
}

function newEngine(parts: FundParts, record: FundRecord): FundEngine {
  const { network } = record;
  if (isAptosNetwork(network)) return new AptosFundEngine(new AptosFundCore(parts, record, network));
  if (!isSuiNetwork(network)) throw new Error(`no fund can be on ${network}`);
  const core = new SuiFundCore(parts, record, network);
  return new SuiFundEngine(core, (work) => parts.state.waitUntil(work));
}
