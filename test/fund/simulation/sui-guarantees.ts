import { expect } from "vitest";
import { createdObjectId } from "../../../shared/chain/sui/transaction.ts";
import { availableMist, sponsorableMist } from "../../../shared/fund/ledger/available.ts";
import type { FundTotals, LedgerRow } from "../../../shared/fund/ledger/books.ts";
import { usageToday, utcDay } from "../../../shared/fund/ledger/usage.ts";
import { netGasMist } from "../../../shared/fund/sui/gas.ts";
import type {
  FundCoin,
  SuiSponsorship,
  SuiSponsorshipState,
  SuiTreasuryTransaction,
} from "../../../shared/fund/sui/store.ts";
import { UNRESOLVABLE } from "../../../shared/fund/views.ts";
import { DailyRecount } from "./daily-recount.ts";
import { decodeTransaction, type ModelTransaction } from "./model-transaction.ts";
import {
  countAvailable,
  countPayable,
  countSender,
  countUsage,
  isFree,
  isLive,
  isWithheld,
  lentMist,
  sumOf,
} from "./recount.ts";
import { same } from "./same.ts";
import { type FundWorld, KEYS, SENDERS } from "./sui-world.ts";
import type { OwnSteps } from "./treasury-steps.ts";
import type { Rows } from "./visible-store.ts";

const COLUMNS = [
  "balanceAtoms",
  "addressBalanceAtoms",
  "inFlightAtoms",
  "accruedFeesAtoms",
] as const satisfies (keyof FundTotals)[];
const NOTHING: FundTotals = { balanceAtoms: 0n, addressBalanceAtoms: 0n, inFlightAtoms: 0n, accruedFeesAtoms: 0n };

/** What may follow upon what. A dead row may begin anew only where it was never signed. */
const AFTER: Readonly<Record<SuiSponsorshipState, readonly SuiSponsorshipState[]>> = {
  prepared: ["signed", "dead"],
  signed: ["complete", "expired", UNRESOLVABLE],
  expired: ["complete", "dead", UNRESOLVABLE],
  complete: [],
  unresolvable: ["complete"],
  dead: ["prepared", "signed"],
};

function none(offenders: readonly string[], message: string): void {
  if (offenders.length > 0) expect(offenders, message).toEqual([]);
}

function idOf({ objectId }: FundCoin): string {
  return objectId;
}

function nameOf({ digest, state }: SuiSponsorship | SuiTreasuryTransaction): string {
  return `${state} ${digest}`;
}

function added(a: FundTotals, b: FundTotals): FundTotals {
  return {
    balanceAtoms: a.balanceAtoms + b.balanceAtoms,
    addressBalanceAtoms: a.addressBalanceAtoms + b.addressBalanceAtoms,
    inFlightAtoms: a.inFlightAtoms + b.inFlightAtoms,
    accruedFeesAtoms: a.accruedFeesAtoms + b.accruedFeesAtoms,
  };
}

/** Checks the guarantees of `shared/fund/sui/sponsorships.ts` over the stored rows, against the chain. */
export class Guarantees {
  readonly #world: FundWorld;
  readonly #own: OwnSteps;
  readonly #states = new Map<string, SuiSponsorshipState>();
  /** Dead, and once signed. */
  readonly #buried = new Set<string>();
  /** The ledger rows that give something back, by what they are about. */
  readonly #releases = new Map<string, number>();
  /** Closed as unresolvable at some time. */
  readonly #unresolved = new Set<string>();
  readonly #ownStates = new Map<string, SuiTreasuryTransaction["state"]>();
  readonly #ledger: LedgerRow[] = [];
  readonly #daily = new DailyRecount();
  readonly #byReference = new Map<string, FundTotals>();
  /** Whose doing the last ledger row of each reference was. */
  readonly #whose = new Map<string, string | null>();
  /** The coins that maintenance transactions have made, by digest. */
  readonly #setAside = new Map<string, readonly string[]>();
  /** The storage at the last check, and its day. */
  #checked: Rows | null = null;
  #checkedDay = -1;
  #totals: FundTotals = NOTHING;
  /** The nonces of all that was ever signed, and whose they are. */
  readonly #nonces = new Map<number, string>();

