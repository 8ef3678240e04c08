import type { Clock, Fetch, Log } from "../../../bindings/ports.ts";
import type { Outcome } from "../../../errors.ts";
import type { SuiNetwork } from "../../../networks.ts";
import { createEndpointFaults } from "../../endpoint-faults.ts";
import { EndpointMemory } from "../../endpoint-memory.ts";
import { type CallTime, type Endpoints, InvalidReplyError, readNewest } from "../../failover.ts";
import { ChainGuard, type KnownChain } from "../chain-guard.ts";
import { readLedgerState, seenSince } from "../ledger-state.ts";
import type { SuiNode } from "../node.ts";
import type { RecentHeights } from "../recent-heights.ts";
import type { SuiLedgerState, SuiSeen } from "../seen.ts";
import { boundedFetch } from "./bounded-fetch.ts";
import type { Reply } from "./call.ts";
import { type SuiServices, suiServices } from "./services.ts";

/** The endpoints of a Sui node, and the means to reach and judge them. */
export interface SuiNodeOptions {
  readonly network: SuiNetwork;
  /** Tried in this order. */
  readonly urls: readonly string[];
  readonly fetch: Fetch;
  readonly clock: Clock;
  readonly log: Log;
  /** Remembers which endpoints hang or lag. If absent, nothing is remembered. */
  readonly memory?: EndpointMemory;
  /**
   * The chain that the caller knows. Null or absent if it knows none yet. Endpoints of another chain are not believed.
   */
  readonly known?: () => KnownChain | null;
}

/** One endpoint at its turn. */
export interface EndpointCall {
  readonly client: SuiServices;
  readonly url: string;
  /** Ends with the endpoint's time-out. */
  readonly abort: AbortSignal;
}

interface ReadOptions<T> {
  /** Selects endpoints. If absent, all are called. */
  readonly isAsked?: (url: string) => boolean;
  /** Returns true if an answer never changes. If absent, every answer may change. */
  readonly isFinal?: (value: T) => boolean;
}

/** The state that all calls of one node share. */
interface Shared {
  readonly options: SuiNodeOptions;
  readonly clients: Map<string, SuiServices>;
  readonly faults: ReturnType<typeof createEndpointFaults>;
  readonly guard: ChainGuard;
  readonly memory: EndpointMemory;
}

/** Reaches the endpoints of one network by gRPC-web: failover, faults in the log, and evidence with its height. */
export class GrpcConnection {
  readonly #shared: Shared;
  /** Null if each question has only its own time-outs. */
  readonly within: CallTime | null;

  private constructor(shared: Shared, within: CallTime | null) {
    this.#shared = shared;
    this.within = within;
  }

  static open(options: SuiNodeOptions): GrpcConnection {
    const { network, urls, clock, log, memory = new EndpointMemory(clock), known = () => null } = options;
    const guard = new ChainGuard({ network, urls, clock, log, known });
    const faults = createEndpointFaults(network, log);
    return new GrpcConnection({ options, clients: new Map(), faults, guard, memory }, null);
  }

