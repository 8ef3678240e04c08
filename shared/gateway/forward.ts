import type { Fetch } from "../bindings/ports.ts";
import type { Network } from "../networks.ts";
import { unlessAborted } from "../timing.ts";
import { type AttemptTimeouts, attempt, type OutgoingRequest, type Passing, type UpstreamResponse } from "./attempt.ts";
import type { EndpointHealth } from "./endpoint-health.ts";
import { type Checked, passed, refused } from "./errors.ts";
import type { EndpointRateLimit, Endpoints, Upstream, UpstreamRequest } from "./upstream.ts";

/** The means to reach endpoints, and their known state. */
export interface ForwardDeps {
  readonly fetch: Fetch;
  readonly health: EndpointHealth;
  readonly timeouts: AttemptTimeouts;
}

/** A request, and the endpoints that it may go to. */
export interface ForwardOptions extends Endpoints {
  readonly ask: UpstreamRequest;
  readonly network: Network;
  readonly outgoing: OutgoingRequest;
}

const NOT_OF_NETWORK = "no answer, or none of this network";

/**
 * Returns the reason why an endpoint's network is unproved. Null if it is proved. Queries the endpoint unless it was
 * just verified.
 */
async function networkFault(
  upstream: Upstream,
  url: string,
  network: Network,
  { fetch, health: memory, timeouts: patience }: ForwardDeps,
): Promise<string | null> {
  if (memory.isVerified(network, url)) return null;
  const abort = AbortSignal.timeout(patience.answerMs);
  try {
    const isOfNetwork = await unlessAborted(abort, upstream.probeNetwork({ url, network, fetch, abort }));
    if (isOfNetwork) memory.noteVerified(network, url);
    return isOfNetwork ? null : NOT_OF_NETWORK;
  } catch {
    return NOT_OF_NETWORK;
  }
}

interface Fault {
  readonly text: string;
  readonly tooOften?: EndpointRateLimit;
}

function unavailable(network: Network, faults: readonly Fault[], variable: string) {
  if (faults.length === 0) return refused("node_unavailable", `no node is configured for ${network}: set ${variable}`);
  const limits = faults.flatMap(({ tooOften }) => tooOften ?? []);
  if (limits.length === faults.length) return rateLimitedByAll(network, limits);
  const why = faults.map(({ text }) => text).join("; ");
  return refused("node_unavailable", `no node of ${network} answers, nothing was done, repeat later: ${why}`);
}

/** Refuses with the shortest wait of all endpoints. */
function rateLimitedByAll(network: Network, limits: readonly EndpointRateLimit[]) {
  const waitsMs = limits.flatMap(({ retryAfterMs }) => retryAfterMs ?? []);
  const wait = waitsMs.length === 0 ? {} : { retryAfterMs: Math.min(...waitsMs) };
  return refused("rate_limited", `every node of ${network} limits our calls, nothing was done: repeat later`, wait);
}

/**
 * Passes a request on to the endpoints of a network, those that just failed last. A read goes to the next endpoint for
 * as long as nothing has passed to the caller. A write goes only to an endpoint that is known to be of the network. It
 * goes to the next endpoint only if this one has turned it away: then nothing was done.
 *
 * @returns refuses with `node_unavailable` if nothing was done. The reason is `rate_limited` if every endpoint reported
 * a limit. Refuses with `outcome_unknown` if a write went out and no answer came.
 */
export async function forward(
  upstream: Upstream,
  order: ForwardOptions,
  ports: ForwardDeps,
): Promise<Checked<UpstreamResponse>> {
  const { ask, network, urls, variable, outgoing } = order;
  const { health: memory } = ports;
  const faults: Fault[] = [];
  for (const url of memory.ordered(network, urls)) {
    const asksFirst = ask.kind === "write" || !upstream.answersNameNetwork;
    const fault = asksFirst ? await networkFault(upstream, url, network, ports) : null;
    if (fault !== null) {
      memory.noteFailed(network, url);
      faults.push({ text: fault });
      continue;
    }
    const attempted = await attempt(upstream, { url, ask, network, outgoing }, ports);
    if (attempted.kind === "passing") {
      if (attempted.ofNetwork) memory.noteVerified(network, url);
      return passed(await fromArchive(upstream, order, attempted, ports));
    }
    memory.noteFailed(network, url);
    const { fault: text, tooOften, nothingDone = false } = attempted;
    faults.push(tooOften === undefined ? { text } : { text, tooOften });
    if (ask.kind === "write" && !nothingDone) return outcomeUnknown(await referenceOf(upstream, order), text);
  }
  return unavailable(network, faults, variable);
}

function originOf(url: string): string | null {
  return URL.canParse(url) ? new URL(url).origin : null;
}

/**
 * Calls the listed archive that an endpoint names for its pruned history, once. The request goes to the operator's URL,
 * never to the endpoint's. If no listed archive is named, or that one fails, the endpoint's own answer passes.
 */
async function fromArchive(
  upstream: Upstream,
  { ask, network, outgoing, archives = [] }: ForwardOptions,
  { passing, archive }: Passing,
  ports: ForwardDeps,
): Promise<UpstreamResponse> {
  const named = archive === undefined || ask.kind === "write" ? null : originOf(archive);
  const url = archives.find((listed) => originOf(listed) === named);
  if (named === null || url === undefined) return passing;
  const again = await attempt(upstream, { url, ask, network, outgoing }, ports);
  return again.kind === "passing" ? again.passing : passing;
}

async function referenceOf(upstream: Upstream, { ask, outgoing }: ForwardOptions): Promise<string | null> {
  return (await upstream.referenceOf?.(ask, outgoing.body ?? new Uint8Array(), new Headers(outgoing.headers))) ?? null;
}

function outcomeUnknown(reference: string | null, fault: string) {
  const named = reference === null ? "the transaction" : reference;
  const details = `it is unknown whether the node has taken ${named} (${fault}): look it up before you send another`;
  return refused("outcome_unknown", details, reference === null ? {} : { reference });
}
