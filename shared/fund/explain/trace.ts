import * as z from "zod";
import { type Ending, endingNames, endingOf } from "../endings.ts";
import { boundedCheckpoint, boundedCommand, boundedEntry, boundedTimeMs } from "./trace-bounds.ts";

/**
 * The kinds of commands of a transaction, on Sui and (`entry_function`, `script`, `multisig`) on Aptos. Their order is
 * part of the stored format. The usual ones come first, because they take less space there.
 */
export const commandKinds = [
  "MoveCall",
  "entry_function",
  "TransferObjects",
  "SplitCoins",
  "MergeCoins",
  "MakeMoveVec",
  "Publish",
  "Upgrade",
  "script",
  "multisig",
] as const;
/** One kind of command. */
export type CommandKind = (typeof commandKinds)[number];

/** The place of an abort of Move code. */
export interface TracedAbort {
  readonly package: string;
  readonly module: string;
  /** Null if the node does not name it, and always on Aptos. */
  readonly function: string | null;
  readonly code: string;
  /** The name of the constant. Null if the chain does not show it. */
  readonly constant: string | null;
  /** The index of the command. Null if the node does not name it, and always on Aptos. */
  readonly command: number | null;
}

/** The kind and the end of a sponsorship, without its money. Null fields are not known, or not yet. */
export interface Trace {
  /** The `x-request-id` of the call that reserved it. */
  readonly requestId: string | null;
  /** The number of the ledger row that withheld its amount. */
  readonly reserveEntry: number | null;
  /** The number of the ledger row that charged or released it. */
  readonly endEntry: number | null;
  /** Also set before the end, if it is already known. Null if no node has shown how an execution ended. */
  readonly ending: Ending | null;
  /** The first Move targets. */
  readonly targets: readonly string[] | null;
  readonly commands: readonly CommandKind[] | null;
  /** The host of the node that showed the execution. */
  readonly endpoint: string | null;
  /** The checkpoint on Sui. On Aptos the row has the version. */
  readonly checkpoint: number | null;
  /** The chain's time of the execution. */
  readonly executedAtMs: number | null;
  /** The failure in the node's words, if no Move code aborted. */
  readonly failure: string | null;
  readonly abort: TracedAbort | null;
}

/** A trace without any known field. */
export const NO_TRACE: Trace = {
  requestId: null,
  reserveEntry: null,
  endEntry: null,
  ending: null,
  targets: null,
  commands: null,
  endpoint: null,
  checkpoint: null,
  executedAtMs: null,
  failure: null,
  abort: null,
};

/** The facts that a transaction's bytes show. */
export interface TransactionTraits {
  readonly targets: readonly string[];
  readonly commands: readonly CommandKind[];
}

const MAX_TARGETS = 8;
/** The names of one target take up to 326 characters on Sui. */
const MAX_TARGET_CHARACTERS = 400;
const MAX_FAILURE_CHARACTERS = 300;
const MAX_NAME_CHARACTERS = 128;
const MAX_HOST_CHARACTERS = 128;
/** The digits of 2^64. */
const MAX_CODE_CHARACTERS = 20;

/** Returns the first targets, each once, up to a bound. A stranger's transaction may name thousands. */
export function firstTargets(targets: readonly string[]): readonly string[] {
  const first: string[] = [];
  let characters = 0;
  for (const target of new Set(targets)) {
    characters += target.length;
    if (first.length > 0 && (first.length === MAX_TARGETS || characters > 2 * MAX_TARGET_CHARACTERS)) break;
    first.push(target.slice(0, MAX_TARGET_CHARACTERS));
  }
  return first;
}

/** A row with its trace. A row of an earlier build has none. */
interface Traced {
  readonly trace?: Trace | undefined;
}

/** Adds to the trace of a row. */
export function traced({ trace }: Traced, change: Partial<Trace>): Trace {
  return { ...NO_TRACE, ...trace, ...change };
}

/** Returns the ending of a row that its trace knows. Null while it is live. */
export function shownEnding({ trace, state }: Traced & { readonly state: string }): Ending | null {
  const isLive = state === "prepared" || state === "signed" || state === "expired";
  return isLive ? null : (trace?.ending ?? null);
}

/** An execution as a node of any chain shows it. */
export interface TracedExecution {
  readonly endpoint: string | null;
  /** Null on success. */
  readonly failure: string | null;
  readonly abort: TracedAbort | null;
  readonly checkpoint: bigint | null;
  readonly executedAtMs: number | null;
}

