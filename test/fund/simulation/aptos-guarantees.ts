import { expect } from "vitest";
import type { AptosSponsorshipState } from "../../../shared/fund/aptos/store.ts";
import { availableOctas } from "../../../shared/fund/ledger/available.ts";
import type { LedgerRow } from "../../../shared/fund/ledger/books.ts";
import { usageToday, utcDay } from "../../../shared/fund/ledger/usage.ts";
import { UNRESOLVABLE } from "../../../shared/fund/views.ts";
import { ownPlace, placed, placeOf } from "./aptos-model-chain.ts";
import type { AptosRows } from "./aptos-store-views.ts";
import { type AptosWorld, FUND, KEYS, SENDERS } from "./aptos-world.ts";
import { DailyRecount } from "./daily-recount.ts";
import { countSender, countUsage, isLive, lentMist, sumOf } from "./recount.ts";
import { same } from "./same.ts";

const RESERVE_OCTAS = 2_000_000n;

/** A withdrawal that no node shows may have paid. Nobody collects its fees again. */
function isCollected({ state }: { readonly state: string }): boolean {
  return state === "complete" || state === "unresolvable";
}

/** What may be withdrawn or promised, counted over the rows. */
export function countAvailableOctas({ sponsorships, ownTransactions }: AptosRows, balanceOctas: bigint): bigint {
  const earned = sumOf(sponsorships, ({ state, feeAtoms }) => (state === "complete" ? feeAtoms : 0n));
  const collected = sumOf(ownTransactions.filter(isCollected), (row) => row.collectedFeesAtoms);
  const pending = ownTransactions.filter(({ state }) => state === "pending");
  const leaving = sumOf(pending, ({ amountAtoms, collectedFeesAtoms }) => amountAtoms - collectedFeesAtoms);
  const reserve = balanceOctas < RESERVE_OCTAS ? balanceOctas : RESERVE_OCTAS;
  return balanceOctas - sumOf(sponsorships.filter(isLive), lentMist) - (earned - collected) - reserve - leaving;
}

/** Checks the guarantees of `shared/fund/aptos/sponsorships.ts` over the stored rows, against the chain. */
export class AptosGuarantees {
  readonly #world: AptosWorld;
  readonly #ledger: LedgerRow[] = [];
  readonly #daily = new DailyRecount();
  readonly #changes = new Map<string, bigint>();
  /** The storage at the last check, and its day. */
  #checked: AptosRows | null = null;
  #checkedDay = -1;
  #comparedVersion = -1n;
  readonly #states = new Map<string, AptosSponsorshipState>();

  constructor(world: AptosWorld) {
    this.#world = world;
  }

  check(): void {
    const rows = this.#world.view.rows();
    // Figures of the storage alone change only by a write.
    const isWritten = rows !== this.#checked;
    this.#checked = rows;
    if (isWritten) {
      this.#readLedger(rows);
      this.#daily.check(this.#world.view.store);
    }
    this.#checkPromises(rows);
    this.#checkSigned(rows);
    this.#checkBalance(rows);
    this.#checkReceipts(rows);
    this.#checkExecutable(rows);
    this.#checkOutcomes(rows);
    this.#checkDue(rows);
    this.#checkStates(rows);
    this.#checkUsage(rows);
    const day = utcDay(this.#world.nowMs);
    if (isWritten || day !== this.#checkedDay) this.#checkSenders(rows, day);
    this.#checkedDay = day;
  }

  #readLedger({ sponsorships }: AptosRows): void {
    const { chain, view } = this.#world;
    const fresh = view.ledgerFrom(this.#ledger.length);
    const byId = new Map(fresh.length === 0 ? [] : sponsorships.map((row) => [row.id, row]));
    for (const row of fresh) {
      this.#daily.read(row, (id) => {
        const ended = byId.get(id);
        const shown = ended && chain.at(ended)?.execution;
        return ended && { ...ended, isAborted: shown?.success === false };
      });
      this.#changes.set(row.reference, (this.#changes.get(row.reference) ?? 0n) + row.balanceAtoms);
    }
    this.#ledger.push(...fresh);
  }

