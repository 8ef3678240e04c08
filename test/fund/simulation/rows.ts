import { seenIn } from "../../../shared/chain/one-reply.ts";
import type { Observed, ObservedCoin, SuiCoin } from "../../../shared/chain/sui/coins.ts";
import type { SuiExecution } from "../../../shared/chain/sui/execution.ts";
import type { BalanceReading } from "../../../shared/chain/sui/node.ts";
import type { SuiLedgerState, SuiSeen } from "../../../shared/chain/sui/seen.ts";
import type { FundCoin, SuiSponsorship, SuiTreasuryTransaction } from "../../../shared/fund/sui/store.ts";
import { MemoryFundStore } from "../../support/fund/memory-sui-store.ts";

/** Rows and answers of a chain, for tests that are about one rule: whatever does not matter there is filled in. */

export const FUND_ADDRESS = `0x${"f".repeat(64)}`;

export function objectId(serial: number): string {
  return `0x${serial.toString(16).padStart(64, "0")}`;
}

/** A digest that tells which one it is: Base58 has all of these letters. */
export function digestOf(name: string): string {
  return name.padEnd(43, "1");
}

/** A free coin at version 1. */
export function coin(serial: number, change: Partial<FundCoin> = {}): FundCoin {
  const name = { objectId: objectId(serial), version: 1n, digest: digestOf("d") };
  return { ...name, balanceMist: 10_000_000n, state: "free", heldByDigest: null, maintenance: false, ...change };
}

/** A store with these coins in it, all of them booked. */
export function storeOf(...coins: readonly FundCoin[]): MemoryFundStore {
  const store = new MemoryFundStore();
  for (const row of coins) {
    store.putCoin(row);
    deposit(store, row.balanceMist);
  }
  return store;
}

export function deposit(store: MemoryFundStore, balanceMist: bigint, addressBalanceMist = 0n): void {
  const nothing = { inFlightAtoms: 0n, accruedFeesAtoms: 0n };
  store.addLedger({
    atMs: 0,
    kind: "deposit",
    reference: "",
    keyId: null,
    balanceAtoms: balanceMist,
    addressBalanceAtoms: addressBalanceMist,
    ...nothing,
  });
}

/** Signed, paid with the first coin. */
export function sponsorship(name: string, change: Partial<SuiSponsorship> = {}): SuiSponsorship {
  return {
    digest: digestOf(name),
    state: "signed",
    transactionBytes: Uint8Array.of(1),
    sender: objectId(99),
    keyId: "key",
    gasObjectId: objectId(1),
    gasBudgetAtoms: 3_000_000n,
    feeAtoms: 0n,
    expirationEpoch: 6n,
    sinceCheckpoint: 10n,
    createdAtMs: 0,
    signedAtMs: 0,
    expiresAtMs: 3_600_000,
    chargedAtoms: null,
    rebateAtoms: null,
    maintenanceAtoms: null,
    maxStorageMist: null,
    isReleased: false,
    ...change,
  };
}

/** A pending split that is paid with the first coin and makes nothing. */
export function ownTransaction(name: string, change: Partial<SuiTreasuryTransaction> = {}): SuiTreasuryTransaction {
  return {
    digest: digestOf(name),
    state: "pending",
    purpose: "split",
    transactionBytes: Uint8Array.of(1),
    gasObjectId: objectId(1),
    gasBudgetAtoms: 3_000_000n,
    expirationEpoch: 5n,
    sinceCheckpoint: 10n,
    createdAtMs: 0,
    unansweredSends: 0,
    bumpedCoins: [],
    createdMist: [],
    fromAddressBalanceMist: 0n,
    paysToAddressBalance: false,
    paidOutMist: 0n,
    collectedFeesMist: 0n,
    ...change,
  };
}

/** Executed with success for 1,000,000 MIST; nothing has changed, and nothing has paid. */
export function execution(digest: string, change: Partial<SuiExecution> = {}): SuiExecution {
  return {
    digest,
    success: true,
    error: null,
    abort: null,
    epoch: 5n,
    gasUsed: {
      computationCostMist: 1_000_000n,
      storageCostMist: 0n,
      storageRebateMist: 0n,
      nonRefundableStorageFeeMist: 0n,
    },
    gasObjectId: null,
    lamportVersion: 2n,
    dependencies: [],
    eventsDigest: null,
    changedObjects: [],
    events: [],
    balanceChanges: [],
    checkpoint: 1n,
    timestampMs: 0,
    ...change,
  };
}

/** A coin of the fund as the effects leave it. */
export function written(serial: number, version: bigint, operation: "none" | "created" = "none") {
  const owner = { kind: "address", address: FUND_ADDRESS } as const;
  const output = { version, digest: digestOf("e"), owner };
  return { objectId: objectId(serial), objectType: null, operation, input: null, output } as const;
}

export function deleted(serial: number) {
  return { objectId: objectId(serial), objectType: null, operation: "deleted", input: null, output: null } as const;
}

/** A coin as an endpoint shows it, last written by another transaction than those of a test. */
export function observed(serial: number, version: bigint, change: Partial<ObservedCoin> = {}): ObservedCoin {
  const name = { objectId: objectId(serial), version, digest: digestOf("e") };
  const owner = { kind: "address", address: FUND_ADDRESS } as const;
  return { ...name, balanceMist: 10_000_000n, owner, previousTransaction: digestOf("z"), ...change };
}

/** A coin in a listing of the fund's, which owns it alone. */
export function listed(serial: number, change: Partial<SuiCoin> = {}): SuiCoin {
  const { objectId: id, version, digest, balanceMist } = coin(serial);
  const owner = { kind: "address", address: FUND_ADDRESS } as const;
  return { objectId: id, version, digest, balanceMist, owner, ...change };
}

/** What an endpoint shows that has seen all up to checkpoint 20, in epoch 6, and has pruned nothing. */
export function seen<T>(value: T, change: Partial<SuiLedgerState> = {}): SuiSeen<T> {
  const state = {
    endpoint: "node.test",
    chain: digestOf("chain"),
    checkpoint: 20n,
    newestCheckpoint: 20n,
    timestampMs: 0,
    epoch: 6n,
    lowestAvailable: 0n,
    ...change,
  };
  return seenIn(state, value);
}

/** Coins by their ids, as one reply shows them. */
export function seenCoins(coins: readonly ObservedCoin[], change: Partial<SuiLedgerState> = {}) {
  return seen<ReadonlyMap<string, Observed>>(new Map(coins.map((coin) => [coin.objectId, coin])), change);
}

/** A listing of one reply. */
export function listing(...coins: readonly SuiCoin[]): SuiSeen<readonly SuiCoin[]> {
  return seen(coins);
}

/** A reading of the fund's address balance at a checkpoint. */
export function balanceSeen(addressBalanceMist: bigint | null, checkpoint: bigint): BalanceReading {
  return seen({ coinBalanceMist: 0n, addressBalanceMist, findings: [] }, { checkpoint });
}