/**
 * Returns the trace that an execution shows, for any text of a node. Cuts every text to a bound. A number out of its
 * bounds becomes null.
 */
export function tracedExecution(execution: TracedExecution): Partial<Trace> {
  const { endpoint, failure, abort, checkpoint, executedAtMs } = execution;
  return {
    ending: endingOf(failure, abort !== null),
    endpoint: endpoint === null ? null : endpoint.slice(0, MAX_HOST_CHARACTERS),
    checkpoint: boundedCheckpoint(checkpoint),
    executedAtMs: boundedTimeMs(executedAtMs),
    failure: abort === null && failure !== null ? failure.slice(0, MAX_FAILURE_CHARACTERS) : null,
    abort: abort && {
      package: abort.package.slice(0, MAX_NAME_CHARACTERS),
      module: abort.module.slice(0, MAX_NAME_CHARACTERS),
      function: abort.function?.slice(0, MAX_NAME_CHARACTERS) ?? null,
      code: abort.code.slice(0, MAX_CODE_CHARACTERS),
      constant: abort.constant?.slice(0, MAX_NAME_CHARACTERS) ?? null,
      command: boundedCommand(abort.command),
    },
  };
}

const text = z.string().nullable();
const number = z.number().nullable();
const entry = number.transform(boundedEntry);
const abortSchema = z.tuple([z.string(), z.string(), text, z.string(), text, number.transform(boundedCommand)]);

/** A failure as it is stored: a text, or the place of an abort as a list. */
export const failureSchema = z.union([z.string(), abortSchema]).nullable();

/** Returns a failure as it is stored. Null on success. */
export function storedFailure({ failure, abort }: Pick<Trace, "failure" | "abort">): z.input<typeof failureSchema> {
  if (abort === null) return failure;
  return [abort.package, abort.module, abort.function, abort.code, abort.constant, abort.command];
}

/** Reads a stored failure. */
export function failureOf(stored: z.output<typeof failureSchema>): Pick<Trace, "failure" | "abort"> {
  if (stored === null || typeof stored === "string") return { failure: stored, abort: null };
  const [packageId, module, name, code, constant, command] = stored;
  return { failure: null, abort: { package: packageId, module, function: name, code, constant, command } };
}

/** Returns kinds of commands as bits. */
export function commandBits(commands: readonly CommandKind[]): number {
  return commands.reduce((bits, kind) => bits | (1 << commandKinds.indexOf(kind)), 0);
}

/** Reads the result of `commandBits`. */
export function commandsOf(bits: number): readonly CommandKind[] {
  return commandKinds.filter((_, index) => (bits & (1 << index)) !== 0);
}

const archivedSchema = z.tuple([
  text,
  z.enum(endingNames).nullable(),
  z.array(z.string()).nullable(),
  z.tuple([
    entry,
    entry,
    number,
    text,
    number.transform(boundedCheckpoint),
    number.transform(boundedTimeMs),
    failureSchema,
  ]),
]);

/**
 * The places of a trace's fields in an archived record, counted from the first field of the trace. Lists filter by
 * them.
 */
export const TRACE_PLACES = { requestId: 0, ending: 1, targets: 2 } as const;

/** Encodes a trace for the end of an archived record. Empty for a row without one. */
export function archivedTrace(trace: Trace | undefined): readonly unknown[] {
  if (trace === undefined) return [];
  const { requestId, ending, targets, commands, endpoint, checkpoint, executedAtMs, reserveEntry, endEntry } = trace;
  const bits = commands && commandBits(commands);
  const rest = [reserveEntry, endEntry, bits, endpoint, checkpoint, executedAtMs, storedFailure(trace)];
  return [requestId, ending, targets, rest];
}

/**
 * Decodes the result of `archivedTrace`. Undefined for a record without a trace, or with an unreadable one. No decision
 * depends on a trace, so it must not make its record unreadable.
 */
export function traceOfArchived(fields: readonly unknown[]): Trace | undefined {
  const stored = archivedSchema.safeParse(fields.slice(0, 4));
  if (!stored.success) return;
  const [requestId, ending, targets, rest] = stored.data;
  const [reserveEntry, endEntry, bits, endpoint, checkpoint, executedAtMs, failure] = rest;
  const commands = bits === null ? null : commandsOf(bits);
  const shown = { endpoint, checkpoint, executedAtMs, ...failureOf(failure) };
  return { requestId, reserveEntry, endEntry, ending, targets, commands, ...shown };
}
