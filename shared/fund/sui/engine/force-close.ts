import { withValue } from "../../../chain/seen.ts";
import type { Observed } from "../../../chain/sui/coins.ts";
import type { SuiSeen } from "../../../chain/sui/seen.ts";
import { done, type Outcome, refuse } from "../../../errors.ts";
import type { ArchiveReader } from "../../archive/reader.ts";
import { isClosed } from "../../recovery.ts";
import { pausedRefusal } from "../../refusals.ts";
import { type DroppedCoin, type ForceClosed, RECOVERING } from "../../views.ts";
import { decodeSponsorship } from "../archived.ts";
import { dropCoin, forceClose, forceCloseTreasury, proveOver, refuseBefore } from "../force-close.ts";
import type { InputEvidence } from "../payment.ts";
import { settle } from "../settle.ts";
import { expirePrepared } from "../sponsorships.ts";
import type { SuiSponsorship, SuiTreasuryTransaction } from "../store.ts";
import { closeTreasuryByEvidence, settleTreasury } from "../treasury-settle.ts";
import { changesAddressBalance, type UnresolvedOwn } from "../unresolved.ts";
import type { SuiFundCore } from "./chain.ts";
import { allHostsButOne, believedEpoch, deathEvidence, observeCoins } from "./evidence.ts";
import type { SuiStateWatch } from "./state-watch.ts";
import type { UnresolvedRows } from "./unresolved.ts";

/** The transactions of the fund itself that one call looks up at every host. */
const MOST_OWN = 20;

const BEHIND = "the fund's state is older than its chain: run recover";

/** Ends single rows by an operator's order. Every endpoint that answers must agree that no other end will come. */
export class SuiForceClose {
  readonly #core: SuiFundCore;
  readonly #rows: ArchiveReader;
  readonly #watch: SuiStateWatch;
  readonly #unresolved: UnresolvedRows;
  /**
   * The fund's own pending transactions that can never execute any more, by digest. Several calls collect them, because
   * an ended epoch stays ended.
   */
  readonly #over = new Map<string, UnresolvedOwn>();

  constructor(core: SuiFundCore, rows: ArchiveReader, watch: SuiStateWatch, unresolved: UnresolvedRows) {
    this.#unresolved = unresolved;
    this.#core = core;
    this.#rows = rows;
    this.#watch = watch;
  }

  /** Implements `FundEngine.dropCoin`. */
  async dropCoin(objectId: string): Promise<Outcome<DroppedCoin | null>> {
    const core = this.#core;
    const { store, address, record } = core;
    const coin = store.coin(objectId);
    if (coin === null || address === null) return done(null);
    if (coin.state !== "gone" && isClosed(record)) return pausedRefusal(record.pausedCause ?? RECOVERING);
    const shown: SuiSeen<Observed>[] = [];
    for (const besides of coin.state === "free" ? allHostsButOne(core) : []) {
      const observed = await core.node.observeCoins([objectId], besides);
      if (observed.ok) shown.push(withValue(observed.value, ([only]) => only ?? null));
    }
    return core.commitOrRefuse(() => {
      if (coin.state !== "gone" && isClosed(core.record)) return pausedRefusal(RECOVERING);
      const dropped = dropCoin(store, coin, shown, { address, nowMs: core.nowMs() });
      if (dropped.ok) store.doubts.dropDoubt(objectId);
      return dropped;
    });
  }

  /** Implements `FundEngine.forceClose`. */
  async forceClose(digest: string): Promise<Outcome<ForceClosed | null>> {
    const core = this.#core;
    const { store, address, record } = core;
    core.commit(() => expirePrepared(store, digest, core.nowMs()));
    const state = this.#stateOf(digest);
    if (state === null || address === null) return this.#archived(digest);
    if (!isOpen(state)) return done({ digest, state });
    if (state === "prepared")
      return refuse("bad_params", "the fund has not signed it: wait ten minutes, and it ends by itself");
    if (isClosed(record)) return pausedRefusal(record.pausedCause ?? RECOVERING);
    const facts = await core.refreshFacts();
    if (!facts.ok) return facts;
    const row = store.sponsorship(digest);
    if (row?.gasObjectId === null) return this.#closeFromBalance(row);
    const transaction = store.treasuryTransaction(digest);
    if (transaction !== null && changesAddressBalance(transaction)) return this.#closeOwn(transaction, address);
    const evidence = await this.#evidence(digest, address);
    if (!evidence.ok) return evidence;
    return core.commitOrRefuse(() => {
      if (isClosed(core.record)) return pausedRefusal(RECOVERING);
      const now = { address, nowMs: core.nowMs() };
      const sponsorship = store.sponsorship(digest);
      const own = store.treasuryTransaction(digest);
      const current = this.#stateOf(digest);
      if (current === null || !isOpen(current)) return done(current && { digest, state: current });
      const closed =
        sponsorship !== null
          ? forceClose(store, sponsorship, evidence.value, now)
          : own !== null
            ? forceCloseTreasury(store, own, evidence.value, now)
            : done(null);
      return closed.ok ? done({ digest, state: "dead" }) : closed;
    });
  }

