import { seededRandom } from "../../support/random.ts";
import { quantile } from "../load.ts";
import { EventQueue } from "./events.ts";
import { Coordinator, Lane } from "./lease.ts";

export interface LaneLoad {
  readonly seed: number;
  readonly lanes: number;
  readonly requestsPerSecond: number;
  readonly seconds: number;
  /** The time that a lane takes for a request, ms. One object answers one request after the other. */
  readonly serviceMs: number;
  /** The mean way of a message between two objects, ms. */
  readonly wayMs: number;
  /** The share of messages that get lost. */
  readonly loss: number;
  readonly limit: number;
  readonly amount: number;
  /** Draws the time for which a request holds its amount, ms. Infinity if it keeps it. */
  readonly holdMs: (random: () => number) => number;
}

export interface LaneFigures {
  readonly answeredPerSecond: number;
  readonly p50Ms: number;
  readonly p99Ms: number;
  readonly reserved: number;
  readonly refused: number;
  /** The mean part of the limit that was unused at a refusal, in other lanes or on the way. 0 if none was refused. */
  readonly unusedAtRefusal: number;
  /** Calls that the coordinator answers or makes, for each 1,000 requests. */
  readonly coordinatorCalls: number;
  /** The greatest part of the limit in use at once. */
  readonly peakUse: number;
  /** Requests of the busiest lane as a multiple of the mean. */
  readonly busiest: number;
  /** Moments at which a lane had used more than its lease, or all lanes together had more than the limit. */
  readonly violations: number;
}

const RETRY_MS = 250;
/** The coordinator waits so long for what lanes give back, and then shares out what it has. */
const RECALL_MS = 100;
/** A lane leases this part of the limit at once, divided by the number of lanes. */
const CHUNK_SHARE = 0.125;
/** Senders come as often as in a Zipf distribution. A sender's requests go to one lane. */
const SENDERS = 10_000;
const ZIPF = 0.7;

/** Draws senders by a Zipf distribution: the second is as frequent as the first, divided by 2^0.7, and so on. */
function senders(random: () => number): () => number {
  const sums: number[] = [];
  let total = 0;
  for (let sender = 1; sender <= SENDERS; sender++) {
    total += sender ** -ZIPF;
    sums.push(total);
  }
  return () => {
    const drawn = random() * total;
    let [low, high] = [0, SENDERS - 1];
    while (low < high) {
      const middle = (low + high) >> 1;
      if ((sums[middle] ?? 0) < drawn) low = middle + 1;
      else high = middle;
    }
    return low;
  };
}

/** Spreads senders evenly, as a hash does (Knuth's multiplicative hash). */
function laneOf(sender: number, lanes: number): number {
  return Math.floor((((Math.imul(sender + 1, 0x9e3779b1) >>> 0) / 2 ** 32) * lanes) % lanes);
}

interface Waiting {
  readonly arrivedMs: number;
}

/** One lane and what it is about to do. */
class LaneState {
  readonly books = new Lane();
  busyUntilMs = 0;
  requests = 0;
  operation = 0;
  asking = false;
  waiting: Waiting[] = [];
  recall = 0;
  recallAnswered = true;
}

/** A fund or an index in lanes, under a load, with messages that are late or lost. */
class Simulation {
  readonly #load: LaneLoad;
  readonly #random: () => number;
  readonly #queue = new EventQueue();
  readonly #coordinator: Coordinator;
  readonly #lanes: readonly LaneState[];
  readonly #chunk: number;
  readonly #latenciesMs: number[] = [];
  /** Lanes that wait until others have given back: the operation and the amount of each. */
  readonly #asked = new Map<number, { operation: number; wanted: number }>();
  #recalling = false;
  #used = 0;
  #peakUsed = 0;
  readonly #counts = { reserved: 0, refused: 0, unused: 0, calls: 0, violations: 0 };

  constructor(load: LaneLoad) {
    this.#load = load;
    this.#random = seededRandom(load.seed);
    this.#coordinator = new Coordinator(load.limit, load.lanes);
    this.#lanes = Array.from({ length: load.lanes }, () => new LaneState());
    this.#chunk = Math.max(load.amount, Math.floor((load.limit * CHUNK_SHARE) / load.lanes));
  }

