import type { Chain } from "../networks.ts";
import type { DailyCap, HeldCap } from "../policy/rules.ts";
import type { CallEnd, Origin, PinnedTransaction } from "../workflow/user/attempt.ts";
import type { ProvenWallet } from "../workflow/user/known-wallet.ts";
import type { OpenSponsorship, WantedSponsorship } from "../workflow/user/open-sponsorships.ts";

/** What an attempt asks to begin with. */
export interface BeginInput {
  /** Of the attempt, at most 400 characters. Two workflows never use the same one. */
  readonly key: string;
  readonly fingerprint: string;
  readonly chain: Chain;
  readonly cap: DailyCap;
}

export type OverCap = { readonly kind: "over_cap"; readonly cap: string; readonly retryAfterMs: number };

export type BeginResult =
  /** `transaction`: the one that an earlier call of the attempt has fixed. `wasSent`: and has sent, or may have. */
  | { readonly kind: "begun"; readonly transaction: PinnedTransaction | null; readonly wasSent: boolean }
  | { readonly kind: "conflict" }
  | OverCap;

export interface PinInput {
  readonly key: string;
  readonly transaction: PinnedTransaction;
  readonly origin: Origin;
  readonly cap: DailyCap;
}

/** What may be held in a place. */
export interface GasLimit {
  /** MIST or octas; null: nobody has set a limit. */
  readonly maxGasAtoms: bigint | null;
  /** Null, or why it is less than one transaction may have: the user has the rest of their share already. */
  readonly overShare: OverCap | null;
}

/** `place`: to be settled once it is known what is held. `isNew`: no earlier call of the attempt has taken it. */
export type ReserveResult =
  | ({ readonly kind: "held"; readonly slot: string; readonly isNew: boolean } & GasLimit)
  | OverCap;

/** `transaction`: the one to go on with, which another call of the attempt may have fixed before. */
export type PinResult =
  | { readonly kind: "pinned"; readonly transaction: PinnedTransaction }
  | OverCap
  /** Another attempt has it. */
  | { readonly kind: "taken" };

/** The `WorkflowUser` object, as its callers see it. */
export interface WorkflowUserObject {
  /** Takes one call of the user's rate, which is counted in memory. @returns 0, or the milliseconds to wait. */
  takeRateToken(callsPerSecond: number): Promise<number>;

  /** As `UserSessions.take`. */
  takeSession(chain: Chain, refused: Uint8Array | null): Promise<Uint8Array | null>;

  /** As `UserSessions.put`. */
  putSession(chain: Chain, token: Uint8Array | null): Promise<void>;

  /** The user's wallet, as an earlier call has seen it. Null: none has. */
  knownWallet(chain: Chain): Promise<ProvenWallet | null>;

  recordWallet(chain: Chain, input: ProvenWallet): Promise<void>;

  /**
   * Takes one of the places that gas may be held in for this user at once.
   *
   * @param key of the attempt, whose repeats have one place; null: it has no repeats.
   */
  reserveSlot(wanted: WantedSponsorship, cap: HeldCap, key: string | null): Promise<ReserveResult>;

  /** What is held in a place from now on; null: nothing, if nothing was. It is free again once that is over, or executed. */
  confirmSlot(slot: string, held: OpenSponsorship | null): Promise<void>;

  /** Begins a call of an attempt, and has whoever holds it `leave` it again. Answers an earlier call's transaction. */
  begin(input: BeginInput): Promise<BeginResult>;

  /** Fixes the transaction of an attempt that has begun, and counts it; or answers the one that it has. */
  pin(input: PinInput): Promise<PinResult>;

  /** A call of the attempt has ended. What came to nothing is forgotten, and counts only if a node has refused it. */
  endCall(key: string, how: CallEnd): Promise<void>;

  /** The contents of a chain's transactions that were executed, or may have been, since a time; at most the last 20. */
  executedSince(chain: Chain, sinceMs: number): Promise<readonly string[]>;
}
