import { runInDurableObject } from "cloudflare:test";
import { env } from "cloudflare:workers";
import { describe, expect, test } from "vitest";
import { addUsage } from "../../../shared/fund/ledger/usage.ts";
import type { SuiFundStore } from "../../../shared/fund/sui/store.ts";
import { sqlite } from "../../support/fund/sqlite-fund.ts";
import { coin, digestOf, sponsorship } from "../simulation/rows.ts";
import type { VisibleStore } from "../simulation/visible-store.ts";

/** Runs over the storage of a real Fund object, emptied before. */
async function withFund(run: (view: VisibleStore) => void): Promise<void> {
  await runInDurableObject(env.FUND.getByName("fund_store"), (_, { storage }) => run(sqlite(storage)));
}

/** One of every write that is counted in memory too. */
function writeAll(store: SuiFundStore, serial: number): void {
  const row = { atMs: 0, kind: "deposit", reference: digestOf("d"), keyId: null } as const;
  store.putCoin(coin(serial, { maintenance: true }));
  store.addLedger({ ...row, balanceAtoms: 1n, addressBalanceAtoms: 2n, inFlightAtoms: 3n, accruedFeesAtoms: 4n });
  addUsage(store, "key", 0, { inFlightCount: 1, inFlightAtoms: 5n, spentTodayAtoms: 6n, abandonCostTodayAtoms: 7n });
  store.takeNonce();
  store.setDue("settle", digestOf("s"), serial);
}

function breakOff(): never {
  throw new Error("broken off");
}

/** What the instance in memory says, and what another one over the same storage says. */
function seenBy(view: VisibleStore): readonly unknown[] {
  const seen = view.snapshot(["key"]);
  view.restart();
  expect(view.snapshot(["key"]), "another instance counts the same").toEqual(seen);
  return seen;
}

test("a coin is lent only while it is free, and is found by its holder, alone or among several", async () => {
  await withFund((view) => {
    const { store } = view;
    const [alone, first, second] = [coin(1), coin(2), coin(3)];
    const held = (name: string) =>
      store.coinsHeldBy(digestOf(name)).map(({ objectId, state }) => `${Number(objectId)} ${state}`);
    view.transact(() => {
      for (const each of [alone, first, second, coin(4, { maintenance: true })]) store.putCoin(each);
      store.lendCoins([alone], digestOf("a"));
      store.addSponsorship(sponsorship("a", { gasObjectId: alone.objectId }));
      store.lendCoins([first, second], digestOf("b"));
    });
    for (const taken of [alone, second, coin(4, { maintenance: true }), coin(5)])
      expect(() => view.transact(() => store.lendCoins([taken], digestOf("c")))).toThrow("is not free");
    view.restart();
    expect([held("a"), held("b"), held("c")]).toEqual([["1 held"], ["2 held", "3 held"], []]);
  });
});

describe("a transaction of the fund's store", () => {
  test("is there in full for another instance, and its nonces are never given out again", async () => {
    await withFund((view) => {
      view.transact(() => writeAll(view.store, 1));
      view.transact(() => writeAll(view.store, 2));
      seenBy(view);
      expect(view.store.totals()).toEqual({
        balanceAtoms: 2n,
        addressBalanceAtoms: 4n,
        inFlightAtoms: 6n,
        accruedFeesAtoms: 8n,
      });
      expect(view.store.usage("key")).toMatchObject({ inFlightCount: 2, spentTodayAtoms: 12n });
      expect(view.store.usage("")).toMatchObject({ inFlightAtoms: 10n, abandonCostTodayAtoms: 14n });
      expect(view.store.maintenanceCoins()).toHaveLength(2);
      expect(view.transact(() => view.store.takeNonce())).toBe(2);
    });
  });

  test.each([true, false])(
    "that breaks off leaves rows and memory as they were (read before: %s)",
    async (readBefore) => {
      await withFund((view) => {
        view.transact(() => writeAll(view.store, 1));
        view.restart();
        const before = readBefore ? view.snapshot(["key"]) : null;
        expect(() =>
          view.transact(() => {
            writeAll(view.store, 2);
            expect(view.store.maintenanceCoins()).toHaveLength(2);
            breakOff();
          }),
        ).toThrow("broken off");
        if (before !== null) expect(view.snapshot(["key"])).toEqual(before);
        expect(seenBy(view)).toEqual(before ?? view.snapshot(["key"]));
        expect(view.transact(() => view.store.takeNonce())).toBe(1);
      });
    },
  );

  test("inside another one breaks off alone", async () => {
    await withFund((view) => {
      view.transact(() => {
        writeAll(view.store, 1);
        const before = view.snapshot(["key"]);
        expect(() =>
          view.transact(() => {
            writeAll(view.store, 2);
            view.store.putCoin(coin(1));
            breakOff();
          }),
        ).toThrow("broken off");
        expect(view.snapshot(["key"])).toEqual(before);
        view.transact(() => writeAll(view.store, 3));
      });
      seenBy(view);
      expect(view.store.totals().balanceAtoms).toBe(2n);
      expect(view.rows().coins.map(({ objectId }) => Number(objectId))).toEqual([1, 3]);
      expect(view.store.maintenanceCoins()).toHaveLength(2);
      expect(view.transact(() => view.store.takeNonce())).toBe(2);
    });
  });

  test("inside another one that breaks off is taken back with it, also where it had ended well", async () => {
    await withFund((view) => {
      view.transact(() => writeAll(view.store, 1));
      const before = view.snapshot(["key"]);
      expect(() =>
        view.transact(() => {
          view.transact(() => writeAll(view.store, 2));
          breakOff();
        }),
      ).toThrow("broken off");
      expect(view.snapshot(["key"])).toEqual(before);
      seenBy(view);
      expect(view.transact(() => view.store.takeNonce())).toBe(1);
    });
  });
});

test("a new sponsorship replaces a dead one of its digest, and no other, whether memory has that row or the table", async () => {
  await withFund((view) => {
    const fresh = sponsorship("s", { state: "prepared" });
    const add = () => view.transact(() => view.store.addSponsorship(fresh));
    const stateNow = () => {
      view.restart();
      return view.store.sponsorship(fresh.digest)?.state;
    };
    for (const state of ["prepared", "signed", "expired", "complete", "unresolvable"] as const) {
      view.transact(() => view.store.putSponsorship({ ...fresh, state }));
      expect(add, state).toThrow("another sponsorship");
      expect(stateNow()).toBe(state);
      view.restart();
      expect(add, `${state}, after a restart`).toThrow("another sponsorship");
      expect(stateNow()).toBe(state);
    }
    view.transact(() => view.store.putSponsorship({ ...fresh, state: "dead" }));
    view.restart();
    add();
    expect(stateNow()).toBe("prepared");
    expect(view.rows().sponsorships).toHaveLength(1);
  });
});
