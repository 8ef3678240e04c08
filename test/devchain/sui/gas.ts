import type { Protocol } from "./protocol.ts";

/** The gas schedule of sui-protocol-config that no version has changed. Amounts are MIST, sizes bytes. */
export const GAS = {
  /** `base_tx_cost_fixed`: the least computation that is charged, and the least budget in units of the price. */
  minimumComputationUnits: 1_000n,
  /** `max_tx_gas`. */
  maxBudgetMist: 50_000_000_000_000n,
  /** `max_gas_price`. */
  maxPriceMist: 50_000_000_000n,
  /** `obj_data_cost_refundable`: so many units a byte are charged for storage. */
  storageUnitsPerByte: 100n,
  /** `storage_gas_price`, of a unit. */
  storagePriceMist: 76n,
  /** `obj_access_cost_read_per_byte`, in internal units: so much costs a byte of an input object. */
  objectReadUnitsPerByte: 15n,
} as const;

const BASIS_POINTS = 10_000n;
const INTERNAL_UNITS = 1_000n;
const PACKAGE_KILOBYTE = 1_000n;

/**
 * Computation by command. Modelled: the real meter counts Move instructions, and everything small
 * ends at the minimum all the same.
 */
export const COMMAND_UNITS = { perCommand: 2n, perArgument: 1n, perMoveCall: 15n } as const;

export interface GasUsed {
  readonly computationCost: bigint;
  readonly storageCost: bigint;
  readonly storageRebate: bigint;
  readonly nonRefundableStorageFee: bigint;
}

export const NO_GAS: GasUsed = {
  computationCost: 0n,
  storageCost: 0n,
  storageRebate: 0n,
  nonRefundableStorageFee: 0n,
};

/** Rounds computation up to about half its digits (sui-types gas_model: `half_digits_rounding`). */
export function roundComputationUnits(units: bigint): bigint {
  if (units < GAS.minimumComputationUnits) return GAS.minimumComputationUnits;
  const droppedDigits = BigInt(Math.floor((units.toString().length - 1) / 2));
  const base = 10n ** droppedDigits;
  return ((units + base - 1n) / base) * base;
}

/** The part of a storage deposit that comes back. Half a MIST rounds up. */
export function senderRebate(depositMist: bigint, { rebateBasisPoints }: Protocol): bigint {
  return (depositMist * rebateBasisPoints + BASIS_POINTS / 2n) / BASIS_POINTS;
}

/**
 * The computation units for reading what a transaction takes (sui-types gas_model gas_v3.rs). Packages of the system
 * cost nothing.
 */
export function inputReadUnits(objectBytes: bigint, packageBytes: bigint, { packageReadUnits }: Protocol): bigint {
  const packages = (packageBytes * packageReadUnits + PACKAGE_KILOBYTE - 1n) / PACKAGE_KILOBYTE;
  return (objectBytes * GAS.objectReadUnitsPerByte + packages) / INTERNAL_UNITS;
}

export function storageCost(bytes: bigint): bigint {
  return bytes * GAS.storageUnitsPerByte * GAS.storagePriceMist;
}

/** Gas summary from computation, and from the storage deposits: those charged for what is written, and the old ones. */
export function gasUsed(
  computationCost: bigint,
  { charged, returned }: { readonly charged: bigint; readonly returned: bigint },
  protocol: Protocol,
): GasUsed {
  const storageRebate = senderRebate(returned, protocol);
  return {
    computationCost,
    storageCost: charged,
    storageRebate,
    nonRefundableStorageFee: returned - storageRebate,
  };
}

/** What the gas payer pays; negative when the rebate exceeds the cost. */
export function netGas(gas: GasUsed): bigint {
  return gas.computationCost + gas.storageCost - gas.storageRebate;
}

/** The node's estimate for a transaction without a budget (sui-rpc-api: `estimate_gas_budget_from_gas_cost`). */
export function estimateBudget(gas: GasUsed, referenceGasPrice: bigint): bigint {
  const overhead = GAS.minimumComputationUnits * referenceGasPrice;
  const computation = gas.computationCost + overhead;
  const total = netGas(gas) + overhead;
  return computation > total ? computation : total;
}
