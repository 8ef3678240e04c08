import type { ServiceContract, Stores } from "../../shared/api/contract.ts";
import { services } from "../../shared/api/services.ts";
import { anyPrefix } from "../../shared/rpc/handler.ts";
import { readBody } from "../../shared/rpc/request.ts";
import { isBelow } from "./overloaded.ts";

/** What the requests to other paths leave on disk, by method and path. The rest leaves little. */
const PATHS: readonly (readonly [RegExp, Stores])[] = [
  [/^POST \/admin\/v1\/projects(\/[^/]+\/(funds|keys|webhooks))?$/, "objects"],
  [/^POST \/webhooks\/[^/]+$/, "objects"],
  [/^POST \/flows\/create-wallet-on-chain$/, "objects"],
  [/^POST \/flows\/(sponsor|execute-sponsored|sponsor-and-execute)$/, "promise"],
];

/** No interface has such paths. They may be routed as another path than they are written: what they do is not judged by them. */
const ODD_PATH = /[%\\#\s]|\/[./]|^[^/]/;
const READS = new Set(["GET", "HEAD"]);

export interface AskedOf {
  readonly method: string;
  /** As it was sent, without the query. */
  readonly path: string;
  readonly body: string;
}

/** Says what a request would leave on disk, without reading more of it than its kind. Never throws. */
export function storesOf({ method, path, body }: AskedOf): Stores {
  if (ODD_PATH.test(path) && !READS.has(method)) return "objects";
  const service = services.find(
    (one) => isBelow(path, one.path) || (one.oldPath !== undefined && isBelow(path, one.oldPath)),
  );
  if (service !== undefined) return storesOfCalls(service, body);
  return PATHS.find(([pattern]) => pattern.test(`${method} ${path}`))?.[1] ?? "little";
}

/** Of a batch, what its largest call leaves. */
function storesOfCalls({ methods, anyPrefix: takesAny }: ServiceContract, body: string): Stores {
  const read = readBody(body);
  if (!read.ok) return "little";
  const table = new Map(methods.map((one) => [one.name, one]));
  const known = takesAny ? anyPrefix(table) : table;
  const all = read.value.members.map(({ call }) => (call.ok ? known.get(call.value.method)?.stores : undefined));
  return (["objects", "promise"] as const).find((stores) => all.includes(stores)) ?? "little";
}
