import { describe, expect, test } from "vitest";
import { SECOND_LOOK_MS } from "../../../shared/chain/failover.ts";
import type { EpochFacts } from "../../../shared/chain/sui/node.ts";
import type { SuiLedgerState } from "../../../shared/chain/sui/seen.ts";
import { type ChainFacts, type EpochBelief, freshness, weighEpoch } from "../../../shared/fund/sui/chain-facts.ts";
import { seen } from "../simulation/rows.ts";

const DAY_MS = 86_400_000;
const NOW_MS = 10 * DAY_MS;

function facts(change: Partial<ChainFacts> = {}): ChainFacts {
  return {
    chainIdentifier: "chain",
    epoch: 7n,
    epochStartMs: NOW_MS - DAY_MS / 2,
    epochDurationMs: DAY_MS,
    referenceGasPriceMist: 1_000n,
    checkpoint: 100n,
    timestampMs: NOW_MS,
    fetchedAtMs: NOW_MS,
    ...change,
  };
}

describe("freshness", () => {
  test.each([
    [0, "fresh"],
    [30_000, "fresh"],
    [30_001, "aging"],
    [300_000, "aging"],
    [300_001, "stale"],
  ] as const)("%i ms old is %s", (ageMs, expected) => {
    expect(freshness(facts(), NOW_MS + ageMs)).toBe(expected);
  });

  test("the end of the epoch makes facts stale at once: the reference price may have changed", () => {
    const ending = facts({ epochStartMs: NOW_MS - DAY_MS + 10 });
    expect(freshness(ending, NOW_MS + 9)).toBe("fresh");
    expect(freshness(ending, NOW_MS + 10)).toBe("stale");
  });

  test("an epoch that runs over its time does not make facts stale that were fetched after it should have ended", () => {
    const late = facts({ epochStartMs: NOW_MS - 2 * DAY_MS });
    expect(freshness(late, NOW_MS + 1)).toBe("fresh");
  });
});

