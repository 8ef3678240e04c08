// Sui only: the fund looks unused signatures up again and again, and keeps their transactions in the same row.

import { bigintOrNull } from "../../durable/sql.ts";
import { pack, unpack } from "../packed.ts";
import { type SponsorshipRow, states } from "./sponsorship-rows.ts";
import type { SuiLife, SuiSponsorshipState } from "./store.ts";

type LifeRow = Pick<
  SponsorshipRow,
  | "state"
  | "gas_object_id"
  | "gas_budget_mist"
  | "expiration_epoch"
  | "since_checkpoint"
  | "created_at_ms"
  | "signed_at_ms"
  | "expires_at_ms"
>;

/** Reads a part of a row of `sponsorship_row`. Null if none has the digest. @throws if its state is unknown. */
export function readLife(sql: SqlStorage, digest: string): SuiLife | null {
  const [row] = sql
    .exec<LifeRow>(
      `SELECT state, gas_object_id, gas_budget_mist, expiration_epoch, since_checkpoint, created_at_ms, signed_at_ms,
         expires_at_ms
       FROM sponsorship_row WHERE digest = ?`,
      pack(digest),
    )
    .toArray();
  if (row === undefined) return null;
  return {
    state: states.wordOf(row.state),
    gasObjectId: row.gas_object_id === null ? null : unpack(row.gas_object_id),
    gasBudgetAtoms: BigInt(row.gas_budget_mist),
    expirationEpoch: BigInt(row.expiration_epoch),
    sinceCheckpoint: bigintOrNull(row.since_checkpoint),
    createdAtMs: row.created_at_ms,
    signedAtMs: row.signed_at_ms,
    expiresAtMs: row.expires_at_ms,
  };
}

/** Reads the state of a row of `sponsorship_row`. Null if none has the digest. @throws if it is unknown. */
export function readState(sql: SqlStorage, digest: string): SuiSponsorshipState | null {
  const [row] = sql
    .exec<Pick<LifeRow, "state">>("SELECT state FROM sponsorship_row WHERE digest = ?", pack(digest))
    .toArray();
  return row === undefined ? null : states.wordOf(row.state);
}
