import * as z from "zod";
import { archivedTrace, TRACE_PLACES, traceOfArchived } from "../explain/trace.ts";
import type { SponsorshipPlaces } from "../lists/conditions.ts";
import { type AptosSponsorship, aptosSponsorshipStates, NO_SEQUENCE_NUMBER } from "./store.ts";

/** Archived records are JSON lists, because names of fields would take half of the space. A later build may append. */

const big = z.string().transform(BigInt);
const bigOrNull = big.nullable();

/** A sequence number, or `#` and a nonce. */
const replay = z.string().transform((text) => ({
  sequenceNumber: text.startsWith("#") ? NO_SEQUENCE_NUMBER : BigInt(text),
  nonce: text.startsWith("#") ? BigInt(text.slice(1)) : null,
}));

const sponsorshipSchema = z
  .tuple([
    z.string(),
    z.enum(aptosSponsorshipStates),
    z.string(),
    replay,
    z.array(z.string()),
    z.string().nullable(),
    z.string(),
    big,
    big,
    z.number(),
    z.number(),
    bigOrNull,
    bigOrNull,
    bigOrNull,
    z.number(),
  ])
  .rest(z.unknown());

/** The place of the first field of a row's trace. A record of an earlier build ends before it. */
const TRACE_AT = 15;

/** The places in a record of the fields that lists filter by. */
export const SPONSORSHIP_PLACES: SponsorshipPlaces = {
  state: 1,
  sender: 2,
  keyId: 6,
  createdAtMs: 9,
  requestId: TRACE_AT + TRACE_PLACES.requestId,
  ending: TRACE_AT + TRACE_PLACES.ending,
  targets: TRACE_AT + TRACE_PLACES.targets,
};

/** Encodes an ended sponsorship. It has lost its bytes and its signatures. */
export function encodeSponsorship(row: AptosSponsorship): string {
  const { id, state, sender, secondaryAddresses, hash, keyId, createdAtMs, expiresAtMs, submitCount } = row;
  return JSON.stringify([
    id,
    state,
    sender,
    row.nonce === null ? String(row.sequenceNumber) : `#${row.nonce}`,
    secondaryAddresses,
    hash,
    keyId,
    String(row.gasBudgetAtoms),
    String(row.feeAtoms),
    createdAtMs,
    expiresAtMs,
    digits(row.chargedAtoms),
    digits(row.rebateAtoms),
    digits(row.committedVersion),
    submitCount,
    ...archivedTrace(row.trace),
  ]);
}

function digits(value: bigint | null): string | null {
  return value === null ? null : String(value);
}

/** Decodes a sponsorship, without bytes and signatures. Throws if the record is none. */
export function decodeSponsorship(record: string): AptosSponsorship {
  const fields = sponsorshipSchema.parse(JSON.parse(record));
  return {
    id: fields[0],
    state: fields[1],
    sender: fields[2],
    ...fields[3],
    sinceVersion: null,
    secondaryAddresses: fields[4],
    hash: fields[5],
    keyId: fields[6],
    gasBudgetAtoms: fields[7],
    feeAtoms: fields[8],
    createdAtMs: fields[9],
    expiresAtMs: fields[10],
    chargedAtoms: fields[11],
    rebateAtoms: fields[12],
    committedVersion: fields[13],
    submitCount: fields[14],
    rawTransaction: new Uint8Array(),
    authenticators: null,
    trace: traceOfArchived(fields.slice(TRACE_AT)),
  };
}
