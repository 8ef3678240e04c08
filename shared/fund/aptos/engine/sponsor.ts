import { equalBytes } from "../../../bytes.ts";
import { ed25519Authenticator } from "../../../chain/aptos/authenticator.ts";
import {
  assembleSponsored,
  feePayerMessage,
  refuseOtherKey,
  verifyCoSignatures,
} from "../../../chain/aptos/fee-payer.ts";
import type { PendingTransaction } from "../../../chain/aptos/pending-transaction.ts";
import {
  decodeRawTransaction,
  encodeRawTransaction,
  type RawTransaction,
} from "../../../chain/aptos/raw-transaction.ts";
import { noOpPayload } from "../../../chain/aptos/treasury-payloads.ts";
import { Deadline } from "../../../deadline.ts";
import { GroupCommit } from "../../../durable/group-commit.ts";
import type { KeyedMutex } from "../../../durable/keyed-mutex.ts";
import { done, type Outcome, refuse } from "../../../errors.ts";
import { refuseLate } from "../../../http/overload.ts";
import type { IdempotencyClaim } from "../../../idempotency.ts";
import { compilePolicy, type FundPolicy } from "../../../policy/fund-policy.ts";
import type { Shortage } from "../../shortage.ts";
import { UNRESOLVABLE } from "../../views.ts";
import {
  type AptosChainFacts,
  type AptosRequestBase,
  gasBudgetOf,
  precheck,
  precheckBudget,
  type SenderFacts,
} from "../checks.ts";
import {
  findByIdempotencyKey,
  findSameRequest,
  isRefused,
  recordHandedOut,
  recordHash,
  recordSubmitted,
  reserve,
  takesSignatures,
} from "../sponsorships.ts";
import type { AptosAuthenticators, AptosSponsorship } from "../store.ts";
import type { AptosFundCore } from "./chain.ts";
import { AptosSubmission } from "./execute.ts";
import type { AptosSettlement } from "./settle.ts";

/** Of the transaction that initialises an account: what it needs at the lowest price is about half of that. */
const INITIALIZATION_GAS_UNITS = 10_000n;
const INITIALIZATION_TTL_SECONDS = 60n;

/** Who asks a fund for something. */
export interface AptosCaller {
  readonly keyId: string;
  /** The access key's own policy, as admission knows it. */
  readonly keyPolicy: FundPolicy;
}

export interface AptosScreenInput extends AptosCaller {
  /** BCS of a raw transaction. */
  readonly rawTransaction: Uint8Array;
  /** In the order of their signatures, in full length. */
  readonly secondaryAddresses: readonly string[];
}

export interface AptosSponsorInput extends AptosScreenInput {
  /** Null: the caller sent no Idempotency-Key. */
  readonly idempotency: IdempotencyClaim | null;
  /** What is left of the call's time; by default all of it. */
  readonly leftMs?: number;
  /** Of the request, at the edge; absent: the call is part of one that has begun. */
  readonly arrivedAtMs?: number;
}

export interface AptosExecuteInput extends AptosSponsorInput {
  /** BCS account authenticators, over the fund's address or the zero address as fee payer. */
  readonly senderAuthenticator: Uint8Array;
  /** In the order of the secondary addresses. */
  readonly secondaryAuthenticators: readonly Uint8Array[];
}

export interface AptosInitializationInput extends AptosCaller {
  /** Whose account it is to be. */
  readonly sender: string;
}

export interface AptosSponsored {
  readonly feePayerAddress: string;
  /** The fund's account authenticator, BCS. */
  readonly authenticator: Uint8Array;
}

export interface AptosExecuted {
  readonly pendingTransaction: PendingTransaction;
}

export type AptosInitialization =
  | { readonly state: "initialized" }
  /** The account's first transaction is under way, and this fund pays for it. */
  | { readonly state: "pending" }
  | { readonly state: "absent"; readonly rawTransaction: Uint8Array; readonly feePayerAddress: string };

interface Decoded {
  readonly rawTransaction: RawTransaction;
  /** The fund's. */
  readonly address: string;
}

/** How an Aptos fund comes to pay: gathers what needs I/O, has the machine decide, and signs only what is on disk. */
export class AptosSponsoring {
  readonly #core: AptosFundCore;
  readonly #shortage: Shortage;
  readonly #turns: KeyedMutex;
  readonly #commits: GroupCommit;
  readonly #submission: AptosSubmission;

