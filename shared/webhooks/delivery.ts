/** Time limit of one attempt. Standard Webhooks recommends 15 to 30 s. */
export const TIMEOUT_MS = 15_000;

const SECOND_MS = 1_000;
const MINUTE_MS = 60 * SECOND_MS;
const HOUR_MS = 60 * MINUTE_MS;

/** Wait after each failed attempt: ten attempts over three days, most of them in the first hours. */
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
/** Delays a retry by up to a tenth, so that deliveries that failed together do not return together. */
const JITTER = 0.1;

/** The states of a delivery. */
export const deliveryStates = ["pending", "delivered", "failed"] as const;
/** The state of a delivery. `failed`: all its attempts are used up. */
export type DeliveryState = (typeof deliveryStates)[number];

/** Result of one attempt. */
export type DeliveryResponse =
  | { readonly kind: "status"; readonly status: number }
  /** No response in time, or none at all. */
  | { readonly kind: "none"; readonly error: string }
  /** The URL is one that is never called. */
  | { readonly kind: "refused_target"; readonly error: string };

/** The state of a delivery after an attempt. */
export interface DeliveryDecision {
  readonly state: DeliveryState;
  /** Time of the next attempt in ms. Null if none follows. */
  readonly nextAtMs: number | null;
  /** True if the receiver is permanently gone (410). Its webhook is then disabled. */
  readonly disables: boolean;
}

/**
 * Decides about a delivery after an attempt (Standard Webhooks, "Delivery"). 2xx is delivered. Every other status has
 * failed, also a redirect, which is never followed. 410 disables the webhook.
 *
 * @param attempts attempts so far, including this one.
 * @param random from 0 to 1.
 */
export function decideDelivery(
  response: DeliveryResponse,
  attempts: number,
  nowMs: number,
  random: number,
): DeliveryDecision {
  if (response.kind === "status" && response.status >= 200 && response.status < 300)
    return { state: "delivered", nextAtMs: null, disables: false };
  const disables = response.kind === "status" && response.status === 410;
  const waitMs = WAITS_MS[attempts - 1];
  return waitMs === undefined
    ? { state: "failed", nextAtMs: null, disables }
    : { state: "pending", nextAtMs: nowMs + Math.round(waitMs * (1 + JITTER * random)), disables };
}

/** Open connections at once. A request on Workers has six. */
const SLOTS = 6;
/** Open connections to one receiver that answers. */
const SLOTS_PER_ENDPOINT = 4;
/** Open connections to all receivers whose last attempt failed, one each. So they never delay the others. */
const SLOTS_FOR_FAILING = 2;

/** The attempts of one webhook that are in progress. */
export interface EndpointLoad {
  readonly failing: boolean;
  /** Attempts in progress. */
  readonly open: number;
}

/** Returns true if one more attempt may begin for a webhook. @param others load of all other webhooks. */
export function mayBegin({ failing, open }: EndpointLoad, others: readonly EndpointLoad[]): boolean {
  const taken = others.reduce((sum, lane) => sum + lane.open, open);
  if (taken >= SLOTS) return false;
  if (!failing) return open < SLOTS_PER_ENDPOINT;
  const byFailing = others.reduce((sum, lane) => sum + (lane.failing ? lane.open : 0), 0);
  return open === 0 && byFailing < SLOTS_FOR_FAILING;
}
