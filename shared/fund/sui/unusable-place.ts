// Sui only: nodes list objects by their owner on Sui alone.

import { Buffer } from "node:buffer";
import type { Page } from "../../paging.ts";
import type { UnusableSums, UnusableView } from "./unusable.ts";

/** A list that cannot be gone through to its end says so. */
const NOT_LISTED: UnusableView = {
  kind: "unreadable",
  type: "",
  owner: null,
  objects: 0,
  amountAtoms: null,
  objectId: null,
  cause: "more lies here than can be listed: the node names its place by a type that is too long for a cursor",
};

/** Where the next page of what a fund cannot use begins: a place in a node's own list. */
export interface UnusablePlace {
  /** First the objects are gone through, then the balances. */
  readonly list: "objects" | "balances";
  /** Of the node's page; null: its first one. */
  readonly token: Uint8Array | null;
  /** Items of that page that were shown already. */
  readonly skip: number;
}

const FIRST_PLACE: UnusablePlace = { list: "objects", token: null, skip: 0 };
const FIRST_BALANCE: UnusablePlace = { list: "balances", token: null, skip: 0 };

/** What of a node's page cannot be used; null: an item that can. */
export interface JudgedPage {
  readonly items: readonly (UnusableView | null)[];
  readonly next: Uint8Array | null;
}

/** How far a page has come. */
export interface Progress {
  /** Where to go on; null: nothing is left. */
  readonly place: UnusablePlace | null;
  /** Nothing more fits into the page. */
  readonly isFull: boolean;
}

/** Adds a node's page up, as far as it fits. */
export function goOn(sums: UnusableSums, place: UnusablePlace, { items, next }: JudgedPage): Progress {
  const full = items.findIndex((item, index) => index >= place.skip && item !== null && !sums.add(item));
  if (full !== -1) return { place: { ...place, skip: full }, isFull: true };
  if (next !== null) return { place: { ...place, token: next, skip: 0 }, isFull: false };
  return { place: place.list === "objects" ? FIRST_BALANCE : null, isFull: false };
}

/** A node puts the type of its next object into its token, and a type can be long; a URL cannot. */
const MAX_TOKEN_BYTES = 3_000;
/** A place as a cursor: the list's first letter, what to skip, and the node's token in base64url. */
export const UNUSABLE_CURSOR = /^([ob])([0-9]{1,6})\.([A-Za-z0-9_-]{0,4000})$/;

/** The page of an operator's list that ends at this place; null: nothing is left. */
export function unusablePage(items: readonly UnusableView[], place: UnusablePlace | null): Page<UnusableView> {
  if (place === null) return { items, nextCursor: null };
  const nextCursor = cursorOf(place);
  if (nextCursor !== null) return { items, nextCursor };
  const rest = place.list === "objects" ? cursorOf(FIRST_BALANCE) : null;
  return { items: [...items, NOT_LISTED], nextCursor: rest };
}

/** Null: the node's token is too long for one. */
function cursorOf({ list, token, skip }: UnusablePlace): string | null {
  if (token !== null && token.length > MAX_TOKEN_BYTES) return null;
  return `${list.charAt(0)}${skip}.${Buffer.from(token ?? new Uint8Array()).toString("base64url")}`;
}

/** @param cursor checked against `UNUSABLE_CURSOR`. */
export function placeOf(cursor: string | null): UnusablePlace {
  const [, letter, skip, token = ""] = UNUSABLE_CURSOR.exec(cursor ?? "") ?? [];
  if (letter === undefined) return FIRST_PLACE;
  return {
    list: letter === "o" ? "objects" : "balances",
    token: token === "" ? null : new Uint8Array(Buffer.from(token, "base64url")),
    skip: Number(skip),
  };
}
