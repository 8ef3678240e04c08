// Sui only: the fund looks an unused signature up until its coin has moved, or its last epoch is over.

import type { Row } from "../../durable/sql.ts";
import { pack } from "../packed.ts";
import { LIFE_COLUMNS, lifeOf, type SponsorshipRow, states } from "./sponsorship-rows.ts";
import type { SuiLife, SuiSponsorshipState } from "./store.ts";

/** Reads some columns of the row of a digest. */
function readColumns<Column extends keyof SponsorshipRow>(
  sql: SqlStorage,
  columns: readonly Column[],
  digest: string,
): Row<Pick<SponsorshipRow, Column>> | undefined {
  const query = `SELECT ${columns.join(", ")} FROM sponsorship_row WHERE digest = ?`;
  return sql.exec<Row<Pick<SponsorshipRow, Column>>>(query, pack(digest)).toArray()[0];
}

/** Reads a part of a row of `sponsorship_row`. Null if none has the digest. @throws if its state is unknown. */
export function readLife(sql: SqlStorage, digest: string): SuiLife | null {
  const row = readColumns(sql, LIFE_COLUMNS, digest);
  return row === undefined ? null : lifeOf(row);
}

/** Reads the state of a row of `sponsorship_row`. Null if none has the digest. @throws if it is unknown. */
export function readState(sql: SqlStorage, digest: string): SuiSponsorshipState | null {
  const row = readColumns(sql, ["state"], digest);
  return row === undefined ? null : states.wordOf(row.state);
}
