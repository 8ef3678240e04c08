import * as z from "zod";
import { LaunchError } from "./terminal.ts";

/**
 * Below this, the objects that some hundred users wake at once are more files than a process may open: each holds its
 * database, what SQLite keeps beside it, and a lock.
 */
export const LEAST_OPEN_FILES = 4_096;
/** Connections of callers are at most this share of a process's files; the rest is for objects and for asking nodes. */
const CONNECTIONS_SHARE = 0.5;

const limit = z.union([z.int(), z.literal("unlimited")]);
const reportSchema = z.object({ userLimits: z.object({ open_files: z.object({ soft: limit, hard: limit }) }) });

/** How many files this process may open; Infinity where there is no limit. Node raises the soft limit to the hard one. */
export function openFilesLimit(): number {
  const { soft } = reportSchema.parse(process.report.getReport()).userLimits.open_files;
  return soft === "unlimited" ? Number.POSITIVE_INFINITY : soft;
}

/** How many connections may be open at a limit of files. */
export function connectionsWithin(openFiles: number): number {
  return Math.min(50_000, Math.floor(openFiles * CONNECTIONS_SHARE));
}

/**
 * A runtime that may open too few files dies of the one too many.
 *
 * @throws LaunchError that says how to raise the limit.
 */
export function refuseFewOpenFiles(openFiles: number): void {
  if (openFiles < LEAST_OPEN_FILES)
    throw new LaunchError(
      `A process may open ${openFiles} files here, and the service needs ${LEAST_OPEN_FILES}. Raise the hard limit: LimitNOFILE=65536 in a systemd unit, --ulimit nofile=65536 for a container, or ulimit -Hn 65536 as root in the shell that starts it`,
    );
}
