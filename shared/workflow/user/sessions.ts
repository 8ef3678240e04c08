import type { Clock } from "../../bindings/ports.ts";
import { equalBytes } from "../../bytes.ts";
import type { Chain } from "../../networks.ts";
import { inTime } from "../../timing.ts";

/** Longer than a session waits for its derivation. Whoever disappears meanwhile holds the user's others up for so long. */
const MAKING_MS = 20_000;

interface Making {
  readonly untilMs: number;
  readonly ended: Promise<void>;
  readonly end: () => void;
}

interface Desk {
  /** Sealed by the app. */
  readonly token: Uint8Array | null;
  readonly making: Making | null;
}

const EMPTY: Desk = { token: null, making: null };

function newMaking(nowMs: number): Making {
  const { promise, resolve } = Promise.withResolvers<void>();
  return { untilMs: nowMs + MAKING_MS, ended: promise, end: resolve };
}

/**
 * Session tokens of one user, sealed and in memory: of the calls that come together one makes a session, and the others
 * wait for its token. Each would cost a derivation otherwise.
 */
export class UserSessions {
  readonly #clock: Clock;
  readonly #desks = new Map<Chain, Desk>();

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /**
   * The token that is there, or that another call is making.
   *
   * @param refused a token of this desk that holds no more; null: none.
   * @returns null: the caller makes one, and ends with `put`.
   */
  async take(chain: Chain, refused: Uint8Array | null): Promise<Uint8Array | null> {
    for (;;) {
      const { token, making } = this.#desks.get(chain) ?? EMPTY;
      const nowMs = this.#clock.nowMs();
      if (token !== null && (refused === null || !equalBytes(token, refused))) return token;
      if (making === null || making.untilMs <= nowMs) {
        this.#desks.set(chain, { token: null, making: newMaking(nowMs) });
        return null;
      }
      await inTime(making.untilMs - nowMs, making.ended);
    }
  }

  /** @param token null: none could be made. */
  put(chain: Chain, token: Uint8Array | null): void {
    const { making } = this.#desks.get(chain) ?? EMPTY;
    this.#desks.set(chain, { token, making: null });
    making?.end();
  }
}