  constructor(core: AptosFundCore, settlement: AptosSettlement, shortage: Shortage, turns: KeyedMutex) {
    this.#core = core;
    this.#shortage = shortage;
    this.#turns = turns;
    this.#commits = new GroupCommit(
      (transition) => core.commit(transition),
      // How long a call waits here is told by a clock that nobody sets.
      () => performance.now(),
    );
    this.#submission = new AptosSubmission(core, settlement);
  }

  /** Everything that can be refused without asking for the sender's account; no promise is written. */
  screen(input: AptosScreenInput): Promise<Outcome<{ readonly feePayerAddress: string }>> {
    return this.#shortage.retry(() => this.#screenNow(input));
  }

  async #screenNow(input: AptosScreenInput): Promise<Outcome<{ readonly feePayerAddress: string }>> {
    const core = this.#core;
    const decoded = this.#decode(input);
    if (!decoded.ok) return decoded;
    const { address, rawTransaction } = decoded.value;
    // Without authenticators and key, resuming only reads.
    const known = findSameRequest(core.store, repeatOf(input, null, null), { address, nowMs: core.nowMs() });
    if (known !== null) return known.ok ? done({ feePayerAddress: address }) : known;
    const facts = await core.factsForSigning();
    if (!facts.ok) return facts;
    const terms = { ...input, rawTransaction, keyPolicy: compiled(input) };
    const screened = precheck(core.store, terms, core.context(address, facts.value));
    return screened.ok ? done({ feePayerAddress: address }) : screened;
  }

  /** Whether the fund would pay for the initialisation of some account, as far as that does not depend on which. */
  screenInitialization(): Promise<Outcome<null>> {
    return this.#shortage.retry(() => this.#screenInitializationNow());
  }

  async #screenInitializationNow(): Promise<Outcome<null>> {
    const { address, store } = this.#core;
    if (address === null) return refuseWithoutAddress();
    const facts = await this.#core.factsForSigning();
    if (!facts.ok) return facts;
    const context = this.#core.context(address, facts.value);
    return precheckBudget(store, gasBudgetOf(initialization(address, context)), context);
  }

  /** Signs as fee payer and hands the signature out: for transactions that the caller submits. */
  async sponsor(input: AptosSponsorInput): Promise<Outcome<AptosSponsored>> {
    const deadline = new Deadline(input.leftMs);
    const reserved = await this.#reserveOnce(input, repeatOf(input, null, input.idempotency), deadline);
    if (!reserved.ok) return reserved;
    const { address } = this.#core;
    if (address === null) throw new Error("a fund without an address has promised something");
    const { id, authenticators } = reserved.value;
    if (authenticators !== null) this.#core.commit(() => recordHandedOut(this.#core.store, id));
    await this.#core.durable();
    return done({ feePayerAddress: address, authenticator: await this.#sign(reserved.value, address) });
  }

  /** Signs as fee payer and submits. Repeated, it submits the same bytes or answers what became of them. */
  async execute(input: AptosExecuteInput): Promise<Outcome<AptosExecuted>> {
    const { address } = this.#core;
    if (address === null) return refuseWithoutAddress();
    const deadline = new Deadline(input.leftMs);
    const authenticators = { sender: input.senderAuthenticator, secondary: input.secondaryAuthenticators };
    const refused = await verifyCoSignatures({ ...input, feePayer: address }, authenticators);
    if (refused !== null) return refused;
    const reserved = await this.#reserveOnce(input, repeatOf(input, authenticators, input.idempotency), deadline);
    if (!reserved.ok) return reserved;
    const row = reserved.value;
    if (row.state === "complete") return this.#submission.answerCommitted(row, deadline);
    await this.#core.durable();
    return this.#submit(row, address, deadline);
  }

  /** What it takes to make an account of an address, if anything. */
  initialization(caller: AptosInitializationInput): Promise<Outcome<AptosInitialization>> {
    return this.#shortage.retry(() => this.#initializationNow(caller));
  }

  async #initializationNow(caller: AptosInitializationInput): Promise<Outcome<AptosInitialization>> {
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
    const terms = { rawTransaction, secondaryAddresses: [], keyPolicy: compiled(caller) };
    const screened = precheck(core.store, terms, context);
    if (!screened.ok) return screened;
    const bytes = encodeRawTransaction(rawTransaction);
    return done({ state: "absent", rawTransaction: bytes, feePayerAddress: address });
  }

  /** Submitted again where that is ours to do: what was submitted before may never have reached a node. */
  async #firstUnderWay(first: AptosSponsorship, address: string): Promise<Outcome<AptosInitialization>> {
    if (first.state !== "signed" || first.authenticators === null) return done({ state: "pending" });
    await this.#core.durable();
    const submitted = await this.#submit(first, address, new Deadline());
    return submitted.ok ? done({ state: "pending" }) : submitted;
  }

  #decode({ rawTransaction: bytes }: AptosScreenInput): Outcome<Decoded> {
    const decoded = decodeRawTransaction(bytes);
    if (!decoded.ok) return decoded;
    const { address } = this.#core;
    return address === null ? refuseWithoutAddress() : done({ rawTransaction: decoded.value, address });
  }

  /** With an Idempotency-Key: what the first call with it has caused, or is causing right now. */
  #reserveOnce(
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

  /** Refused at the deadline with nothing held: whoever has asked may have left. */
  async #reserve(
    input: AptosSponsorInput,
    repeat: AptosRequestBase,
    deadline: Deadline,
  ): Promise<Outcome<AptosSponsorship>> {
    const core = this.#core;
    const decoded = this.#decode(input);
    if (!decoded.ok) return decoded;
    const { address, rawTransaction } = decoded.value;
    // A fund that cannot sign must not promise what it could never keep.
    await core.signer();
    if (takesSignatures(core.store, repeat, address)) {
      const account = await deadline.within(this.#account(rawTransaction, repeat.authenticators));
      if (!account.ok) return account;
    }
    // First of all: what may have been sent must not be refused because no node answers now.
    const resumed = core.commit(() => findSameRequest(core.store, repeat, { address, nowMs: core.nowMs() }));
    if (resumed !== null) return resumed;
    const facts = await core.factsForSigning(deadline);
    if (!facts.ok) return facts;
    const terms = { ...repeat, rawTransaction, keyPolicy: compiled(input) };
    const screened = precheck(core.store, terms, core.context(address, facts.value));
    if (!screened.ok) return screened;
    const account = await deadline.within(this.#account(rawTransaction, repeat.authenticators));
    if (!account.ok) return account;
    const request = { ...terms, account: account.value };
    return this.#commits.run(() => reserve(core.store, request, core.context(address, facts.value)));
  }

  /** One call to the node, and a second one where the sender may not exist yet. Refuses signatures by another key. */
  async #account(
    { sender }: RawTransaction,
    authenticators: AptosRequestBase["authenticators"],
  ): Promise<Outcome<SenderFacts>> {
    const { node } = this.#core;
    const account = await node.account(sender);
    if (!account.ok) return this.#core.pausedOr(account);
    const taken = this.#core.takeLedger(account.value.ledger);
    if (!taken.ok) return taken;
    const { sequenceNumber, authenticationKey, ledger } = account.value;
    const otherKey = authenticators === null ? null : refuseOtherKey(authenticators.sender, authenticationKey);
    if (otherKey !== null) return otherKey;
    if (sequenceNumber > 0n) return done({ sequenceNumber, exists: true, ledgerTimeMs: ledger.timeMs });
    const exists = await node.accountExists(sender);
    return exists.ok ? done({ sequenceNumber, exists: exists.value, ledgerTimeMs: ledger.timeMs }) : exists;
  }

  async #sign(row: AptosSponsorship, feePayer: string): Promise<Uint8Array> {
    const signer = await this.#core.signer();
    return ed25519Authenticator(signer.publicKey, await signer.sign(feePayerMessage({ ...row, feePayer })));
  }

  #answerChanged({ id }: AptosSponsorship): Outcome<never> {
    const state = this.#core.store.sponsorship(id)?.state;
    if (state === "signed") return refuse("sequence_conflict", "the same transaction is being submitted already");
    return state === UNRESOLVABLE
      ? refuse("outcome_unknown", "the sender's sequence number is used, and no node shows any more by what")
      : refuse("expired", "the transaction can never execute any more: build a new one");
  }

  /** The row's own signatures: those that came first. */
  async #submit(row: AptosSponsorship, address: string, deadline: Deadline): Promise<Outcome<AptosExecuted>> {
    const core = this.#core;
    const { authenticators } = row;
    if (authenticators === null) throw new Error("what is to be submitted has been signed by nobody");
    const feePayer = await this.#sign(row, address);
    const assembled = assembleSponsored({ ...row, feePayer: address }, { ...authenticators, feePayer });
    const changed = core.commit(() => {
      // While we signed, the chain may have shown what became of it, or other signatures have come instead.
      const now = core.store.sponsorship(row.id);
      if (now === null || !isSignedAs(now, authenticators)) return { now };
      recordHash(core.store, row.id, assembled.hash);
      recordSubmitted(core.store, row.id, core.nowMs());
      return null;
    });
    if (changed?.now?.state === "complete") return this.#submission.answerCommitted(changed.now, deadline);
    if (changed !== null) return this.#answerChanged(row);
    await core.durable();
    return this.#submission.submit(row.id, assembled, deadline);
  }
}