  #checkPromises({ sponsorships, ownTransactions }: AptosRows): void {
    const taken = new Set<string>();
    for (const row of sponsorships.filter(isLive)) {
      // Two expirations of one nonce are one place: the chain takes one of them.
      const place = placeOf({ ...row, expiresAtMs: 0 });
      same(taken.has(place), false, `guarantee 1: two live promises at ${place}`);
      taken.add(place);
    }
    const pending = ownTransactions.filter(({ state }) => state === "pending");
    same(pending.length <= 1, true, "guarantee 1: two withdrawals under way");
  }

  #checkSigned({ sponsorships }: AptosRows): void {
    const { released, kept, view } = this.#world;
    for (const reference of released.keys()) {
      const row = view.store.sponsorship(reference);
      const stored = row ?? view.store.treasuryTransaction(reference);
      same(stored !== null, true, `guarantee 2: ${reference} is signed, and nothing of it is stored`);
      const own = view.store.treasuryTransaction(reference);
      const hasBytes = (row?.rawTransaction ?? own?.signedTransaction ?? []).length > 0;
      const isLive = (row?.state ?? own?.state) === (row === null ? "pending" : "signed");
      same(hasBytes, isLive, `guarantee 2: the bytes of ${reference} are kept while they are needed`);
    }
    for (const { id, state, authenticators } of sponsorships)
      if (state === "signed")
        same(authenticators?.sender[0], kept.get(id), `guarantee 1: the signatures that came first, of ${id}`);
  }

  #checkBalance({ sponsorships, ownTransactions }: AptosRows): void {
    const { chain, view } = this.#world;
    const found = this.#ledger.filter(({ kind }) => kind === "deposit" || kind === "adjustment");
    const foundOctas = sumOf(found, ({ balanceAtoms }) => balanceAtoms);
    const comparedVersion = view.store.reconciledVersion();
    same(comparedVersion >= this.#comparedVersion, true, "guarantee 3: an older balance took back what was found");
    this.#comparedVersion = comparedVersion;
    const depositedOctas = chain.depositedOctas(comparedVersion);
    // What was given up has changed the balance by an amount that only the chain knows.
    const givenUpOctas = sumOf(
      [
        ...sponsorships.filter(({ state }) => state === UNRESOLVABLE),
        ...ownTransactions
          .filter(({ state }) => state === UNRESOLVABLE)
          .map(({ sequenceNumber }) => ownPlace(FUND, sequenceNumber)),
      ],
      (place) => chain.at(place)?.fundOctas ?? 0n,
    );
    const isFound = foundOctas === depositedOctas + givenUpOctas;
    same(isFound, true, "guarantee 3: what was found is not what was deposited by then");
    const deposits = sumOf(
      found.filter(({ kind }) => kind === "deposit"),
      ({ balanceAtoms }) => balanceAtoms,
    );
    same(deposits <= depositedOctas, true, "guarantee 3: a deposit that nobody has made");
    const open = [
      ...sponsorships.filter(isLive).map((row) => chain.at(row)),
      ...ownTransactions
        .filter(({ state }) => state === "pending")
        .map(({ sequenceNumber }) => chain.at(ownPlace(FUND, sequenceNumber))),
    ];
    const unbookedOctas = sumOf(open, (committed) => committed?.fundOctas ?? 0n);
    const shown = chain.view(0);
    const unseenOctas = chain.depositedOctas(shown.ledger.version) - depositedOctas;
    const { balanceAtoms, inFlightAtoms, accruedFeesAtoms } = view.store.totals();
    const explained = balanceAtoms + unbookedOctas + unseenOctas;
    same(explained, shown.fundOctas, "guarantee 3: nothing explains the balance");
    same(
      sumOf(this.#ledger, (row) => row.balanceAtoms),
      balanceAtoms,
      "guarantee 3: the ledger does not add up",
    );
    const held = sumOf(sponsorships.filter(isLive), lentMist);
    same(inFlightAtoms, held, "guarantee 4: in flight is not what live sponsorships withhold");
    const earned = sumOf(sponsorships, ({ state, feeAtoms }) => (state === "complete" ? feeAtoms : 0n));
    const collected = sumOf(ownTransactions.filter(isCollected), (row) => row.collectedFeesAtoms);
    same(accruedFeesAtoms, earned - collected, "guarantee 3: fees are not COMPLETE x fee - collected");
  }

  #checkReceipts({ sponsorships, ownTransactions }: AptosRows): void {
    const { chain } = this.#world;
    for (const row of sponsorships) {
      const committed = row.state === "complete" ? chain.at(row) : undefined;
      same(row.chargedAtoms, committed === undefined ? null : -committed.fundOctas, `guarantee 5: charge of ${row.id}`);
      same(row.rebateAtoms, committed?.execution.storageRefundOctas ?? null, `guarantee 5: refund of ${row.id}`);
      same(row.committedVersion, committed?.execution.version ?? null, `guarantee 5: version of ${row.id}`);
      same(this.#changes.get(row.id), committed?.fundOctas ?? 0n, `guarantee 3: rows of ${row.id}`);
    }
    for (const { hash, state, sequenceNumber } of ownTransactions) {
      const booked = state === "complete" || state === "failed";
      const octas = booked ? (chain.at(ownPlace(FUND, sequenceNumber))?.fundOctas ?? 0n) : 0n;
      same(this.#changes.get(hash) ?? 0n, octas, `guarantee 3: rows of the withdrawal ${hash}`);
    }
  }

  /** Whatever can still execute withholds what it would take. */
  #checkExecutable({ sponsorships, ownTransactions }: AptosRows): void {
    const { released, chain } = this.#world;
    const open = new Set([
      ...sponsorships.filter(isLive).map(({ id }) => id),
      ...ownTransactions.filter(({ state }) => state === "pending").map(({ hash }) => hash),
    ]);
    for (const [reference, transaction] of released)
      if (chain.canEverAccept(transaction))
        same(open.has(reference), true, `guarantee 4: ${reference} can still execute, and its row is closed`);
  }

  #checkOutcomes({ sponsorships, ownTransactions }: AptosRows): void {
    const { chain, released } = this.#world;
    for (const ended of sponsorships) {
      const { id, state, hash, expiresAtMs } = ended;
      const execution = chain.at(ended)?.execution;
      const paidByFund =
        execution?.feePayer === FUND && execution.expirationSecs * 1_000n === BigInt(expiresAtMs) && released.has(id);
      if (state === "complete") {
        same(paidByFund, true, `guarantee 5: ${id} is complete without the chain's word`);
        same(hash, execution?.hash, `guarantee 5: ${id} is complete under another hash than the chain's`);
      }
      if (state === UNRESOLVABLE)
        same(execution === undefined, false, `guarantee 4: ${id} is given up, and its number unused`);
      if (state === "dead") {
        const own = [...released.entries()].find(
          ([reference, row]) => reference !== id && placeOf(placed(row)) === placeOf(ended),
        );
        same(paidByFund && own === undefined, false, `guarantee 4: ${id} is called dead, and executed`);
      }
    }
    for (const { hash, state, sequenceNumber } of ownTransactions) {
      const execution = chain.at(ownPlace(FUND, sequenceNumber))?.execution;
      const executed = execution?.hash === hash ? (execution.success ? "complete" : "failed") : "dead";
      const isGivenUp = state === UNRESOLVABLE && execution !== undefined;
      if (state !== "pending" && !isGivenUp) same(state, executed, `guarantee 5: how the withdrawal ${hash} has ended`);
    }
  }

  #checkDue({ sponsorships, ownTransactions, due }: AptosRows): void {
    const names = new Set(due.map(({ kind, reference }) => `${kind} ${reference}`));
    const open = [
      ...sponsorships.filter(isLive).map(({ id }) => `settle ${id}`),
      ...ownTransactions.filter(({ state }) => state === "pending").map(({ hash }) => `own ${hash}`),
    ];
    for (const name of open) same(names.has(name), true, `guarantee 6: open, and not due: ${name}`);
    same(names.size, open.length, "guarantee 6: something is due for what is closed");
  }

  #checkStates({ sponsorships }: AptosRows): void {
    for (const { id, state } of sponsorships) {
      const before = this.#states.get(id) ?? "signed";
      // An unused number past the expiration proves that it was never executed. Guarantee 4 compares that with the chain.
      const isProvenDead = before === UNRESOLVABLE && state === "dead";
      if (before !== "signed" && !isProvenDead) same(state, before, `guarantee 7: ${id} was ${before}, and came back`);
      this.#states.set(id, state);
    }
    same(sponsorships.length, this.#states.size, "guarantee 7: rows have vanished");
  }

  #checkUsage(rows: AptosRows): void {
    const { view, nowMs } = this.#world;
    for (const scope of ["", ...KEYS]) {
      const { day: _, ...usage } = usageToday(view.store, scope, nowMs);
      const counted = countUsage(rows, this.#ledger, scope === "" ? null : scope, nowMs);
      for (const [name, amount] of Object.entries(counted))
        same(usage[name as keyof typeof usage], amount, `what is counted for "${scope}": ${name}`);
    }
    const available = countAvailableOctas(rows, view.store.totals().balanceAtoms);
    same(availableOctas(view.store), available, "what is available is not what the rows say");
  }

  #checkSenders(rows: AptosRows, day: number): void {
    const { view, nowMs } = this.#world;
    for (const sender of SENDERS)
      for (const key of [null, ...KEYS]) {
        const spentAtoms = countSender(rows, sender, key, nowMs);
        const usage = view.store.senderUsage(sender, key, day);
        same(usage.spentAtoms, spentAtoms, `what is counted for the sender ${sender}`);
      }
  }

  /** After quiescence the books are the chain's balance, to the last octa, and nothing is withheld. */
  checkQuiescent(): void {
    const { view, chain } = this.#world;
    const { sponsorships, ownTransactions, due } = view.rows();
    expect(sponsorships.filter(isLive), "guarantee 6: these stay open").toEqual([]);
    expect(ownTransactions.filter(({ state }) => state === "pending")).toEqual([]);
    expect(due, "guarantee 6: these rows stay due").toEqual([]);
    const { balanceAtoms, inFlightAtoms } = view.store.totals();
    same(inFlightAtoms, 0n, "guarantee 6: something stays withheld");
    same(balanceAtoms, chain.view(0).fundOctas, "guarantee 3: the balance is the chain's");
  }
}
