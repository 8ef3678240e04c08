import { describe, expect, test } from "vitest";
import type { SuiExecution } from "../../../shared/chain/sui/execution.ts";
import { createdObjectId } from "../../../shared/chain/sui/transaction.ts";
import { adoptAddressBalance, adoptCoinListing, dropMissing } from "../../../shared/fund/sui/adopt.ts";
import { conversionFailed } from "../../../shared/fund/sui/conversion.ts";
import { planTakeIn } from "../../../shared/fund/sui/party-coins.ts";
import type { SuiTreasuryTransaction } from "../../../shared/fund/sui/store.ts";
import { recordTreasuryUnanswered } from "../../../shared/fund/sui/treasury.ts";
import { settleTreasury } from "../../../shared/fund/sui/treasury-settle.ts";
import {
  balanceSeen,
  coin,
  deleted,
  deposit,
  digestOf,
  execution,
  FUND_ADDRESS,
  listed,
  listing,
  objectId,
  ownTransaction,
  sponsorship,
  storeOf,
  written,
} from "../simulation/rows.ts";

const SECOND_MS = 1_000;
const GAS_MIST = 1_000_000n;

/** A pending transaction that spends its coins, each of 10,000,000 MIST. */
function pending(change: Partial<SuiTreasuryTransaction> = {}, coins = 1) {
  const row = ownTransaction("r", change);
  const held = Array.from({ length: coins }, (_, index) =>
    coin(index + 1, { state: "spending", heldByDigest: row.digest }),
  );
  const store = storeOf(...held);
  store.putTreasuryTransaction(row);
  return store;
}

function executed(change: Partial<SuiExecution>): SuiExecution {
  return execution(digestOf("r"), change);
}

const ofCoin = { gasObjectId: objectId(1), changedObjects: [written(1, 2n)] };

describe("a transaction without an answer", () => {
  test("is sent again 10 seconds later, then ever more rarely, five minutes at most", () => {
    const store = pending();
    const waits = Array.from({ length: 8 }, () => {
      recordTreasuryUnanswered(store, digestOf("r"), 0);
      return (store.due.get(`own ${digestOf("r")}`) ?? 0) / SECOND_MS;
    });
    expect(waits).toEqual([10, 20, 40, 80, 160, 300, 300, 300]);
  });

  test("that has been settled meanwhile stays settled", () => {
    const store = pending();
    expect(settleTreasury(store, executed(ofCoin), FUND_ADDRESS, 0)).toBe(true);
    recordTreasuryUnanswered(store, digestOf("r"), 0);
    expect(store.due.size).toBe(0);
    expect(store.treasuryTransaction(digestOf("r"))?.state).toBe("complete");
  });
});

describe("a withdrawal", () => {
  const withdrawal = { purpose: "withdraw", paidOutMist: 4_000_000n, collectedFeesMist: 4_000_000n } as const;

  test("takes amount and gas out of the coin, and the fees out of what is accrued", () => {
    const store = pending(withdrawal);
    expect(settleTreasury(store, executed(ofCoin), FUND_ADDRESS, 0)).toBe(true);
    expect(store.coin(objectId(1))).toMatchObject({ state: "free", version: 2n, balanceMist: 6_000_000n - GAS_MIST });
    expect(store.ledger.at(-1)).toMatchObject({
      kind: "withdraw",
      balanceAtoms: -5_000_000n,
      accruedFeesAtoms: -4_000_000n,
    });
  });

  test("that aborts costs its gas and pays nothing", () => {
    const store = pending(withdrawal);
    expect(settleTreasury(store, executed({ ...ofCoin, success: false }), FUND_ADDRESS, 0)).toBe(true);
    expect(store.coin(objectId(1))).toMatchObject({ state: "free", balanceMist: 10_000_000n - GAS_MIST });
    expect(store.ledger.at(-1)).toMatchObject({ kind: "withdraw", balanceAtoms: -GAS_MIST, accruedFeesAtoms: 0n });
    expect(store.treasuryTransaction(digestOf("r"))?.state).toBe("failed");
  });

  test("is booked once, however often its effects are shown", () => {
    const store = pending(withdrawal);
    settleTreasury(store, executed(ofCoin), FUND_ADDRESS, 0);
    const totals = store.totals();
    expect(settleTreasury(store, executed(ofCoin), FUND_ADDRESS, 0)).toBe(true);
    expect(store.totals()).toEqual(totals);
  });
});

