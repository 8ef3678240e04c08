import type { AddressOwner, SuiCoin } from "./coins.ts";
import type { SuiSeen } from "./seen.ts";

/** A page of an endpoint's listing of SUI coins. */
export interface CoinPage {
  /** The URL of the endpoint that has listed it. It may hold a key, so no log names it. */
  readonly url: string;
  readonly coins: SuiSeen<readonly SuiCoin[]>;
  /** The token of the next page; null: this is the last one. */
  readonly next: Uint8Array | null;
}

/** The next page of the listing at each endpoint. A token is of use only at the endpoint that gave it. */
export interface PageTokens {
  /** The token of this endpoint's next page; null: its first page; undefined: it is not asked. */
  of(url: string): Uint8Array | null | undefined;
  /**
   * The endpoint did not give that page.
   *
   * @param isRefused it does not take the token.
   */
  failed(url: string, isRefused: boolean): void;
}

/** Something that an address owns, alone or through consensus. */
export interface OwnedObject {
  readonly objectId: string;
  /** The type in the node's words. */
  readonly objectType: string;
  readonly owner: AddressOwner;
  /** The balance of a coin, in its type's smallest unit; null: it is no coin. */
  readonly balanceAtoms: bigint | null;
}

/** The balance of an address in one coin type beside coin objects, in its smallest unit. */
export interface TypeBalance {
  readonly coinType: string;
  readonly addressBalanceAtoms: bigint;
}

/** It stands for an item of a node's reply that cannot be read. */
export const UNREADABLE = "unreadable";

/** A page of an endpoint's listing. An item that cannot be read is `UNREADABLE`. */
export interface ListPage<T> {
  readonly items: readonly (T | typeof UNREADABLE)[];
  /** The token of the next page; null: this is the last one. */
  readonly next: Uint8Array | null;
}
