/**
 * The gas schedule after AIP-141 (mainnet, March 2026), in gas units and octas. The smallest transaction, the bounds and
 * the prices of storage are from aptos-core's gas schedule; what running a function costs is modelled.
 */
export const GAS = {
  minPriceOctas: 100n,
  maxPriceOctas: 10_000_000_000n,
  maxUnits: 20_000_000n,
  maxTransactionBytes: 65_536,
  /** In millionths of a unit: what any transaction costs, and what each byte beyond the first 600 of a large one does. */
  minTransactionMicrounits: 27_600_000n,
  largeTransactionBytes: 600,
  byteMicrounits: 11_580n,
  /** What reading and computing of a call costs. Modelled: everything that can be called here is small. */
  ioUnits: 6n,
  storageSlotOctas: 400_000n,
  storageByteOctas: 400n,
  /** Room that a transaction must leave for the account that it creates, with the units below (aptos-vm gas.rs). */
  accountCreationOctas: 520_000n,
  accountCreationUnits: 10n,
} as const;

const MICROUNITS_PER_UNIT = 1_000_000n;

/** What a storage item costs when it is made, and gives back when it is deleted. */
export function storageDeposit(bytes: number): bigint {
  return GAS.storageSlotOctas + GAS.storageByteOctas * BigInt(bytes);
}

export interface Charge {
  readonly executionUnits: bigint;
  readonly ioUnits: bigint;
  readonly storageFeeOctas: bigint;
  readonly storageRefundOctas: bigint;
  /** All of it in gas units: what the gas payer pays at its price, less the refund. */
  readonly gasUsed: bigint;
}

/** What a transaction costs for its size alone. */
export function intrinsicUnits(transactionBytes: number): bigint {
  const beyond = BigInt(Math.max(0, transactionBytes - GAS.largeTransactionBytes));
  return (GAS.minTransactionMicrounits + beyond * GAS.byteMicrounits + MICROUNITS_PER_UNIT - 1n) / MICROUNITS_PER_UNIT;
}

export function charge(
  transactionBytes: number,
  { feeOctas: storageFeeOctas, refundOctas: storageRefundOctas }: { feeOctas: bigint; refundOctas: bigint },
  priceOctas: bigint,
): Charge {
  const executionUnits = intrinsicUnits(transactionBytes);
  const storageUnits = (storageFeeOctas + priceOctas - 1n) / priceOctas;
  const gasUsed = executionUnits + GAS.ioUnits + storageUnits;
  return { executionUnits, ioUnits: GAS.ioUnits, storageFeeOctas, storageRefundOctas, gasUsed };
}

/** The smallest `max_gas_amount` at this price with which a transaction may create its sender's account. */
export function paysForAccount(maxUnits: bigint, priceOctas: bigint): boolean {
  return maxUnits * priceOctas >= GAS.accountCreationUnits * priceOctas + GAS.accountCreationOctas;
}