describe("the address balance", () => {
  test("becomes a coin, less the gas", () => {
    const amountMist = 50_000_000n;
    const redeem = {
      purpose: "convert",
      gasObjectId: null,
      createdMist: [amountMist],
      fromAddressBalanceMist: amountMist,
    } as const;
    const store = pending(redeem, 0);
    deposit(store, 60_000_000n, 60_000_000n);
    // The first id goes to the gas coin that the chain makes up for the address balance.
    const id = createdObjectId(digestOf("r"), 1n);
    const changedObjects = [{ ...written(1, 2n, "created"), objectId: id }];
    expect(settleTreasury(store, executed({ changedObjects }), FUND_ADDRESS, 0)).toBe(true);
    expect(store.coin(id)).toMatchObject({ state: "free", balanceMist: amountMist });
    expect(store.totals()).toMatchObject({ balanceAtoms: 59_000_000n, addressBalanceAtoms: 9_000_000n });
  });

  test("takes in coins, less the gas", () => {
    const store = pending({ purpose: "convert", paysToAddressBalance: true }, 2);
    const changedObjects = [deleted(1), deleted(2)];
    expect(settleTreasury(store, executed({ changedObjects }), FUND_ADDRESS, 0)).toBe(true);
    expect(store.totals()).toMatchObject({ balanceAtoms: 19_000_000n, addressBalanceAtoms: 19_000_000n });
    expect([store.coin(objectId(1)), store.coin(objectId(2))]).toMatchObject([{ state: "gone" }, { state: "gone" }]);
  });

  test.each([
    ["forgets that earlier ones failed", true, deleted(1), 0],
    ["that fails forgets nothing", false, written(1, 2n), 1],
  ])("a conversion %s, whoever finds it executed", (_, success, changed, failures) => {
    const store = pending({ purpose: "convert", paysToAddressBalance: true });
    conversionFailed(store, "a rule", 0n, 0);
    const shown = executed({ success, gasObjectId: objectId(1), changedObjects: [changed] });
    expect(settleTreasury(store, shown, FUND_ADDRESS, 0)).toBe(true);
    expect(store.conversions().failures).toBe(failures);
  });

  test("that ran short of funds has paid nothing, not even gas", () => {
    const short = {
      purpose: "withdraw",
      gasObjectId: null,
      fromAddressBalanceMist: 5_000_000n,
      paidOutMist: 5_000_000n,
    } as const;
    const store = pending(short, 0);
    deposit(store, 60_000_000n, 60_000_000n);
    const { gasUsed } = executed({});
    const free = executed({ success: false, gasUsed: { ...gasUsed, computationCostMist: 0n } });
    expect(settleTreasury(store, free, FUND_ADDRESS, 0)).toBe(true);
    expect(store.totals()).toMatchObject({ balanceAtoms: 60_000_000n, addressBalanceAtoms: 60_000_000n });
  });

  test("is what a reading shows: more is a deposit, less is a difference that nobody explains", () => {
    const store = storeOf();
    expect(adoptAddressBalance(store, balanceSeen(7n, 1n), 0n, 0)).toBe(7n);
    expect(adoptAddressBalance(store, balanceSeen(7n, 2n), 0n, 0)).toBe(0n);
    expect(adoptAddressBalance(store, balanceSeen(4n, 3n), 0n, 0)).toBe(0n);
    expect(store.ledger).toMatchObject([
      { kind: "deposit", reference: "checkpoint 1", balanceAtoms: 7n, addressBalanceAtoms: 7n },
      { kind: "adjustment", reference: "checkpoint 3", balanceAtoms: -3n, addressBalanceAtoms: -3n },
    ]);
  });
});

