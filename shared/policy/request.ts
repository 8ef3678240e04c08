import type { Chain, Network } from "../networks.ts";
import type { Command } from "./commands.ts";

/** Who asks. */
export interface PolicyUser {
  /** `JWT_ISSUER`, or `gasworks:flows:caller-secret` for users whom the app's back end names. */
  readonly issuer: string;
  /** The token's `sub`, or what the back end sent in `X-User-Id`. */
  readonly subject: string;
  /** The token's claims, verified; none for users whom the back end or a webhook names. */
  readonly claims: Readonly<Record<string, unknown>>;
}

interface Asked {
  readonly user: PolicyUser;
  readonly chain: Chain;
  readonly network: Network;
}

/** May this user have this transaction? */
export interface TransactionRequest extends Asked {
  /** `sponsor`: the fund is to pay. `execute`: it pays, and it is sent at once. `sign`: a user's wallet signs, no more. */
  readonly action: "sponsor" | "execute" | "sign";
  /** Address in full length. */
  readonly sender: string;
  /** In order. On Aptos there is one. */
  readonly commands: readonly Command[];
  readonly gas: {
    /** MIST or octas. Null while it is not known yet: a policy is asked again once it is. */
    readonly budgetAtoms: bigint | null;
    readonly payer: "fund" | "sender" | "other";
  };
  /**
   * What a simulation said, once one was made: a policy is asked before it, too. A transaction that would fail is not
   * asked about.
   */
  readonly simulation?: Simulation;
}

/** What the chain would do with a transaction now. Execution may differ: other transactions may come before it. */
export interface Simulation {
  /** MIST or octas, storage rebate deducted. */
  readonly gasUsedAtoms: bigint;
  /**
   * On Sui, what everybody but the fund that pays would have more or less of. Null: nobody tells, as on Aptos, where a
   * node shows what stores would hold and not what that changes. A rule that goes by them refuses what has none.
   */
  readonly balanceChanges: readonly SimulatedChange[] | null;
}

export interface SimulatedChange {
  /** Address in full length. */
  readonly address: string;
  /** `0x…::module::Name`, as the node writes it. */
  readonly coinType: string;
  /** In the coin's smallest unit; negative where it goes away. */
  readonly amount: bigint;
}

/** May this user have an embedded wallet? On Aptos the fund pays for its account. It has no address yet. */
export interface WalletRequest extends Asked {
  readonly action: "create_wallet";
}

/** What an app's policy is asked. */
export type PolicyRequest = TransactionRequest | WalletRequest;
