import { expect } from "vitest";
import type { Outcome } from "../../../shared/errors.ts";
import { same } from "./same.ts";

/**
 * Something breaks at the n-th write of a step's first commit. `crash`: that is the end of the step. `restart`: and of
 * the instance. `bad_item`: it happens to another item of the same group commit, and this step goes on.
 */
export interface Fault {
  readonly kind: "none" | "crash" | "restart" | "bad_item";
  readonly atWrite: number;
}

class InjectedFault extends Error {}

/** Counts what happened in all simulations: a property that never gets to a case says nothing about it. */
export class Tally {
  readonly #counts = new Map<string, number>();

  add(happening: string): void {
    this.#counts.set(happening, this.count(happening) + 1);
  }

  count(happening: string): number {
    return this.#counts.get(happening) ?? 0;
  }
}

/** What a fault can break, whatever a chain's store is. */
export interface CommittingStore<Store extends object> {
  /** As the object holds it now; `restart` replaces it. */
  readonly store: Store;
  /** Runs a transition as the object does, also inside another one: all of it or none. */
  transact<T>(transition: () => T): T;
  /** Another instance over the same storage: what was only in memory is gone. */
  restart(): void;
  /** All that is stored or counted, one text a row. */
  snapshot(scopes: readonly string[]): readonly string[];
}

/** Every method that writes is called by one of these. */
const WRITE = /^(put|set|add|take)[A-Z]/;

/** The store itself, and a word before each of its writes. */
function watched<Store extends object>(store: Store, beforeWrite: () => void): Store {
  return new Proxy(store, {
    get(target, property) {
      const member: unknown = Reflect.get(target, property, target);
      if (typeof member !== "function") return member;
      return (...args: readonly unknown[]) => {
        if (WRITE.test(String(property))) beforeWrite();
        return Reflect.apply(member, target, args);
      };
    },
  });
}

/** A fund of any chain, in which commits break off, and refusals must not have written. */
export abstract class FaultyWorld<Store extends object, View extends CommittingStore<Store>> {
  readonly view: View;
  readonly tally: Tally;
  readonly #scopes: readonly string[];
  #fault: Fault | null = null;
  #writes = 0;
  #breaksAt = Number.POSITIVE_INFINITY;

  constructor(view: View, scopes: readonly string[], tally: Tally) {
    this.view = view;
    this.#scopes = scopes;
    this.tally = tally;
  }

  get store(): Store {
    return watched(this.view.store, () => {
      this.#writes += 1;
      if (this.#writes > this.#breaksAt) throw new InjectedFault();
    });
  }

  /** Does one step; what breaks in it has never happened. */
  during(fault: Fault, step: () => void): void {
    this.#fault = fault.kind === "none" ? null : fault;
    try {
      step();
    } catch (error) {
      if (!(error instanceof InjectedFault)) throw error;
      if (fault.kind === "restart") this.view.restart();
    } finally {
      this.#fault = null;
    }
  }

  /** Runs a transition as the object does. It may be run twice, and must change nothing but the store. */
  commit<T>(transition: () => T): T {
    const fault = this.#fault;
    this.#fault = null;
    if (fault === null) return this.view.transact(transition);
    this.tally.add(`fault: ${fault.kind}`);
    if (fault.kind === "bad_item")
      return this.view.transact(() => {
        this.#breakOff(transition, fault.atWrite);
        return this.view.transact(transition);
      });
    this.#breakOff(transition, fault.atWrite);
    throw new InjectedFault();
  }

  #breakOff(transition: () => unknown, atWrite: number): void {
    const before = this.view.snapshot(this.#scopes);
    this.#writes = 0;
    this.#breaksAt = atWrite;
    try {
      this.view.transact(() => {
        transition();
        throw new InjectedFault();
      });
    } catch (error) {
      if (!(error instanceof InjectedFault)) throw error;
    } finally {
      this.#breaksAt = Number.POSITIVE_INFINITY;
    }
    const after = this.view.snapshot(this.#scopes);
    // To compare thousands of texts in depth takes longer than to write them.
    if (after.length !== before.length || after.some((text, index) => text !== before[index]))
      expect(after, "guarantee 6: what broke off midway left something behind").toEqual(before);
  }

  /** A step that may refuse. */
  decide<T>(transition: () => Outcome<T>): Outcome<T> {
    const outcome = this.commit(() => {
      this.#writes = 0;
      return transition();
    });
    if (!outcome.ok) same(this.#writes, 0, `guarantee 7: a refusal wrote something: ${outcome.error.reason}`);
    return outcome;
  }

  /** A step that must not believe what it is told. */
  disbelieves(what: string, transition: () => boolean): void {
    this.#writes = 0;
    same(this.view.transact(transition), false, `guarantee 5: believed ${what}`);
    same(this.#writes, 0, `guarantee 7: ${what}, not believed, wrote something`);
    this.tally.add(`byzantine reply: ${what}`);
  }
}
