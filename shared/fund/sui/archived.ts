import * as z from "zod";
import { archivedTrace, TRACE_PLACES, traceOfArchived } from "../explain/trace.ts";
import type { SponsorshipPlaces } from "../lists/conditions.ts";
import { sponsorshipStates } from "../views.ts";
import type { SuiSponsorship } from "./store.ts";

/** Archived records are JSON lists, because names of fields would take half of the space. A later build may append. */

const big = z.string().transform(BigInt);
const bigOrNull = big.nullable();

const sponsorshipSchema = z
  .tuple([
    z.string(),
    z.enum(sponsorshipStates),
    z.string(),
    z.string(),
    z.string().nullable(),
    big,
    big,
    big,
    bigOrNull,
    z.number(),
    z.number().nullable(),
    z.number(),
    bigOrNull,
    bigOrNull,
    bigOrNull,
    bigOrNull,
  ])
  .rest(z.unknown());

/** The place of the first field of a row's trace. A record of an earlier build ends before it. */
const TRACE_AT = 16;

/** The places in a record of the fields that lists filter by. */
export const SPONSORSHIP_PLACES: SponsorshipPlaces = {
  state: 1,
  sender: 2,
  keyId: 3,
  createdAtMs: 9,
  requestId: TRACE_AT + TRACE_PLACES.requestId,
  ending: TRACE_AT + TRACE_PLACES.ending,
  targets: TRACE_AT + TRACE_PLACES.targets,
};

/** Encodes an ended sponsorship. Its bytes have no use any more. */
export function encodeSponsorship(row: SuiSponsorship): string {
  const { digest, state, sender, keyId, gasObjectId, createdAtMs, signedAtMs, expiresAtMs } = row;
  return JSON.stringify([
    digest,
    state,
    sender,
    keyId,
    gasObjectId,
    String(row.gasBudgetAtoms),
    String(row.feeAtoms),
    String(row.expirationEpoch),
    digits(row.sinceCheckpoint),
    createdAtMs,
    signedAtMs,
    expiresAtMs,
    digits(row.chargedAtoms),
    digits(row.rebateAtoms),
    digits(row.maintenanceAtoms),
    digits(row.maxStorageMist),
    ...archivedTrace(row.trace),
  ]);
}

function digits(value: bigint | null): string | null {
  return value === null ? null : String(value);
}

/** Decodes a sponsorship, without its bytes. Throws if the record is none. */
export function decodeSponsorship(record: string): SuiSponsorship {
  const fields = sponsorshipSchema.parse(JSON.parse(record));
  return {
    digest: fields[0],
    state: fields[1],
    sender: fields[2],
    keyId: fields[3],
    gasObjectId: fields[4],
    gasBudgetAtoms: fields[5],
    feeAtoms: fields[6],
    expirationEpoch: fields[7],
    sinceCheckpoint: fields[8],
    createdAtMs: fields[9],
    signedAtMs: fields[10],
    expiresAtMs: fields[11],
    chargedAtoms: fields[12],
    rebateAtoms: fields[13],
    maintenanceAtoms: fields[14],
    maxStorageMist: fields[15],
    // An archived record is never booked again, so the flag has no effect.
    isReleased: false,
    transactionBytes: new Uint8Array(),
    trace: traceOfArchived(fields.slice(TRACE_AT)),
  };
}
