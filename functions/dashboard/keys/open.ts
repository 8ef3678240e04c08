import type { Fund, Key, Sponsorship } from "../answers.ts";
import type { Visit } from "../visit.ts";
import type { KeyUse } from "./use.ts";

const ROWS = "200";
/** A page of a filtered list may be empty and have a next one. */
const MAX_PAGES = 5;

/** The sponsorships of a key that can still be executed. */
export interface OpenOfKey {
  readonly signed: number;
  readonly prepared: number;
  /** The gas budgets and fees of both: MIST or octas. */
  readonly withheldAtoms: bigint;
  /** Their sum for the signed ones. */
  readonly signedAtoms: bigint;
  /** False if there are more than were read. */
  readonly isWhole: boolean;
}

async function rowsIn(visit: Visit, { id, fundId }: Key, state: Sponsorship["state"]) {
  const rows: Sponsorship[] = [];
  let cursor: string | null = null;
  for (let pages = 0; pages < MAX_PAGES && fundId !== null; pages += 1) {
    const query: Record<string, string> = { keyId: id, state, limit: ROWS, ...(cursor !== null && { cursor }) };
    const answered: Awaited<ReturnType<typeof visit.call<"GET /funds/:id/sponsorships">>> = await visit.call(
      "GET /funds/:id/sponsorships",
      { id: fundId, query },
    );
    if (!answered.ok) return { rows, isWhole: false };
    rows.push(...answered.value.items);
    cursor = answered.value.nextCursor;
    if (cursor === null) return { rows, isWhole: true };
  }
  return { rows, isWhole: fundId === null };
}

function withheld(rows: readonly Sponsorship[]): bigint {
  return rows.reduce((sum, { gasBudget, fee }) => sum + BigInt(gasBudget) + BigInt(fee), 0n);
}

/** Reads the open sponsorships of a key. */
export async function openOfKey(visit: Visit, key: Key): Promise<OpenOfKey> {
  const [signed, prepared] = await Promise.all([rowsIn(visit, key, "signed"), rowsIn(visit, key, "prepared")]);
  return {
    signed: signed.rows.length,
    prepared: prepared.rows.length,
    withheldAtoms: withheld(signed.rows) + withheld(prepared.rows),
    signedAtoms: withheld(signed.rows),
    isWhole: signed.isWhole && prepared.isWhole,
  };
}

/** The cost of taking back the signatures of a key. */
export interface RevocationCost {
  /** True if they can be taken back: only those that lock a coin can. */
  readonly isPossible: boolean;
  /** The gas of the fund, by what one has cost in the last thirty days. Null if none was taken back, or none can be. */
  readonly gasAtoms: bigint | null;
}

/** Estimates the cost of a revocation. */
export function revocationCost(fund: Pick<Fund, "mode">, open: OpenOfKey, month: KeyUse | null): RevocationCost {
  const isPossible = fund.mode === "coin";
  const isKnown = isPossible && month !== null && month.abandoned > 0 && month.maintenanceAtoms > 0n;
  return {
    isPossible,
    gasAtoms: isKnown ? (month.maintenanceAtoms * BigInt(open.signed)) / BigInt(month.abandoned) : null,
  };
}
