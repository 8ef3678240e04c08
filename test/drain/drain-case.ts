import type { ObjectReference } from "../support/sui-transactions.ts";

/** What pays for the gas. */
export type Payment = "coin" | "address balance";

export interface Coin extends ObjectReference {
  readonly balanceMist: bigint;
}

/** What an attacker knows of a sponsor, all of it public, and what he has himself. */
export interface DrainFixture {
  readonly victim: string;
  /** What would pay for a transaction with a coin. */
  readonly gasCoinMist: bigint;
  readonly gasBudgetMist: bigint;
  /** Coins of the victim that pay for nothing here. */
  readonly otherCoins: readonly Coin[];
  /** A coin of the victim whose digest ends in the byte 1. Anybody can send coins until there is one. */
  bait(): Promise<ObjectReference>;
  readonly attacker: string;
  readonly attackersCoin: Coin;
}

/** What the attacker asks to have sponsored. */
export interface Attempt {
  readonly kind: Uint8Array;
  readonly sender: string;
  readonly gasPriceMist?: bigint;
}

/** What comes of an attempt at the chain, once a sponsor has signed it. `gasMist` is what the chain charges for it. */
export type Consequence =
  /** So much more has the attacker afterwards, and so much and the gas has the sponsor less. */
  | { readonly is: "taken"; readonly mist: (gasMist: bigint, fixture: DrainFixture) => bigint }
  /** The attacker pays in so much: harmless by itself. */
  | { readonly is: "given"; readonly mist: (fixture: DrainFixture) => bigint }
  /** Nobody gains, and the sponsor is charged so much for computation. */
  | { readonly is: "burned"; readonly computationMist: (fixture: DrainFixture) => bigint }
  /** The transaction fails with this text, and the sponsor pays for it. */
  | { readonly is: "wasted"; readonly error: string }
  /** The chain refuses it with this text, and nobody pays. */
  | { readonly is: "refused"; readonly text: string };

export interface DrainCase {
  readonly name: string;
  /** How the attacker builds it, and what for. */
  readonly how: string;
  build(fixture: DrainFixture): Attempt | Promise<Attempt>;
  /** True where the chain wants no signature but the sponsor's. */
  readonly needsNoSignature?: boolean;
  readonly throughTheService: { readonly reason: string; readonly details: RegExp; readonly more?: object };
  readonly atTheChain: Readonly<Partial<Record<Payment, Consequence>>>;
}
