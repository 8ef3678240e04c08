import { apiAt, restAt } from "../api/apis.ts";
import type { ApiContract, Stores } from "../api/contract.ts";
import { operationsAt } from "../api/rest.ts";
import { anyPrefix } from "../rpc/handler.ts";
import { readBody } from "../rpc/request.ts";

/**
 * The data that requests outside JSON-RPC leave on disk, by method and path. The first match counts. All other requests
 * leave little.
 */
const PATHS: readonly (readonly [RegExp, Stores])[] = [
  [/^POST \/admin\/v1\/(tokens|projects(\/[^/]+\/(funds|keys|webhooks))?)$/, "objects"],
  [/^POST \/webhooks\/[^/]+$/, "objects"],
  [/^POST \/flows\/create-wallet-on-chain$/, "objects"],
  [/^POST \/flows\/sign-transaction$/, "little"],
  // Any other workflow may sponsor, also one that the app has added.
  [/^POST \/flows\/[^/]+$/, "promise"],
];

/** Paths that no interface has. The router may read them as another path, so their text decides nothing. */
const ODD_PATH = /[%\\#\s]|\/[./]|^[^/]/;
const READS = new Set(["GET", "HEAD"]);

/** The parts of a request that decide its stored data. */
export interface StoredRequest {
  readonly method: string;
  /** The path as it was sent, without the query. */
  readonly path: string;
  readonly body: string;
}

/**
 * Classifies the data that a request would leave on disk. It reads only the methods of a JSON-RPC body. Never throws.
 */
export function storesOf({ method, path, body }: StoredRequest): Stores {
  if (ODD_PATH.test(path) && !READS.has(method)) return "objects";
  const api = apiAt(path);
  if (api !== undefined) return storesOfCalls(api, body);
  const rest = restAt(path);
  if (rest !== undefined) {
    const found = operationsAt(rest, path).find(({ operation }) => operation.httpMethod === method);
    return found?.operation.contract.stores ?? "little";
  }
  return PATHS.find(([pattern]) => pattern.test(`${method} ${path}`))?.[1] ?? "little";
}

/** Classifies a batch by the call that leaves most. */
function storesOfCalls({ methods, acceptsAnyPrefix: takesAny }: ApiContract, body: string): Stores {
  const read = readBody(body);
  if (!read.ok) return "little";
  const table = new Map(methods.map((one) => [one.name, one]));
  const known = takesAny ? anyPrefix(table) : table;
  const all = read.value.requests.map(({ call }) => (call.ok ? known.get(call.value.method)?.stores : undefined));
  return (["objects", "promise"] as const).find((stores) => all.includes(stores)) ?? "little";
}
