import type { Chain, Network } from "../networks.ts";
import type { Command } from "./commands.ts";

/** The user who wants a transaction or a wallet. */
export interface PolicyUser {
  /** `JWT_ISSUER`, or `gasworks:flows:caller-secret` for users named by the app's back end. */
  readonly issuer: string;
  /** The token's `sub`, or the `X-User-Id` that the back end sent. */
  readonly subject: string;
  /** The token's verified claims. Empty for users named by the back end or a webhook. */
  readonly claims: Readonly<Record<string, unknown>>;
}

interface Asked {
  readonly user: PolicyUser;
  readonly chain: Chain;
  readonly network: Network;
}

/** A request of this user for this transaction. */
export interface TransactionRequest extends Asked {
  /**
   * `sponsor`: the fund pays, and the user signs later. `execute`: the fund pays, and the transaction is sent
   * immediately. `sign`: a user's wallet only signs.
   */
  readonly action: "sponsor" | "execute" | "sign";
  /** The sender's address in full length. */
  readonly sender: string;
  /** The commands in order. On Aptos there is one. */
  readonly commands: readonly Command[];
  readonly gas: {
    /** MIST or octas. Null while it is not known. The policy judges again when it is. */
    readonly budgetAtoms: bigint | null;
    readonly payer: "fund" | "sender" | "other";
  };
  /**
   * The result of a simulation, if one was made. A policy judges before the simulation, too. It does not judge a
   * transaction that would fail.
   */
  readonly simulation?: Simulation;
}

/** The effect that a transaction would have now. Execution may differ: other transactions may come before it. */
export interface Simulation {
  /** MIST or octas, after the storage rebate. */
  readonly gasUsedAtoms: bigint;
  /**
   * The balance changes on Sui of all addresses except the paying fund. Null if they are not known, as on Aptos: a node
   * shows the new content of stores there, not its change. A rule that needs the changes refuses a transaction without
   * them.
   */
  readonly balanceChanges: readonly SimulatedChange[] | null;
}

/** The change of one address's balance of one coin in a simulation. */
export interface SimulatedChange {
  /** Address in full length. */
  readonly address: string;
  /** `0x…::module::Name`, as the node writes it. */
  readonly coinType: string;
  /** The amount in the coin's smallest unit. It is negative if the coin leaves the address. */
  readonly amount: bigint;
}

/**
 * A request of this user for an embedded wallet. On Aptos the fund pays for its account. The wallet has no address yet.
 */
export interface WalletRequest extends Asked {
  readonly action: "create_wallet";
}

/** A request that an app's policy judges. */
export type PolicyRequest = TransactionRequest | WalletRequest;
