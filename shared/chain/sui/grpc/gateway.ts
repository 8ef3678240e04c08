import type { Fetch } from "../../../bindings/ports.ts";
import { transactionDigest } from "../transaction.ts";
import { boundedFetch, FRAME_HEADER_BYTES } from "./bounded-fetch.ts";
import { readChainIdentifier } from "./replies.ts";
import { suiServices, transactionOfExecution } from "./services.ts";

/** The parts of Sui nodes' messages that a gateway needs. */

/**
 * Reads an endpoint's chain id: the base58 digest of the first checkpoint.
 *
 * @throws if no node answers.
 */
export async function chainIdentifierAt(baseUrl: string, fetch: Fetch, abort: AbortSignal): Promise<string> {
  const { ledgerService } = suiServices(baseUrl, boundedFetch(fetch));
  return readChainIdentifier(await ledgerService.getServiceInfo({}, { abort }).response);
}

/**
 * Computes the digest of the transaction that a call of ExecuteTransaction carries as BCS. Null if it carries none in
 * that form.
 */
export async function digestOfExecution(body: Uint8Array, format: "binary" | "text"): Promise<string | null> {
  try {
    const frame =
      format === "text" ? Uint8Array.from(atob(new TextDecoder().decode(body)), (char) => char.charCodeAt(0)) : body;
    const bytes = transactionOfExecution(frame.subarray(FRAME_HEADER_BYTES));
    return bytes === undefined ? null : transactionDigest(bytes);
  } catch {
    return null;
  }
}
