import type { Sql } from "../sql.ts";
import { type Address, longAddress } from "./address.ts";
import { type Blocks, createBlocks, type UserPlace } from "./blocks.ts";
import { createBlockClock, type LedgerView } from "./clock.ts";
import { vmError } from "./errors.ts";
import { execute, type Output } from "./execute.ts";
import type { GasSchedule } from "./gas.ts";
import { createMempool, type Mempool, type Waiting } from "./mempool.ts";
import { accountAt } from "./move/account.ts";
import { OBJECT_CORE } from "./move/slots.ts";
import type { ReadItem } from "./move/world.ts";
import { whyInvalid } from "./prologue.ts";
import { committedJson } from "./render.ts";
import { verifySignatures } from "./signatures.ts";
import { feePayerOf, type Signed } from "./signed.ts";
import type { CommittedTransaction, Store } from "./store.ts";

/** No number larger than this can be kept exactly in a column; nobody comes near it by counting. */
const MAX_SEQUENCE_NUMBER = BigInt(Number.MAX_SAFE_INTEGER);

/** In the place of an orderless transaction's number. A list of an account's transactions lacks it then. */
const NO_NUMBER = -1n;

export interface Ledger {
  readonly blocks: Blocks;
  readonly mempool: Mempool;
  /** The ledger now, or as it was so long ago; everything that was due is executed first. */
  view(lagMs?: number): LedgerView;
  /** Admits a transaction to the mempool. @throws ApiError */
  submit(signed: Signed): Promise<void>;
  hold(): void;
  release(): void;
}

/**
 * The mempool and the blocks that its transactions end in. A block is executed when somebody first asks for anything
 * after its time: a Worker runs nothing between requests.
 */
export function createLedger(
  sql: Sql,
  store: Store,
  genesisMs: number,
  nowMs: () => number,
  gasNow: () => GasSchedule,
): Ledger {
  const clock = createBlockClock(genesisMs, nowMs, store.places.lastInBlock(Number.MAX_SAFE_INTEGER)?.block ?? 0);
  const blocks = createBlocks(clock, store.places);
  const mempool = createMempool(sql);
  let held = false;
  /** The last block that can be seen: nothing is put into it any more. */
  let sealed = clock.currentHeight();

  const readAt =
    (version: number): ReadItem =>
    (address, slot) =>
      store.item(address, slot, version);

  const nonceExpiryAt = (version: number) => (sender: Address, nonce: bigint) =>
    store.nonceExpiry(sender, nonce, version);

  function settle(): void {
    const height = clock.currentHeight();
    if (height === sealed) return;
    let earliest = sealed + 1;
    const ready = held ? [] : mempool.heads(height).filter(isReady);
    for (let next = ready.shift(); next !== undefined; next = ready.shift()) {
      earliest = Math.max(earliest, next.block);
      commit(next, earliest);
      const { sender } = next.signed;
      const follower = next.signed.nonce === undefined ? mempool.at(sender, numberOf(sender)) : undefined;
      if (follower !== undefined && follower.block <= height) insertInOrder(ready, follower);
    }
    sealed = height;
    mempool.expire(Math.floor(clock.timeMs(height) / 1_000), nowMs());
  }

  function numberOf(sender: Address): bigint {
    return accountAt({ get: readAt(Number.MAX_SAFE_INTEGER) }, sender).sequenceNumber;
  }

  function isReady({ signed }: Waiting): boolean {
    return signed.nonce !== undefined || signed.raw.sequence_number <= numberOf(signed.sender);
  }

  function commit(waiting: Waiting, block: number): void {
    const { signed } = waiting;
    const place = blocks.nextPlace(block);
    const read = readAt(place.version - 1);
    const nowSeconds = blocks.timestampUs(block) / 1_000_000n;
    const nonceExpiry = nonceExpiryAt(place.version - 1);
    const gas = gasNow();
    const invalid = whyInvalid(signed, { stage: "execution", gas, world: { get: read }, nowSeconds, nonceExpiry });
    sql.transaction(() => {
      mempool.remove(signed);
      if (invalid !== undefined) return;
      const output = execute(signed, read, gas);
      store.putItems(output.changes, place.version);
      store.putTransaction(committed(waiting, place, output), touchedBy(signed, output));
    });
  }

  return {
    blocks,
    mempool,

    view(lagMs = 0) {
      settle();
      return blocks.view(lagMs === 0 ? sealed : Math.min(sealed, clock.heightBefore(lagMs)));
    },

    async submit(signed) {
      settle();
      // The mempool looks at the number before the VM looks at anything (recorded).
      if (signed.raw.sequence_number < numberOf(signed.sender)) throw vmError("SEQUENCE_NUMBER_TOO_OLD");
      if (!(await verifySignatures(signed))) throw vmError("INVALID_SIGNATURE");
      settle();
      const { version, timestampUs } = blocks.view(sealed);
      const world = { get: readAt(version) };
      const nowSeconds = timestampUs / 1_000_000n;
      const nonceExpiry = nonceExpiryAt(version);
      const invalid = whyInvalid(signed, { stage: "admission", gas: gasNow(), world, nowSeconds, nonceExpiry });
      if (invalid !== undefined) throw vmError(invalid);
      if (signed.nonce === undefined && signed.raw.sequence_number > MAX_SEQUENCE_NUMBER)
        throw vmError("SEQUENCE_NUMBER_TOO_BIG");
      mempool.insert({ signed, block: sealed + 1, admittedMs: nowMs() });
    },

    hold() {
      settle();
      held = true;
    },

    release() {
      settle();
      held = false;
    },
  };
}

/** As the mempool lists them: by the first block that they can be in, then as they came. */
function insertInOrder(ready: Waiting[], one: Waiting): void {
  const after = ready.findIndex(({ block, admittedMs }) =>
    block === one.block ? admittedMs > one.admittedMs : block > one.block,
  );
  ready.splice(after < 0 ? ready.length : after, 0, one);
}

function committed({ signed, admittedMs }: Waiting, place: UserPlace, output: Output): CommittedTransaction {
  const { hash, sender, raw, bytes, nonce } = signed;
  const json = JSON.stringify(committedJson(signed, output));
  const orderless = nonce === undefined ? undefined : { nonce, expiresSeconds: raw.expiration_timestamp_secs };
  const sequenceNumber = nonce === undefined ? raw.sequence_number : NO_NUMBER;
  return { ...place, hash, sender, sequenceNumber, orderless, admittedMs, bytes, json };
}

/** The accounts that a transaction has to do with: its signers, and the owners of what it changed. */
function touchedBy(signed: Signed, { changes }: Output): Set<Address> {
  const owners = changes.flatMap(({ after, before }) => {
    const core = (after ?? before)?.resources[OBJECT_CORE];
    return typeof core === "object" && core !== null && "owner" in core && typeof core.owner === "string"
      ? [longAddress(core.owner)]
      : [];
  });
  const signers = [signed.sender, ...signed.secondaries.map(({ address }) => address), feePayerOf(signed)];
  return new Set([...signers, ...owners]);
}