function isSignedAs({ state, authenticators }: AptosSponsorship, signed: AptosAuthenticators): boolean {
  return state === "signed" && authenticators !== null && equalBytes(authenticators.sender, signed.sender);
}

function compiled({ keyPolicy }: AptosCaller) {
  return compilePolicy(keyPolicy, "aptos");
}

function repeatOf(
  { keyId, rawTransaction, secondaryAddresses }: AptosScreenInput,
  authenticators: AptosRequestBase["authenticators"],
  idempotency: IdempotencyClaim | null,
): AptosRequestBase {
  return { keyId, rawTransactionBytes: rawTransaction, secondaryAddresses, authenticators, idempotency };
}

function refuseWithoutAddress() {
  return refuse("balance_too_low", "the fund has no deposit address yet, so it holds nothing");
}

/** A first transaction that does nothing: being executed, it leaves an account behind. */
function initialization(
  sender: string,
  { facts, nowMs }: { readonly facts: AptosChainFacts; readonly nowMs: number },
): RawTransaction {
  const nowSeconds = BigInt(Math.floor(Math.max(nowMs, facts.ledger.timeMs) / 1_000));
  return {
    sender,
    sequenceNumber: 0n,
    payload: noOpPayload(),
    maxGasAmount: INITIALIZATION_GAS_UNITS,
    gasUnitPriceOctas: facts.gasPriceOctas,
    expirationTimestampSeconds: nowSeconds + INITIALIZATION_TTL_SECONDS,
    chainId: facts.ledger.chainId,
  };
}