describe("the epoch that nodes tell of", () => {
  /** Facts of one endpoint's reply. */
  const told = (change: Partial<SuiLedgerState> = {}) =>
    seen<EpochFacts>(facts(), {
      endpoint: "first.test",
      chain: "chain",
      checkpoint: 100n,
      timestampMs: NOW_MS,
      epoch: 7n,
      ...change,
    });
  const SEEN = { chainIdentifier: "chain", epoch: 7n, seenAtMs: NOW_MS - DAY_MS };
  const NO_CLAIM: EpochBelief = { seen: SEEN, claim: null };
  const CONTEXT = { nowMs: NOW_MS, epochEndMs: null, bindsToEpoch: true };
  const LATER_MS = NOW_MS + SECOND_LOOK_MS;
  const LATER = { ...CONTEXT, nowMs: LATER_MS };
  /** Facts of a later look at the same endpoint. */
  const later = (change: Partial<SuiLedgerState>) => told({ checkpoint: 110n, timestampMs: LATER_MS, ...change });
  const afterClaimOf = (epoch: bigint) => weighEpoch(told({ epoch }), NO_CLAIM, CONTEXT);

  test.each([8n, 9n, 14n, 10_000n])("one reply that tells of epoch %i changes no belief", (epoch) => {
    expect(afterClaimOf(epoch)).toMatchObject({ seen: SEEN, isUsable: false });
  });

  test("once the endpoint says right again, the fund is where it was", () => {
    expect(weighEpoch(told(), afterClaimOf(14n), CONTEXT)).toEqual({ seen: SEEN, claim: null, isUsable: true });
  });

  test("a fund that was away for a week believes the second look", () => {
    const believed = weighEpoch(later({ epoch: 14n }), afterClaimOf(14n), LATER);
    expect(believed).toEqual({ seen: { ...SEEN, epoch: 14n, seenAtMs: LATER_MS }, claim: null, isUsable: true });
  });

  test.each<[string, Partial<SuiLedgerState>, number]>([
    ["too soon", {}, LATER_MS - 1],
    ["the same reply once more", { timestampMs: NOW_MS, checkpoint: 100n }, LATER_MS],
    ["of an earlier checkpoint", { checkpoint: 99n }, LATER_MS],
    ["of a lower epoch", { epoch: 13n }, LATER_MS],
    ["of another chain", { chain: "other" }, LATER_MS],
  ])("a second look proves nothing: %s", (_, change, nowMs) => {
    const weighed = weighEpoch(later({ epoch: 14n, ...change }), afterClaimOf(14n), { ...CONTEXT, nowMs });
    expect(weighed).toMatchObject({ seen: SEEN, isUsable: false });
  });

  test("looks that follow each other closely still add up to a second look", () => {
    let belief: EpochBelief = afterClaimOf(14n);
    for (let ms = 1_000; ms <= SECOND_LOOK_MS; ms += 1_000) {
      const timestampMs = NOW_MS + ms;
      belief = weighEpoch(later({ epoch: 14n, timestampMs }), belief, { ...CONTEXT, nowMs: timestampMs });
    }
    expect(belief.seen?.epoch).toBe(14n);
  });

  test("a clock that goes back a day while a claim is open puts its second look off by no more", () => {
    const at = (ms: number, belief: EpochBelief) =>
      weighEpoch(later({ epoch: 14n, timestampMs: NOW_MS + ms }), belief, { ...CONTEXT, nowMs: NOW_MS - DAY_MS + ms });
    const back = at(1_000, afterClaimOf(14n));
    expect(back).toMatchObject({ seen: SEEN, isUsable: false });
    expect(at(1_000 + SECOND_LOOK_MS, back)).toMatchObject({ seen: { epoch: 14n }, isUsable: true });
  });

  test("two endpoints are believed at once, as far as they agree", () => {
    const other = told({ endpoint: "second.test", epoch: 9n });
    expect(weighEpoch(other, afterClaimOf(9n), CONTEXT)).toMatchObject({ seen: { epoch: 9n }, isUsable: true });
    const higher = weighEpoch(told({ endpoint: "second.test", epoch: 14n }), afterClaimOf(9n), CONTEXT);
    expect(higher).toMatchObject({ seen: { epoch: 9n }, claim: { epoch: 14n }, isUsable: false });
  });

  test("another endpoint gainsays a claim, unless it lags", () => {
    const right = told({ endpoint: "second.test" });
    expect(weighEpoch(right, afterClaimOf(14n), CONTEXT)).toMatchObject({ seen: SEEN, claim: null, isUsable: true });
    const stuck = told({ endpoint: "second.test", timestampMs: NOW_MS - DAY_MS });
    expect(weighEpoch(stuck, afterClaimOf(14n), CONTEXT)).toMatchObject({ claim: { epoch: 14n }, isUsable: false });
  });

  test("the next epoch is signed for before it is believed: bound to it, only from the time of its begin", () => {
    const next = told({ epoch: 8n });
    expect(weighEpoch(next, NO_CLAIM, { ...CONTEXT, bindsToEpoch: false })).toMatchObject({
      seen: SEEN,
      isUsable: true,
    });
    const ended = { ...CONTEXT, epochEndMs: NOW_MS };
    expect(weighEpoch(next, NO_CLAIM, ended)).toMatchObject({ seen: SEEN, isUsable: true });
    expect(weighEpoch(next, NO_CLAIM, { ...ended, epochEndMs: NOW_MS + 1 })).toMatchObject({ isUsable: false });
  });

  test("the first reply of all is used, and pins nothing", () => {
    const first = weighEpoch(told({ epoch: 10_000n }), { seen: null, claim: null }, CONTEXT);
    expect(first).toMatchObject({ seen: null, isUsable: true });
    const second = weighEpoch(later({}), first, LATER);
    expect(second).toMatchObject({ seen: null, claim: { epoch: 7n }, isUsable: true });
    const thirdMs = LATER_MS + SECOND_LOOK_MS;
    const third = weighEpoch(later({ timestampMs: thirdMs }), second, { ...CONTEXT, nowMs: thirdMs });
    expect(third).toMatchObject({ seen: { epoch: 7n, chainIdentifier: "chain" }, claim: null, isUsable: true });
  });

  test("while no chain is pinned, a reply of another one than before is not used", () => {
    const first = weighEpoch(told({ chain: "other" }), { seen: null, claim: null }, CONTEXT);
    const second = weighEpoch(later({}), first, LATER);
    expect(second).toMatchObject({ seen: null, claim: { chain: "chain" }, isUsable: false });
    expect(weighEpoch(later({}), second, LATER)).toMatchObject({ seen: null, isUsable: true });
  });
});
