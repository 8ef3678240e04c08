import { mayBegin } from "../../../shared/webhooks/delivery.ts";
import { seededRandom } from "../../support/random.ts";
import { quantile } from "../load.ts";
import { EventQueue } from "./events.ts";

export interface WebhookLoad {
  readonly seed: number;
  readonly endpoints: number;
  /** Events a second for each endpoint. */
  readonly eventsPerSecond: number;
  readonly seconds: number;
  /** The mean time to an endpoint's answer, ms. */
  readonly answerMs: number;
  /** Whether each endpoint has a sender object of its own, or one object sends to all. */
  readonly senders: "one" | "one an endpoint";
}

export interface WebhookFigures {
  readonly deliveredPerSecond: number;
  /** Time from the event to its delivery, of what was delivered. */
  readonly p50Ms: number;
  readonly p99Ms: number;
  /** Events that still wait at the end. */
  readonly waiting: number;
}

interface Endpoint {
  open: number;
  readonly due: number[];
}

/** Simulates deliveries by today's rule (`mayBegin`), within one object for all endpoints or one for each. */
export function simulateWebhooks(load: WebhookLoad): WebhookFigures {
  const random = seededRandom(load.seed);
  const exponential = (mean: number) => -Math.log(1 - random()) * mean;
  const queue = new EventQueue();
  const endpoints: readonly Endpoint[] = Array.from({ length: load.endpoints }, () => ({ open: 0, due: [] }));
  const waitsMs: number[] = [];
  let first = 0;

  function loadOf({ open }: Endpoint) {
    return { failing: false, open };
  }

  function begin(endpoint: Endpoint, together: readonly Endpoint[]): boolean {
    const others = together.filter((other) => other !== endpoint).map(loadOf);
    if (endpoint.due.length === 0 || !mayBegin(loadOf(endpoint), others)) return false;
    const raisedMs = endpoint.due.shift() ?? 0;
    endpoint.open += 1;
    queue.after(exponential(load.answerMs), () => {
      endpoint.open -= 1;
      waitsMs.push(queue.nowMs - raisedMs);
      beginAll(endpoint);
    });
    return true;
  }

  /** Begins what may begin in the object that sends to this endpoint, one endpoint after the other. */
  function beginAll(endpoint: Endpoint): void {
    const together = load.senders === "one" ? endpoints : [endpoint];
    first = (first + 1) % together.length;
    const inTurn = [...together.slice(first), ...together.slice(0, first)];
    for (let begun = true; begun; ) {
      begun = false;
      for (const each of inTurn) begun = begin(each, together) || begun;
    }
  }

  for (const endpoint of endpoints) {
    const raise = () => {
      endpoint.due.push(queue.nowMs);
      beginAll(endpoint);
      queue.after(exponential(1_000 / load.eventsPerSecond), raise);
    };
    queue.after(exponential(1_000 / load.eventsPerSecond), raise);
  }
  queue.runUntil(load.seconds * 1_000);
  const sorted = waitsMs.toSorted((a, b) => a - b);
  return {
    deliveredPerSecond: sorted.length / load.seconds,
    p50Ms: quantile(sorted, 0.5),
    p99Ms: quantile(sorted, 0.99),
    waiting: endpoints.reduce((sum, { due }) => sum + due.length, 0),
  };
}
