// Sui only: nodes list objects by their owner on Sui alone.

import { Buffer } from "node:buffer";
import type { Page } from "../../paging.ts";
import type { UnusableSums, UnusableView } from "./unusable.ts";

/** The entry for a list that cannot be read to its end. */
const NOT_LISTED: UnusableView = {
  kind: "unreadable",
  type: "",
  owner: null,
  objects: 0,
  amountAtoms: null,
  objectId: null,
  cause: "more lies here than can be listed: the node names its place by a type that is too long for a cursor",
};

/** The place of the next page of unusable assets, in a node's own list. */
export interface UnusablePlace {
  /** The objects come first, then the balances. */
  readonly list: "objects" | "balances";
  /** The token of the node's page. Null for its first page. */
  readonly token: Uint8Array | null;
  /** Count of the page's items that were already shown. */
  readonly skip: number;
}

const FIRST_PLACE: UnusablePlace = { list: "objects", token: null, skip: 0 };
const FIRST_BALANCE: UnusablePlace = { list: "balances", token: null, skip: 0 };

/** A judged page of a node. An item is null if the fund can use it. */
export interface JudgedPage {
  readonly items: readonly (UnusableView | null)[];
  readonly next: Uint8Array | null;
}

/** The progress of a page. */
export interface Progress {
  /** The place of the next page. Null if nothing is left. */
  readonly place: UnusablePlace | null;
  /** True if the page has no more room. */
  readonly isFull: boolean;
}

/** Adds up a node's page, as far as the page has room. */
export function goOn(sums: UnusableSums, place: UnusablePlace, { items, next }: JudgedPage): Progress {
  const full = items.findIndex((item, index) => index >= place.skip && item !== null && !sums.add(item));
  if (full !== -1) return { place: { ...place, skip: full }, isFull: true };
  if (next !== null) return { place: { ...place, token: next, skip: 0 }, isFull: false };
  return { place: place.list === "objects" ? FIRST_BALANCE : null, isFull: false };
}

/**
 * The longest token that fits a cursor. A node puts the type of its next object into its token. A type can be long, and
 * a URL cannot.
 */
const MAX_TOKEN_BYTES = 3_000;
/** A place as a cursor: the list's first letter, what to skip, and the node's token in base64url. */
export const UNUSABLE_CURSOR = /^([ob])([0-9]{1,6})\.([A-Za-z0-9_-]{0,4000})$/;

/** Builds the page of an operator's list that ends at this place. A null place means that nothing is left. */
export function unusablePage(items: readonly UnusableView[], place: UnusablePlace | null): Page<UnusableView> {
  if (place === null) return { items, nextCursor: null };
  const nextCursor = cursorOf(place);
  if (nextCursor !== null) return { items, nextCursor };
  const rest = place.list === "objects" ? cursorOf(FIRST_BALANCE) : null;
  return { items: [...items, NOT_LISTED], nextCursor: rest };
}

/** Writes a place as a cursor. Null if the node's token is too long for one. */
function cursorOf({ list, token, skip }: UnusablePlace): string | null {
  if (token !== null && token.length > MAX_TOKEN_BYTES) return null;
  return `${list.charAt(0)}${skip}.${Buffer.from(token ?? new Uint8Array()).toString("base64url")}`;
}

/**
 * Reads the place of a cursor. A null cursor means the first place.
 *
 * @param cursor checked against `UNUSABLE_CURSOR`.
 */
export function placeOf(cursor: string | null): UnusablePlace {
  const [, letter, skip, token = ""] = UNUSABLE_CURSOR.exec(cursor ?? "") ?? [];
  if (letter === undefined) return FIRST_PLACE;
  return {
    list: letter === "o" ? "objects" : "balances",
    token: token === "" ? null : new Uint8Array(Buffer.from(token, "base64url")),
    skip: Number(skip),
  };
}
