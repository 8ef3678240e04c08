import type { Fetch } from "../../ports.ts";
import { boundedReply } from "../endpoints.ts";

/** A node's largest honest reply, a page of a thousand coins or fifty full transactions, is well below this. */
const MAX_REPLY_BYTES = 32 * 1024 * 1024;

/**
 * A fetch for gRPC-web. Replies end with an error instead of filling the memory. gRPC answers are always HTTP 200: any
 * other status comes from something in front of the node, and must not pass for a verdict of the node's.
 */
export function boundedFetch(fetch: Fetch): typeof globalThis.fetch {
  return async (input, init) => {
    // What is asked is asked of this endpoint and of nobody that it names.
    const response = await fetch(input instanceof URL ? input.href : input, { ...init, redirect: "manual" });
    if (response.status !== 200) throw new Error(`the endpoint answered HTTP ${response.status}`);
    return boundedReply(response, MAX_REPLY_BYTES);
  };
}