  constructor(world: FundWorld, own: OwnSteps) {
    this.#world = world;
    this.#own = own;
  }

  check(): void {
    const rows = this.#world.view.rows();
    // Figures of the storage alone change only by a write.
    const isWritten = rows !== this.#checked;
    this.#checked = rows;
    if (isWritten) {
      this.#readLedger(rows);
      this.#checkReleased(rows);
      this.#daily.check(this.#world.view.store);
    }
    this.#checkReleases(rows);
    this.#checkHolders(rows);
    this.#checkSigned(rows);
    this.#checkCoins(rows);
    this.#checkAddressBalance(rows);
    this.#checkTotals(rows);
    this.#checkReceipts(rows);
    this.#checkExecutable(rows);
    this.#checkOutcomes(rows);
    this.#checkDue(rows);
    this.#checkStates(rows);
    this.#checkUsage(rows);
    const day = utcDay(this.#world.nowMs);
    if (isWritten || day !== this.#checkedDay) this.#checkSenders(rows, day);
    this.#checkedDay = day;
    this.#checkPayouts();
  }

  #readLedger({ sponsorships }: Rows): void {
    const { chain, view } = this.#world;
    const fresh = view.ledgerFrom(this.#ledger.length);
    const byDigest = new Map(fresh.length === 0 ? [] : sponsorships.map((row) => [row.digest, row]));
    const endOf = (digest: string) => {
      const row = byDigest.get(digest);
      // Coins alone show no abort, and no rebate.
      const isAborted = row?.rebateAtoms !== null && chain.executed.get(digest)?.execution.success === false;
      return row && { ...row, isAborted, isLate: this.#unresolved.has(digest) };
    };
    for (const row of fresh) {
      this.#daily.read(row, endOf);
      this.#ledger.push(row);
      if (row.kind === "release") this.#releases.set(row.reference, (this.#releases.get(row.reference) ?? 0) + 1);
      this.#totals = added(this.#totals, row);
      this.#byReference.set(row.reference, added(this.#byReference.get(row.reference) ?? NOTHING, row));
      this.#whose.set(row.reference, row.keyId);
    }
  }

  #checkReleased({ sponsorships }: Rows): void {
    for (const keyId of KEYS) {
      const released = sponsorships.filter((row) => row.keyId === keyId && row.state === "expired" && isFree(row));
      const counted = this.#world.view.store.countReleased(keyId, Number.MAX_SAFE_INTEGER);
      same(counted, released.length, `guarantee 3: ${keyId} has so many that were given back and may still execute`);
    }
  }

  /** A free row is given back once, when it expires, and no other row is before its end. */
  #checkReleases({ sponsorships }: Rows): void {
    for (const row of sponsorships) {
      const { digest, state } = row;
      if (!isFree(row)) {
        same(row.isReleased, false, `guarantee 3: ${digest} costs gas, and is marked as given back`);
        continue;
      }
      const hasExpired = this.#world.expired.has(digest);
      if (state === "expired")
        same(hasExpired, true, `guarantee 3: nothing has shown that the time of ${digest} is over`);
      same(row.isReleased, hasExpired, `guarantee 3: ${digest} is ${state}, and its mark of being given back`);
      const isOver = state === "dead" || state === UNRESOLVABLE || this.#unresolved.has(digest);
      const releases = this.#releases.get(digest) ?? 0;
      same(releases, (hasExpired ? 1 : 0) + (isOver ? 1 : 0), `guarantee 3: how often ${digest} was given back`);
      if (hasExpired && this.#states.get(digest) !== state)
        this.#world.tally.add(state === "expired" ? "given back" : `given back, then ${state}`);
    }
  }

  #checkHolders({ coins, partyCoins, sponsorships, ownTransactions }: Rows): void {
    const byId = new Map(coins.map((coin) => [coin.objectId, coin]));
    const paidBy = new Map<string, string>();
    const hold = (digest: string, transaction: ModelTransaction, states: readonly FundCoin["state"][]) => {
      let sumMist = 0n;
      for (const { objectId, version } of transaction.payment) {
        same(paidBy.get(objectId), undefined, `guarantee 1: two live transactions pay with ${objectId}`);
        paidBy.set(objectId, digest);
        const coin = byId.get(objectId);
        same(coin?.heldByDigest, digest, `guarantee 1: a live transaction does not hold its coin ${objectId}`);
        same(coin?.version, version, `guarantee 1: the coin ${objectId} is held at another version`);
        if (coin !== undefined) same(states.includes(coin.state), true, `guarantee 1: a payment coin is ${coin.state}`);
        sumMist += coin?.balanceMist ?? 0n;
      }
      const covered = transaction.payment.length === 0 || sumMist >= transaction.budgetMist;
      same(covered, true, `guarantee 1: the coins that ${digest} holds do not cover its budget`);
    };
    for (const row of sponsorships)
      if (isLive(row))
        hold(row.digest, this.#transactionOf(row), row.state === "expired" ? ["quarantined", "recycling"] : ["held"]);
    for (const row of ownTransactions)
      if (row.state === "pending") hold(row.digest, this.#transactionOf(row), ["spending"]);
    const stray = coins.filter(({ objectId, heldByDigest }) => heldByDigest !== (paidBy.get(objectId) ?? null));
    none(stray.map(idOf), "guarantee 1: coins are held for nobody who is live");
    const pending = new Set(ownTransactions.filter(({ state }) => state === "pending").map(({ digest }) => digest));
    const orphans = partyCoins.filter(({ heldByDigest }) => heldByDigest !== null && !pending.has(heldByDigest));
    none(
      orphans.map(({ objectId }) => objectId),
      "guarantee 8: party coins are held for nobody who is live",
    );
    const loose = coins.filter(
      ({ heldByDigest, state }) => (heldByDigest === null) !== (state === "free" || state === "gone"),
    );
    none(loose.map(idOf), "guarantee 1: only free and gone coins are held by nothing");
  }

  readonly #decoded = new Map<string, ModelTransaction>();

  #transactionOf({ digest, transactionBytes }: SuiSponsorship | SuiTreasuryTransaction): ModelTransaction {
    const known = this.#decoded.get(digest);
    if (known !== undefined) return known;
    const decoded = decodeTransaction(transactionBytes);
    same(decoded.digest, digest, "guarantee 2: a row's bytes are not those of its digest");
    if (decoded.nonce !== null) {
      same(this.#nonces.get(decoded.nonce), undefined, "guarantee 2: a nonce is used twice");
      this.#nonces.set(decoded.nonce, digest);
    }
    this.#decoded.set(digest, decoded);
    return decoded;
  }

  #checkSigned({ sponsorships, ownTransactions, referredTo }: Rows): void {
    const bySigned = new Map<string, SuiSponsorship | SuiTreasuryTransaction>();
    for (const row of [...sponsorships, ...ownTransactions]) bySigned.set(row.digest, row);
    for (const digest of this.#world.released.keys()) {
      const row = bySigned.get(digest);
      same(row !== undefined, true, `guarantee 2: ${digest} is signed, and nothing of it is stored`);
      // What has executed needs its bytes for repeats alone; what never can needs none.
      const isLive = row?.state === "signed" || row?.state === "expired" || row?.state === "pending";
      const isComplete = row?.state === "complete" && !this.#unresolved.has(digest);
      const isRepeated = isComplete && "keyId" in row && referredTo.has(digest);
      const hasBytes = row !== undefined && row.transactionBytes.length > 0;
      same(hasBytes, isLive || isRepeated, `guarantee 2: the bytes of ${digest} are kept while they are needed`);
      same(row?.state === "prepared", false, `guarantee 2: ${digest} is signed, and its row says that it is not`);
    }
  }

  /** A transaction of ours that has executed, and is not booked yet, explains why the chain differs. */
  #isOpen(digest: string | undefined): boolean {
    if (digest === undefined) return false;
    const state = this.#states.get(digest) ?? this.#ownStates.get(digest);
    return state === "signed" || state === "expired" || state === "pending";
  }

  #checkCoins({ coins, sponsorships, ownTransactions }: Rows): void {
    const { chain } = this.#world;
    for (const { digest, state } of sponsorships) this.#noteState(digest, state);
    for (const { digest, state } of ownTransactions) this.#ownStates.set(digest, state);
    const onChain = new Map(
      chain
        .view(0)
        .listing()
        .map((coin) => [coin.objectId, coin]),
    );
    for (const coin of coins) {
      const seen = onChain.get(coin.objectId);
      onChain.delete(coin.objectId);
      const isOwned = coin.state === "gone" || seen === undefined || seen.owner.kind === "address";
      same(isOwned, true, `guarantee 8: the party coin ${coin.objectId} is booked as the fund's own`);
      const explained = this.#isOpen(chain.lastWriter.get(coin.objectId));
      if (coin.state === "gone") {
        same(seen === undefined, true, `guarantee 3: ${coin.objectId} is called gone, and is not`);
        same(coin.balanceMist, 0n, "guarantee 3: a coin that is gone has a balance");
      } else if (!explained) {
        same(seen?.version, coin.version, `guarantee 3: nothing explains the version of ${coin.objectId}`);
        same(seen?.balanceMist, coin.balanceMist, `guarantee 3: nothing explains the balance of ${coin.objectId}`);
        same(seen?.digest, coin.digest, `guarantee 3: nothing explains the digest of ${coin.objectId}`);
      }
    }
    const aside = new Set(
      ownTransactions
        .filter(({ purpose, state }) => purpose === "maintenance" && state === "complete")
        .flatMap((row) => this.#createdBy(row)),
    );
    const wrong = coins.filter(
      ({ state, objectId, maintenance }) => state !== "gone" && maintenance !== aside.has(objectId),
    );
    none(wrong.map(idOf), "maintenance coins are those that were made for it");
    for (const [objectId, { owner }] of onChain) {
      if (owner.kind === "consensus") continue;
      const writer = chain.lastWriter.get(objectId);
      const known = writer === undefined || this.#isOpen(writer);
      same(known, true, `guarantee 3: a transaction of ours made ${objectId}, and the books do not know it`);
    }
  }

  #createdBy({ digest, createdMist }: SuiTreasuryTransaction): readonly string[] {
    const known = this.#setAside.get(digest);
    if (known !== undefined) return known;
    const created = createdMist.map((_, index) => createdObjectId(digest, BigInt(index)));
    this.#setAside.set(digest, created);
    return created;
  }

