import { join } from "node:path";
import { DiskWatch } from "./disk-watch.ts";
import { openDoor } from "./door/door.ts";
import { tailOf } from "./log-tail.ts";
import { connectionsWithin, openFilesLimit } from "./open-files.ts";
import { LOOPBACK } from "./ports.ts";
import { startWorkerd, type WorkerdOptions, type WorkerdProcess } from "./workerd.ts";

/** The options of a service that is restarted when it dies. */
export interface SupervisedOptions extends WorkerdOptions {
  /** Receives one line of JSON an event. */
  readonly tell: (line: string) => void;
  readonly requestLimitMs?: number;
  /** FLOWS_ORIGINS of the door. */
  readonly origins?: readonly string[];
}

/** A self-hosted service that is restarted when it dies. */
export interface Supervised {
  readonly url: string;
  /** The runtime behind the door. */
  pid(): number;
  /** Resolves with the reason when the service is not restarted any more. */
  untilGivenUp(): Promise<string>;
  /** Stops taking requests. Ends after the last one in progress. */
  stop(): Promise<void>;
}

/** The first restart after a death is immediate. Each further one waits twice as long. */
const FIRST_WAIT_MS = 100;
const LONGEST_WAIT_MS = 5_000;
/** The service is not restarted after so many deaths within `DEATHS_WITHIN_MS`. */
const MAX_DEATHS = 6;
const DEATHS_WITHIN_MS = 60_000;
const DISK_LOOK_MS = 2_000;
const STOP_LIMIT_MS = 10_000;
const SHOWN_LOG_CHARACTERS = 300;

/**
 * Runs a service behind a door. The door keeps connections and waiting requests while the runtime restarts. The
 * runtime itself has neither limits nor overload control.
 */
export async function startSupervised({
  tell,
  requestLimitMs,
  origins = [],
  ...options
}: SupervisedOptions): Promise<Supervised> {
  const { port = 0, logPath = join(options.stateDirectory, "workerd.log") } = options;
  const runtime = await startWorkerd({ ...options, port: 0 });
  const door = await openDoor({
    port,
    upstreamPort: Number(new URL(runtime.url).port),
    maxConnections: connectionsWithin(openFilesLimit()),
    origins,
    ...(requestLimitMs !== undefined && { requestLimitMs }),
  });
  let stopping = false;
  const event = (name: string, fields: object) => tell(JSON.stringify({ event: name, ...fields }));

  async function supervise(): Promise<string> {
    let deathsAtMs: readonly number[] = [];
    let running = true;
    for (;;) {
      const cause = running ? await runtime.untilGone() : "it did not start";
      if (stopping) return "it was stopped";
      door.setOpen(false);
      const nowMs = performance.now();
      deathsAtMs = [...deathsAtMs.filter((atMs) => nowMs - atMs < DEATHS_WITHIN_MS), nowMs];
      const log = await lastLine(logPath);
      if (deathsAtMs.length >= MAX_DEATHS) {
        event("runtime.given_up", { cause, deaths: deathsAtMs.length, log });
        return `workerd has ended ${deathsAtMs.length} times within a minute, the last time by ${cause}. Its log: ${logPath}`;
      }
      const waitMs = deathsAtMs.length < 2 ? 0 : Math.min(LONGEST_WAIT_MS, FIRST_WAIT_MS * 2 ** deathsAtMs.length);
      event("runtime.died", { cause, restartAfterMs: waitMs, log });
      await new Promise((resolve) => setTimeout(resolve, waitMs));
      if (stopping) return "it was stopped";
      running = await startedAgain(runtime);
      if (running) door.setOpen(true);
    }
  }
  const disk = new DiskWatch(options.stateDirectory, (state, freeBytes) => {
    door.setDisk(state);
    event(`storage.${state}`, { freeMib: Math.floor(freeBytes / 1_048_576) });
  });
  await disk.look();
  const looking = setInterval(() => void disk.look(), DISK_LOOK_MS);
  const givenUp = supervise();

  return {
    url: `http://${LOOPBACK}:${door.port}`,
    pid: () => runtime.pid(),
    untilGivenUp: () => givenUp,
    async stop() {
      stopping = true;
      clearInterval(looking);
      await within(STOP_LIMIT_MS, door.close());
      runtime.end();
      await within(STOP_LIMIT_MS, runtime.untilGone());
      await runtime.kill();
    },
  };
}

async function startedAgain(runtime: WorkerdProcess): Promise<boolean> {
  try {
    await runtime.restart();
    return true;
  } catch {
    return false;
  }
}

async function within(limitMs: number, work: Promise<unknown>): Promise<void> {
  let timer: NodeJS.Timeout | undefined;
  const limit = new Promise((resolve) => {
    timer = setTimeout(resolve, limitMs);
  });
  await Promise.race([work, limit]);
  clearTimeout(timer);
}

/** Returns the last line of the runtime itself, without the service's own lines. */
async function lastLine(logPath: string): Promise<string> {
  const text = await tailOf(logPath).catch(() => "");
  const own = text.split("\n").filter((line) => line.trim() !== "" && !line.startsWith("{"));
  return (own.at(-1) ?? "").slice(0, SHOWN_LOG_CHARACTERS);
}
