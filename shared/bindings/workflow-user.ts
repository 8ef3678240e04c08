import type { Chain } from "../networks.ts";
import type { DailyCap, HeldCap } from "../policy/rule.ts";
import type { CallEnd, Origin, PinnedTransaction } from "../workflow/user/attempt.ts";
import type { ProvenWallet } from "../workflow/user/known-wallet.ts";
import type { OpenSponsorship, WantedSponsorship } from "../workflow/user/open-sponsorships.ts";

/** A call of an attempt. */
export interface BeginInput {
  /** Key of the attempt, at most 400 characters. Two workflows never use the same one. */
  readonly key: string;
  /** SHA-256 of the request. */
  readonly fingerprint: string;
  readonly chain: Chain;
  readonly cap: DailyCap;
}

/** `cap`: the broken cap as text for the user. `retryAfterMs`: milliseconds until it has room again. */
export type OverCap = { readonly kind: "over_cap"; readonly cap: string; readonly retryAfterMs: number };

/** The result of the begin of a call. `conflict`: the key was used for another request. */
export type BeginResult =
  /**
   * `transaction` was pinned by an earlier call, or is null. `wasSent` is true if an earlier call sent it, or may
   * have.
   */
  | { readonly kind: "begun"; readonly transaction: PinnedTransaction | null; readonly wasSent: boolean }
  | { readonly kind: "conflict" }
  | OverCap;

/** The transaction that an attempt is about to execute. */
export interface PinInput {
  readonly key: string;
  readonly transaction: PinnedTransaction;
  readonly origin: Origin;
  readonly cap: DailyCap;
}

/** Limit of the gas in a slot. */
export interface GasLimit {
  /** MIST or octas. Null if there is no limit. */
  readonly maxGasAtoms: bigint | null;
  /**
   * The cap that puts the limit below that of one transaction: the user holds the rest of their share. Null if it is
   * not below.
   */
  readonly overShare: OverCap | null;
}

/** `slot`: confirm it once the sponsorship is known. `isNew`: no earlier call of the attempt reserved it. */
export type ReserveResult =
  | ({ readonly kind: "held"; readonly slot: string; readonly isNew: boolean } & GasLimit)
  | OverCap;

/** `transaction`: continue with this one, which another call of the attempt may have pinned before. */
export type PinResult =
  | { readonly kind: "pinned"; readonly transaction: PinnedTransaction }
  | OverCap
  /** Another attempt has this transaction. */
  | { readonly kind: "taken" };

/** The `WorkflowUser` object, as its callers see it. */
export interface WorkflowUserObject {
  /** Takes a token of the user's rate, kept in memory. @returns 0: admitted; otherwise milliseconds to wait. */
  takeRateToken(callsPerSecond: number): Promise<number>;

  /** Implements `UserSessions.take`. */
  takeSession(chain: Chain, refused: Uint8Array | null): Promise<Uint8Array | null>;

  /** Implements `UserSessions.put`. */
  putSession(chain: Chain, token: Uint8Array | null): Promise<void>;

  /** Returns the wallet that an earlier call recorded. Null if none did. */
  knownWallet(chain: Chain): Promise<ProvenWallet | null>;

  /** Records a wallet that the service reported. */
  recordWallet(chain: Chain, input: ProvenWallet): Promise<void>;

  /**
   * Reserves one of the slots in which a fund may hold gas for this user at once.
   *
   * @param key key of the attempt, whose repeats share one slot. Null if the call has no repeats.
   */
  reserveSlot(wanted: WantedSponsorship, cap: HeldCap, key: string | null): Promise<ReserveResult>;

  /** Stores the sponsorship of a slot. Null frees a slot that has none. It is freed at its end, or once executed. */
  confirmSlot(slot: string, held: OpenSponsorship | null): Promise<void>;

  /** Begins a call of an attempt, which the caller ends by `endCall`. Returns an earlier call's transaction. */
  begin(input: BeginInput): Promise<BeginResult>;

  /** Pins a transaction to an attempt that has begun, and counts it. Returns the one that it has, if it has one. */
  pin(input: PinInput): Promise<PinResult>;

  /** Ends a call. An attempt without effect is deleted, and counts only if a node refused its transaction. */
  endCall(key: string, how: CallEnd): Promise<void>;

  /** Returns the contents of a chain's pinned transactions since a time, at most the last 20. */
  executedSince(chain: Chain, sinceMs: number): Promise<readonly string[]>;
}
