import type { ArchivedSponsorship } from "../../bindings/fund-archive.ts";
import { ARCHIVE_SILENT, done, type Outcome, refuse } from "../../errors.ts";

/** Refuses a call that needs an archive which does not answer. Nothing was sent. */
export function refuseSilent() {
  return refuse("storage", `${ARCHIVE_SILENT}, and nothing was sent: repeat the call`);
}

/** Returns a found row, or else another outcome. */
export function foundOr(
  otherwise: () => Outcome<null>,
  row: ArchivedSponsorship | undefined,
): Outcome<ArchivedSponsorship | null> {
  return row === undefined ? otherwise() : done(row);
}

/** Refuses a look-up while too many wait. Nothing was sent. */
export function refuseTooMany() {
  return refuse("storage", "too many calls read the archives, and nothing was sent: repeat the call");
}
