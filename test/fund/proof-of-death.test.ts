import { describe, expect, test } from "vitest";
import { type DeathEvidence, type Fate, fateOf } from "../../shared/fund/coins.ts";
import { closeOwnByEvidence } from "../../shared/fund/own-transactions.ts";
import { closeByEvidence } from "../../shared/fund/sui-fund.ts";
import { coin, digestOf, objectId, observed, ownTransaction, sponsorship, storeOf } from "./rows.ts";

const EPOCH_START_MS = 10_000;

/** Read in the transaction's last epoch, from endpoints that have seen its beginning. */
function evidence(change: Partial<DeathEvidence>): DeathEvidence {
  return { coins: [], epoch: 6n, epochStartMs: EPOCH_START_MS, checkpointTimeMs: EPOCH_START_MS, ...change };
}

const transaction = { digest: digestOf("s"), expirationEpoch: 6n };
const inputs = [coin(1), coin(2)];
const unmoved = [observed(1, 1n), observed(2, 1n)];

describe("a transaction that a look-up missed", () => {
  test.each<[string, Fate, Partial<DeathEvidence>]>([
    ["is not dead while all of its inputs are where it names them", null, { coins: unmoved }],
    [
      "is dead once another transaction has consumed one of them",
      "dead",
      { coins: [observed(1, 1n), observed(2, 2n)] },
    ],
    [
      "is not dead where it has itself written the new version: the look-up lags",
      null,
      { coins: [observed(1, 2n, { previousTransaction: digestOf("s") }), observed(2, 2n)] },
    ],
    [
      "is not dead where an endpoint shows an input before its version",
      null,
      { coins: [observed(1, 0n), observed(2, 2n)] },
    ],
    [
      "is not dead where an endpoint does not show an input: it may be merged, by this one",
      null,
      { coins: [null, observed(2, 2n)] },
    ],
    ["is dead in the epoch after its last one", "dead", { coins: unmoved, epoch: 7n }],
    ["is not dead in its last epoch", null, { coins: unmoved, epoch: 6n }],
    [
      "is not dead for an endpoint that has not seen the new epoch begin",
      null,
      { coins: unmoved, epoch: 7n, checkpointTimeMs: EPOCH_START_MS - 1 },
    ],
    [
      "has been executed where its last epoch is over and it wrote an input: the node has forgotten it",
      "executed",
      { coins: [observed(1, 2n, { previousTransaction: digestOf("s") }), null], epoch: 7n },
    ],
  ])("%s", (_, fate, change) => {
    expect(fateOf(transaction, inputs, evidence(change))).toBe(fate);
  });

  test("that names no coin dies with its epoch only", () => {
    expect(fateOf(transaction, [], evidence({}))).toBe(null);
    expect(fateOf(transaction, [], evidence({ epoch: 7n }))).toBe("dead");
  });
});

