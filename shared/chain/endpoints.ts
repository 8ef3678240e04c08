import { done, type Outcome, refuse } from "../errors.ts";
import { chainOf, type Network } from "../networks.ts";

/** What both chains' nodes have in common: several endpoints, tried in order, none of which is trusted to answer. */

export const READ_TIMEOUT_MS = 10_000;
const MAX_FAULT_CHARACTERS = 1_000;

export interface Endpoints {
  readonly network: Network;
  /** Tried in this order. */
  readonly urls: readonly string[];
}

/** A reply that parses and still is not what a node may say. */
export class ReplyError extends Error {
  override readonly name = "ReplyError";
}

export function faultText(error: unknown): string {
  return (error instanceof Error ? error.message : String(error)).slice(0, MAX_FAULT_CHARACTERS);
}

function noneConfigured(network: Network): string {
  return `no node is configured for ${network}: set ${network}_NODES`;
}

/**
 * What the first endpoint says that gives an answer; one that does not, throws. Each has a time-out of its own.
 *
 * @returns refuses with `node_unavailable` when none does.
 */
export async function firstAnswer<T>(
  { network, urls }: Endpoints,
  ask: (url: string, abort: AbortSignal) => Promise<T>,
): Promise<Outcome<T>> {
  let fault = noneConfigured(network);
  for (const url of urls) {
    try {
      return done(await ask(url, AbortSignal.timeout(READ_TIMEOUT_MS)));
    } catch (error) {
      fault = faultText(error);
    }
  }
  const node = chainOf(network) === "sui" ? "Sui" : "Aptos";
  return refuse("node_unavailable", `no ${node} node answered: ${fault}`);
}

type Unknown = { readonly kind: "unknown"; readonly text: string };

/**
 * Submits the same bytes to one endpoint after the other, until one takes or refuses them. After an endpoint that may have
 * taken them, another one's refusal proves nothing: the outcome stays unknown.
 *
 * @param askNext of a `refused` that is about the endpoint and not about the bytes: another one may still take them.
 */
export async function firstVerdict<O extends { readonly kind: string }>(
  { network, urls }: Endpoints,
  submitTo: (url: string) => Promise<O>,
  askNext: (refused: O) => boolean = () => false,
): Promise<O | Unknown> {
  let unknown: O | null = null;
  let passed: O | null = null;
  for (const url of urls) {
    const outcome = await submitTo(url);
    if (outcome.kind === "unknown") unknown = outcome;
    else if (outcome.kind !== "refused") return outcome;
    else if (askNext(outcome)) passed = outcome;
    else return unknown ?? outcome;
  }
  return unknown ?? passed ?? { kind: "unknown", text: noneConfigured(network) };
}

/** The same response, whose body ends with an error where it exceeds a number of bytes: replies never fill the memory. */
export function boundedReply(response: Response, maxBytes: number): Response {
  if (response.body === null) return response;
  let received = 0;
  const bounded = response.body.pipeThrough(
    new TransformStream<Uint8Array, Uint8Array>({
      transform(chunk, controller) {
        received += chunk.byteLength;
        if (received > maxBytes) controller.error(new Error(`the node's reply exceeds ${maxBytes} bytes`));
        else controller.enqueue(chunk);
      },
    }),
  );
  return new Response(bounded, response);
}
