import { runInDurableObject } from "cloudflare:test";
import { env } from "cloudflare:workers";
import { expect, inject, test } from "vitest";
import { SqliteAptosFundStore } from "../../shared/fund/aptos/sqlite-store.ts";
import type { AptosSponsorship } from "../../shared/fund/aptos/store.ts";
import { SqliteSuiFundStore } from "../../shared/fund/sui/sqlite-store.ts";
import type { SuiSponsorship } from "../../shared/fund/sui/store.ts";
import { seededRandom } from "../support/random.ts";
import { rounds } from "../support/rounds.ts";
import { objectId, sponsorship } from "./simulation/rows.ts";

const STEPS = 60;
const HISTORIES = rounds(4, 1);
/** Few, so that rows change often. */
const ROWS = 6;
/** Three rows of this size do not fit into memory together. */
const LARGE_BYTES = 1_500_000;
const seed = inject("seed") ?? Math.floor(Math.random() * 2 ** 31);

/** The sponsorships of a fund's store, whatever its chain. */
interface Rows {
  readonly transact: (transition: () => void) => void;
  /** All that can be read of the row of this number. */
  readonly read: (serial: number) => unknown;
  readonly liveIds: () => readonly string[];
  /** Adds a row if there is none of this number, or else changes it. */
  readonly change: (serial: number, random: () => number) => void;
}

/** Shows bytes by their length, which differs if they do. A comparison of each byte would take seconds. */
const shown = (value: unknown): unknown =>
  JSON.parse(
    JSON.stringify(value, (_, part) =>
      typeof part === "bigint" ? `${part}` : part instanceof Uint8Array ? `${part.length} bytes` : part,
    ),
  );

const bytesOf = (random: () => number) => new Uint8Array(random() < 0.04 ? LARGE_BYTES : 1 + Math.floor(random() * 9));

function suiRows(storage: DurableObjectStorage): Rows {
  const store = new SqliteSuiFundStore(storage, () => {});
  const digestOf = (serial: number) => objectId(serial);
  const changed = (row: SuiSponsorship, random: () => number): SuiSponsorship => {
    if (random() < 0.3) return { ...row, state: "complete", chargedAtoms: 1n, transactionBytes: new Uint8Array() };
    const state = row.state === "prepared" ? "signed" : "expired";
    return { ...row, state, signedAtMs: Math.floor(random() * 1e9) };
  };
  return {
    transact: (transition) => store.transact(transition),
    read: (serial) => {
      const digest = digestOf(serial);
      // Before the row is read, because that keeps it in memory.
      const [part, state] = [shown(store.life(digest)), store.stateOf(digest)];
      const row = shown(store.sponsorship(digest));
      expect(row, "the part is of the row").toEqual(part === null ? null : expect.objectContaining(Object(part)));
      return [row, state];
    },
    liveIds: () => store.liveIds(null),
    change: (serial, random) => {
      const row = store.sponsorship(digestOf(serial));
      const payment = random() < 0.5 ? {} : { gasObjectId: null, gasBudgetAtoms: 0n, sinceCheckpoint: null };
      const fresh = sponsorship("row", { digest: digestOf(serial), state: "prepared", signedAtMs: null, ...payment });
      store.putSponsorship(row === null ? { ...fresh, transactionBytes: bytesOf(random) } : changed(row, random));
    },
  };
}

function aptosRows(storage: DurableObjectStorage): Rows {
  const store = new SqliteAptosFundStore(storage, () => {});
  const fresh = (serial: number, random: () => number): AptosSponsorship => ({
    id: objectId(serial),
    state: "signed",
    sender: objectId(99),
    sequenceNumber: BigInt(serial),
    nonce: null,
    sinceVersion: null,
    rawTransaction: bytesOf(random),
    secondaryAddresses: [],
    authenticators: null,
    hash: null,
    keyId: "key",
    gasBudgetAtoms: 100n,
    feeAtoms: 0n,
    createdAtMs: 0,
    expiresAtMs: 1,
    chargedAtoms: null,
    rebateAtoms: null,
    committedVersion: null,
    submitCount: 0,
  });
  const changed = (row: AptosSponsorship, random: () => number): AptosSponsorship => {
    const kept = { rawTransaction: new Uint8Array(), authenticators: null };
    if (random() < 0.3) return { ...row, ...kept, state: "complete", chargedAtoms: 1n, rebateAtoms: 0n };
    if (random() < 0.3) return { ...row, authenticators: { sender: bytesOf(random), secondary: [bytesOf(random)] } };
    return { ...row, submitCount: row.submitCount + 1 };
  };
  return {
    transact: (transition) => store.transact(transition),
    read: (serial) => shown(store.sponsorship(objectId(serial))),
    liveIds: () => store.liveIds(null),
    change: (serial, random) => {
      const row = store.sponsorship(objectId(serial));
      store.putSponsorship(row === null ? fresh(serial, random) : changed(row, random));
    },
  };
}

const CHAINS = {
  sui: { open: suiRows, tables: ["sponsorship_row", "sponsorship_bytes"] },
  aptos: { open: aptosRows, tables: ["aptos_sponsorship_row", "aptos_sponsorship_bytes"] },
} as const;

/** A storage whose next commit fails if it is told to. */
function failingStorage(storage: DurableObjectStorage, takeFault: () => boolean): DurableObjectStorage {
  const transactionSync = <T>(transition: () => T): T =>
    storage.transactionSync(() => {
      const value = transition();
      if (takeFault()) throw new Error("the commit fails");
      return value;
    });
  return new Proxy(storage, {
    get: (target, name) => (name === "transactionSync" ? transactionSync : Reflect.get(target, name)),
  });
}

/** Runs some changes in one transaction, with transactions inside of it. Any of them may break off, or fail to commit. */
function step(rows: Rows, random: () => number, depth: number): void {
  for (let left = 1 + Math.floor(random() * 4); left > 0; left--) {
    if (depth < 3 && random() < 0.25) tryTransaction(rows, random, depth + 1);
    else rows.change(Math.floor(random() * ROWS), random);
    if (random() < 0.1) throw new Error("broken off");
    // A row that only this transaction has written may stay in memory only as long as it does.
    if (random() < 0.3) rows.read(Math.floor(random() * ROWS));
  }
}

function tryTransaction(rows: Rows, random: () => number, depth: number): void {
  try {
    rows.transact(() => step(rows, random, depth));
  } catch (error) {
    if (!/broken off|commit fails/.test(String(error))) throw error;
  }
}

test.each(["sui", "aptos"] as const)(
  "what memory says of a %s sponsorship is on disk, whatever has failed",
  async (chain) => {
    const { open, tables } = CHAINS[chain];
    await runInDurableObject(env.FUND.getByName(`live_rows_${chain}`), (_, { storage }) => {
      for (let history = 0; history < HISTORIES; history++) {
        for (const table of tables) storage.sql.exec(`DELETE FROM ${table}`);
        const random = seededRandom(seed + history);
        const rows = open(failingStorage(storage, () => random() < 0.1));
        for (let number = 0; number < STEPS; number++) {
          tryTransaction(rows, random, 0);
          const cold = open(storage);
          const seen = (of: Rows) => [of.liveIds(), ...Array.from({ length: ROWS }, (__, serial) => of.read(serial))];
          expect(seen(rows), `seed ${seed + history}, step ${number}`).toEqual(seen(cold));
        }
      }
    });
  },
);
