/* Aptos only (compiledPolicy, repeatOf, refuseWithoutAddress, signAsFeePayer): a signed call reserves by itself, so that
 * execute.ts and initialize.ts reserve and sign, too. */

import { ed25519Authenticator } from "../../../chain/aptos/authenticator.ts";
import { feePayerMessage, refuseOtherKey } from "../../../chain/aptos/fee-payer.ts";
import { decodeRawTransaction, type RawTransaction } from "../../../chain/aptos/raw-transaction.ts";
import { sponsorshipId } from "../../../chain/aptos/sponsorship-id.ts";
import { mayHaveBeenSent, orKeyServiceRefusal } from "../../../crypto/key-service.ts";
import type { Deadline } from "../../../deadline.ts";
import { GroupCommit } from "../../../durable/group-commit.ts";
import type { KeyedMutex } from "../../../durable/keyed-mutex.ts";
import { done, type Outcome, refuse } from "../../../errors.ts";
import { refuseLate } from "../../../http/overload.ts";
import type { IdempotencyClaim } from "../../../idempotency.ts";
import { compilePolicy } from "../../../policy/compile-fund-policy.ts";
import type { FundPolicy } from "../../../policy/fund-policy.ts";
import type { ArchiveReader } from "../../archive/reader.ts";
import type { Shortage } from "../../shortage.ts";
import { decodeSponsorship } from "../archived.ts";
import { type AptosRequestBase, precheck, type SenderFacts } from "../checks.ts";
import type { KnownSenders } from "../known-senders.ts";
import { answerArchived, findByIdempotencyKey, findSameRequest, reserve, rowOf, takesSignatures } from "../reserve.ts";
import { expiresAtMsOf, refuseUsedSequence } from "../sequence.ts";
import type { AptosSponsorship } from "../store.ts";
import { checkUnjudged } from "../unjudged-signatures.ts";
import type { AptosFundCore } from "./chain.ts";

const DAY_MS = 86_400_000;

/** The access key of a call, with its policy. */
export interface AptosCaller {
  readonly keyId: string;
  /** The access key's own policy, as admission read it. */
  readonly keyPolicy: FundPolicy;
  /** The `x-request-id` of the answer. Absent from an edge of an earlier build. */
  readonly requestId?: string;
}

/** A transaction to screen. */
export interface AptosScreenInput extends AptosCaller {
  /** BCS of a raw transaction. */
  readonly rawTransaction: Uint8Array;
  /** Addresses in full length, in the order of their signatures. */
  readonly secondaryAddresses: readonly string[];
}

/** A transaction to sponsor. */
export interface AptosSponsorInput extends AptosScreenInput {
  /** Null if the caller sent no Idempotency-Key. */
  readonly idempotency: IdempotencyClaim | null;
  /** The rest of the call's time, ms. If absent, the call has all of it. */
  readonly leftMs?: number;
  /** The arrival of the request at the edge. Absent if the call is part of an earlier one. */
  readonly arrivedAtMs?: number;
}

interface Decoded {
  readonly rawTransaction: RawTransaction;
  /** The fund's address. */
  readonly address: string;
}

/** Reserves gas for a sponsorship. It gathers facts by I/O, and the state machine decides. */
export class AptosReservation {
  readonly #core: AptosFundCore;
  readonly #rows: ArchiveReader;
  readonly #shortage: Shortage;
  readonly #turns: KeyedMutex;
  readonly #senders: KnownSenders;
  /** Commits the reservations and submissions of about the same time together. */
  readonly commits: GroupCommit;

  constructor(core: AptosFundCore, rows: ArchiveReader, shortage: Shortage, turns: KeyedMutex, senders: KnownSenders) {
    this.#core = core;
    this.#senders = senders;
    this.#rows = rows;
    this.#shortage = shortage;
    this.#turns = turns;
    this.commits = new GroupCommit(
      (transition) => core.commit(transition),
      // This clock steps with the wall clock on workerd. A step forward refuses waiting calls as overloaded before they
      // run.
      () => performance.now(),
    );
  }

