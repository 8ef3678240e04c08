import * as z from "zod";
import { ConfigError } from "./error.ts";
import type { NodeKey, NodeKeys } from "./node-keys.ts";

/** Each node may hang. Workers let a request wait for the heads of six answers at once. */
const MAX_NODES_PER_NETWORK = 6;

/** The schema of an http or https URL. */
export const urlSchema = z.url({ protocol: /^https?$/ });

/** Returns true for a URL to which request paths can be appended. */
function isBaseUrl(text: string): boolean {
  if (!urlSchema.safeParse(text).success || /[?#]/.test(text)) return false;
  const { username, password } = new URL(text);
  return username === "" && password === "";
}

/** Reads the nodes of a network. @param name name of the variable, for errors. @throws ConfigError. */
export function nodeList(name: string, text: string | undefined): readonly string[] {
  const urls = (text ?? "").split(/\s+/).filter((url) => url !== "");
  if (urls.length > MAX_NODES_PER_NETWORK)
    throw new ConfigError(`${name} must name at most ${MAX_NODES_PER_NETWORK} nodes`);
  // The error gives the URL's number, because providers put keys into their URLs and callers see this text.
  for (const [index, url] of urls.entries())
    if (!isBaseUrl(url))
      throw new ConfigError(`${name}: entry ${index + 1} must be an http(s) URL without a query, a fragment or a user`);
  return urls.map((url) => url.replace(/\/+$/, ""));
}

const MAX_NODE_KEYS = 16;

/**
 * Reads the node keys. A key that matches no endpoint is refused: its origin is mistyped, and the missing key would
 * cause an unexplained outage.
 */
export function nodeKeys(text: string | undefined, endpoints: readonly string[]): NodeKeys {
  const keys = new Map<string, NodeKey>();
  const origins = new Set(endpoints.map((url) => new URL(url).origin));
  for (const [index, entry] of (text?.split(/\s+/) ?? []).entries()) {
    const [, origin, header, value] = /^([^=]+)=([a-z][a-z0-9-]{0,63}):([\x21-\x7e]{1,1024})$/.exec(entry) ?? [];
    if (origin === undefined || header === undefined || value === undefined || index >= MAX_NODE_KEYS)
      throw new ConfigError(
        `NODE_KEYS: entry ${index + 1} must be like https://nodes.example.com=authorization:<key>, at most ${MAX_NODE_KEYS} of them, separated by spaces`,
      );
    if (!origins.has(origin) || keys.has(origin))
      throw new ConfigError(
        `NODE_KEYS: entry ${index + 1} names an origin twice, or one without a configured node, indexer or archive: name each configured origin once`,
      );
    keys.set(origin, { header, value: header === "authorization" ? `Bearer ${value}` : value });
  }
  return keys;
}
