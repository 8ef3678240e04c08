// Sui only (coinOf, partyCoinOf): coins are rows.

import { bigintOrNull, oneOf, type Row } from "../../durable/sql.ts";
import { treasuryStates } from "../views.ts";
import { NO_GAS_OBJECT } from "./sponsorship-rows.ts";
import type { FundCoin, PartyCoin, SuiTreasuryTransaction } from "./store.ts";
import { coinStates, treasuryPurposes } from "./store.ts";

/** A row of `coin`. Versions and amounts are u64 text. */
export type CoinRow = Row<{
  object_id: string;
  version: string;
  digest: string;
  balance_mist: string;
  state: string;
  holder: string | null;
  maintenance: number;
}>;

/** A row of `party_coin`. Versions and amounts are u64 text. */
export type PartyCoinRow = Row<{
  object_id: string;
  start_version: string;
  balance_mist: string;
  tries: number;
  holder: string | null;
}>;

/** A row of `own_transaction`. `inputs` and `created_mist` are lists, with spaces between their items. */
export type TreasuryRow = Row<{
  digest: string;
  state: string;
  purpose: string;
  transaction_bytes: ArrayBuffer;
  gas_object_id: string;
  gas_budget_mist: string;
  expiration_epoch: string;
  since_checkpoint: string | null;
  created_at_ms: number;
  resends: number;
  inputs: string;
  created_mist: string;
  redeemed_mist: string;
  sweeps: number;
  paid_out_mist: string;
  collected_fees_mist: string;
}>;

/** Reads a coin. Throws if the state is unknown. */
export function coinOf(row: CoinRow): FundCoin {
  return {
    objectId: row.object_id,
    version: BigInt(row.version),
    digest: row.digest,
    balanceMist: BigInt(row.balance_mist),
    state: oneOf(row.state, coinStates),
    heldByDigest: row.holder,
    maintenance: row.maintenance === 1,
  };
}

/** Reads a party coin. */
export function partyCoinOf(row: PartyCoinRow): PartyCoin {
  return {
    objectId: row.object_id,
    startVersion: BigInt(row.start_version),
    balanceMist: BigInt(row.balance_mist),
    tries: row.tries,
    heldByDigest: row.holder,
  };
}

/** Reads a treasury transaction. Throws if the state or the purpose is unknown. */
export function treasuryTransactionOf(row: TreasuryRow): SuiTreasuryTransaction {
  return {
    digest: row.digest,
    state: oneOf(row.state, treasuryStates),
    purpose: oneOf(row.purpose, treasuryPurposes),
    transactionBytes: new Uint8Array(row.transaction_bytes),
    gasObjectId: row.gas_object_id === NO_GAS_OBJECT ? null : row.gas_object_id,
    gasBudgetAtoms: BigInt(row.gas_budget_mist),
    expirationEpoch: BigInt(row.expiration_epoch),
    sinceCheckpoint: bigintOrNull(row.since_checkpoint),
    createdAtMs: row.created_at_ms,
    unansweredSends: row.resends,
    bumpedCoins: words(row.inputs).map((ref) => {
      const [objectId = "", version = ""] = ref.split("@");
      return { objectId, version: BigInt(version) };
    }),
    createdMist: words(row.created_mist).map(BigInt),
    fromAddressBalanceMist: BigInt(row.redeemed_mist),
    paysToAddressBalance: row.sweeps === 1,
    paidOutMist: BigInt(row.paid_out_mist),
    collectedFeesMist: BigInt(row.collected_fees_mist),
  };
}

function words(text: string): readonly string[] {
  return text === "" ? [] : text.split(" ");
}
