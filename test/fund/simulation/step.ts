import fc from "fast-check";
import type { Fault } from "./faulty-world.ts";

/** An event in the simulation of a fund. */
export interface Step<Simulation> {
  readonly act: (simulation: Simulation) => void;
}

/** Makes the function that draws the steps of such a simulation. */
export function stepOf<Simulation>() {
  /** @param act what it does, with what was drawn; what it means by a number depends on what is there by then. */
  return <Drawn>(
    weight: number,
    name: string,
    draws: { readonly [Name in keyof Drawn]: fc.Arbitrary<Drawn[Name]> },
    act: (simulation: Simulation, drawn: Drawn) => void,
  ) => {
    const arbitrary = fc.record<Drawn>(draws).map(
      (drawn): Step<Simulation> => ({
        act: (simulation) => act(simulation, drawn),
        // The report of a failing simulation prints its steps like this.
        ...{ [fc.toStringMethod]: () => `${name} ${fc.stringify(drawn)}` },
      }),
    );
    return { weight, arbitrary };
  };
}

/** Mostly the first. */
export function mostly<T>(first: T, ...others: readonly [T, ...T[]]): fc.Arbitrary<T> {
  return fc.oneof({ weight: 3, arbitrary: fc.constant(first) }, { weight: 1, arbitrary: fc.constantFrom(...others) });
}

export const anyFault: fc.Arbitrary<Fault> = fc.oneof(
  { withCrossShrink: true },
  { weight: 9, arbitrary: fc.constant<Fault>({ kind: "none", atWrite: 0 }) },
  { weight: 1, arbitrary: fc.record({ kind: fc.constantFrom("crash", "restart", "bad_item"), atWrite: fc.nat(8) }) },
);
