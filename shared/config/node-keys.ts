import type { Fetch } from "../bindings/ports.ts";

/** The key that identifies this deployment to a provider of nodes. */
export interface NodeKey {
  readonly header: string;
  readonly value: string;
}

/** Keys by origin, `https://nodes.example.com`. */
export type NodeKeys = ReadonlyMap<string, NodeKey>;

/** Sends each provider its own key. No redirect is followed, so that no other host gets a key. */
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
