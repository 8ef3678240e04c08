import type { AddressOwner, SuiCoin } from "./coins.ts";
import type { SuiSeen } from "./seen.ts";

/** A page of an endpoint's listing of SUI coins. */
export interface CoinPage {
  /** The URL of the endpoint that has listed it. It may hold a key, so no log names it. */
  readonly url: string;
  readonly coins: SuiSeen<readonly SuiCoin[]>;
  /** The token of the next page. Null on the last page. */
  readonly next: Uint8Array | null;
}

/** The next page of the listing at each endpoint. Only the endpoint that gave a token can use it. */
export interface PageTokens {
  /** Returns the token of this endpoint's next page. Null for its first page. Undefined if it is not to be called. */
  of(url: string): Uint8Array | null | undefined;
  /**
   * Records that the endpoint did not give that page.
   *
   * @param isRefused true if it does not accept the token.
   */
  failed(url: string, isRefused: boolean): void;
}

/** An asset that an address owns, alone or through consensus. */
export interface OwnedObject {
  readonly objectId: string;
  /** The type in the node's own text. */
  readonly objectType: string;
  readonly owner: AddressOwner;
  /** The balance of a coin, in its type's smallest unit. Null if it is not a coin. */
  readonly balanceAtoms: bigint | null;
}

/** The balance of an address in one coin type without its coin objects, in the smallest unit. */
export interface TypeBalance {
  readonly coinType: string;
  readonly addressBalanceAtoms: bigint;
}

/** The value for an item of a node's reply that cannot be read. */
export const UNREADABLE = "unreadable";

/** A page of an endpoint's listing. An item that cannot be read is `UNREADABLE`. */
export interface ListPage<T> {
  readonly items: readonly (T | typeof UNREADABLE)[];
  /** The token of the next page. Null on the last page. */
  readonly next: Uint8Array | null;
}
