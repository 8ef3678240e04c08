import { setTimeout as sleep } from "node:timers/promises";
import { exitCodeOf, isForPerson } from "./terminal.ts";

/** Registers a release that must run before the process ends. Releases run in reverse order. */
export type Hold = (release: () => Promise<void> | void) => void;

const SIGNALS = ["SIGINT", "SIGTERM", "SIGHUP"] as const;
const SIGNAL_DELAY_MS = 100;
const PARENT_POLL_MS = 500;

/** The work of an npm script. */
export interface Command {
  /** `stay` keeps the started parts running until a signal. A number is the exit code, after everything is released. */
  readonly run: (hold: Hold) => Promise<"stay" | number>;
  readonly exitCodeWhenInterrupted: number;
}

/** Runs the process of an npm script. However it ends, nothing that it started is left. */
export async function runCommand({ run, exitCodeWhenInterrupted }: Command): Promise<void> {
  const releases: Parameters<Hold>[0][] = [];
  let ending = false;

  async function end(exitCode: number): Promise<void> {
    if (ending) return;
    ending = true;
    for (const release of releases.reverse()) await release();
    process.exit(exitCode);
  }

  /**
   * Installs the signal handlers. Miniflare's own end the process at once. These replace them and wait until the
   * runtime is gone.
   */
  function handleSignals(): void {
    for (const signal of SIGNALS) {
      process.removeAllListeners(signal);
      process.on(signal, () => end(exitCodeWhenInterrupted));
    }
  }

  // npm passes signals on. A kill of npm itself reaches no other process, but then this process has a new parent.
  if (process.env.npm_lifecycle_event !== undefined) {
    const { ppid } = process;
    setInterval(() => {
      if (process.ppid !== ppid) end(exitCodeWhenInterrupted);
    }, PARENT_POLL_MS).unref();
  }

  handleSignals();
  try {
    const outcome = await run((release) => {
      releases.push(release);
      handleSignals();
    });
    if (outcome !== "stay") await end(outcome);
  } catch (error) {
    // Ctrl-C reaches the runtime too, and its end may be noticed before the signal.
    await sleep(SIGNAL_DELAY_MS);
    if (ending) return;
    console.error(isForPerson(error) ? `\n${error.message}` : error);
    await end(exitCodeOf(error));
  }
}
