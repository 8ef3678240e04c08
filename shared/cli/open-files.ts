import * as z from "zod";
import { LaunchError } from "./terminal.ts";

/**
 * The least limit of open files. A hundred users at once wake objects with more files than a lower one allows. Each
 * object holds its database, SQLite's files beside it, and a lock.
 */
export const LEAST_OPEN_FILES = 4_096;
/** Share of a process's files for callers' connections. The rest is for objects and for calls to nodes. */
const CONNECTIONS_SHARE = 0.5;

const limit = z.union([z.int(), z.literal("unlimited")]);
const reportSchema = z.object({ userLimits: z.object({ open_files: z.object({ soft: limit, hard: limit }) }) });

/**
 * Returns how many files this process may open. Infinity if there is no limit. Node raises the soft limit to the hard
 * one.
 */
export function openFilesLimit(): number {
  const { soft } = reportSchema.parse(process.report.getReport()).userLimits.open_files;
  return soft === "unlimited" ? Number.POSITIVE_INFINITY : soft;
}

/** Returns how many connections may be open at a limit of files. */
export function connectionsWithin(openFiles: number): number {
  return Math.min(50_000, Math.floor(openFiles * CONNECTIONS_SHARE));
}

/**
 * Refuses a limit that is too low. A runtime that exceeds the limit dies.
 *
 * @throws LaunchError with the way to raise the limit.
 */
export function refuseFewOpenFiles(openFiles: number): void {
  if (openFiles < LEAST_OPEN_FILES)
    throw new LaunchError(
      `A process may open ${openFiles} files here, and the service needs ${LEAST_OPEN_FILES}. Raise the hard limit: LimitNOFILE=65536 in a systemd unit, --ulimit nofile=65536 for a container, or ulimit -Hn 65536 as root in the shell that starts it`,
    );
}
