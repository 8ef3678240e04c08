import type { Fetch } from "../../../bindings/ports.ts";
import type { AptosNetwork } from "../../../networks.ts";
import { readReplyText } from "../../bounded-reply.ts";
import type { EndpointMemory } from "../../endpoint-memory.ts";
import { faultText, httpFault, InvalidReplyError, type TimedAnswer } from "../../failover.ts";
import { seenIn } from "../../one-reply.ts";
import { matchesNetwork } from "../chain-id.ts";
import type { AptosLedgerState, AptosSeen } from "../seen.ts";
import { readLedgerState, UnreadableReply } from "./replies.ts";

/** The bound of a ledger, an account, a number or an error. Each takes less than 1 KiB. */
export const MAX_REPLY_BYTES = 64 * 1024;

/** The media type of requests and replies. */
export const JSON_TYPE = "application/json";

/** The endpoints of an Aptos node, and the means to reach and judge them. */
export interface AptosNodeOptions {
  readonly network: AptosNetwork;
  /** Base URLs with `/v1`, tried in this order. */
  readonly urls: readonly string[];
  readonly fetch: Fetch;
  /**
   * Remembers which endpoints hang or lag. If absent, nothing is remembered, and each is believed up to its own ledger.
   */
  readonly memory?: EndpointMemory;
  /** Checks that an answering endpoint serves the expected chain. By default, checks the network. */
  readonly accepts?: (url: string, ledger: AptosSeen<null>) => boolean;
}

/** One request to an endpoint: GET, or POST if it has `post`. */
export interface Request {
  readonly path: string;
  readonly abort: AbortSignal;
  readonly post?: { readonly contentType: string; readonly body: Uint8Array<ArrayBuffer> | string };
  readonly read?: (response: Response) => Promise<string>;
}

/**
 * The view of an address' APT in its primary fungible store, zero without one. The prologue counts exactly that
 * (aptos-framework, `aptos_account::is_fungible_balance_at_least`): a legacy CoinStore pays for no gas.
 */
export const aptBalanceView = (address: string) => ({
  function: "0x1::primary_fungible_store::balance",
  type_arguments: ["0x1::fungible_asset::Metadata"],
  arguments: [address, "0xa"],
});

/** Makes a reader of replies that throws an `InvalidReplyError` above this size. */
export const upTo = (maxBytes: number) => (response: Response) => readReplyText(response, maxBytes);

const readSmall = upTo(MAX_REPLY_BYTES);

/** An endpoint's answer, and the ledger of the same reply. */
export type Read<T> = Omit<TimedAnswer<T>, "timeMs"> & { readonly ledger: AptosLedgerState };

/** Calls one endpoint. */
export type Tell<T> = (url: string, abort: AbortSignal) => Promise<Read<T>>;

/** The answer of a node of the right chain, with any status. */
export interface Answer {
  readonly status: number;
  readonly ledger: AptosLedgerState;
  readonly body: unknown;
}

/** @throws unless a node of this chain has answered. */
export async function ask(
  { network, fetch, accepts }: AptosNodeOptions,
  url: string,
  { path, abort, post, read = readSmall }: Request,
): Promise<Answer> {
  const response = await fetch(`${url}${path}`, {
    headers: { accept: JSON_TYPE, ...(post && { "content-type": post.contentType }) },
    ...(post && { method: "POST", body: post.body }),
    // Redirects are not followed, so that only this endpoint gets the request.
    redirect: "manual",
    signal: abort,
  });
  try {
    if (!response.headers.has("x-aptos-chain-id"))
      throw new InvalidReplyError(`${httpFault(response.status)}, and not as an Aptos node`);
    const ledger = readLedgerState(url, response.headers);
    const isAccepted = accepts?.(url, seenIn(ledger, null)) ?? matchesNetwork(ledger.chain, network);
    if (!isAccepted)
      throw new InvalidReplyError(
        `a node of chain ${ledger.chain} at version ${ledger.version} is not believed on ${network}`,
      );
    return { status: response.status, ledger, body: await bodyOf(response, read) };
  } catch (error) {
    await response.body?.cancel().catch(() => undefined);
    throw error;
  }
}

/** Returns true for statuses that are temporary for every question. */
export function isTransientStatus(status: number): boolean {
  return status >= 500 || status === 429;
}

/** @throws UnreadableReply if it is too long, breaks off, or is not JSON. */
export async function bodyOf(response: Response, read: (response: Response) => Promise<string>): Promise<unknown> {
  try {
    return JSON.parse(await read(response));
  } catch (error) {
    const fault = error instanceof SyntaxError ? "it is no JSON" : faultText(error);
    const Fault = isTransientStatus(response.status) ? InvalidReplyError : UnreadableReply;
    throw new Fault(`the node's reply cannot be read: ${fault}`);
  }
}
