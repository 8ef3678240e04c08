import { describe, expect, test } from "vitest";
import type { Observed, ObservedCoin } from "../../../shared/chain/sui/coins.ts";
import type { SuiLedgerState } from "../../../shared/chain/sui/seen.ts";
import { type InputEvidence, type ProvenOutcome, proveOutcome } from "../../../shared/fund/sui/payment.ts";
import { closeByEvidence, recordNotFound, showsExpiry } from "../../../shared/fund/sui/settle.ts";
import { closeTreasuryByEvidence } from "../../../shared/fund/sui/treasury-settle.ts";
import {
  coin,
  digestOf,
  FUND_ADDRESS,
  objectId,
  observed,
  ownTransaction,
  seen,
  seenCoins,
  sponsorship,
  storeOf,
} from "../simulation/rows.ts";

/** Read in the transaction's last epoch. */
function evidence(
  coins: readonly ObservedCoin[],
  {
    coins: ofCoins = {},
    miss = {},
  }: { readonly coins?: Partial<SuiLedgerState>; readonly miss?: Partial<SuiLedgerState> } = {},
): InputEvidence {
  return { coins: seenCoins(coins, ofCoins), miss: seen(null, miss) };
}

const DAY_MS = 86_400_000;
const OVER = { coins: { epoch: 7n }, miss: { epoch: 7n } } as const;
const transaction = { digest: digestOf("s"), expirationEpoch: 6n, sinceCheckpoint: 10n, createdAtMs: 0 };
const inputs = [coin(1), coin(2)];
const unmoved = [observed(1, 1n), observed(2, 1n)];
const moved = [observed(1, 1n), observed(2, 2n)];
const party = observed(2, 1n, { owner: { kind: "consensus", address: FUND_ADDRESS, startVersion: 1n } });
const byItself = observed(1, 2n, { previousTransaction: digestOf("s") });

