import type * as z from "zod";
import type { Reason } from "../errors.ts";
import type { Chain } from "../networks.ts";

/** The rights of access keys. */
export const rights = ["wallet", "gas", "node"] as const;
/** A right of an access key: calls of wallets, of gas, or of the node interfaces. */
export type Right = (typeof rights)[number];

/**
 * A call's demand for disk space, which a nearly full disk refuses. Objects need new files. A promise has to be
 * settled later. Calls that read, end, or repeat a promise need little.
 */
export type Stores = "objects" | "promise" | "little";

/**
 * One wire method, stated once. The dispatcher decodes with it, and the client encodes with it. The OpenRPC document
 * and the security suite are read from it.
 *
 * Schemas read in both directions (zod codecs): their input is the wire's form, their output the code's.
 */
export interface MethodContract<Params extends z.ZodObject = z.ZodObject, Result extends z.ZodType = z.ZodType> {
  readonly name: string;
  readonly summary: string;
  readonly description: string;
  /** Rights that the access key must all carry. */
  readonly rights: readonly Right[];
  readonly stores: Stores;
  /** True if the header `Idempotency-Key` prevents a second effect of a repeat. Other methods ignore the header. */
  readonly idempotent: boolean;
  /**
   * The number of keys that a call derives from a secret. That is intentionally slow, so such calls have their own rate
   * limit. Absent for none.
   */
  readonly derivations?: number;
  /** Key order is the positional order on the wire. */
  readonly params: Params;
  /** Moves positional params to their places in `params`, for deployed callers that omit positions. */
  readonly normalizePositional?: (params: readonly unknown[]) => readonly unknown[];
  readonly result: Result;
  /** Reasons of this method beside the reasons of every method. */
  readonly errors: readonly Reason[];
  /** An example as on the wire. A test decodes it by both schemas, so that documents never show a refused call. */
  readonly example: { readonly params: readonly unknown[]; readonly result: unknown };
}

/** Reasons that every method can return. */
export const commonReasons = [
  "invalid_request",
  "bad_params",
  "bad_key",
  "wrong_region",
  "wrong_network",
  "missing_right",
  "browser_origin",
  "rate_limited",
  "overloaded",
  "storage",
  "project_moved",
  "key_service",
  "wrong_master_key",
  "internal",
] as const satisfies readonly Reason[];

/** The methods of one set of paths. */
export interface ApiContract {
  readonly name: string;
  readonly title: string;
  readonly chain: Chain;
  /** Includes the version segment. The access key may follow as a last segment. */
  readonly path: string;
  /** A path of the same methods that deployed clients use. */
  readonly oldPath?: string;
  readonly methods: readonly MethodContract[];
  /** Accepts the same methods under any product's prefix: `acme_wal_getWallet` is `svc_wal_getWallet`. */
  readonly acceptsAnyPrefix?: true;
}

/** Types a method's contract by its schemas. */
export function contract<Params extends z.ZodObject, Result extends z.ZodType>(
  definition: MethodContract<Params, Result>,
): MethodContract<Params, Result> {
  return definition;
}
