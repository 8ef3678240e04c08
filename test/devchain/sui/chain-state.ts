import { toBase58, toHex } from "@mysten/sui/utils";
import { numberColumn, type Sql, textColumn } from "../sql.ts";
import { genesisObjects } from "./genesis.ts";
import type { ObjectStore } from "./store.ts";

export interface EpochInfo {
  readonly epoch: bigint;
  readonly startMs: number;
  readonly referenceGasPrice: bigint;
  readonly firstCheckpoint: bigint;
}

export interface Checkpoint {
  readonly sequenceNumber: bigint;
  readonly timestampMs: number;
}

export interface ChainClock {
  readonly nowMs: () => number;
  readonly epochDurationMs: bigint;
}

export type ChainState = ReturnType<typeof openChainState>;

const GENESIS_DIGEST_BYTES = 32;
const FAUCET_SEED_BYTES = 32;
const GENESIS_REFERENCE_GAS_PRICE = 1_000n;
/** A live network makes about four checkpoints a second. */
const CHECKPOINT_INTERVAL_MS = 250;
/** Name of the value that holds the reference gas price of the next epoch, where it is not to be this epoch's. */
const NEXT_PRICE = "next_reference_gas_price";

const SCHEMA = [
  "CREATE TABLE IF NOT EXISTS chain (name TEXT PRIMARY KEY, value TEXT NOT NULL) WITHOUT ROWID",
  `CREATE TABLE IF NOT EXISTS epochs (epoch INTEGER PRIMARY KEY, start_ms INTEGER NOT NULL,
    reference_gas_price TEXT NOT NULL, first_checkpoint INTEGER NOT NULL)`,
];

/**
 * The chain's identity, epoch and checkpoints, kept in SQLite; makes them when the storage is new.
 * `faucetAddress` gives the owner of the whole supply from the seed of the faucet's key.
 */
export async function openOrCreateChainState(
  sql: Sql,
  store: ObjectStore,
  { nowMs, epochDurationMs }: ChainClock,
  faucetAddress: (seed: Uint8Array) => Promise<string>,
): Promise<ChainState> {
  for (const statement of SCHEMA) sql.exec(statement);
  if (readValue(sql, "chain_id") === undefined) {
    const seed = crypto.getRandomValues(new Uint8Array(FAUCET_SEED_BYTES));
    const owner = await faucetAddress(seed);
    sql.transaction(() => createGenesis(sql, store, nowMs(), seed, owner));
  }
  return openChainState(sql, nowMs, Number(epochDurationMs));
}

function createGenesis(sql: Sql, store: ObjectStore, nowMs: number, faucetSeed: Uint8Array, faucet: string): void {
  writeValue(sql, "chain_id", toBase58(crypto.getRandomValues(new Uint8Array(GENESIS_DIGEST_BYTES))));
  writeValue(sql, "genesis_ms", String(nowMs));
  writeValue(sql, "faucet_seed", toHex(faucetSeed));
  writeEpoch(sql, {
    epoch: 0n,
    startMs: nowMs,
    referenceGasPrice: GENESIS_REFERENCE_GAS_PRICE,
    firstCheckpoint: 0n,
  });
  for (const object of genesisObjects(faucet)) store.putObject(object);
}

