import type { AddressOwner, SuiCoin } from "./coins.ts";

export interface CoinPage {
  /** Of the endpoint that has listed it. It may hold a key, so no log names it. */
  readonly url: string;
  readonly coins: readonly SuiCoin[];
  /** Where the next page begins; null: this is the last one. */
  readonly next: Uint8Array | null;
}

/** Where the listing of each endpoint goes on. A token is worth something only at the endpoint that gave it. */
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
  /** As the node writes it. */
  readonly objectType: string;
  readonly owner: AddressOwner;
  /** Of a coin, in its type's smallest unit; null: it is no coin. */
  readonly balanceAtoms: bigint | null;
}

/** What an address holds of one coin type beside coin objects, in its smallest unit. */
export interface TypeBalance {
  readonly coinType: string;
  readonly addressBalanceAtoms: bigint;
}

/** In place of what a node says of one thing and cannot be read. */
export const UNREADABLE = "unreadable";

export interface ListPage<T> {
  readonly items: readonly (T | typeof UNREADABLE)[];
  /** Where the next page begins; null: this is the last one. */
  readonly next: Uint8Array | null;
}
