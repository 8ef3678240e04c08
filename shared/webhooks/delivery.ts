/** Longer than a receiver needs to write the event down; Standard Webhooks recommends 15 to 30 s. */
export const TIMEOUT_MS = 15_000;

const SECOND_MS = 1_000;
const MINUTE_MS = 60 * SECOND_MS;
const HOUR_MS = 60 * MINUTE_MS;

/** After which failed attempt to wait how long: ten attempts over three days, most of them in the first hours. */
const WAITS_MS = [
  5 * SECOND_MS,
  5 * MINUTE_MS,
  30 * MINUTE_MS,
  2 * HOUR_MS,
  5 * HOUR_MS,
  10 * HOUR_MS,
  14 * HOUR_MS,
  18 * HOUR_MS,
  22 * HOUR_MS,
] as const;
/** So that what failed together does not come back together: up to a tenth later. */
const JITTER = 0.1;

export const deliveryStates = ["pending", "delivered", "failed"] as const;
export type DeliveryState = (typeof deliveryStates)[number];

/** What came of one attempt. */
export type DeliveryResponse =
  | { readonly kind: "status"; readonly status: number }
  /** No answer in time, or none at all. */
  | { readonly kind: "none"; readonly error: string }
  /** The target is one that is never called. */
  | { readonly kind: "refused_target"; readonly error: string };

export interface DeliveryDecision {
  readonly state: DeliveryState;
  /** When it is tried again; null: never. */
  readonly nextAtMs: number | null;
  /** The receiver has said that it is gone for good: nothing more is sent to it. */
  readonly disables: boolean;
}

/**
 * What an attempt means (Standard Webhooks, "Delivery"): 2xx is delivered; everything else has failed, redirects too,
 * which are never followed; 410 disables the endpoint.
 *
 * @param attempts so far, this one included. @param random from 0 to 1.
 */
export function decideDelivery(
  answer: DeliveryResponse,
  attempts: number,
  nowMs: number,
  random: number,
): DeliveryDecision {
  if (answer.kind === "status" && answer.status >= 200 && answer.status < 300)
    return { state: "delivered", nextAtMs: null, disables: false };
  const disables = answer.kind === "status" && answer.status === 410;
  const waitMs = WAITS_MS[attempts - 1];
  return waitMs === undefined
    ? { state: "failed", nextAtMs: null, disables }
    : { state: "pending", nextAtMs: nowMs + Math.round(waitMs * (1 + JITTER * random)), disables };
}

/** Connections that may be open at once: a request on Workers has six. */
const SLOTS = 6;
/** So many of them for one endpoint, whose receiver answers. */
const SLOTS_PER_ENDPOINT = 4;
/** And for all those together whose last attempt has failed, one each: they never keep the others waiting. */
const SLOTS_FOR_FAILING = 2;

export interface EndpointLoad {
  readonly failing: boolean;
  /** Attempts under way. */
  readonly open: number;
}

/** Whether one more attempt may begin for an endpoint. @param others all other endpoints' lanes. */
export function mayBegin({ failing, open }: EndpointLoad, others: readonly EndpointLoad[]): boolean {
  const taken = others.reduce((sum, lane) => sum + lane.open, open);
  if (taken >= SLOTS) return false;
  if (!failing) return open < SLOTS_PER_ENDPOINT;
  const byFailing = others.reduce((sum, lane) => sum + (lane.failing ? lane.open : 0), 0);
  return open === 0 && byFailing < SLOTS_FOR_FAILING;
}