function openChainState(sql: Sql, nowMs: () => number, epochDurationMs: number) {
  const genesisMs = Number(requireValue(sql, "genesis_ms"));
  let epoch = latestEpoch(sql);
  let latest: Checkpoint = {
    sequenceNumber: BigInt(readValue(sql, "checkpoint") ?? "0"),
    timestampMs: Number(readValue(sql, "checkpoint_ms") ?? genesisMs),
  };

  function checkpointAt(ms: number): bigint {
    return 1n + BigInt(Math.floor(Math.max(0, ms - genesisMs) / CHECKPOINT_INTERVAL_MS));
  }

  /** The checkpoint that is being made now; number 0 was genesis. Neither number nor time ever goes back, whatever the clock does. */
  function currentCheckpoint(): Checkpoint {
    const now = nowMs();
    const byClock = checkpointAt(now);
    const sequenceNumber = byClock > latest.sequenceNumber ? byClock : latest.sequenceNumber;
    latest = { sequenceNumber, timestampMs: Math.max(now, latest.timestampMs) };
    return latest;
  }

  function sealLatest(): Checkpoint {
    if (readValue(sql, "checkpoint") !== String(latest.sequenceNumber)) {
      writeValue(sql, "checkpoint", String(latest.sequenceNumber));
      writeValue(sql, "checkpoint_ms", String(latest.timestampMs));
    }
    return latest;
  }

  function sealCheckpoint(): Checkpoint {
    currentCheckpoint();
    return sealLatest();
  }

  function nextReferenceGasPrice(): bigint {
    return BigInt(readValue(sql, NEXT_PRICE) ?? epoch.referenceGasPrice);
  }

  /** The epoch that the clock is in: epochs end by themselves, and several may have passed since the last look. */
  function currentEpoch(): EpochInfo {
    const now = nowMs();
    while (now >= epoch.startMs + epochDurationMs) startEpoch(epoch.epoch + 1n, epoch.startMs + epochDurationMs);
    return epoch;
  }

  function startEpoch(number: bigint, startMs: number, referenceGasPrice = nextReferenceGasPrice()): EpochInfo {
    const byClock = checkpointAt(startMs);
    const { sequenceNumber } = latest;
    const firstCheckpoint = byClock > sequenceNumber ? byClock : sequenceNumber + 1n;
    epoch = { epoch: number, startMs, referenceGasPrice, firstCheckpoint };
    writeEpoch(sql, epoch);
    writeValue(sql, NEXT_PRICE, String(referenceGasPrice));
    latest = { sequenceNumber: firstCheckpoint, timestampMs: Math.max(startMs, latest.timestampMs) };
    sealLatest();
    return epoch;
  }

  return {
    chainId: requireValue(sql, "chain_id"),
    faucetSeedHex: requireValue(sql, "faucet_seed"),
    epoch: currentEpoch,

    currentCheckpoint(): Checkpoint {
      currentEpoch();
      return currentCheckpoint();
    },

    /** The last checkpoint that was complete so long ago: everything that was committed in it is at least as old. */
    checkpointBefore(ageMs: number): Checkpoint {
      const complete = Math.floor(Math.max(0, nowMs() - ageMs - genesisMs) / CHECKPOINT_INTERVAL_MS);
      const lastMs = genesisMs + complete * CHECKPOINT_INTERVAL_MS - 1;
      return { sequenceNumber: BigInt(complete), timestampMs: Math.max(genesisMs, lastMs) };
    },

    /** The epoch that a checkpoint belongs to. */
    epochAtCheckpoint(sequenceNumber: bigint): EpochInfo {
      // Nobody else may have looked since it began.
      currentEpoch();
      const [row] = sql.exec(
        "SELECT * FROM epochs WHERE first_checkpoint <= ? ORDER BY epoch DESC LIMIT 1",
        Number(sequenceNumber),
      );
      if (row === undefined) throw new Error("the chain has no epoch");
      return epochFromRow(row);
    },

    epochAt(number: bigint): EpochInfo | undefined {
      if (number > currentEpoch().epoch) return undefined;
      const [row] = sql.exec("SELECT * FROM epochs WHERE epoch = ?", Number(number));
      return row && epochFromRow(row);
    },

    /** Records the checkpoint that a transaction was committed in, within the caller's SQL transaction. */
    sealCheckpoint,

    nextReferenceGasPrice,

    /** Sets the price of the next epoch: within an epoch the price never changes. */
    setNextReferenceGasPrice: (price: bigint) => writeValue(sql, NEXT_PRICE, String(price)),

    /** Ends the current epoch and starts a later one now, with a checkpoint of its own. */
    advanceEpoch(by: bigint, referenceGasPrice?: bigint): EpochInfo {
      const current = currentEpoch();
      return startEpoch(current.epoch + by, currentCheckpoint().timestampMs, referenceGasPrice);
    },
  };
}

function latestEpoch(sql: Sql): EpochInfo {
  const [row] = sql.exec("SELECT * FROM epochs ORDER BY epoch DESC LIMIT 1");
  if (row === undefined) throw new Error("the chain has no epoch");
  return epochFromRow(row);
}

function epochFromRow(row: ReturnType<Sql["exec"]>[number]): EpochInfo {
  return {
    epoch: BigInt(numberColumn(row, "epoch")),
    startMs: numberColumn(row, "start_ms"),
    referenceGasPrice: BigInt(textColumn(row, "reference_gas_price")),
    firstCheckpoint: BigInt(numberColumn(row, "first_checkpoint")),
  };
}

function writeEpoch(sql: Sql, { epoch, startMs, referenceGasPrice, firstCheckpoint }: EpochInfo): void {
  sql.exec(
    "INSERT INTO epochs (epoch, start_ms, reference_gas_price, first_checkpoint) VALUES (?, ?, ?, ?)",
    Number(epoch),
    startMs,
    String(referenceGasPrice),
    Number(firstCheckpoint),
  );
}

function readValue(sql: Sql, name: string): string | undefined {
  const [row] = sql.exec("SELECT value FROM chain WHERE name = ?", name);
  return row && textColumn(row, "value");
}

function requireValue(sql: Sql, name: string): string {
  const value = readValue(sql, name);
  if (value === undefined) throw new Error(`the chain's storage has no ${name}`);
  return value;
}

function writeValue(sql: Sql, name: string, value: string): void {
  sql.exec(
    "INSERT INTO chain (name, value) VALUES (?, ?) ON CONFLICT (name) DO UPDATE SET value = excluded.value",
    name,
    value,
  );
}