describe("an expired sponsorship", () => {
  function expired() {
    const row = sponsorship("s", { state: "expired" });
    const store = storeOf(coin(1, { state: "quarantined", holder: row.digest }));
    store.putSponsorship(row);
    return store;
  }

  test("proved dead frees its coin as the chain shows it", () => {
    const store = expired();
    expect(closeByEvidence(store, digestOf("s"), evidence({ coins: [observed(1, 5n)] }), 0)).toBe(true);
    expect(store.coin(objectId(1))).toMatchObject({ state: "free", version: 5n, holder: null });
    expect(store.sponsorship(digestOf("s"))?.state).toBe("dead");
  });

  test("proved dead by its epoch keeps the version that the books know, whatever a lagging endpoint shows", () => {
    const row = sponsorship("s", { state: "expired" });
    const store = storeOf(coin(1, { state: "quarantined", holder: row.digest, version: 5n }));
    store.putSponsorship(row);
    const coins = [observed(1, 4n, { balanceMist: 1n })];
    expect(closeByEvidence(store, row.digest, evidence({ coins, epoch: 7n }), 0)).toBe(true);
    expect(store.coin(objectId(1))).toMatchObject({ state: "free", version: 5n, balanceMist: 10_000_000n });
  });

  test("that the node has forgotten is complete: what its coin has lost is what it was charged", () => {
    const store = expired();
    const coins = [observed(1, 5n, { balanceMist: 8_000_000n, previousTransaction: digestOf("s") })];
    expect(closeByEvidence(store, digestOf("s"), evidence({ coins, epoch: 7n }), 0)).toBe(true);
    expect(store.sponsorship(digestOf("s"))).toMatchObject({ state: "complete", chargedAtoms: 2_000_000n });
    expect(store.coin(objectId(1))).toMatchObject({ state: "free", version: 5n, balanceMist: 8_000_000n });
    expect(store.totals().balanceAtoms).toBe(8_000_000n);
  });

  test("books a balance that moved without us, so that the ledger adds up", () => {
    const store = expired();
    closeByEvidence(store, digestOf("s"), evidence({ coins: [observed(1, 5n, { balanceMist: 4_000_000n })] }), 0);
    expect(store.totals().balanceAtoms).toBe(4_000_000n);
    expect(store.ledger).toContainEqual(expect.objectContaining({ kind: "adjustment", balanceAtoms: -6_000_000n }));
  });

  test("stays as it is while a recycling of its coin is under way: that decides", () => {
    const store = expired();
    store.putCoin(coin(1, { state: "recycling", holder: digestOf("s") }));
    expect(closeByEvidence(store, digestOf("s"), evidence({ coins: [observed(1, 5n)] }), 0)).toBe(false);
    expect(store.sponsorship(digestOf("s"))?.state).toBe("expired");
  });
});

describe("a recycling that a late user was faster than", () => {
  /** It pays with the first coin, and takes along the second, which the sponsorship `s` held. */
  function overtaken(second: Parameters<typeof coin>[1]) {
    const inputs = [{ objectId: objectId(2), version: 1n }];
    const row = ownTransaction("r", { purpose: "recycle", inputs, expirationEpoch: 6n });
    const store = storeOf(coin(1, { state: "spending", holder: row.digest }), coin(2, second));
    store.putOwnTransaction(row);
    return store;
  }

  test("gives its gas coin back, and quarantines again what is still where it was", () => {
    const store = overtaken({ state: "recycling", holder: digestOf("s") });
    const coins = [observed(1, 1n), observed(2, 1n)];
    expect(closeOwnByEvidence(store, digestOf("r"), evidence({ coins }), 0)).toBe(false);
    expect(closeOwnByEvidence(store, digestOf("r"), evidence({ coins, epoch: 7n }), 0)).toBe(true);
    expect(store.coin(objectId(1))).toMatchObject({ state: "free", holder: null });
    expect(store.coin(objectId(2))).toMatchObject({ state: "quarantined", holder: digestOf("s") });
    expect(store.due.has(`settle ${digestOf("s")}`) && store.due.has("recycle ")).toBe(true);
  });

  test.each([
    ["merged away since, so that no endpoint shows it", { state: "gone", holder: null }],
    ["free again at a later version", { state: "free", holder: null, version: 2n }],
  ] as const)("is dead by the books alone where the coin is %s", (_, second) => {
    const store = overtaken(second);
    expect(closeOwnByEvidence(store, digestOf("r"), evidence({ coins: [observed(1, 1n), null] }), 0)).toBe(true);
    expect(store.coin(objectId(1))).toMatchObject({ state: "free" });
    expect(store.coin(objectId(2))).toMatchObject(second);
  });

  test("does not touch a coin that is in the hands of another recycling by now", () => {
    const again = { state: "recycling", holder: digestOf("t"), version: 2n } as const;
    const store = overtaken(again);
    expect(closeOwnByEvidence(store, digestOf("r"), evidence({ coins: [observed(1, 1n), observed(2, 2n)] }), 0)).toBe(
      true,
    );
    expect(store.coin(objectId(2))).toMatchObject(again);
  });

  test("keeps its own coin where no endpoint shows that one", () => {
    const store = overtaken({ state: "free", holder: null, version: 2n });
    expect(closeOwnByEvidence(store, digestOf("r"), evidence({ coins: [null, observed(2, 2n)] }), 0)).toBe(false);
    expect(store.coin(objectId(1))).toMatchObject({ state: "spending" });
  });
});