  /** Decodes a request. Refuses malformed bytes. Refuses with `balance_too_low` if the fund has no address. */
  decode({ rawTransaction: bytes }: AptosScreenInput): Outcome<Decoded> {
    const decoded = decodeRawTransaction(bytes);
    if (!decoded.ok) return decoded;
    const { address } = this.#core;
    return address === null ? refuseWithoutAddress() : done({ rawTransaction: decoded.value, address });
  }

  /** Reserves gas. A repeat with the same Idempotency-Key waits for the first call and gets its outcome. */
  reserveOnce(
    input: AptosSponsorInput,
    repeat: AptosRequestBase,
    deadline: Deadline,
  ): Promise<Outcome<AptosSponsorship>> {
    const { idempotency } = input;
    const late = refuseLate(input.arrivedAtMs, this.#core.nowMs());
    if (late !== null) return Promise.resolve(late);
    const reserveOnce = () => this.#shortage.retry(() => this.#reserve(input, repeat, deadline), { deadline });
    if (idempotency === null) return reserveOnce();
    return this.#turns.run(idempotency.scope, async () => {
      const core = this.#core;
      const replayed = findByIdempotencyKey(core.store, idempotency, core.nowMs());
      return replayed !== null && !replayed.ok ? replayed : reserveOnce();
    });
  }

  /** Reserves gas. At the deadline it refuses and holds nothing, because the caller may have left. */
  async #reserve(
    input: AptosSponsorInput,
    repeat: AptosRequestBase,
    deadline: Deadline,
  ): Promise<Outcome<AptosSponsorship>> {
    const core = this.#core;
    const decoded = this.decode(input);
    if (!decoded.ok) return decoded;
    const { address, rawTransaction } = decoded.value;
    // A fund that cannot open its key must not reserve.
    const signer = await orKeyServiceRefusal(core.signer());
    const row = rowOf(core.store, repeat, address);
    if (!signer.ok) {
      // The refusal says that nothing was sent. A row may have been sent before, so that only a fault is true.
      if (row !== null) throw mayHaveBeenSent(signer.error);
      return (await this.findArchived(repeat, rawTransaction, address)) ?? signer;
    }
    if (row !== null && takesSignatures(row, repeat)) {
      const account = await deadline.within(this.#account(rawTransaction, repeat.authenticators));
      if (!account.ok) return account;
    }
    // This comes first. A transaction that may have been sent must not be refused because no node answers now.
    const at = { address, nowMs: core.nowMs() };
    const resumed =
      row === null
        ? findSameRequest(core.store, repeat, at, row)
        : core.commit(() => findSameRequest(core.store, repeat, at));
    if (resumed !== null) return resumed;
    const archived = await this.findArchived(repeat, rawTransaction, address);
    if (archived !== null) return archived;
    const unjudged = checkUnjudged(rawTransaction, repeat, core.nowMs());
    if (unjudged !== null) return unjudged;
    const facts = await core.factsForSigning(deadline);
    if (!facts.ok) return facts;
    const terms = { ...repeat, rawTransaction, keyPolicy: compiledPolicy(input) };
    const reserveFor = (account: SenderFacts) =>
      this.commits.run(() => reserve(core.store, { ...terms, account }, core.context(address, facts.value)));
    const known = this.#knownFacts(rawTransaction, repeat.authenticators);
    const reserved = known === null ? null : await reserveFor(known);
    // The account may have advanced elsewhere. Only a current reply may refuse.
    if (reserved !== null && (reserved.ok || reserved.error.reason !== "sequence_conflict")) return reserved;
    // A refusal that needs no account reads none.
    const screened = precheck(core.store, terms, core.context(address, facts.value));
    if (!screened.ok) return screened;
    const account = await deadline.within(this.#account(rawTransaction, repeat.authenticators));
    return account.ok ? reserveFor(account.value) : account;
  }

  /** Returns the known facts of a sender who has signed. A signature that we hand out needs a current reply. */
  #knownFacts({ sender }: RawTransaction, authenticators: AptosRequestBase["authenticators"]): SenderFacts | null {
    const { store } = this.#core;
    return authenticators === null
      ? null
      : this.#senders.factsOf(sender, authenticators.sender, store, this.#core.nowMs());
  }

  /**
   * Explains a node's refusal by the sender's account, if the reservation has not read it.
   *
   * @returns `bad_signature` for another key, `sequence_conflict` for a used number. Null if the account explains
   * nothing.
   */
  async explainRefusal(row: AptosSponsorship, deadline: Deadline): Promise<Outcome<never> | null> {
    const { sender, sequenceNumber, nonce, authenticators } = row;
    if (!this.#senders.forget(sender)) return null;
    const account = await deadline.within(this.#account(row, authenticators));
    if (!account.ok) return account.error.reason === "bad_signature" ? account : null;
    const next = account.value.sequenceNumber;
    return nonce === null && next > sequenceNumber ? refuseUsedSequence(sequenceNumber, next) : null;
  }

  /**
   * Finds the archived row of the same request. Only an expired transaction can have one. The row was made within hours
   * of its expiration, so one or two archives are read.
   *
   * @returns null if no archive has one. `storage` if an archive does not answer. Otherwise as `findSameRequest`.
   */
  async findArchived(
    repeat: AptosRequestBase,
    rawTransaction: RawTransaction,
    address: string,
  ): Promise<Outcome<AptosSponsorship> | null> {
    const nowMs = this.#core.nowMs();
    const expiresAtMs = expiresAtMsOf(rawTransaction);
    if (expiresAtMs > nowMs) return null;
    const id = sponsorshipId(repeat.rawTransactionBytes, repeat.secondaryAddresses, address);
    const made = { fromMs: expiresAtMs - DAY_MS, toMs: expiresAtMs + DAY_MS };
    const found = await this.#rows.sponsorship(id, made);
    if (!found.ok) return found;
    return found.value === null ? null : answerArchived(decodeSponsorship(found.value.record), repeat, nowMs);
  }

  /**
   * Reads the sender with one call to a node, or two if the sender may not exist yet.
   * Refuses signatures by another key.
   */
  async #account(
    { sender }: Pick<RawTransaction, "sender">,
    authenticators: AptosRequestBase["authenticators"],
  ): Promise<Outcome<SenderFacts>> {
    const { node } = this.#core;
    const account = await node.account(sender);
    if (!account.ok) return this.#core.pausedOr(account);
    const taken = this.#core.takeLedger(account.value);
    if (!taken.ok) return taken;
    this.#senders.note(sender, account.value);
    const { value, timestampMs: ledgerTimeMs } = account.value;
    const { sequenceNumber, authenticationKey } = value;
    const otherKey = authenticators === null ? null : refuseOtherKey(authenticators.sender, authenticationKey);
    if (otherKey !== null) return otherKey;
    if (sequenceNumber > 0n) return done({ sequenceNumber, exists: true, ledgerTimeMs, isRemembered: false });
    const exists = await node.accountExists(sender);
    return exists.ok ? done({ sequenceNumber, exists: exists.value, ledgerTimeMs, isRemembered: false }) : exists;
  }
}

/** Compiles the access key's own policy. */
export function compiledPolicy({ keyPolicy }: AptosCaller) {
  return compilePolicy(keyPolicy, "aptos");
}

/** Extracts the fields of a request that identify a repeat. */
export function repeatOf(
  { keyId, rawTransaction, secondaryAddresses, requestId }: AptosScreenInput,
  authenticators: AptosRequestBase["authenticators"],
  idempotency: IdempotencyClaim | null,
): AptosRequestBase {
  const request = { authenticators, idempotency, requestId: requestId ?? null };
  return { keyId, rawTransactionBytes: rawTransaction, secondaryAddresses, ...request };
}

/** Builds the refusal of a fund that has no key yet. */
export function refuseWithoutAddress() {
  return refuse(
    "balance_too_low",
    "the fund has no deposit address yet, so it holds nothing: have the operator make one",
  );
}

/** Signs a reserved transaction as its fee payer. Returns the BCS of an account authenticator. */
export async function signAsFeePayer(
  core: AptosFundCore,
  row: AptosSponsorship,
  feePayer: string,
): Promise<Uint8Array> {
  const signer = await core.signer();
  return ed25519Authenticator(signer.publicKey, await signer.sign(feePayerMessage({ ...row, feePayer })));
}
