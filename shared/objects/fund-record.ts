import type { SealedKey } from "../custody/signer.ts";
import type { ChainMemory } from "../fund/chain-facts.ts";
import { type SuiNetwork, suiNetworkSchema } from "../networks.ts";

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

export interface FundRecord {
  readonly fundId: string;
  readonly projectId: string;
  readonly network: SuiNetwork;
  readonly name: string;
  readonly createdAtMs: number;
  /** Why it refuses to sponsor; null while it does not. */
  readonly pausedCause: string | null;
  /** Null until a deposit address is asked for. */
  readonly key: SealedKey | null;
  readonly seen: ChainMemory | null;
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
}

export function readFundRecord(sql: SqlStorage): FundRecord | null {
  const [row] = sql.exec<Row>("SELECT * FROM fund").toArray();
  if (row === undefined) return null;
  const { public_key: publicKey, sealed_private_key: sealed, chain_identifier: chainIdentifier, epoch } = row;
  return {
    fundId: row.fund_id,
    projectId: row.project_id,
    network: suiNetworkSchema.parse(row.network),
    name: row.name,
    createdAtMs: row.created_at_ms,
    pausedCause: row.paused_cause,
    key:
      publicKey === null || sealed === null
        ? null
        : { publicKey: new Uint8Array(publicKey), sealedPrivateKey: new Uint8Array(sealed) },
    seen: chainIdentifier === null || epoch === null ? null : { chainIdentifier, epoch: BigInt(epoch) },
  };
}

export function writeFundRecord(sql: SqlStorage, record: FundRecord): void {
  sql.exec(
    `INSERT OR REPLACE INTO fund (only_row, fund_id, project_id, network, name, created_at_ms, paused_cause, public_key,
       sealed_private_key, chain_identifier, epoch) VALUES (1, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`,
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
  );
}
