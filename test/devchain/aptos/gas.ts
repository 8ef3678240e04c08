/** Bounds of every schedule (aptos-core, aptos-gas-schedule transaction.rs). */
export const GAS = {
  minPriceOctas: 100n,
  maxPriceOctas: 10_000_000_000n,
  maxTransactionBytes: 65_536,
  largeTransactionBytes: 600,
} as const;

const MICROUNITS_PER_UNIT = 1_000_000n;

/** What running a function costs beyond the least, and what its reading costs, in millionths of a gas unit. */
export interface CallCost {
  readonly executionMicrounits: bigint;
  readonly ioMicrounits: bigint;
}

/** What a transaction has called, and how that went. */
export interface Called {
  /** `0x1::aptos_account::transfer`; undefined for a script. */
  readonly id: string | undefined;
  readonly hasFailed: boolean;
  /** The sender had a balance of APT before, be it 0. */
  readonly hasStore: boolean;
}

/** What gas and storage cost, in gas units and octas. */
export interface GasSchedule {
  readonly maxUnits: bigint;
  /** What any transaction costs, and what each byte beyond the first 600 of a large one does. */
  readonly minTransactionMicrounits: bigint;
  readonly byteMicrounits: bigint;
  readonly storageSlotOctas: bigint;
  readonly storageByteOctas: bigint;
  /** Room that a transaction must leave for the account that it creates, with the units below (aptos-vm gas.rs). */
  readonly accountCreationOctas: bigint;
  readonly accountCreationUnits: bigint;
  costOf(called: Called): CallCost;
}

/**
 * Fitted to what a node of July 2025 charged for these functions. Their true cost goes by instructions and by bytes that
 * are read, and the node shows it in whole units.
 */
function costIn2025({ id, hasFailed, hasStore }: Called): CallCost {
  if (id === "0x1::aptos_account::batch_transfer") return { executionMicrounits: 90_000n, ioMicrounits: 100_000n };
  const executionMicrounits = 600_000n;
  if (id === "0x1::aptos_account::create_account") return { executionMicrounits, ioMicrounits: 4_900_000n };
  // A store is made in vain before the transfer fails.
  if (hasFailed) return { executionMicrounits, ioMicrounits: hasStore ? 2_900_000n : 4_200_000n };
  return { executionMicrounits, ioMicrounits: 3_400_000n };
}

/**
 * The schedules by the month since which mainnet or a recorded node has them. AIP-141 made gas ten times as dear. The
 * smallest transaction, the bounds and the prices of storage are from aptos-core's gas schedule.
 */
export const GAS_SCHEDULES = {
  "2025-07": {
    maxUnits: 2_000_000n,
    minTransactionMicrounits: 2_760_000n,
    byteMicrounits: 1_158n,
    storageSlotOctas: 40_000n,
    storageByteOctas: 40n,
    accountCreationOctas: 52_000n,
    accountCreationUnits: 10n,
    costOf: costIn2025,
  },
  "2026-03": {
    maxUnits: 20_000_000n,
    minTransactionMicrounits: 27_600_000n,
    byteMicrounits: 11_580n,
    storageSlotOctas: 400_000n,
    storageByteOctas: 400n,
    accountCreationOctas: 520_000n,
    accountCreationUnits: 10n,
    // Modelled: everything that can be called here is small.
    costOf: () => ({ executionMicrounits: 0n, ioMicrounits: 6_000_000n }),
  },
} as const satisfies Readonly<Record<string, GasSchedule>>;

export type GasScheduleName = keyof typeof GAS_SCHEDULES;

export const GAS_SCHEDULE_NAMES = Object.keys(GAS_SCHEDULES) as GasScheduleName[];

/** The schedule that the chain is run with, unless another one is ordered. */
export const LATEST_GAS: GasSchedule = GAS_SCHEDULES["2026-03"];

const roundedUp = (microunits: bigint) => (microunits + MICROUNITS_PER_UNIT - 1n) / MICROUNITS_PER_UNIT;

/** What a storage item costs when it is made, and gives back when it is deleted. */
export function storageDeposit(gas: GasSchedule, bytes: number): bigint {
  return gas.storageSlotOctas + gas.storageByteOctas * BigInt(bytes);
}

export interface Charge {
  readonly executionUnits: bigint;
  readonly ioUnits: bigint;
  readonly storageFeeOctas: bigint;
  readonly storageRefundOctas: bigint;
  /** All of it in gas units: what the gas payer pays at its price, less the refund. */
  readonly gasUsed: bigint;
}

function intrinsicMicrounits(gas: GasSchedule, transactionBytes: number): bigint {
  const beyond = BigInt(Math.max(0, transactionBytes - GAS.largeTransactionBytes));
  return gas.minTransactionMicrounits + beyond * gas.byteMicrounits;
}

/** What a transaction costs for its size alone. */
export function intrinsicUnits(gas: GasSchedule, transactionBytes: number): bigint {
  return roundedUp(intrinsicMicrounits(gas, transactionBytes));
}

export function charge(
  gas: GasSchedule,
  { transactionBytes, called }: { readonly transactionBytes: number; readonly called: Called },
  { feeOctas: storageFeeOctas, refundOctas: storageRefundOctas }: { feeOctas: bigint; refundOctas: bigint },
  priceOctas: bigint,
): Charge {
  const { executionMicrounits, ioMicrounits } = gas.costOf(called);
  const execution = intrinsicMicrounits(gas, transactionBytes) + executionMicrounits;
  const storageUnits = (storageFeeOctas + priceOctas - 1n) / priceOctas;
  return {
    executionUnits: roundedUp(execution),
    ioUnits: roundedUp(ioMicrounits),
    storageFeeOctas,
    storageRefundOctas,
    // Each part is shown rounded up, and their sum is rounded once (recorded).
    gasUsed: roundedUp(execution + ioMicrounits) + storageUnits,
  };
}

/** The smallest `max_gas_amount` at this price with which a transaction may create its sender's account. */
export function paysForAccount(gas: GasSchedule, maxUnits: bigint, priceOctas: bigint): boolean {
  return maxUnits * priceOctas >= gas.accountCreationUnits * priceOctas + gas.accountCreationOctas;
}
