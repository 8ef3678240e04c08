// Sui only: anybody can send objects to an address.

import type { AddressOwner } from "../../chain/sui/coins.ts";
import type { OwnedObject, TypeBalance, UNREADABLE } from "../../chain/sui/listing.ts";
import { PARTY_DUST_MIST } from "./party-coins.ts";
import type { SuiFundStore } from "./store.ts";

/**
 * Unusable assets lie at a Sui fund's address and pay for nothing. Anybody may have sent them. Nodes list the objects
 * that an address owns alone, and those that it owns through consensus. A frozen, shared or wrapped object has another
 * owner or none, and is in no such list.
 */

/**
 * The kinds of unusable things. `coin`: coins of one type. `address_balance`: a balance of another type than SUI.
 * `object`: anything else. `unreadable`: an item that cannot be read.
 */
export const unusableKinds = ["coin", "address_balance", "object", "unreadable"] as const;
/** The kinds of ownership that a node lists: alone, or through consensus. */
export const unusableOwners = ["address", "consensus"] as const satisfies readonly AddressOwner["kind"][];

/** Assets of one kind, type and owner that pay for nothing for one cause. */
export interface UnusableView {
  readonly kind: (typeof unusableKinds)[number];
  /**
   * The type of an object, of a coin (`T` of `Coin<T>`) or of a balance. A long type is cut. Empty if it cannot be
   * read.
   */
  readonly type: string;
  /** Null if the owner cannot be read. */
  readonly owner: (typeof unusableOwners)[number] | null;
  /** Count of the objects. 0 for a balance, which has none. */
  readonly objects: number;
  /** Their sum in the type's smallest unit. Null if they are not coins. */
  readonly amountAtoms: bigint | null;
  /** The id of one of them. Null for a balance, or if it cannot be read. */
  readonly objectId: string | null;
  readonly cause: string;
}

/**
 * The store with the party coins, and the cause that keeps them from being taken in. Null if no such cause is known.
 */
export interface PartyContext {
  readonly store: SuiFundStore;
  readonly hindrance: string | null;
}

/** The publisher of a type can give it a name of many thousand characters. */
const MAX_TYPE_CHARACTERS = 500;

const COIN = /^0x0*2::coin::Coin<(.+)>$/s;
const SUI = /^0x0*2::sui::SUI$/;

const OTHER_TYPE = "another coin type pays for no gas";
const NO_COIN = "no coin";
const DUST = `less than ${PARTY_DUST_MIST} MIST does not cover the transaction that takes it in`;

/** Judges one object of a listing. Null if the fund can use it. */
export function unusableObject(object: OwnedObject | typeof UNREADABLE, party: PartyContext): UnusableView | null {
  if (object === "unreadable") return unreadable();
  const { objectId, objectType, owner, balanceAtoms } = object;
  const coinType = COIN.exec(objectType)?.[1];
  const common = { owner: owner.kind, objects: 1, objectId };
  if (coinType === undefined)
    return { ...common, kind: "object", type: cut(objectType), amountAtoms: null, cause: NO_COIN };
  const coin = { ...common, kind: "coin", type: cut(coinType), amountAtoms: balanceAtoms } as const;
  if (!SUI.test(coinType)) return { ...coin, cause: OTHER_TYPE };
  return owner.kind === "address" ? null : { ...coin, cause: partyCause(objectId, balanceAtoms ?? 0n, party) };
}

/** Judges one balance of a listing. Null if it is SUI, or if coins are all of it. */
export function unusableBalance(balance: TypeBalance | typeof UNREADABLE): UnusableView | null {
  if (balance === "unreadable") return unreadable();
  const { coinType, addressBalanceAtoms: amountAtoms } = balance;
  if (SUI.test(coinType) || amountAtoms === 0n) return null;
  const common = { kind: "address_balance", owner: "address", objects: 0, objectId: null } as const;
  return { ...common, type: cut(coinType), amountAtoms, cause: OTHER_TYPE };
}

function unreadable(): UnusableView {
  const cause = "what the node says of it cannot be read";
  return { kind: "unreadable", type: "", owner: null, objects: 1, amountAtoms: null, objectId: null, cause };
}

function cut(type: string): string {
  return type.length > MAX_TYPE_CHARACTERS ? `${type.slice(0, MAX_TYPE_CHARACTERS)}…` : type;
}

function partyCause(objectId: string, balanceMist: bigint, { store, hindrance }: PartyContext): string {
  if (balanceMist < PARTY_DUST_MIST) return DUST;
  const noted = store.partyCoin(objectId);
  if (noted === null) return "the next listing of the fund's coins notes it, to be taken in";
  if (noted.heldByDigest !== null) return "a transaction that takes it in is under way";
  const tried = noted.tries === 0 ? "it waits to be taken in" : "it was not taken in when that was tried, and waits";
  return hindrance === null ? tried : `${tried}: ${hindrance}`;
}

/** Adds up equal assets. Holds at most `limit` sums, for any number of assets. */
export class UnusableSums {
  readonly #limit: number;
  readonly #sums = new Map<string, UnusableView>();

  constructor(limit: number) {
    this.#limit = limit;
  }

  get items(): readonly UnusableView[] {
    return [...this.#sums.values()];
  }

  /**
   * Adds an asset to the sum of its equals.
   *
   * @returns false, having added nothing, if no sum fits and no further sum may begin.
   */
  add(view: UnusableView): boolean {
    // A type is one line, so a line break can separate the parts of the key.
    const key = `${view.kind} ${view.owner} ${view.cause}\n${view.type}`;
    const sum = this.#sums.get(key);
    if (sum === undefined && this.#sums.size >= this.#limit) return false;
    this.#sums.set(key, sum === undefined ? view : joined(sum, view));
    return true;
  }
}

function joined(sum: UnusableView, view: UnusableView): UnusableView {
  const amountAtoms = sum.amountAtoms === null || view.amountAtoms === null ? null : sum.amountAtoms + view.amountAtoms;
  return { ...sum, objects: sum.objects + view.objects, amountAtoms };
}
