/* Aptos only: An address on Sui needs no account. */

import { encodeRawTransaction, type RawTransaction } from "../../../chain/aptos/raw-transaction.ts";
import { noOpPayload } from "../../../chain/aptos/treasury-payloads.ts";
import { orKeyServiceRefusal } from "../../../crypto/key-service.ts";
import { Deadline } from "../../../deadline.ts";
import { done, type Outcome, refuse } from "../../../errors.ts";
import type { Shortage } from "../../shortage.ts";
import { UNRESOLVABLE } from "../../views.ts";
import { type AptosChainFacts, gasBudgetOf, precheck, precheckBudget } from "../checks.ts";
import { isRefused } from "../sponsorships.ts";
import type { AptosSponsorship } from "../store.ts";
import type { AptosFundCore } from "./chain.ts";
import type { AptosSponsorshipExecution } from "./execute.ts";
import { type AptosCaller, compiledPolicy, refuseWithoutAddress } from "./reserve.ts";

/** A request to initialise an account. */
export interface AptosInitializationInput extends AptosCaller {
  /** The address that needs an account. */
  readonly sender: string;
}

/** The state of an account, with the transaction that initialises an absent one. */
export type AptosInitialization =
  | { readonly state: "initialized" }
  /** The account's first transaction is under way, and this fund pays for it. */
  | { readonly state: "pending" }
  | { readonly state: "absent"; readonly rawTransaction: Uint8Array; readonly feePayerAddress: string };

/** Gas units of the transaction that initialises an account. It needs about half of them at the lowest price. */
const INITIALIZATION_GAS_UNITS = 10_000n;
const INITIALIZATION_TTL_SECONDS = 60n;

/** Prepares the transaction that initialises an account. It is the account's first one, and the fund pays for it. */
export class AptosInitializations {
  readonly #core: AptosFundCore;
  readonly #shortage: Shortage;
  readonly #execution: AptosSponsorshipExecution;

  constructor(core: AptosFundCore, shortage: Shortage, execution: AptosSponsorshipExecution) {
    this.#core = core;
    this.#shortage = shortage;
    this.#execution = execution;
  }

  /** Checks that the fund would pay for an initialisation. Leaves out the checks that depend on the account. */
  screen(): Promise<Outcome<null>> {
    return this.#shortage.retry(() => this.#screenNow());
  }

  async #screenNow(): Promise<Outcome<null>> {
    const { address, store } = this.#core;
    if (address === null) return refuseWithoutAddress();
    const facts = await this.#core.factsForSigning();
    if (!facts.ok) return facts;
    const context = this.#core.context(address, facts.value);
    return precheckBudget(store, gasBudgetOf(initialization(address, context)), context);
  }

  /** Prepares the transaction that creates an account at an address, if it needs one. */
  prepare(caller: AptosInitializationInput): Promise<Outcome<AptosInitialization>> {
    return this.#shortage.retry(() => this.#prepareNow(caller));
  }

  async #prepareNow(caller: AptosInitializationInput): Promise<Outcome<AptosInitialization>> {
    const core = this.#core;
    const { sender } = caller;
    const exists = await core.node.accountExists(sender);
    if (!exists.ok) return exists;
    if (exists.value) return done({ state: "initialized" });
    const { address } = core;
    if (address === null) return refuseWithoutAddress();
    const first = core.store.sponsorshipAtSequence(sender, 0n);
    if (first !== null && first.state !== UNRESOLVABLE && !isRefused(first)) return this.#firstUnderWay(first, address);
    const facts = await core.factsForSigning();
    if (!facts.ok) return facts;
    const context = core.context(address, facts.value);
    const rawTransaction = initialization(sender, context);
    const terms = { rawTransaction, secondaryAddresses: [], keyPolicy: compiledPolicy(caller) };
    const screened = precheck(core.store, terms, context);
    if (!screened.ok) return screened;
    const bytes = encodeRawTransaction(rawTransaction);
    return done({ state: "absent", rawTransaction: bytes, feePayerAddress: address });
  }

  /** Submits the first transaction again if we are its submitter. The earlier submission may have reached no node. */
  async #firstUnderWay(first: AptosSponsorship, address: string): Promise<Outcome<AptosInitialization>> {
    if (first.state !== "signed" || first.authenticators === null) return done({ state: "pending" });
    const signer = await orKeyServiceRefusal(this.#core.signer());
    if (!signer.ok)
      return refuse("outcome_unknown", "the account's first transaction may have been sent: repeat the call");
    await this.#core.durable();
    const submitted = await this.#execution.submit(first, address, new Deadline());
    return submitted.ok ? done({ state: "pending" }) : submitted;
  }
}

/** Builds a first transaction that does nothing. Its execution creates the account. */
function initialization(
  sender: string,
  { facts, nowMs }: { readonly facts: AptosChainFacts; readonly nowMs: number },
): RawTransaction {
  const nowSeconds = BigInt(Math.floor(Math.max(nowMs, facts.ledger.timestampMs) / 1_000));
  return {
    sender,
    sequenceNumber: 0n,
    payload: noOpPayload(),
    maxGasAmount: INITIALIZATION_GAS_UNITS,
    gasUnitPriceOctas: facts.gasPriceOctas,
    expirationTimestampSeconds: nowSeconds + INITIALIZATION_TTL_SECONDS,
    chainId: facts.ledger.chain,
  };
}
