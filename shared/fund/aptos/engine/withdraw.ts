import type { AptosAccount } from "../../../chain/aptos/node.ts";
import { encodeRawTransaction } from "../../../chain/aptos/raw-transaction.ts";
import type { AptosSeen } from "../../../chain/aptos/seen.ts";
import { encodeSignedTransaction } from "../../../chain/aptos/signed-transaction.ts";
import { signingMessage, transactionHash } from "../../../chain/aptos/transaction.ts";
import { transferPayload } from "../../../chain/aptos/treasury-payloads.ts";
import { orKeyServiceRefusal } from "../../../crypto/key-service.ts";
import type { KeyedMutex } from "../../../durable/keyed-mutex.ts";
import { done, type Outcome, refuse } from "../../../errors.ts";
import { sleep } from "../../../timing.ts";
import type { Withdrawal, WithdrawInput } from "../../engine.ts";
import { maintenanceReserveOctas } from "../../ledger/available.ts";
import { pausedRefusal } from "../../refusals.ts";
import type { Shortage } from "../../shortage.ts";
import { CHAIN_RESET, STATE_BEHIND_CHAIN } from "../../views.ts";
import { guardWithdrawal } from "../../withdrawal-guard.ts";
import {
  type AptosTreasuryDraft,
  beginTreasury,
  recordTreasurySubmitAttempt,
  withdrawableOctas,
  withdrawalRefusal,
} from "../treasury.ts";
import type { AptosFundCore } from "./chain.ts";
import type { AptosSettlement } from "./settle.ts";

/** The longest wait for a block. No other withdrawal can begin before this one is over. */
const WITHDRAWAL_TTL_SECONDS = 120n;
/** Gas units above those of a transfer that creates accounts for both sides, at the lowest price. */
const WITHDRAWAL_GAS_UNITS = 20_000n;
/** The waits between look-ups of its outcome. After them the answer is "pending". */
const OUTCOME_LOOK_UPS_MS = [300, 700, 1_500, 2_500] as const;
/** An operator may repeat a withdrawal after days. Its key never expires, so that it is never paid twice. */
const NEVER_MS = Number.MAX_SAFE_INTEGER;
const WITHDRAWING = "withdrawing";

/** Pays money out of the fund, at most once for each Idempotency-Key, and one at a time. */
export class AptosWithdrawals {
  readonly #core: AptosFundCore;
  readonly #settlement: AptosSettlement;
  readonly #shortage: Shortage;
  readonly #turns: KeyedMutex;

  constructor(core: AptosFundCore, settlement: AptosSettlement, shortage: Shortage, turns: KeyedMutex) {
    this.#core = core;
    this.#settlement = settlement;
    this.#shortage = shortage;
    this.#turns = turns;
  }

  /**
   * Journals the withdrawal, sends it, and answers with its hash. A repeat always answers with the same hash, even for
   * a dead one. Only nodes show a death, and they may lie. No lie of theirs may have money paid twice.
   *
   * @returns `idempotency_conflict`, `bad_params` for the fund's own address, `balance_too_low`, `sequence_conflict`
   * while another withdrawal is under way, `node_unavailable`.
   */
  withdraw(input: WithdrawInput): Promise<Outcome<Withdrawal>> {
    return this.#turns.run(WITHDRAWING, () => this.#withdraw(input));
  }

