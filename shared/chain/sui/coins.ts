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

/** `null`: the endpoint does not know the object. `no_answer`: it could not answer, which proves nothing. */
export type Observed = ObservedCoin | null | "no_answer";

/** Checks whether two endpoints show the same coin: at one version, with one balance, owner and last writer. */
export function isSameCoin(one: ObservedCoin | null, other: ObservedCoin | null): boolean {
  if (one === null || other === null) return one === other;
  return (
    one.version === other.version &&
    one.digest === other.digest &&
    one.balanceMist === other.balanceMist &&
    one.previousTransaction === other.previousTransaction &&
    isSameOwner(one.owner, other.owner)
  );
}

function isSameOwner(one: SuiOwner, other: SuiOwner): boolean {
  const fields = (owner: SuiOwner): Readonly<Record<string, string | bigint>> => ({ ...owner });
  const [ofOne, ofOther] = [fields(one), fields(other)];
  return [...Object.keys(ofOne), ...Object.keys(ofOther)].every((name) => ofOne[name] === ofOther[name]);
}

/** The ways in which an address owns an object that is listed as its own. */
export type AddressOwner = Extract<SuiOwner, { readonly kind: "address" | "consensus" }>;

/** A coin that is listed as an address' own. Only one of kind `address` can pay for gas. */
export interface SuiCoin extends CoinVersion {
  readonly owner: AddressOwner;
}