  /** Returns the same connection for one call. Every question ends with the call's time. */
  forCall(call: CallTime): GrpcConnection {
    return new GrpcConnection(this.#shared, call);
  }

  get urls(): readonly string[] {
    return this.#shared.options.urls;
  }

  get guard(): ChainGuard {
    return this.#shared.guard;
  }

  get faults(): Shared["faults"] {
    return this.#shared.faults;
  }

  /** Returns milliseconds since 1970, by our clock. */
  nowMs(): number {
    return this.#shared.options.clock.nowMs();
  }

  endpoints(): Endpoints {
    const { options, guard, memory } = this.#shared;
    return { network: options.network, urls: guard.order(), memory };
  }

  /** Returns the services at an endpoint. They are made once. */
  client(baseUrl: string): SuiServices {
    const { options, clients, guard } = this.#shared;
    const known = clients.get(baseUrl);
    if (known !== undefined) return known;
    const made = suiServices(baseUrl, boundedFetch(guard.fetchOf(baseUrl, options.fetch)));
    clients.set(baseUrl, made);
    return made;
  }

  /**
   * Reads from the first endpoint that answers and does not lag.
   *
   * @param question names a fault in the log.
   */
  read<T>(
    question: keyof SuiNode,
    ask: (call: EndpointCall) => Promise<T>,
    { isAsked = () => true, isFinal = () => false }: ReadOptions<T> = {},
  ): Promise<Outcome<T>> {
    const { faults, guard } = this.#shared;
    return readNewest(
      { ...this.endpoints(), isAsked },
      async (url, abort) => {
        const value = await faults.watch(url, question, () => ask({ client: this.client(url), url, abort }));
        return { value, timeMs: guard.shownMs(url) ?? this.nowMs(), isFinal: isFinal(value) };
      },
      this.within,
    );
  }

  /** Reads a page from the first endpoint that accepts its token. Nothing records which endpoint gave the token. */
  async readPage<T>(question: keyof SuiNode, ask: (call: EndpointCall) => Promise<Outcome<T>>): Promise<Outcome<T>> {
    const refused = new Set<string>();
    for (;;) {
      const askOne = async (call: EndpointCall) => {
        const answer = await ask(call);
        if (!answer.ok) refused.add(call.url);
        return answer;
      };
      const answer = flat(await this.read(question, askOne, { isAsked: (url) => !refused.has(url) }));
      if (answer.ok || answer.error.reason !== "bad_params" || refused.size >= this.urls.length) return answer;
    }
  }

  /**
   * Reads the height of an endpoint, unless these heights have a recent one.
   *
   * @throws InvalidReplyError if the endpoint serves another chain, or lags.
   */
  async ledgerState({ client, url, abort }: EndpointCall, heights?: RecentHeights): Promise<SuiLedgerState> {
    const kept = heights?.of(url, this.nowMs()) ?? null;
    const state = kept ?? (await readLedgerState(client, url, abort));
    this.#shared.guard.believe(url, state);
    if (kept === null) heights?.keep(url, state, this.nowMs());
    return state;
  }

  /** Reads a reply as evidence. The endpoint first names a height, and then answers at that height or above. */
  async seen<T>(call: EndpointCall, ask: () => Reply<T>): Promise<SuiSeen<T>> {
    return this.seenSince(await this.ledgerState(call), call, ask());
  }

  /** Works like `seen`, with a height that was already read. */
  seenSince<T>(before: SuiLedgerState, { client, url, abort }: EndpointCall, reply: Reply<T>): Promise<SuiSeen<T>> {
    return seenSince(before, reply, () => readLedgerState(client, url, abort));
  }

  /**
   * Reads each item of a batch. An unreadable item is a fault of the endpoint, and affects no other item.
   *
   * @param noAnswer the value for an item that the endpoint could not answer, or that cannot be read.
   * @throws InvalidReplyError if every item is `noAnswer`, so that the next endpoint is called.
   */
  readEach<R, T>(
    url: string,
    question: string,
    results: readonly R[],
    readOne: (result: R, index: number) => T,
    noAnswer: T,
  ): readonly T[] {
    const { faults } = this.#shared;
    const unreadable: InvalidReplyError[] = [];
    const values = results.map((result, index) => {
      try {
        return readOne(result, index);
      } catch (error) {
        if (!(error instanceof InvalidReplyError)) throw error;
        unreadable.push(error);
        return noAnswer;
      }
    });
    if (unreadable.length > 0) faults.failed(url, question, unreadable[0]);
    else faults.answered(url, question);
    if (values.length > 0 && values.every((value) => value === noAnswer))
      throw unreadable[0] ?? new InvalidReplyError(`the node gave no answer about ${question}`);
    return values;
  }
}

/** Returns a node's refusal of the question itself as the answer. */
export function flat<T>(answer: Outcome<Outcome<T>>): Outcome<T> {
  return answer.ok ? answer.value : answer;
}
