import { Alarm } from "./alarm.ts";
import type { Fault, Tally } from "./faulty-world.ts";
import { type ReserveStep, SponsorshipSteps } from "./sponsorship-steps.ts";
import { Guarantees } from "./sui-guarantees.ts";
import { FundWorld, type SuiSimulationTerms } from "./sui-world.ts";
import { OwnSteps, type WithdrawStep } from "./treasury-steps.ts";
import type { VisibleStore } from "./visible-store.ts";

/** A fund and its chain, and everything that happens to them, in any order. */
export class SuiSimulation {
  readonly world: FundWorld;
  readonly sponsorships: SponsorshipSteps;
  readonly own: OwnSteps;
  readonly alarm: Alarm;
  readonly #guarantees: Guarantees;
  /** What a caller, and the operator, may send once more. */
  lastReserve: ReserveStep | null = null;
  lastWithdraw: WithdrawStep | null = null;

  constructor(view: VisibleStore, terms: SuiSimulationTerms, tally: Tally) {
    this.world = new FundWorld(view, terms, tally);
    this.sponsorships = new SponsorshipSteps(this.world);
    this.own = new OwnSteps(this.world);
    this.alarm = new Alarm(this.world, this.sponsorships, this.own);
    this.#guarantees = new Guarantees(this.world, this.own);
  }

  /** Gives the fund its first coins, so that it holds something when the simulation begins. */
  begin(coinsMist: readonly bigint[], paidInMist: bigint): void {
    for (const amountMist of coinsMist) this.world.chain.deposit(amountMist);
    this.world.chain.payIn(paidInMist);
    this.own.list(0);
    this.own.readAddressBalance({ read: 0, lookUp: 0, kept: Number.POSITIVE_INFINITY });
    this.#guarantees.check();
  }

  /** One step: every guarantee holds after it, whatever broke in it. */
  perform(act: (simulation: SuiSimulation) => void, fault: Fault): void {
    this.world.during(fault, () => act(this));
    this.#guarantees.check();
  }

  /** A crash here loses nothing: the alarm brings everything to its end. */
  quiesce(): void {
    this.alarm.quiesce();
    this.#guarantees.check();
    this.#guarantees.checkQuiescent();
  }
}
