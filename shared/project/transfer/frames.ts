import * as z from "zod";
import { utf8 } from "../../bytes.ts";
import { checkedSecrets } from "../../crypto/key-check.ts";
import { nullIfUnopened } from "../../crypto/key-service.ts";
import type { MasterKeys } from "../../crypto/master-keys.ts";
import { openBytes, sealBytes } from "../../crypto/sealing.ts";
import { done, type Outcome, refuse } from "../../errors.ts";

/** The kinds of objects that a project takes along, by their classes. */
export const copiedClasses = ["Wallet", "Fund", "FundArchive", "Project", "AccessKey"] as const;
/** A class of objects that a copy contains. */
export type CopiedClass = (typeof copiedClasses)[number];

/** Bytes of a sealed frame, base64. A part may exceed its limit by one row, which holds at most 128 KiB. */
export const MAX_FRAME_CHARACTERS = 1024 * 1024;

const LABEL = "project-transfer";
const FORMAT_VERSION = 1;
const MAX_NAME_CHARACTERS = 2_000;

const cell = z.union([z.null(), z.int(), z.number(), z.string(), z.strictObject({ blob: z.base64() })]);
const name = z.string().min(1).max(MAX_NAME_CHARACTERS);

const copiedObject = z.strictObject({
  class: z.enum(copiedClasses),
  name,
  schemaVersion: z.int().min(0),
  isFirst: z.boolean(),
  tables: z.array(z.strictObject({ table: name, columns: z.array(name), rows: z.array(z.array(cell)) })),
});

const manifest = z.strictObject({
  kind: z.literal("manifest"),
  formatVersion: z.literal(FORMAT_VERSION),
  projectId: name,
  region: name,
  destination: name,
  checks: z.array(z.strictObject({ secret: z.enum(checkedSecrets), version: z.int(), value: z.string() })),
});

const contentSchema = z.discriminatedUnion("kind", [
  manifest,
  z.strictObject({ kind: z.literal("objects"), objects: z.array(copiedObject) }),
  z.strictObject({ kind: z.literal("end") }),
]);

/** The content of a frame: first the manifest, then rows of objects, and last the end. */
export type FrameContent = z.output<typeof contentSchema>;
/** The first frame of a copy. */
export type Manifest = z.output<typeof manifest>;
/** The rows of one object in a copy. */
export type CopiedRows = z.output<typeof copiedObject>;

/** The place of a frame. It is sealed with the frame, so that none can be left out, repeated or exchanged. */
export interface FramePlace {
  readonly transferId: string;
  /** Counted from 0. */
  readonly index: number;
}

/** Makes the content of the first frame. */
export function manifestOf(fields: Omit<Manifest, "kind" | "formatVersion">): Manifest {
  return { kind: "manifest", formatVersion: FORMAT_VERSION, ...fields };
}

function contextOf({ transferId, index }: FramePlace) {
  return { label: LABEL, boundTo: utf8(`${transferId} ${index}`) };
}

/** Seals a frame under the current master key. */
export function sealFrame(
  content: FrameContent,
  place: FramePlace,
  masterKeys: MasterKeys,
  randomBytes: (length: number) => Uint8Array,
): Promise<Uint8Array> {
  return sealBytes(utf8(JSON.stringify(content)), masterKeys, contextOf(place), randomBytes);
}

/**
 * Opens a frame.
 *
 * @returns `bad_params` if it is sealed under another master key, for another place, or altered.
 * @throws KeyServiceError if the master key could not be read.
 */
export async function openFrame(
  sealed: Uint8Array,
  place: FramePlace,
  masterKeys: MasterKeys,
): Promise<Outcome<FrameContent>> {
  const opened = await openBytes(sealed, masterKeys, contextOf(place)).catch(nullIfUnopened);
  if (opened === null)
    return refuse("bad_params", `frame ${place.index} does not open here: set the master key of the old service`);
  const parsed = contentSchema.safeParse(JSON.parse(new TextDecoder().decode(opened)));
  return parsed.success
    ? done(parsed.data)
    : refuse("bad_params", `frame ${place.index} comes from another build: run the same build on both services`);
}
