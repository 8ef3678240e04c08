import type { Fetch } from "../bindings/ports.ts";

/** How a provider of nodes knows us. */
export interface NodeKey {
  readonly header: string;
  readonly value: string;
}

/** By origin, `https://nodes.example.com`. */
export type NodeKeys = ReadonlyMap<string, NodeKey>;

/** Shows each provider our key, and shows it to nobody else: a redirect is not followed, wherever it leads. */
export function withNodeKeys(fetch: Fetch, keys: NodeKeys): Fetch {
  if (keys.size === 0) return fetch;
  return (input, init) => {
    const key = keys.get(new URL(input instanceof Request ? input.url : input).origin);
    if (key === undefined) return fetch(input, init);
    const request = new Request(input, { ...init, redirect: "manual" });
    request.headers.set(key.header, key.value);
    return fetch(request);
  };
}
