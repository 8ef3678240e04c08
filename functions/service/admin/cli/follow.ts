import * as z from "zod";
import { CommandError, type Exit } from "./exit-codes.ts";
import { isRecord } from "./flags.ts";
import type { Connected } from "./session.ts";
import { type Progress, startProgress } from "./terminal/progress.ts";

/** The end of long work: its output, and the exit code of the command. */
export interface Followed {
  readonly value: unknown;
  readonly exit: Exit;
}

/** Follows work that continues at the service. */
export interface Follow {
  /** Describes the work that continues after Ctrl-C, and the way to check it. */
  readonly notice: (path: string) => string;
  /** Waits for the end. `answer` is the answer of the call that began the work. */
  readonly toItsEnd: (answer: unknown, path: string, connected: Connected) => Promise<Followed>;
}

const POLL_MS = 2_000;
/** The command waits while a service restarts. */
const MOST_AWAY_MS = 300_000;
/** The time without progress after which a re-seal is given up. */
const MOST_STILL_MS = 120_000;
const PASSING = new Set(["unreachable", "busy", "fault"]);

/** Reads again and again until a look has an end. A service that is away for some minutes ends nothing. */
async function poll<T>(
  { service, clock, screen }: Connected,
  path: string,
  begun: string,
  look: (body: unknown, progress: Progress) => T | null,
): Promise<T> {
  const progress = startProgress(screen, begun, clock.nowMs);
  let goodAtMs = clock.nowMs();
  try {
    for (;;) {
      try {
        const { body } = await service.call({ method: "GET", path });
        goodAtMs = clock.nowMs();
        const end = look(body, progress);
        if (end !== null) return end;
      } catch (error) {
        const isPassing = error instanceof CommandError && PASSING.has(error.exit);
        if (!isPassing || clock.nowMs() - goodAtMs > MOST_AWAY_MS) throw error;
        progress.show("the service does not answer; the next look comes");
      }
      await clock.sleep(POLL_MS);
    }
  } finally {
    progress.end();
  }
}

const recoverySchema = z.object({
  state: z.string(),
  closedUntil: z.string().nullable().default(null),
  waitingFor: z.string().nullable().default(null),
  openReferences: z.int().default(0),
});

const idOf = (path: string) => path.split("/")[2] ?? "";

/** Follows a recovery until it is done. */
export const followRecovery: Follow = {
  notice: (path) =>
    `The recovery goes on at the service. Look: gasworks fund show ${idOf(path)}, or follow it: gasworks fund recover ${idOf(path)}`,
  toItsEnd: async (answer, path, connected) => {
    const fundPath = path.replace(/\/recover$/, "");
    const value = await poll(connected, fundPath, "the recovery begins", (body, progress) => {
      const shown = isRecord(body) ? body.recovery : undefined;
      const recovery = recoverySchema.safeParse(shown ?? answer);
      if (!recovery.success) throw new CommandError("fault", "the recovery has another form than this clone knows");
      const { state, waitingFor, closedUntil, openReferences } = recovery.data;
      if (state === "done") return shown ?? answer;
      const wait = waitingFor === null ? "" : `, waits for ${waitingFor}`;
      const until = closedUntil === null ? "" : `, closed until ${closedUntil}`;
      progress.show(`recovery ${state}: ${openReferences} open rows${wait}${until}`);
      return null;
    });
    return { value, exit: "ok" };
  },
};

const progressSchema = z.object({ remaining: z.int(), failing: z.int().default(0), unopenable: z.int().default(0) });

/** Follows a re-seal until no key is under an older version, or until nothing moves. */
export const followRewrap: Follow = {
  notice: () => "The re-seal goes on at the service. Look: gasworks master-key show",
  toItsEnd: async (_, __, connected) => {
    const { clock } = connected;
    let [least, movedAtMs] = [Number.POSITIVE_INFINITY, clock.nowMs()];
    return poll(connected, "/master-key", "re-sealing", (body, progress): Followed | null => {
      const { remaining, failing } = progressSchema.parse(body);
      if (remaining === 0) return { value: body, exit: "ok" };
      if (remaining < least) [least, movedAtMs] = [remaining, clock.nowMs()];
      progress.show(`${remaining} keys are left, and ${failing} of them have failed`);
      return clock.nowMs() - movedAtMs > MOST_STILL_MS ? { value: body, exit: "failedCheck" } : null;
    });
  },
};

/** Ends the command with the result of a reconciliation. */
export const followReconciliation: Follow = {
  notice: () => "The comparison may go on at the service. It changes nothing that a repeat would do twice.",
  toItsEnd: async (answer) => ({
    value: answer,
    exit: isRecord(answer) && answer.exact === true ? "ok" : "failedCheck",
  }),
};
