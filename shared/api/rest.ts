import { isBelow } from "../http/path.ts";
import { retryAfterHeader } from "../http/retry-after.ts";
import type { Chain } from "../networks.ts";
import type { MethodContract } from "./contract.ts";

/** The fields of a JSON body. */
export type RestBody = Readonly<Record<string, unknown>>;

/** One operation of a REST interface: its place in HTTP, and the contract of its call. */
export interface RestOperation {
  readonly httpMethod: "GET" | "POST";
  /** Below the path of the interface. A segment that begins with a colon is a param of the contract. */
  readonly path: string;
  readonly contract: MethodContract;
  /** Returns the replacement for a request whose variant is not served. Null if it is served. */
  readonly notServed?: (headers: Headers, body: RestBody) => string | null;
}

/** An error as a REST interface shows it. */
export interface RestError {
  readonly status: number;
  /** The word for programs: a reason of the service, or of the request's form. */
  readonly code: string;
  /** The text for people. */
  readonly message: string;
  readonly data: Readonly<Record<string, unknown>>;
}

/** The operations below one path, stated once, in the forms of another service's stock client. */
export interface RestContract {
  readonly name: string;
  readonly title: string;
  readonly chain: Chain;
  /** Includes the version segment. The access key is a bearer token. */
  readonly path: string;
  readonly operations: readonly RestOperation[];
  /** Paths below it that the other service has and this one does not, and what to use instead. */
  readonly notServed: readonly { readonly path: string; readonly instead: string }[];
  /** Puts an encoded result into a body. */
  readonly resultBody: (result: unknown) => unknown;
  /** Puts an error into a body. */
  readonly errorBody: (error: RestError) => unknown;
}

/** An operation, with the params that its path holds. */
export interface FoundOperation {
  readonly operation: RestOperation;
  readonly pathParams: Readonly<Record<string, string>>;
}

/** Finds the operations of a path, one for each HTTP method. The path has no query. */
export function operationsAt(contract: RestContract, path: string): readonly FoundOperation[] {
  if (!isBelow(path, contract.path)) return [];
  const sent = path.slice(contract.path.length).split("/");
  return contract.operations.flatMap((operation) => {
    const pathParams = pathParamsOf(operation.path.split("/"), sent);
    return pathParams === null ? [] : [{ operation, pathParams }];
  });
}

function pathParamsOf(pattern: readonly string[], sent: readonly string[]): Readonly<Record<string, string>> | null {
  if (pattern.length !== sent.length) return null;
  const named: [string, string][] = [];
  for (const [at, segment] of pattern.entries()) {
    const value = sent[at] ?? "";
    if (segment.startsWith(":") && value !== "") named.push([segment.slice(1), value]);
    else if (segment !== value) return null;
  }
  return Object.fromEntries(named);
}

/**
 * Builds an error's response.
 *
 * @param retryAfterMs undefined if no repeat helps, or no time is known.
 */
export function restErrorResponse(
  contract: Pick<RestContract, "errorBody">,
  error: RestError,
  more: { readonly retryAfterMs?: number | undefined; readonly headers?: Readonly<Record<string, string>> } = {},
): Response {
  const headers = { "cache-control": "no-store", ...retryAfterHeader(more.retryAfterMs), ...more.headers };
  return Response.json(contract.errorBody(error), { status: error.status, headers });
}
