import { expect, test } from "vitest";
import { SECOND_LOOK_MS } from "../../../shared/chain/failover.ts";
import { seenIn } from "../../../shared/chain/one-reply.ts";
import { type LedgerBelief, type LedgerLook, weighLedger as weigh } from "../../../shared/fund/aptos/chain-facts.ts";

const NOW_MS = 1_000_000_000;
const HOUR_MS = 3_600_000;

function look(change: Partial<LedgerLook> = {}): LedgerLook {
  const atMs = change.atMs ?? NOW_MS;
  return { endpoint: "a.test", chain: 1, version: 1_000_000n, timestampMs: atMs - 500, atMs, ...change };
}

function weighLedger(told: LedgerLook, belief: LedgerBelief) {
  return weigh(seenIn({ ...told, lowestAvailable: 0n }, null), belief, told.atMs);
}

const BELIEF: LedgerBelief = { look: look({ atMs: NOW_MS - 15_000 }), claims: [] };
const LATER_MS = NOW_MS + SECOND_LOOK_MS;
const TOO_FAR: [string, Partial<LedgerLook>][] = [
  ["an hour ahead", { timestampMs: NOW_MS + HOUR_MS }],
  ["far above its version", { version: 10n ** 15n }],
];

test.each(TOO_FAR)("one reply of a ledger %s is not believed, and leaves nothing behind", (_, change) => {
  const lie = weighLedger(look(change), BELIEF);
  expect(lie).toMatchObject({ look: BELIEF.look, isUsable: false, agreed: null });
  expect(weighLedger(look(), lie)).toMatchObject({ look: look(), claims: [], isUsable: true });
});

test.each(TOO_FAR)("a ledger %s is believed at a second look that has advanced, and no sooner", (_, change) => {
  const first = weighLedger(look(change), BELIEF);
  const again = (ms: number) => {
    const told = look(change);
    return look({ ...told, version: told.version + 1n, timestampMs: told.timestampMs + ms, atMs: NOW_MS + ms });
  };
  const tooSoon = weighLedger(again(SECOND_LOOK_MS - 1), first);
  expect(tooSoon).toMatchObject({ isUsable: false, claims: first.claims });
  expect(weighLedger(again(SECOND_LOOK_MS), tooSoon)).toMatchObject({ isUsable: true, claims: [] });
  expect(weighLedger({ ...look(change), atMs: LATER_MS }, first), "the same reply").toMatchObject({ isUsable: false });
});

test.each(TOO_FAR)("a ledger %s is not believed at a second look if an honest one was in between", (_, change) => {
  const first = weighLedger(look(change), BELIEF);
  const honest = weighLedger(look({ endpoint: "b.test", atMs: NOW_MS + 1_000 }), first);
  const told = look(change);
  const again = { ...told, version: told.version + 1n, timestampMs: told.timestampMs + SECOND_LOOK_MS, atMs: LATER_MS };
  expect(weighLedger(again, honest)).toMatchObject({ isUsable: false });
});

test.each(TOO_FAR)("a ledger %s is believed of two endpoints", (_, change) => {
  const first = weighLedger(look(change), BELIEF);
  expect(weighLedger(look({ ...change, endpoint: "b.test" }), first)).toMatchObject({ isUsable: true });
});

test.each(TOO_FAR)(
  "a clock that is six seconds behind lets no ledger %s be believed beside an honest one",
  (_, change) => {
    const honest = (atMs: number) => look({ endpoint: "b.test", timestampMs: atMs + 6_000, atMs });
    const refused = weighLedger(honest(NOW_MS), BELIEF);
    const lie = weighLedger(look(change), refused);
    expect([refused.isUsable, lie.isUsable, lie.look]).toEqual([false, false, BELIEF.look]);
    const again = { ...honest(LATER_MS), version: 1_000_001n };
    expect(weighLedger(again, lie), "the honest one's second look").toMatchObject({ isUsable: true, look: again });
  },
);

test("of two endpoints that are both too far, the nearer one is believed", () => {
  const lie = weighLedger(look({ version: 10n ** 18n, timestampMs: NOW_MS + HOUR_MS }), BELIEF);
  const honest = look({ endpoint: "b.test", timestampMs: NOW_MS + 6_000 });
  expect(weighLedger(honest, lie)).toMatchObject({ isUsable: true, look: honest });
});

test("of two looks that agree, the earlier one may be remembered", () => {
  const told = look({ version: 1_000_300n });
  expect(weighLedger(told, BELIEF)).toEqual({ look: told, claims: [], isUsable: true, agreed: BELIEF.look });
});

test("a version that is too high, and not by far, is not remembered", () => {
  const lie = weighLedger(look({ version: 1_040_000n }), { look: null, claims: [] });
  const right = weighLedger(look({ atMs: LATER_MS }), lie);
  expect(right).toMatchObject({ look: { version: 1_000_000n }, agreed: null, isUsable: true });
});

test("an endpoint that lags changes nothing", () => {
  const before: LedgerBelief = { look: look(), claims: [] };
  const lagging = look({ version: 999_000n, timestampMs: NOW_MS - 60_000, atMs: LATER_MS });
  expect(weighLedger(lagging, before)).toEqual({ ...before, isUsable: true, agreed: null });
});

test("a clock of ours that is an hour behind costs one second look, and no more", () => {
  const ahead = (ms: number) => look({ timestampMs: NOW_MS + HOUR_MS + ms, atMs: NOW_MS + ms });
  let belief: LedgerBelief = { look: null, claims: [] };
  const usable = [0, 1_000, SECOND_LOOK_MS, 4_000, 60_000].map((ms) => {
    const weighed = weighLedger(ahead(ms), belief);
    belief = weighed;
    return weighed.isUsable;
  });
  expect(usable).toEqual([false, false, true, true, true]);
});

test.each(TOO_FAR)("a clock that goes back an hour puts the second look at a ledger %s off by no more", (_, change) => {
  const first = weighLedger(look(change), BELIEF);
  const again = (ms: number) => {
    const told = look(change);
    const far = { version: told.version + BigInt(ms), timestampMs: told.timestampMs + HOUR_MS + ms };
    return look({ ...told, ...far, atMs: NOW_MS - HOUR_MS + ms });
  };
  const back = weighLedger(again(1), first);
  expect(back.isUsable).toBe(false);
  expect(weighLedger(again(1 + SECOND_LOOK_MS), back)).toMatchObject({ isUsable: true, claims: [] });
});
