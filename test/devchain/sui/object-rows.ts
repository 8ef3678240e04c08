import { bytesColumn, numberColumn, type SqlRow, textColumn } from "../sql.ts";
import type { ChainObject, Owner } from "./objects.ts";

/** The columns that {@link objectFromRow} reads, of `object_versions v`. */
export const OBJECT_COLUMNS = `v.id, v.version, v.digest, v.owner_kind, v.owner_address, v.initial_shared_version, v.type,
  v.has_public_transfer, v.contents, v.previous_transaction, v.storage_rebate`;

export function objectFromRow(row: SqlRow): ChainObject {
  return {
    id: textColumn(row, "id"),
    version: BigInt(numberColumn(row, "version")),
    digest: textColumn(row, "digest"),
    owner: ownerFromRow(row),
    type: textColumn(row, "type"),
    hasPublicTransfer: numberColumn(row, "has_public_transfer") === 1,
    contents: bytesColumn(row, "contents"),
    previousTransaction: textColumn(row, "previous_transaction"),
    storageRebate: BigInt(numberColumn(row, "storage_rebate")),
  };
}

function ownerFromRow(row: SqlRow): Owner {
  const kind = textColumn(row, "owner_kind");
  if (kind === "address") return { kind, address: textColumn(row, "owner_address") };
  if (kind === "object") return { kind, parent: textColumn(row, "owner_address") };
  if (kind === "party") {
    const startVersion = BigInt(numberColumn(row, "initial_shared_version"));
    return { kind, address: textColumn(row, "owner_address"), startVersion };
  }
  if (kind === "shared") return { kind, initialSharedVersion: BigInt(numberColumn(row, "initial_shared_version")) };
  return { kind: "immutable" };
}