describe("taking in party coins", () => {
  function takingIn(change: Partial<SuiTreasuryTransaction> = {}) {
    const store = pending({ purpose: "take_in", ...change }, change.gasObjectId === null ? 0 : 1);
    for (const serial of [5, 6])
      store.putPartyCoin({
        objectId: objectId(serial),
        startVersion: 3n,
        balanceMist: 40_000_000n,
        tries: 0,
        heldByDigest: digestOf("r"),
      });
    return store;
  }
  const gone = [deleted(5), deleted(6)];

  test("merges them into the coin that pays, and books each as a deposit", () => {
    const store = takingIn();
    expect(
      settleTreasury(store, executed({ ...ofCoin, changedObjects: [written(1, 4n), ...gone] }), FUND_ADDRESS, 0),
    ).toBe(true);
    expect(store.coin(objectId(1))).toMatchObject({ state: "free", version: 4n, balanceMist: 90_000_000n - GAS_MIST });
    expect(store.totals()).toMatchObject({ balanceAtoms: 90_000_000n - GAS_MIST, addressBalanceAtoms: 0n });
    expect(store.ledger.slice(1)).toMatchObject([
      { kind: "deposit", reference: objectId(5), balanceAtoms: 40_000_000n },
      { kind: "deposit", reference: objectId(6), balanceAtoms: 40_000_000n },
      { kind: "convert", reference: digestOf("r"), balanceAtoms: -GAS_MIST },
    ]);
    expect(store.partyCoins.size).toBe(0);
    const owner = { kind: "consensus", address: FUND_ADDRESS, startVersion: 3n } as const;
    adoptCoinListing(store, listing(listed(5, { owner, version: 3n })), 0);
    expect(store.partyCoins.size, "a listing that lags brings none back").toBe(0);
    expect(store.events).toMatchObject([{ type: "fund.deposit", amountAtoms: 80_000_000n }]);
  });

  test("adds them to the address balance, which pays", () => {
    const store = takingIn({ gasObjectId: null, fromAddressBalanceMist: -80_000_000n });
    deposit(store, 5_000_000n, 5_000_000n);
    expect(settleTreasury(store, executed({ changedObjects: gone }), FUND_ADDRESS, 0)).toBe(true);
    const sumMist = 85_000_000n - GAS_MIST;
    expect(store.totals()).toMatchObject({ balanceAtoms: sumMist, addressBalanceAtoms: sumMist });
  });

  test("that aborts costs its gas, and leaves them waiting, each to be tried alone", () => {
    const store = takingIn();
    expect(settleTreasury(store, executed({ ...ofCoin, success: false }), FUND_ADDRESS, 0)).toBe(true);
    expect(store.totals().balanceAtoms).toBe(10_000_000n - GAS_MIST);
    expect([...store.partyCoins.values()]).toMatchObject([
      { tries: 1, heldByDigest: null },
      { tries: 1, heldByDigest: null },
    ]);
    expect(planTakeIn(store)).toHaveLength(1);
    store.putPartyCoin({
      objectId: objectId(7),
      startVersion: 1n,
      balanceMist: 1_000_000n,
      tries: 0,
      heldByDigest: null,
    });
    expect(planTakeIn(store).map(({ objectId: id }) => id)).toEqual([objectId(7)]);
  });

  test("is not believed where one of them is still there", () => {
    const store = takingIn();
    const changedObjects = [written(1, 4n), deleted(5), written(6, 4n)];
    expect(settleTreasury(store, executed({ ...ofCoin, changedObjects }), FUND_ADDRESS, 0)).toBe(false);
    expect(store.partyCoins.size).toBe(2);
  });
});

