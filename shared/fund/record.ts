import * as z from "zod";
import type { SealedKey } from "../crypto/signer.ts";
import { type Network, networkSchema } from "../networks.ts";
import type { FundPolicy } from "../policy/fund-policy.ts";
import { defaultFundPolicy } from "../policy/fund-policy-defaults.ts";
import { decodePolicy, encodePolicy } from "../policy/policy-schema.ts";
import type { FundLimits } from "./fund-limits.ts";
import type { LastSeenChain } from "./last-seen.ts";
import { decodeRecovery, encodeRecovery, type Recovery } from "./recovery.ts";
import { type AnyFundMode, anyFundModes } from "./views.ts";

const fundModeSchema = z.enum(anyFundModes);

/** Part of version 1 of a fund's storage. */
export const FUND_RECORD_MIGRATION = `
  CREATE TABLE fund (
    only_row INTEGER PRIMARY KEY CHECK (only_row = 1),
    fund_id TEXT NOT NULL,
    project_id TEXT NOT NULL,
    network TEXT NOT NULL,
    name TEXT NOT NULL,
    created_at_ms INTEGER NOT NULL,
    paused_cause TEXT,
    public_key BLOB,
    sealed_private_key BLOB,
    chain_identifier TEXT,
    epoch TEXT
  ) STRICT;
`;

/** Version 2. Existing funds pay with coins, under the default policy of a new fund. */
export const FUND_RECORD_MIGRATION_2 = `
  ALTER TABLE fund ADD COLUMN mode TEXT NOT NULL DEFAULT 'coin';
  ALTER TABLE fund ADD COLUMN policy TEXT;
  ALTER TABLE fund ADD COLUMN sponsorship_fee_mist TEXT NOT NULL DEFAULT '0';
  ALTER TABLE fund ADD COLUMN low_balance_mist TEXT;
  ALTER TABLE fund ADD COLUMN low INTEGER NOT NULL DEFAULT 0;
  ALTER TABLE fund ADD COLUMN seen_at_ms INTEGER NOT NULL DEFAULT 0;
`;

/** Version 3. A fund may be on another chain than Sui. */
export const FUND_RECORD_MIGRATION_3 = `
  ALTER TABLE fund RENAME COLUMN sponsorship_fee_mist TO sponsorship_fee_atoms;
  ALTER TABLE fund RENAME COLUMN low_balance_mist TO low_balance_atoms;
`;

/** Part of version 6. The limits of a fund's storage, and its last recovery. */
export const FUND_RECORD_MIGRATION_6 = `
  ALTER TABLE fund ADD COLUMN retention_days INTEGER NOT NULL DEFAULT 90;
  ALTER TABLE fund ADD COLUMN fund_bytes INTEGER NOT NULL DEFAULT 1073741824;
  ALTER TABLE fund ADD COLUMN storage_high INTEGER NOT NULL DEFAULT 0;
  ALTER TABLE fund ADD COLUMN recovery TEXT;
`;

/** The settings that an operator chooses, at creation or later. */
export interface FundSettings {
  readonly name: string;
  readonly policy: FundPolicy;
  /** The fee that each completed sponsorship earns. */
  readonly sponsorshipFeeAtoms: bigint;
  /** The fund is low if less than this is available. Null if it never is. */
  readonly lowBalanceAtoms: bigint | null;
  readonly limits: FundLimits;
}

/** Everything stored of a fund beside its books. */
export interface FundRecord extends FundSettings {
  readonly fundId: string;
  readonly projectId: string;
  readonly network: Network;
  readonly mode: AnyFundMode;
  readonly createdAtMs: number;
  /** The reason why the fund refuses to sponsor. Null while it sponsors. */
  readonly pausedCause: string | null;
  /** Null until a deposit address is requested. */
  readonly key: SealedKey | null;
  readonly seen: LastSeenChain | null;
  /** True if the balance was low at the last check. */
  readonly low: boolean;
  /** True if the storage was high at the last check. */
  readonly storageHigh: boolean;
  /** The last recovery. Null if the fund had none. */
  readonly recovery: Recovery | null;
}

interface Row extends Record<string, SqlStorageValue> {
  fund_id: string;
  project_id: string;
  network: string;
  name: string;
  created_at_ms: number;
  paused_cause: string | null;
  public_key: ArrayBuffer | null;
  sealed_private_key: ArrayBuffer | null;
  chain_identifier: string | null;
  epoch: string | null;
  mode: string;
  policy: string | null;
  sponsorship_fee_atoms: string;
  low_balance_atoms: string | null;
  low: number;
  seen_at_ms: number;
  retention_days: number;
  fund_bytes: number;
  storage_high: number;
  recovery: string | null;
}

/** Reads the record of the fund. Null if the fund was never created. */
export function readFundRecord(sql: SqlStorage): FundRecord | null {
  const [row] = sql.exec<Row>("SELECT * FROM fund").toArray();
  if (row === undefined) return null;
  const { public_key: publicKey, sealed_private_key: sealed, chain_identifier: chainIdentifier, epoch } = row;
  return {
    fundId: row.fund_id,
    projectId: row.project_id,
    network: networkSchema.parse(row.network),
    name: row.name,
    createdAtMs: row.created_at_ms,
    pausedCause: row.paused_cause,
    key:
      publicKey === null || sealed === null
        ? null
        : { publicKey: new Uint8Array(publicKey), sealedPrivateKey: new Uint8Array(sealed) },
    seen:
      chainIdentifier === null || epoch === null
        ? null
        : { chainIdentifier, epoch: BigInt(epoch), seenAtMs: row.seen_at_ms },
    mode: fundModeSchema.parse(row.mode),
    policy: row.policy === null ? defaultFundPolicy("sui") : decodePolicy(row.policy, "fund"),
    sponsorshipFeeAtoms: BigInt(row.sponsorship_fee_atoms),
    lowBalanceAtoms: row.low_balance_atoms === null ? null : BigInt(row.low_balance_atoms),
    low: row.low === 1,
    limits: { retentionDays: row.retention_days, fundBytes: row.fund_bytes },
    storageHigh: row.storage_high === 1,
    recovery: row.recovery === null ? null : decodeRecovery(row.recovery),
  };
}

/** Writes the record of the fund over the stored one. */
export function writeFundRecord(sql: SqlStorage, record: FundRecord): void {
  sql.exec(
    `INSERT OR REPLACE INTO fund (only_row, fund_id, project_id, network, name, created_at_ms, paused_cause, public_key,
       sealed_private_key, chain_identifier, epoch, mode, policy, sponsorship_fee_atoms, low_balance_atoms, low,
       seen_at_ms, retention_days, fund_bytes, storage_high, recovery)
     VALUES (1, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`,
    record.fundId,
    record.projectId,
    record.network,
    record.name,
    record.createdAtMs,
    record.pausedCause,
    record.key?.publicKey ?? null,
    record.key?.sealedPrivateKey ?? null,
    record.seen?.chainIdentifier ?? null,
    record.seen?.epoch.toString() ?? null,
    record.mode,
    encodePolicy(record.policy, "fund"),
    record.sponsorshipFeeAtoms.toString(),
    record.lowBalanceAtoms?.toString() ?? null,
    record.low ? 1 : 0,
    record.seen?.seenAtMs ?? 0,
    record.limits.retentionDays,
    record.limits.fundBytes,
    record.storageHigh ? 1 : 0,
    record.recovery === null ? null : encodeRecovery(record.recovery),
  );
}
