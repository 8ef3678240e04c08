import fc from "fast-check";
import type { Fault } from "./faulty-world.ts";

/** Something that happens in the life of a fund. */
export interface Step<Life> {
  readonly act: (life: Life) => void;
}

/** How the steps of such a life are drawn. */
export function stepOf<Life>() {
  /** @param act what it does, with what was drawn; what it means by a number depends on what is there by then. */
  return <Drawn>(
    weight: number,
    name: string,
    draws: { readonly [Name in keyof Drawn]: fc.Arbitrary<Drawn[Name]> },
    act: (life: Life, drawn: Drawn) => void,
  ) => {
    const arbitrary = fc.record<Drawn>(draws).map(
      (drawn): Step<Life> => ({
        act: (life) => act(life, drawn),
        // How a failing life tells its steps.
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