  /** Closes a sponsorship that the address balance pays for. No version proves its death, so its last epoch must be over. */
  async #closeFromBalance(row: SuiSponsorship): Promise<Outcome<ForceClosed | null>> {
    if (believedEpoch(this.#core) <= row.expirationEpoch) return refuseBefore(row.expirationEpoch);
    await this.#unresolved.closeFromBalance(row);
    return this.#endOf(row);
  }

  /**
   * Closes a transaction of the fund itself that changes the address balance. Closes all others that are over, too,
   * because nothing shows the cost of each. If there are many, each call proves the ends of some.
   */
  async #closeOwn(row: SuiTreasuryTransaction, address: string): Promise<Outcome<ForceClosed | null>> {
    const believed = believedEpoch(this.#core);
    if (believed <= row.expirationEpoch) return refuseBefore(row.expirationEpoch);
    const isOver = (other: SuiTreasuryTransaction) =>
      other.digest !== row.digest && changesAddressBalance(other) && other.expirationEpoch < believed;
    const others = this.#core.store.pendingTreasury().filter(isOver);
    const pending = new Set(others.map(({ digest }) => digest));
    for (const digest of this.#over.keys()) if (!pending.has(digest)) this.#over.delete(digest);
    const unproved = others.filter(({ digest }) => !this.#over.has(digest));
    for (const transaction of [row, ...unproved].slice(0, MOST_OWN)) {
      const unresolved = await this.#proveOver(transaction, address);
      if (unresolved.ok && unresolved.value !== null) this.#over.set(transaction.digest, unresolved.value);
      else if (!unresolved.ok && transaction === row) return unresolved;
    }
    if (this.#over.has(row.digest)) await this.#unresolved.closeOwn([...this.#over.values()]);
    return this.#endOf(row, Math.max(0, unproved.length + 1 - MOST_OWN));
  }

  /** Ends a transaction that the nodes prove to be dead or executed. Otherwise proves that it can never execute. */
  async #proveOver(transaction: SuiTreasuryTransaction, address: string): Promise<Outcome<UnresolvedOwn | null>> {
    const core = this.#core;
    const evidence = await this.#evidence(transaction.digest, address);
    if (!evidence.ok) return evidence;
    return core.commitOrRefuse(() => {
      if (isClosed(core.record)) return pausedRefusal(RECOVERING);
      const { store } = core;
      const isEnded = (one: InputEvidence) =>
        closeTreasuryByEvidence(store, transaction.digest, one, core.nowMs()) ||
        store.treasuryTransaction(transaction.digest)?.state !== "pending";
      if (evidence.value.some(isEnded)) return done(null);
      const proof = proveOver(store, transaction, evidence.value, core.nowMs());
      return proof.ok ? done({ transaction, evidence: proof.value }) : proof;
    });
  }

  /**
   * Answers with the end of a row that the address balance pays for, or asks for another call.
   *
   * @param left the other transactions of the fund that this call has not looked up.
   */
  #endOf({ digest }: { readonly digest: string }, left = 0): Outcome<ForceClosed | null> {
    const state = this.#stateOf(digest);
    if (state === null || !isOpen(state)) return done(state && { digest, state });
    return refuse(
      "node_unavailable",
      left > 0
        ? `${left} other transactions of the fund may have taken the same money, and a call looks up ${MOST_OWN}: repeat the call now`
        : "the nodes have not confirmed yet what it has cost: repeat the call every six minutes until it is closed",
    );
  }

  #stateOf(digest: string): ForceClosed["state"] | null {
    const { store } = this.#core;
    return store.stateOf(digest) ?? store.treasuryTransaction(digest)?.state ?? null;
  }

  /** Only ended rows are archived. */
  async #archived(digest: string): Promise<Outcome<ForceClosed | null>> {
    const archived = await this.#rows.sponsorship(digest);
    if (!archived.ok) return archived;
    return done(archived.value && { digest, state: decodeSponsorship(archived.value.record).state });
  }

  /**
   * Reads the coins and then the digest at each host.
   *
   * @returns `bad_params` if a host shows the transaction, which is settled then.
   */
  async #evidence(digest: string, address: string): Promise<Outcome<readonly InputEvidence[]>> {
    const core = this.#core;
    const { store } = core;
    const bumped = store.treasuryTransaction(digest)?.bumpedCoins ?? [];
    const ids = [...store.coinsHeldBy(digest), ...bumped].map(({ objectId }) => objectId);
    const believed = believedEpoch(core);
    const evidence: InputEvidence[] = [];
    for (const besides of allHostsButOne(core)) {
      const coins = await observeCoins(core, ids, besides);
      const looked = await core.node.lookUp([digest], "effects", besides);
      const [found] = looked.ok ? looked.value.value : [];
      if (!looked.ok || found === undefined || found.kind === "no_answer") continue;
      if (found.kind === "executed") {
        const { execution } = found;
        const nowMs = core.nowMs();
        const isSettled = core.commit(
          () => settle(store, execution, nowMs) || settleTreasury(store, execution, address, nowMs),
        );
        return refuse(
          "bad_params",
          isSettled
            ? `${looked.value.endpoint} shows the transaction, which is settled now: read its row, nothing has to be closed`
            : `${looked.value.endpoint} shows the transaction with effects that do not fit its bytes: check this node`,
        );
      }
      if (coins === "no_answer") continue;
      if (await this.#watch.isBehindCoins(coins)) return refuse("fund_paused", BEHIND);
      evidence.push(
        deathEvidence(
          believed,
          coins,
          withValue(looked.value, () => null),
        ),
      );
    }
    return done(evidence);
  }
}

function isOpen(state: ForceClosed["state"]): boolean {
  return state === "prepared" || state === "signed" || state === "expired" || state === "pending";
}