  run(): LaneFigures {
    const { lanes, requestsPerSecond, seconds } = this.#load;
    const draw = senders(this.#random);
    const arrive = () => {
      this.#arrive(laneOf(draw(), lanes));
      this.#queue.after(this.#exponential(1_000 / requestsPerSecond), arrive);
    };
    arrive();
    this.#queue.runUntil(seconds * 1_000);
    const requests = this.#lanes.map((lane) => lane.requests);
    const all = requests.reduce((sum, count) => sum + count, 0);
    const sorted = this.#latenciesMs.toSorted((a, b) => a - b);
    return {
      answeredPerSecond: sorted.length / seconds,
      p50Ms: quantile(sorted, 0.5),
      p99Ms: quantile(sorted, 0.99),
      reserved: this.#counts.reserved,
      refused: this.#counts.refused,
      unusedAtRefusal: this.#counts.unused / (this.#load.limit * Math.max(1, this.#counts.refused)),
      coordinatorCalls: (1_000 * this.#counts.calls) / all,
      peakUse: this.#peakUsed / this.#load.limit,
      busiest: Math.max(...requests) / (all / lanes),
      violations: this.#counts.violations,
    };
  }

  #exponential(mean: number): number {
    return -Math.log(1 - this.#random()) * mean;
  }

  /** Sends a message between two objects. It may get lost. */
  #send(receive: () => void): void {
    this.#counts.calls += 0.5;
    if (this.#random() >= this.#load.loss) this.#queue.after(this.#exponential(this.#load.wayMs), receive);
  }

  #arrive(index: number): void {
    const lane = this.#lanes[index];
    if (lane === undefined) throw new Error(`no lane ${index}`);
    lane.requests += 1;
    const { nowMs } = this.#queue;
    lane.busyUntilMs = Math.max(nowMs, lane.busyUntilMs) + this.#load.serviceMs;
    const request = { arrivedMs: nowMs };
    this.#queue.after(lane.busyUntilMs - nowMs, () => this.#serve(index, lane, request));
  }

  #serve(index: number, lane: LaneState, request: Waiting): void {
    const { amount } = this.#load;
    if (lane.waiting.length > 0 || !this.#reserve(lane, request)) lane.waiting.push(request);
    // More is leased before it is needed, so that few requests wait for it.
    if (lane.waiting.length > 0 || lane.books.idle() < Math.max(amount, this.#chunk / 2)) this.#ask(index, lane);
  }

  #reserve(lane: LaneState, { arrivedMs }: Waiting): boolean {
    const { amount, holdMs } = this.#load;
    if (!lane.books.reserve(amount)) return false;
    this.#used += amount;
    this.#peakUsed = Math.max(this.#peakUsed, this.#used);
    this.#counts.reserved += 1;
    this.#latenciesMs.push(this.#queue.nowMs - arrivedMs);
    this.#check();
    const heldMs = holdMs(this.#random);
    if (Number.isFinite(heldMs))
      this.#queue.after(heldMs, () => {
        lane.books.release(amount);
        this.#used -= amount;
      });
    return true;
  }

  /** Holds at every reservation: each lane within its lease, all leases and all uses within the limit. */
  #check(): void {
    const { limit, leased } = this.#coordinator;
    const isOver = this.#lanes.some(
      ({ books }, index) => books.used > books.lease || books.lease > (leased[index] ?? 0),
    );
    if (isOver || this.#coordinator.free() < 0 || this.#used > limit) this.#counts.violations += 1;
  }

  #ask(index: number, lane: LaneState): void {
    if (lane.asking) return;
    lane.asking = true;
    lane.operation += 1;
    this.#request(index, lane, lane.operation, this.#chunk + lane.waiting.length * this.#load.amount);
  }

  /** Sends the request until its answer is there, each time as the same operation. */
  #request(index: number, lane: LaneState, operation: number, wanted: number): void {
    if (!lane.asking || lane.operation !== operation) return;
    this.#send(() => this.#received(index, operation, wanted));
    this.#queue.after(RETRY_MS, () => this.#request(index, lane, operation, wanted));
  }

  #received(index: number, operation: number, wanted: number): void {
    const repeated = this.#coordinator.repeated(index, operation);
    if (repeated !== null || this.#coordinator.free() >= wanted) {
      this.#answer(index, operation, this.#coordinator.grant(index, operation, wanted));
      return;
    }
    this.#asked.set(index, { operation, wanted });
    this.#recall();
  }

  /** Has each other lane give back half of what it has idle. */
  #recall(): void {
    if (this.#recalling) return;
    this.#recalling = true;
    for (const [index, lane] of this.#lanes.entries()) {
      if (this.#asked.has(index)) continue;
      if (lane.recallAnswered) lane.recall += 1;
      lane.recallAnswered = false;
      const operation = lane.recall;
      this.#send(() => {
        const amount = lane.books.giveBack(operation, Math.floor(lane.books.idle() / 2));
        this.#send(() => {
          this.#coordinator.takeBack(index, operation, amount);
          if (lane.recall === operation) lane.recallAnswered = true;
        });
      });
    }
    this.#queue.after(RECALL_MS, () => {
      this.#recalling = false;
      // Amounts that are too small for a request help nobody.
      const share = Math.max(this.#load.amount, Math.floor(this.#coordinator.free() / Math.max(1, this.#asked.size)));
      for (const [index, { operation, wanted }] of this.#asked)
        this.#answer(index, operation, this.#coordinator.grant(index, operation, Math.min(wanted, share)));
      this.#asked.clear();
    });
  }

  #answer(index: number, operation: number, amount: number): void {
    this.#send(() => {
      const lane = this.#lanes[index];
      if (lane === undefined) return;
      lane.books.addGrant(operation, amount);
      if (lane.operation !== operation || !lane.asking) return;
      lane.asking = false;
      while (lane.waiting[0] !== undefined && this.#reserve(lane, lane.waiting[0])) lane.waiting.shift();
      if (amount < this.#load.amount) this.#refuseWaiting(lane);
      if (lane.waiting.length > 0) this.#ask(index, lane);
    });
  }

  #refuseWaiting(lane: LaneState): void {
    for (const { arrivedMs } of lane.waiting) {
      this.#counts.refused += 1;
      this.#counts.unused += this.#load.limit - this.#used;
      this.#latenciesMs.push(this.#queue.nowMs - arrivedMs);
    }
    lane.waiting = [];
  }
}

/** Simulates lanes that share a limit. The same load gives the same figures. */
export function simulateLanes(load: LaneLoad): LaneFigures {
  return new Simulation(load).run();
}