describe("guarantee 5: a transaction that a look-up missed", () => {
  test.each<[string, ProvenOutcome, InputEvidence]>([
    ["is not dead while all of its inputs are where it names them", null, evidence(unmoved)],
    ["is dead once another transaction has consumed one of them", "dead", evidence(moved)],
    [
      "is not dead where it has itself written the new version: the look-up lags",
      null,
      evidence([byItself, observed(2, 2n)]),
    ],
    [
      "is not dead where an endpoint shows an input before its version",
      null,
      evidence([observed(1, 0n), observed(2, 2n)]),
    ],
    [
      "is not dead where an endpoint does not show an input: it may be merged, by this one",
      null,
      evidence([observed(2, 2n)]),
    ],
    ["is dead where one of them is a party coin, which no version names", "dead", evidence([observed(1, 1n), party])],
    ["is dead in the epoch after its last one", "dead", evidence(unmoved, OVER)],
    ["is not dead in its last epoch", null, evidence(unmoved)],
    [
      "is not dead for a look-up that has not seen the new epoch begin",
      null,
      evidence(unmoved, { coins: { epoch: 7n } }),
    ],
    [
      "is not dead for coins that were read in its last epoch: they may have moved since",
      null,
      evidence(unmoved, { miss: { epoch: 7n } }),
    ],
    [
      "is not dead where the look-up stands behind the reading of the coins: it may miss what moved them",
      null,
      evidence(moved, { coins: { newestCheckpoint: 21n } }),
    ],
    [
      "is not dead by coins of one chain and a look-up of another",
      null,
      evidence(moved, { miss: { chain: digestOf("other") } }),
    ],
    [
      "has been executed where its last epoch is over and it wrote an input: the node has forgotten it",
      "executed",
      evidence([byItself], OVER),
    ],
    [
      "is dead by an unmoved input also where the endpoint has pruned its life",
      "dead",
      evidence(unmoved, { ...OVER, miss: { epoch: 7n, lowestAvailable: 11n } }),
    ],
    [
      "is not dead where the endpoint shows none of its inputs and has pruned its life",
      null,
      evidence([], { ...OVER, miss: { epoch: 7n, lowestAvailable: 11n } }),
    ],
  ])("%s", (_, fate, shown) => {
    expect(proveOutcome(transaction, inputs, shown)).toBe(fate);
  });

  test("is not dead where an endpoint could not tell of one of its inputs", () => {
    const unreadable = evidence(moved, OVER);
    const coins = seen(new Map<string, Observed>([[objectId(1), "no_answer"]]), OVER.coins);
    expect(proveOutcome(transaction, inputs, { ...unreadable, coins })).toBe(null);
  });

  describe("that names no coin", () => {
    test("dies with its epoch only", () => {
      expect(proveOutcome(transaction, [], evidence([]))).toBe(null);
      expect(proveOutcome(transaction, [], evidence([], OVER))).toBe("dead");
    });

    test.each([
      ["the checkpoint after the one that it was made in", 11n, null],
      ["the checkpoint that it was made in", 10n, "dead"],
    ] as const)("as seen by an endpoint that has pruned what is before %s", (_, lowestAvailable, fate) => {
      const shown = evidence([], { ...OVER, miss: { epoch: 7n, lowestAvailable } });
      expect(proveOutcome(transaction, [], shown)).toBe(fate);
    });

    test.each([
      ["lives while the endpoint may lag: an hour has not passed since it was made", 3_600_000, 0n, null],
      ["is dead once that endpoint has seen more than an hour pass below it", 3_600_001, 0n, "dead"],
      ["lives by an endpoint that has pruned checkpoints of its life", 3_600_001, 999_000n, null],
    ] as const)("at a checkpoint that no chain will ever reach: %s", (_, timestampMs, lowestAvailable, fate) => {
      const life = { epoch: 7n, checkpoint: 1_000_000n, newestCheckpoint: 1_000_000n, timestampMs };
      const shown = evidence([], { coins: life, miss: { ...life, lowestAvailable } });
      expect(proveOutcome({ ...transaction, sinceCheckpoint: 2n ** 62n }, [], shown)).toBe(fate);
    });

    describe("made before its checkpoint was kept,", () => {
      const MINUTE_MS = 60_000;
      // Checkpoints come every quarter of a second: in two days the chain has gone from 1,000,000 to 1,691,200.
      const old = { ...transaction, sinceCheckpoint: null, createdAtMs: 100 * MINUTE_MS };
      const life = { checkpoint: 1_691_200n, newestCheckpoint: 1_691_200n, timestampMs: old.createdAtMs + 2 * DAY_MS };
      const by = (lowestAvailable: bigint) => {
        const ofCoins = { epoch: 7n, checkpoint: life.checkpoint, newestCheckpoint: life.checkpoint };
        return evidence([], { coins: ofCoins, miss: { ...life, epoch: 7n, lowestAvailable } });
      };

      test.each([
        ["is not dead by an endpoint that has pruned the checkpoint that it was made in", 1_000_001n, null],
        ["is not dead by one that may have: no chain is faster than five checkpoints a second", 809_201n, null],
        ["is dead by one that has kept a quarter more than its age", 809_200n, "dead"],
        ["is dead by one that has kept everything", 0n, "dead"],
      ] as const)("%s", (_, lowestAvailable, fate) => {
        expect(proveOutcome(old, [], by(lowestAvailable))).toBe(fate);
      });

      test("has no end of its hour by an endpoint that has pruned it", () => {
        const row = sponsorship("s", { gasObjectId: null, sinceCheckpoint: null, createdAtMs: old.createdAtMs });
        const ended = (lowestAvailable: bigint) => showsExpiry(row, seen(null, { ...life, lowestAvailable }));
        expect([0n, 809_200n, 809_201n, 1_000_001n].map(ended)).toEqual([true, true, false, false]);
      });

      test("is dead by an endpoint that has kept everything of a chain younger than that", () => {
        expect(proveOutcome(old, [], evidence([], OVER))).toBe("dead");
        expect(proveOutcome(old, [], evidence([]))).toBe(null);
      });
    });
  });
});

describe("an hour that the endpoint has pruned", () => {
  const pruned = seen(null, { lowestAvailable: 11n, timestampMs: 3_600_000 });

  test("ends for a sponsorship with a coin, which then stays in quarantine", () => {
    const row = sponsorship("s");
    const store = storeOf(coin(1, { state: "held", heldByDigest: row.digest }));
    store.putSponsorship(row);
    recordNotFound(store, row.digest, pruned, row.expiresAtMs, "by_schedule");
    expect(store.sponsorship(row.digest)?.state).toBe("expired");
    expect(store.coin(objectId(1))?.state).toBe("quarantined");
  });

  test("does not end for one without a coin", () => {
    const row = sponsorship("s", { gasObjectId: null });
    const store = storeOf();
    store.putSponsorship(row);
    recordNotFound(store, row.digest, pruned, row.expiresAtMs, "by_schedule");
    expect(store.sponsorship(row.digest)?.state).toBe("signed");
  });
});

