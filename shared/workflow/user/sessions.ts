import type { Clock } from "../../bindings/ports.ts";
import { equalBytes } from "../../bytes.ts";
import type { Chain } from "../../networks.ts";
import { inTime } from "../../timing.ts";

/**
 * The limit is longer than a session waits for its derivation. A call that dies meanwhile delays the user's other calls
 * for this time.
 */
const MAKING_MS = 20_000;

interface Making {
  readonly untilMs: number;
  readonly ended: Promise<void>;
  readonly end: () => void;
}

interface ChainSession {
  /** The token as the app sealed it. */
  readonly token: Uint8Array | null;
  readonly making: Making | null;
}

const EMPTY: ChainSession = { token: null, making: null };

function newMaking(nowMs: number): Making {
  const { promise, resolve } = Promise.withResolvers<void>();
  return { untilMs: nowMs + MAKING_MS, ended: promise, end: resolve };
}

/**
 * Keeps the sealed session tokens of one user in memory. If several calls come at once, one makes a session and the
 * others wait for its token. Otherwise each call would cost a derivation.
 */
export class UserSessions {
  readonly #clock: Clock;
  readonly #byChain = new Map<Chain, ChainSession>();

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /**
   * Returns the token, or waits for the token that another call makes.
   *
   * @param refused a token that the service no longer accepts; null if there is none.
   * @returns null if the caller must make a token, and then call `put`.
   */
  async take(chain: Chain, refused: Uint8Array | null): Promise<Uint8Array | null> {
    for (;;) {
      const { token, making } = this.#byChain.get(chain) ?? EMPTY;
      const nowMs = this.#clock.nowMs();
      if (token !== null && (refused === null || !equalBytes(token, refused))) return token;
      if (making === null || making.untilMs <= nowMs) {
        this.#byChain.set(chain, { token: null, making: newMaking(nowMs) });
        return null;
      }
      await inTime(making.untilMs - nowMs, making.ended);
    }
  }

  /** Stores the token that the caller made. @param token null if it could make none. */
  put(chain: Chain, token: Uint8Array | null): void {
    const { making } = this.#byChain.get(chain) ?? EMPTY;
    this.#byChain.set(chain, { token, making: null });
    making?.end();
  }
}
