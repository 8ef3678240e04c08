import { GAS } from "./gas.ts";
import type { Protocol } from "./protocol.ts";
import { MAX_TRANSACTION_BYTES } from "./transaction.ts";
import { LIMITS } from "./validate.ts";

/** What `GetEpoch` says of the protocol: flags and limits as on mainnet, as far as this chain goes by them. */
export function protocolConfig({ version, rebateBasisPoints, packageReadUnits, allowances }: Protocol) {
  return {
    protocolVersion: BigInt(version),
    featureFlags: {
      address_aliases: true,
      address_balance_gas_check_rgp_at_signing: true,
      address_balance_gas_reject_gas_coin_arg: false,
      allowed_proposers: true,
      disable_preconsensus_locking: true,
      enable_accumulators: true,
      enable_address_balance_gas_payments: true,
      enable_allowances: allowances,
      enable_coin_reservation_obj_refs: true,
      enable_gasless: true,
      enable_multi_epoch_transaction_expiration: true,
      enable_party_transfer: true,
      relax_valid_during_for_owned_inputs: true,
    },
    attributes: {
      ...(version >= 139 && { obj_access_cost_read_per_package_kb: String(packageReadUnits) }),
      base_tx_cost_fixed: String(GAS.minimumComputationUnits),
      max_arguments: String(LIMITS.maxArguments),
      max_gas_payment_objects: String(LIMITS.maxGasObjects),
      max_gas_price: String(GAS.maxPriceMist),
      max_input_objects: String(LIMITS.maxInputs),
      max_programmable_tx_commands: String(LIMITS.maxCommands),
      max_pure_argument_size: String(LIMITS.maxPureBytes),
      max_tx_gas: String(GAS.maxBudgetMist),
      max_tx_size_bytes: String(MAX_TRANSACTION_BYTES),
      obj_data_cost_refundable: String(GAS.storageUnitsPerByte),
      storage_gas_price: String(GAS.storagePriceMist),
      storage_rebate_rate: String(rebateBasisPoints),
    },
  };
}
