import { CommandError } from "../exit-codes.ts";
import type { Session } from "../session.ts";
import { inertLines } from "../terminal/inert.ts";
import { say, styled } from "../terminal/screen.ts";

const MS_PER_SECOND = 1_000;
const LEAST_SECONDS = 1;
const MOST_SECONDS = 86_400;
/** The alternate screen keeps what the terminal showed before. */
const ENTER = "\u001b[?1049h\u001b[?25l";
const LEAVE = "\u001b[?25h\u001b[?1049l";
const HOME = "\u001b[H\u001b[2J";

/** Returns the seconds of `--watch`. @throws CommandError for another text. */
export function watchSeconds(text: string): number {
  const seconds = Number(text);
  if (seconds >= LEAST_SECONDS && seconds <= MOST_SECONDS) return seconds;
  throw new CommandError("usage", `--watch: must be ${LEAST_SECONDS} to ${MOST_SECONDS} seconds`);
}

/** Ends of a look after which the next one may succeed. */
const PASSING = new Set(["unreachable", "busy", "fault"]);

/**
 * Shows something again and again, until Ctrl-C. On a terminal each look replaces the one before. A service that does
 * not answer ends nothing: the words are shown, and the next look comes.
 *
 * @param draw prints one look.
 */
export async function watch(
  session: Session,
  seconds: number,
  title: string,
  draw: () => Promise<void>,
): Promise<never> {
  const { screen, clock, interrupts } = session;
  const { out } = screen;
  if (out.isTerminal) {
    out.write(ENTER);
    interrupts.restoring(() => out.write(LEAVE));
  }
  try {
    for (;;) {
      if (out.isTerminal) {
        out.write(HOME);
        const time = new Date(clock.nowMs())
          .toISOString()
          .replace("T", " ")
          .replace(/\.\d+Z/, "Z");
        say(out, styled(screen, "dim", `${title} · every ${seconds} s · ${time} · Ctrl-C ends`));
      }
      await draw().catch((error: unknown) => {
        if (!(error instanceof CommandError) || !PASSING.has(error.exit)) throw error;
        say(out.isTerminal ? out : screen.err, styled(screen, "red", inertLines(error.message)));
      });
      await clock.sleep(seconds * MS_PER_SECOND);
    }
  } catch (error) {
    interrupts.interrupt();
    throw error;
  }
}