  #checkAddressBalance({ sponsorships, ownTransactions }: Rows): void {
    const { chain, view } = this.#world;
    const open = [...sponsorships, ...ownTransactions].filter(({ digest }) => this.#isOpen(digest));
    const unbookedMist = sumOf(open, ({ digest }) => chain.executed.get(digest)?.addressBalanceMist ?? 0n);
    const found = this.#ledger.filter(
      ({ kind }) => kind === "deposit" || kind === "adjustment" || kind === "correction",
    );
    const shown = chain.view(0);
    const unseenMist = chain.paidInMist(shown.height) - sumOf(found, (row) => row.addressBalanceAtoms);
    const explainedMist =
      view.store.totals().addressBalanceAtoms + unbookedMist + unseenMist + this.#world.hiddenMist();
    same(explainedMist, shown.addressBalanceMist, "guarantee 3: nothing explains the address balance");
  }

  #checkTotals({ coins, sponsorships, ownTransactions }: Rows): void {
    const totals = this.#world.view.store.totals();
    for (const column of COLUMNS)
      same(totals[column], this.#totals[column], `guarantee 3: the ledger does not add up to ${column}`);
    const coinsMist = sumOf(coins, ({ state, balanceMist }) => (state === "gone" ? 0n : balanceMist));
    same(
      totals.balanceAtoms,
      coinsMist + totals.addressBalanceAtoms,
      "guarantee 3: the balance is not what the coins hold",
    );
    const heldMist = sumOf(sponsorships.filter(isWithheld), lentMist);
    same(totals.inFlightAtoms, heldMist, "guarantee 3: in flight is not what live sponsorships hold");
    const earnedMist = sumOf(sponsorships, ({ state, feeAtoms: feeMist }) => (state === "complete" ? feeMist : 0n));
    const collectedMist = sumOf(ownTransactions, (row) => (row.state === "complete" ? row.collectedFeesMist : 0n));
    same(totals.accruedFeesAtoms, earnedMist - collectedMist, "guarantee 3: fees are not COMPLETE x fee - collected");
  }

  /** Each MIST by what caused it: every sponsorship and treasury transaction against the effects on chain. */
  #checkReceipts({ sponsorships, ownTransactions }: Rows): void {
    const { chain } = this.#world;
    let sharesMist = 0n;
    for (const row of sponsorships) {
      const sums = this.#byReference.get(row.digest) ?? NOTHING;
      const complete = row.state === "complete";
      const effects = chain.executed.get(row.digest)?.execution;
      const chargedMist = complete && effects !== undefined ? netGasMist(effects.gasUsed) : null;
      same(row.chargedAtoms, chargedMist, `guarantee 3: the charge of ${row.digest}`);
      const rebateMist = chargedMist === null ? null : (effects?.gasUsed.storageRebateMist ?? null);
      // What is proved by its coins, because the node has forgotten its effects, has a charge and no rebate.
      if (row.rebateAtoms !== null || !this.#world.forgotten.has(row.digest))
        same(row.rebateAtoms, rebateMist, `guarantee 3: the rebate of ${row.digest}`);
      same(sums.inFlightAtoms, isWithheld(row) ? lentMist(row) : 0n, `guarantee 3: rows of ${row.digest} in flight`);
      same(sums.accruedFeesAtoms, complete ? row.feeAtoms : 0n, `guarantee 3: the fee of ${row.digest}`);
      // The cost of an unresolvable row is in a correction. Its own rows have none, also once the chain shows it.
      const costMist = this.#unresolved.has(row.digest) ? 0n : (chargedMist ?? row.maintenanceAtoms ?? 0n);
      same(sums.balanceAtoms, -costMist, `guarantee 3: the cost of ${row.digest}`);
      const fromBalanceMist = row.gasObjectId === null ? sums.balanceAtoms : 0n;
      same(sums.addressBalanceAtoms, fromBalanceMist, `guarantee 3: ${row.digest} and the address balance`);
      sharesMist += row.maintenanceAtoms ?? 0n;
    }
    let recycledMist = 0n;
    for (const { digest, state, purpose, collectedFeesMist } of ownTransactions) {
      const sums = this.#byReference.get(digest) ?? NOTHING;
      const executed = state === "complete" || state === "failed" ? chain.executed.get(digest) : undefined;
      const gasMist = executed === undefined ? 0n : netGasMist(executed.execution.gasUsed);
      if (purpose === "recycle") recycledMist += gasMist;
      const paidMist = purpose === "recycle" ? 0n : gasMist + (executed?.paidOutMist ?? 0n);
      same(sums.balanceAtoms, -paidMist, `guarantee 3: the cost of the ${purpose} ${digest}`);
      same(
        sums.addressBalanceAtoms,
        executed?.addressBalanceMist ?? 0n,
        `guarantee 3: ${digest} and the address balance`,
      );
      same(
        sums.accruedFeesAtoms,
        state === "complete" ? -collectedFeesMist : 0n,
        `guarantee 3: fees collected by ${digest}`,
      );
    }
    same(sharesMist, recycledMist, "guarantee 3: the shares are not what recycling has cost");
    for (const { digest, keyId } of sponsorships)
      same(this.#whose.get(digest), keyId, `guarantee 3: whose doing ${digest} was`);
  }

  /** Whatever can still execute holds what it would take. */
  #checkExecutable({ coins, partyCoins, sponsorships, ownTransactions }: Rows): void {
    const { released, chain } = this.#world;
    const partyById = new Map(partyCoins.map((coin) => [coin.objectId, coin]));
    const byId = new Map(coins.map((coin) => [coin.objectId, coin]));
    const live = new Set([
      ...sponsorships.filter(({ state }) => state === "signed" || state === "expired").map(({ digest }) => digest),
      ...ownTransactions.filter(({ state }) => state === "pending").map(({ digest }) => digest),
    ]);
    for (const [digest, transaction] of released) {
      if (!chain.canEverAccept(transaction)) continue;
      same(live.has(digest), true, `guarantee 4: ${digest} can still execute, and its row is closed`);
      for (const { objectId } of transaction.payment)
        same(
          byId.get(objectId)?.heldByDigest,
          digest,
          `guarantee 4: ${objectId} is not kept for ${digest}, which can execute`,
        );
      for (const { objectId } of transaction.ordered)
        same(partyById.get(objectId)?.heldByDigest, digest, `guarantee 4: the party coin ${objectId} is not kept`);
      for (const { objectId } of transaction.inputs)
        same(byId.get(objectId)?.state, "recycling", `guarantee 4: ${objectId} is not kept for its recycling`);
    }
  }

  #checkOutcomes({ sponsorships, ownTransactions }: Rows): void {
    const { chain, released } = this.#world;
    for (const { digest, state } of sponsorships) {
      if (state === "complete")
        same(chain.executed.has(digest), true, "guarantee 5: complete without the chain's word");
      if (state === "dead")
        same(chain.executed.has(digest), false, `guarantee 5: ${digest} is called dead, and executed`);
      if (state === "prepared") same(released.has(digest), false, "guarantee 2: signed before its sender had signed");
    }
    for (const { digest, state } of ownTransactions) {
      const execution = chain.executed.get(digest)?.execution;
      if (state === "complete")
        same(execution?.success, true, "guarantee 5: an own transaction complete without success");
      if (state === "failed") same(execution?.success, false, "guarantee 5: an own transaction failed without failure");
      if (state === "dead") same(execution, undefined, `guarantee 5: the own ${digest} is called dead, and executed`);
    }
  }

  #checkDue({ coins, sponsorships, ownTransactions, due }: Rows): void {
    const dueFor = (kind: string) => due.filter((row) => row.kind === kind).map(({ reference }) => reference);
    const live = new Set(sponsorships.filter(isLive).map(({ digest }) => digest));
    const pending = new Set(ownTransactions.filter(({ state }) => state === "pending").map(({ digest }) => digest));
    for (const [kind, open] of [
      ["settle", live],
      ["own", pending],
    ] as const) {
      const references = new Set(dueFor(kind));
      none(
        [...open].filter((digest) => !references.has(digest)),
        `guarantee 6: open, and no ${kind} row is due for it`,
      );
      none(
        [...references].filter((digest) => !open.has(digest)),
        `guarantee 6: a ${kind} row is due for what is closed`,
      );
    }
    const held = coins.filter(({ heldByDigest }) => heldByDigest !== null && live.has(heldByDigest));
    const busy = new Set(held.filter(({ state }) => state !== "quarantined").map(({ heldByDigest }) => heldByDigest));
    const waiting = held.filter(({ heldByDigest }) => !busy.has(heldByDigest));
    const recycles = waiting.length === 0 || dueFor("recycle").length > 0;
    same(recycles, true, "guarantee 6: coins are quarantined, and no recycling is due");
  }

  #noteState(digest: string, state: SuiSponsorshipState): void {
    const before = this.#states.get(digest);
    if (before === state) return;
    this.#states.set(digest, state);
    if (before !== undefined) {
      // A step may do two things at once: sign and settle, or call expired and prove dead.
      const possible = AFTER[before].flatMap((next) => [next, ...AFTER[next]]);
      same(possible.includes(state), true, `guarantee 7: ${digest} went from ${before} to ${state}`);
      same(
        before === "dead" && this.#buried.has(digest),
        false,
        `guarantee 7: ${digest} was signed, died and came back`,
      );
    }
    if (state === "dead" && this.#world.released.has(digest)) this.#buried.add(digest);
    if (state === UNRESOLVABLE) this.#unresolved.add(digest);
  }

  #checkStates({ sponsorships, ownTransactions }: Rows): void {
    const present = new Set([...sponsorships, ...ownTransactions].map(({ digest }) => digest));
    const lost = [...this.#states.keys(), ...this.#ownStates.keys()].filter((digest) => !present.has(digest));
    none(lost, "guarantee 7: rows have vanished");
  }

  #checkUsage(rows: Rows): void {
    const { view, nowMs, terms } = this.#world;
    for (const scope of ["", ...KEYS]) {
      const { day: _, ...usage } = usageToday(view.store, scope, nowMs);
      const counted = countUsage(rows, this.#ledger, scope === "" ? null : scope, nowMs);
      for (const [name, amount] of Object.entries(counted))
        same(usage[name as keyof typeof usage], amount, `what is counted for "${scope}": ${name}`);
    }
    const { addressBalanceAtoms: addressBalanceMist } = view.store.totals();
    const available = countAvailable(rows, addressBalanceMist, terms.mode);
    same(availableMist(view.store, terms.mode), available, "what is available is not what the rows say");
    const payable = countPayable(rows, addressBalanceMist, terms.mode);
    same(sponsorableMist(view.store, terms.mode), payable, "what can be promised is not what the rows say");
  }

  #checkSenders(rows: Rows, day: number): void {
    const { view, nowMs } = this.#world;
    for (const sender of SENDERS)
      for (const key of [null, ...KEYS]) {
        const spentAtoms = countSender(rows, sender, key, nowMs);
        const usage = view.store.senderUsage(sender, key, day);
        same(usage.spentAtoms, spentAtoms, `what is counted for the sender ${sender}`);
      }
  }

  #checkPayouts(): void {
    const { chain } = this.#world;
    for (const digests of this.#own.payouts) {
      const paid = digests.filter((digest) => chain.executed.get(digest)?.execution.success);
      same(paid.length <= 1, true, "a withdrawal was paid twice under one Idempotency-Key");
    }
  }

  /** After quiescence the rows are the chain's coins, to the last MIST, and nothing is held or withheld. */
  checkQuiescent(): void {
    const { view, chain, terms } = this.#world;
    const { coins, sponsorships, ownTransactions, due } = view.rows();
    const pending = ownTransactions.filter(({ state }) => state === "pending");
    none(sponsorships.filter(isLive).map(nameOf), "guarantee 6: these sponsorships stay open");
    none(pending.map(nameOf), "guarantee 6: these own transactions stay open");
    none(
      due.map(({ kind, reference }) => `${kind} ${reference}`),
      "guarantee 6: these rows stay due",
    );
    const shown = chain.view(0);
    const plain = ({ objectId, version, digest, balanceMist }: FundCoin) => ({
      objectId,
      version,
      digest,
      balanceMist,
    });
    const byId = (a: { objectId: string }, b: { objectId: string }) => (a.objectId < b.objectId ? -1 : 1);
    const owned = coins.filter(({ state }) => state !== "gone");
    expect(owned.map(plain).sort(byId), "guarantee 3: the rows are the chain's coins").toEqual(
      shown
        .listing()
        .filter(({ owner }) => owner.kind === "address")
        .map(({ owner: _, ...coin }) => coin)
        .sort(byId),
    );
    const left = shown
      .listing()
      .filter(({ owner, balanceMist }) => owner.kind === "consensus" && balanceMist > 500_000n);
    none(
      left.map(({ objectId }) => objectId),
      "guarantee 8: party coins are not money of the fund in the end",
    );
    none(owned.filter(({ state }) => state !== "free").map(idOf), "guarantee 6: these coins stay held");
    const totals = view.store.totals();
    same(totals.addressBalanceAtoms, shown.addressBalanceMist, "guarantee 3: the address balance is the chain's");
    same(totals.inFlightAtoms, 0n, "guarantee 6: something stays withheld");
    const reserveMist = totals.balanceAtoms - totals.accruedFeesAtoms - availableMist(view.store, terms.mode);
    same(reserveMist >= 0n, true, "all that is not reserved, and not earned as fees, is available");
  }
}
