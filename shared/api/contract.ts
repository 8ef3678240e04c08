import type * as z from "zod";
import type { Reason } from "../errors.ts";
import type { Chain } from "../networks.ts";

export const rights = ["wallet", "gas", "node"] as const;
export type Right = (typeof rights)[number];

/**
 * What a call leaves on disk, which a nearly full one refuses: objects, whose files are new, or a promise, which has to
 * be settled later. Little is read, ended, or already promised.
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
  /**
   * True if the header `Idempotency-Key` keeps a repeat from having its effect twice. Other methods ignore the header.
   */
  readonly idempotent: boolean;
  /**
   * Keys that it derives from a secret, which is slow on purpose: such calls have a rate of their own. Absent: none.
   */
  readonly derivations?: number;
  /** Key order is the positional order on the wire. */
  readonly params: Params;
  /** Puts positional params where `params` has them, where callers that are out there leave positions out. */
  readonly normalizePositional?: (params: readonly unknown[]) => readonly unknown[];
  readonly result: Result;
  /** Reasons that this method can answer beyond those that every method can. */
  readonly errors: readonly Reason[];
  /** As on the wire. Decoded by both schemas in a test, so that documents never show what the service would refuse. */
  readonly example: { readonly params: readonly unknown[]; readonly result: unknown };
}

/** What every method can answer, whatever it does. */
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
  "internal",
] as const satisfies readonly Reason[];

/** The methods that answer on one set of paths. */
export interface ApiContract {
  readonly name: string;
  readonly title: string;
  readonly chain: Chain;
  /** Version segment included; the access key may follow as a last segment. */
  readonly path: string;
  /** Where deployed clients look for the same methods. */
  readonly oldPath?: string;
  readonly methods: readonly MethodContract[];
  /** Answers the same methods under any product's prefix: `acme_wal_getWallet` is `svc_wal_getWallet`. */
  readonly acceptsAnyPrefix?: true;
}

export function contract<Params extends z.ZodObject, Result extends z.ZodType>(
  definition: MethodContract<Params, Result>,
): MethodContract<Params, Result> {
  return definition;
}