test("a coin that does not exist is dropped while it is free, and is no deposit if it is shown again", () => {
  const store = storeOf(coin(1), coin(2, { state: "held", heldByDigest: digestOf("s") }));
  expect(dropMissing(store, objectId(1), 0)).toBe(10_000_000n);
  expect(dropMissing(store, objectId(2), 0)).toBe(0n);
  expect(store.totals().balanceAtoms).toBe(10_000_000n);
  const eventsBefore = store.events.length;
  expect(adoptCoinListing(store, listing(listed(1)), 0).depositedMist).toBe(0n);
  expect(store.ledger.at(-1)).toMatchObject({ kind: "adjustment", balanceAtoms: 10_000_000n });
  expect(store.coin(objectId(1))).toMatchObject({ state: "free", balanceMist: 10_000_000n });
  expect([store.totals().balanceAtoms, store.events.length]).toEqual([20_000_000n, eventsBefore]);
});

describe("a recycling", () => {
  function recycling(count: number) {
    const inputs = Array.from({ length: count }, (_, index) => ({ objectId: objectId(index + 2), version: 1n }));
    const store = pending({ purpose: "recycle", bumpedCoins: inputs, gasBudgetAtoms: 9_000_000n });
    for (const { objectId: id } of inputs) {
      const digest = digestOf(`s${Number(id)}`);
      store.putCoin(coin(Number(id), { state: "recycling", heldByDigest: digest }));
      deposit(store, 10_000_000n);
      store.putSponsorship(sponsorship(`s${Number(id)}`, { state: "expired", gasObjectId: id }));
    }
    return store;
  }

  test.each([true, false])("whose success is %s frees its coins, and shares its gas to the last MIST", (success) => {
    const store = recycling(3);
    const changedObjects = [written(1, 2n), written(2, 2n), written(3, 2n), written(4, 2n)];
    expect(settleTreasury(store, executed({ ...ofCoin, changedObjects, success }), FUND_ADDRESS, 0)).toBe(true);
    const shares = [2, 3, 4].map((serial) => store.sponsorship(digestOf(`s${serial}`))?.maintenanceAtoms);
    expect(shares).toEqual([333_334n, 333_333n, 333_333n]);
    for (const serial of [2, 3, 4]) expect(store.coin(objectId(serial))).toMatchObject({ state: "free", version: 2n });
    expect(store.totals().balanceAtoms).toBe(40_000_000n - GAS_MIST);
  });

  test("frees the other coins of a sponsorship as they are: with one input gone its signature is worthless", () => {
    const store = recycling(1);
    store.putCoin(coin(5, { state: "quarantined", heldByDigest: digestOf("s2") }));
    settleTreasury(store, executed({ ...ofCoin, changedObjects: [written(1, 2n), written(2, 2n)] }), FUND_ADDRESS, 0);
    expect(store.coin(objectId(5))).toMatchObject({ state: "free", version: 1n, heldByDigest: null });
  });

  test("of coins that other evidence has freed books its gas, to no access key", () => {
    const store = recycling(1);
    store.putCoin(coin(2));
    settleTreasury(store, executed({ ...ofCoin, changedObjects: [written(1, 2n), written(2, 2n)] }), FUND_ADDRESS, 0);
    expect(store.coin(objectId(2))).toMatchObject({ state: "free", version: 2n });
    expect(store.ledger.at(-1)).toMatchObject({ kind: "recycle", reference: digestOf("r"), balanceAtoms: -GAS_MIST });
  });
});

