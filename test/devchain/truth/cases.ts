import type { Difference } from "./compare.ts";

/** A recorded case that was asked again. */
export interface Compared {
  readonly name: string;
  /** The request as text, for a report. */
  readonly request: string;
  readonly differences: readonly Difference[];
  /** Why there is no answer. Null: there is one. */
  readonly unanswered: string | null;
}

/** A recorded case that was not asked. */
export interface LeftOut {
  readonly name: string;
  readonly reason: string;
}

/** All recorded cases of one chain. */
export interface Replay {
  readonly cases: readonly Compared[];
  readonly leftOut: readonly LeftOut[];
}

/** The cases of several recordings of one chain. */
export function joined(...replays: readonly Replay[]): Replay {
  return { cases: replays.flatMap(({ cases }) => cases), leftOut: replays.flatMap(({ leftOut }) => leftOut) };
}

/** A question has no answer, or none that can be read. The message names no URL. */
export class Unanswered extends Error {
  override readonly name = "Unanswered";
}

export const NEEDS_FUNDS = "needs accounts with funds, and nobody may order this node to pay them";

export function doesAgree({ differences, unanswered }: Compared): boolean {
  return unanswered === null && differences.length === 0;
}

/** Asks one question. A missing answer belongs to its case and ends nothing else. */
export async function compareCase(
  name: string,
  request: string,
  ask: () => Promise<readonly Difference[]>,
): Promise<Compared> {
  try {
    return { name, request, differences: await ask(), unanswered: null };
  } catch (error) {
    if (!(error instanceof Unanswered)) throw error;
    return { name, request, differences: [], unanswered: error.message };
  }
}

/** Decodes an answer. @throws Unanswered if it cannot be read. */
export function readable<T>(decode: () => T): T {
  try {
    return decode();
  } catch {
    throw new Unanswered("its answer cannot be read");
  }
}
