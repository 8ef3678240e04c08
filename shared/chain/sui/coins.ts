import type { SuiOwner } from "./execution.ts";

/** One version of an object: `0x` and 64 hex digits, and a base58 digest. */
export interface ObjectRef {
  readonly objectId: string;
  readonly version: bigint;
  readonly digest: string;
}

/** A SUI coin at one version. */
export interface CoinVersion extends ObjectRef {
  readonly balanceMist: bigint;
}

/** A coin as an endpoint shows it now, with the digest of the transaction that wrote this version. */
export interface ObservedCoin extends CoinVersion {
  readonly owner: SuiOwner;
  readonly previousTransaction: string;
}

/** `null`: the endpoint does not know the object. `no_answer`: it could not say, which proves nothing. */
export type Observed = ObservedCoin | null | "no_answer";

/** The ways in which an address owns an object that is listed as its own. */
export type AddressOwner = Extract<SuiOwner, { readonly kind: "address" | "consensus" }>;

/** A coin that is listed as an address' own. Only one of kind `address` can pay for gas. */
export interface SuiCoin extends CoinVersion {
  readonly owner: AddressOwner;
}