describe("a listing", () => {
  test("adds what is unknown as a deposit, once", () => {
    const store = storeOf();
    expect(adoptCoinListing(store, listing(listed(1)), 0).depositedMist).toBe(10_000_000n);
    expect(adoptCoinListing(store, listing(listed(1)), 0).depositedMist).toBe(0n);
    expect(store.ledger).toMatchObject([{ kind: "deposit", reference: objectId(1), balanceAtoms: 10_000_000n }]);
  });

  test("adds once what it has twice, at the latest version", () => {
    const store = storeOf();
    const later = listed(1, { version: 2n, balanceMist: 12_000_000n });
    expect(adoptCoinListing(store, listing(listed(1), listed(1), later, listed(1)), 0).depositedMist).toBe(10_000_000n);
    expect(store.coin(objectId(1))).toMatchObject({ version: 2n, balanceMist: 12_000_000n });
    expect(store.totals().balanceAtoms).toBe(12_000_000n);
  });

  test.each([
    ["is gone", { state: "gone", balanceMist: 0n }],
    ["is lent", { state: "held", heldByDigest: digestOf("s") }],
    ["is spent", { state: "spending", heldByDigest: digestOf("r") }],
    ["is quarantined", { state: "quarantined", heldByDigest: digestOf("s") }],
    ["is being recycled", { state: "recycling", heldByDigest: digestOf("s") }],
    ["is free at a version that is later", { version: 3n }],
  ] as const)("leaves alone what %s", (_, change) => {
    const known = coin(1, change);
    const store = storeOf(known);
    expect(adoptCoinListing(store, listing(listed(1, { version: 2n, balanceMist: 1n })), 0).depositedMist).toBe(0n);
    expect(store.coin(objectId(1))).toEqual(known);
  });

  test("moves a free coin to a later version, and books what moved without us", () => {
    const store = storeOf(coin(1));
    expect(
      adoptCoinListing(store, listing(listed(1, { version: 2n, balanceMist: 12_000_000n })), 0).depositedMist,
    ).toBe(0n);
    expect(store.coin(objectId(1))).toMatchObject({ version: 2n, balanceMist: 12_000_000n });
    expect(store.ledger.at(-1)).toMatchObject({ kind: "adjustment", balanceAtoms: 2_000_000n });
  });

  test("does not take for a deposit what a transaction under way creates", () => {
    const store = pending({ createdMist: [5n] });
    const created = listed(2, { objectId: createdObjectId(digestOf("r"), 0n) });
    expect(adoptCoinListing(store, listing(created), 0).depositedMist).toBe(0n);
    expect(store.coin(created.objectId)).toBe(null);
  });

  describe("of party coins", () => {
    const owner = { kind: "consensus", address: FUND_ADDRESS, startVersion: 1n } as const;
    const waits = { objectId: objectId(1), startVersion: 1n, balanceMist: 10_000_000n, tries: 0, heldByDigest: null };

    test("notes what is worth taking in, and books nothing", () => {
      const store = storeOf();
      const dust = listed(2, { owner, balanceMist: 999_999n });
      const taken = { depositedMist: 0n, partyDustMist: 999_999n };
      expect(adoptCoinListing(store, listing(listed(1, { owner }), dust), 0)).toEqual(taken);
      expect([...store.partyCoins.values()]).toEqual([waits]);
      expect([store.coins.size, store.ledger.length]).toEqual([0, 0]);
    });

    test("takes out of the books what an older version has booked as the fund's own", () => {
      const store = storeOf(coin(1));
      adoptCoinListing(store, listing(listed(1, { owner })), 0);
      expect(store.coin(objectId(1))).toBe(null);
      expect(store.totals().balanceAtoms).toBe(0n);
      expect(store.partyCoin(objectId(1))).toEqual(waits);
    });

    test("finds a coin again that one listing has called a party coin", () => {
      const store = storeOf(coin(1));
      adoptCoinListing(store, listing(listed(1, { owner })), 0);
      adoptCoinListing(store, listing(listed(1)), 0);
      expect(store.coin(objectId(1))).toEqual(coin(1));
      expect(store.partyCoin(objectId(1))).toBe(null);
    });

    test("leaves alone what is listed at an older version than the books have", () => {
      const store = storeOf(coin(1, { version: 2n }));
      adoptCoinListing(store, listing(listed(1, { owner })), 0);
      expect(store.coin(objectId(1))).toEqual(coin(1, { version: 2n }));
    });

    test.each([
      ["signed", "expired", "quarantined"],
      ["prepared", "dead", undefined],
    ] as const)("withdraws what an older version has %s with one", (state, after, coinState) => {
      const row = sponsorship("s", { state, signedAtMs: state === "signed" ? 0 : null });
      const store = storeOf(coin(1, { state: "held", heldByDigest: row.digest }));
      store.putSponsorship(row);
      adoptCoinListing(store, listing(listed(1, { owner })), 0);
      expect(store.sponsorship(row.digest)?.state).toBe(after);
      expect(store.coin(objectId(1))?.state).toBe(coinState);
      expect(store.partyCoins.size, "what proves a death is not taken in").toBe(coinState === undefined ? 1 : 0);
    });

    test("forgets one that is listed as the fund's own", () => {
      const store = storeOf();
      store.putPartyCoin(waits);
      expect(adoptCoinListing(store, listing(listed(1)), 0).depositedMist).toBe(10_000_000n);
      expect(store.partyCoin(objectId(1))).toBe(null);
    });
  });
});