describe("guarantee 4: an expired sponsorship", () => {
  function expired() {
    const row = sponsorship("s", { state: "expired" });
    const store = storeOf(coin(1, { state: "quarantined", heldByDigest: row.digest }));
    store.putSponsorship(row);
    return store;
  }

  test("proved dead frees its coin as the chain shows it", () => {
    const store = expired();
    expect(closeByEvidence(store, digestOf("s"), evidence([observed(1, 5n)]), 0)).toBe(true);
    expect(store.coin(objectId(1))).toMatchObject({ state: "free", version: 5n, heldByDigest: null });
    expect(store.sponsorship(digestOf("s"))?.state).toBe("dead");
  });

  test("proved dead by its epoch keeps the version that the books know, whatever a lagging endpoint shows", () => {
    const row = sponsorship("s", { state: "expired" });
    const store = storeOf(coin(1, { state: "quarantined", heldByDigest: row.digest, version: 5n }));
    store.putSponsorship(row);
    const coins = [observed(1, 4n, { balanceMist: 1n })];
    expect(closeByEvidence(store, row.digest, evidence(coins, OVER), 0)).toBe(true);
    expect(store.coin(objectId(1))).toMatchObject({ state: "free", version: 5n, balanceMist: 10_000_000n });
  });

  test("that the node has forgotten is complete: what its coin has lost is what it was charged", () => {
    const store = expired();
    const coins = [observed(1, 5n, { balanceMist: 8_000_000n, previousTransaction: digestOf("s") })];
    expect(closeByEvidence(store, digestOf("s"), evidence(coins, OVER), 0)).toBe(true);
    expect(store.sponsorship(digestOf("s"))).toMatchObject({ state: "complete", chargedAtoms: 2_000_000n });
    expect(store.coin(objectId(1))).toMatchObject({ state: "free", version: 5n, balanceMist: 8_000_000n });
    expect(store.totals().balanceAtoms).toBe(8_000_000n);
  });

  test("books a balance that moved without us, so that the ledger adds up", () => {
    const store = expired();
    closeByEvidence(store, digestOf("s"), evidence([observed(1, 5n, { balanceMist: 4_000_000n })]), 0);
    expect(store.totals().balanceAtoms).toBe(4_000_000n);
    expect(store.ledger).toContainEqual(expect.objectContaining({ kind: "adjustment", balanceAtoms: -6_000_000n }));
  });

  test("stays as it is while a recycling of its coin is under way: that decides", () => {
    const store = expired();
    store.putCoin(coin(1, { state: "recycling", heldByDigest: digestOf("s") }));
    expect(closeByEvidence(store, digestOf("s"), evidence([observed(1, 5n)]), 0)).toBe(false);
    expect(store.sponsorship(digestOf("s"))?.state).toBe("expired");
  });
});

describe("a recycling that a late user was faster than", () => {
  /** It pays with the first coin, and takes along the second, which the sponsorship `s` held. */
  function overtaken(second: Parameters<typeof coin>[1]) {
    const inputs = [{ objectId: objectId(2), version: 1n }];
    const row = ownTransaction("r", { purpose: "recycle", bumpedCoins: inputs, expirationEpoch: 6n });
    const store = storeOf(coin(1, { state: "spending", heldByDigest: row.digest }), coin(2, second));
    store.putTreasuryTransaction(row);
    return store;
  }

  test("gives its gas coin back, and quarantines again what is still where it was", () => {
    const store = overtaken({ state: "recycling", heldByDigest: digestOf("s") });
    const coins = [observed(1, 1n), observed(2, 1n)];
    expect(closeTreasuryByEvidence(store, digestOf("r"), evidence(coins), 0)).toBe(false);
    expect(closeTreasuryByEvidence(store, digestOf("r"), evidence(coins, OVER), 0)).toBe(true);
    expect(store.coin(objectId(1))).toMatchObject({ state: "free", heldByDigest: null });
    expect(store.coin(objectId(2))).toMatchObject({ state: "quarantined", heldByDigest: digestOf("s") });
    expect(store.due.has(`settle ${digestOf("s")}`) && store.due.has("recycle ")).toBe(true);
  });

  test.each([
    ["merged away since, so that no endpoint shows it", { state: "gone", heldByDigest: null }],
    ["free again at a later version", { state: "free", heldByDigest: null, version: 2n }],
  ] as const)("is dead by the books alone where the coin is %s", (_, second) => {
    const store = overtaken(second);
    expect(closeTreasuryByEvidence(store, digestOf("r"), evidence([observed(1, 1n)]), 0)).toBe(true);
    expect(store.coin(objectId(1))).toMatchObject({ state: "free" });
    expect(store.coin(objectId(2))).toMatchObject(second);
  });

  test("does not touch a coin that is in the hands of another recycling by now", () => {
    const again = { state: "recycling", heldByDigest: digestOf("t"), version: 2n } as const;
    const store = overtaken(again);
    expect(closeTreasuryByEvidence(store, digestOf("r"), evidence([observed(1, 1n), observed(2, 2n)]), 0)).toBe(true);
    expect(store.coin(objectId(2))).toMatchObject(again);
  });

  test("keeps its own coin where no endpoint shows that one", () => {
    const store = overtaken({ state: "free", heldByDigest: null, version: 2n });
    expect(closeTreasuryByEvidence(store, digestOf("r"), evidence([observed(2, 2n)]), 0)).toBe(false);
    expect(store.coin(objectId(1))).toMatchObject({ state: "spending" });
  });
});