  async #withdraw(input: WithdrawInput): Promise<Outcome<Withdrawal>> {
    const { store, address } = this.#core;
    const earlier = store.idempotency(input.idempotency.scope);
    if (earlier !== null) {
      if (earlier.fingerprint !== input.idempotency.fingerprint)
        return refuse("idempotency_conflict", "this Idempotency-Key was used for another withdrawal: use a new key");
      await this.submit(earlier.reference);
      return done(this.#answer(earlier.reference));
    }
    if (address === null)
      return refuse(
        "balance_too_low",
        "the fund has no deposit address yet, so it holds nothing: have the operator make one",
      );
    const refused = guardWithdrawal(this.#core.record, input);
    if (refused !== null) return refused;
    if (input.to === address) return refuse("bad_params", "a fund cannot withdraw to itself: name another address");
    const begun = await this.#shortage.retry(() => this.#begin(input, address));
    if (!begun.ok) return begun;
    await this.submit(begun.value);
    for (const waitMs of OUTCOME_LOOK_UPS_MS) {
      if (this.#answer(begun.value).state !== "pending") break;
      await sleep(waitMs);
      await this.#settlement.settle([begun.value]);
    }
    return done(this.#answer(begun.value));
  }

  #answer(hash: string): Withdrawal {
    return { digest: hash, state: this.#core.store.treasuryTransaction(hash)?.state ?? "pending" };
  }

  async #begin(input: WithdrawInput, address: string): Promise<Outcome<string>> {
    const core = this.#core;
    const { store } = core;
    const collectedFeesAtoms = input.from === "fees" ? input.amountAtoms : 0n;
    if (input.amountAtoms > withdrawableOctas(store, { collectedFeesAtoms }))
      return withdrawalRefusal(store, { collectedFeesAtoms });
    const draft = await this.#draft(input, address, collectedFeesAtoms);
    if (!draft.ok) return draft;
    const { hash } = draft.value;
    const record = { ...input.idempotency, reference: hash, expiresAtMs: NEVER_MS };
    // A recovery may have begun while the fund signed.
    const begun = core.commitOrRefuse(
      () => guardWithdrawal(core.record, input) ?? beginTreasury(store, draft.value, core.nowMs(), record),
    );
    return begun.ok ? done(hash) : begun;
  }

  /** Builds and signs a withdrawal that nobody else has yet. Its hash is the hash of the signed bytes. */
  async #draft(
    { to, amountAtoms }: WithdrawInput,
    address: string,
    collectedFeesAtoms: bigint,
  ): Promise<Outcome<AptosTreasuryDraft>> {
    const core = this.#core;
    // The key service may take seconds. What a node says after it is newer.
    const signer = await orKeyServiceRefusal(core.signer());
    if (!signer.ok) return signer;
    const facts = await core.factsForSigning();
    if (!facts.ok) return facts;
    const account = await core.node.account(address);
    if (!account.ok) return account;
    const taken = core.takeLedger(account.value);
    if (!taken.ok) return taken;
    const expected = core.nextOwnSequenceNumber();
    if (account.value.value.sequenceNumber > expected) return this.#behind(address, account.value, expected);
    if (this.#isBeforeLast(account.value))
      return refuse("node_unavailable", "the node does not show the fund's last withdrawal yet: repeat later");
    const { gasPriceOctas: gasUnitPriceOctas, ledger } = facts.value;
    const payableUnits = maintenanceReserveOctas(core.store) / gasUnitPriceOctas;
    const maxGasAmount = payableUnits < WITHDRAWAL_GAS_UNITS ? payableUnits : WITHDRAWAL_GAS_UNITS;
    const { sequenceNumber } = account.value.value;
    const nowSeconds = BigInt(Math.floor(Math.max(core.nowMs(), account.value.timestampMs) / 1_000));
    const expirationTimestampSeconds = nowSeconds + WITHDRAWAL_TTL_SECONDS;
    const rawTransaction = encodeRawTransaction({
      sender: address,
      sequenceNumber,
      payload: transferPayload(to, amountAtoms),
      maxGasAmount,
      gasUnitPriceOctas,
      expirationTimestampSeconds,
      chainId: ledger.chain,
    });
    const { publicKey } = signer.value;
    const signature = await signer.value.sign(signingMessage(rawTransaction, { kind: "none" }));
    const signedTransaction = encodeSignedTransaction(rawTransaction, {
      $kind: "Ed25519",
      Ed25519: { publicKey, signature },
    });
    return done({
      hash: transactionHash(signedTransaction),
      signedTransaction,
      sequenceNumber,
      gasBudgetAtoms: maxGasAmount * gasUnitPriceOctas,
      expiresAtMs: Number(expirationTimestampSeconds) * 1_000,
      amountAtoms,
      collectedFeesAtoms,
    });
  }

  /**
   * Returns true if a reply may be older than the fund's last withdrawal, whose number it shows as unused. A withdrawal
   * with that number would be dead at once, and its key spent. A ledger past the last one's expiration is newer.
   */
  #isBeforeLast({ value, timestampMs }: AptosSeen<AptosAccount>): boolean {
    const { store } = this.#core;
    if (store.pendingTreasury() !== null || value.sequenceNumber >= store.nextOwnSequenceNumber()) return false;
    return timestampMs < (store.lastOwnExpiresAtMs() ?? 0);
  }

  /**
   * Refuses a withdrawal if the sequence number shows a payment that the state does not know. Only the fund has its
   * key. If several hosts are configured, two of them must agree.
   */
  async #behind(
    address: string,
    { value: { sequenceNumber: onChain }, endpoint }: AptosSeen<AptosAccount>,
    expected: bigint,
  ): Promise<Outcome<never>> {
    const core = this.#core;
    const other = core.endpointCount > 1 ? await core.node.account(address, endpoint) : null;
    if (other !== null && !(other.ok && other.value.value.sequenceNumber > expected))
      return refuse("node_unavailable", "the nodes disagree about the fund's sequence number: try again");
    core.pauseBehindChain(
      `the account's sequence number is ${onChain} on the chain, and the fund knows of its own transactions up to ${expected}`,
    );
    return pausedRefusal(core.record.pausedCause ?? STATE_BEHIND_CHAIN);
  }

  /** Sends a journaled withdrawal. A repeat looks up the outcome first, and sends the same bytes. */
  async submit(hash: string): Promise<void> {
    const core = this.#core;
    const { store } = core;
    const isRepeat = (store.treasuryTransaction(hash)?.submitCount ?? 0) > 0;
    if (isRepeat) await this.#settlement.settle([hash]);
    const transaction = store.treasuryTransaction(hash);
    if (transaction === null || transaction.state !== "pending") return;
    // If the fund's address has money on another chain, that chain would pay it a second time.
    if (core.record.pausedCause === CHAIN_RESET) return;
    core.commit(() => recordTreasurySubmitAttempt(store, hash, core.nowMs()));
    await core.durable();
    // The node's answer proves nothing. Only the sequence number shows the outcome.
    await core.node.submit(transaction.signedTransaction, hash);
  }
}