describe("effects that cannot be those of what the fund signed are not believed, and nothing is written", () => {
  const stays = { ...deleted(2), operation: "none" } as const;
  const stranger = { kind: "address", address: objectId(66) } as const;
  const made = createdObjectId(digestOf("r"), 0n);
  const over = { ...executed({}).gasUsed, computationCostMist: 3_000_001n };
  const inputs = [{ objectId: objectId(9), version: 4n }];
  const foreign = { ...written(1, 2n, "created"), objectId: made };

  test.each<[string, Partial<SuiTreasuryTransaction>, number, Partial<SuiExecution>]>([
    ["a charge above the budget", {}, 1, { ...ofCoin, gasUsed: over }],
    ["a gas coin that did not change", {}, 1, { ...ofCoin, changedObjects: [] }],
    ["a gas coin that is gone", {}, 1, { ...ofCoin, changedObjects: [deleted(1)] }],
    ["a gas coin whose version did not rise", {}, 1, { ...ofCoin, changedObjects: [written(1, 1n)] }],
    ["another gas coin", {}, 1, { ...ofCoin, gasObjectId: objectId(2) }],
    ["a merged coin that is still there", {}, 2, { ...ofCoin, changedObjects: [written(1, 2n), stays] }],
    ["more paid than there is", { paidOutMist: 9_500_000n }, 1, ofCoin],
    ["a gas coin where the address balance pays", { gasObjectId: null }, 0, { gasObjectId: objectId(1) }],
    ["a swept coin that is still there", { paysToAddressBalance: true }, 2, { changedObjects: [deleted(1), stays] }],
    ["a new coin that is missing", { createdMist: [5n] }, 1, ofCoin],
    [
      "a new coin that is somebody else's",
      { createdMist: [5n] },
      1,
      { ...ofCoin, changedObjects: [written(1, 2n), { ...foreign, output: { ...foreign.output, owner: stranger } }] },
    ],
    ["a recycled coin that stayed where it was", { purpose: "recycle", bumpedCoins: inputs }, 1, ofCoin],
    [
      "a recycled coin whose version did not rise",
      { purpose: "recycle", bumpedCoins: inputs },
      1,
      { ...ofCoin, changedObjects: [written(1, 5n), written(9, 4n)] },
    ],
    ["another digest", {}, 1, { ...ofCoin, digest: digestOf("x") }],
  ])("%s", (_, change, coins, effects) => {
    const store = pending(change, coins);
    store.putCoin(coin(9, { version: 4n, state: "recycling", heldByDigest: digestOf("s") }));
    const before = structuredClone([store.coins, store.ledger, store.ownTransactions, store.due]);
    expect(settleTreasury(store, executed(effects), FUND_ADDRESS, 0)).toBe(false);
    expect([store.coins, store.ledger, store.ownTransactions, store.due]).toEqual(before);
  });

  test("a row that was journaled before budgets were is settled without one", () => {
    const store = pending({ gasBudgetAtoms: 0n });
    expect(settleTreasury(store, executed(ofCoin), FUND_ADDRESS, 0)).toBe(true);
  });
});
