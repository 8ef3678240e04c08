import type { Clock } from "./clock.ts";
import type { Service } from "./service/service.ts";
import type { Screen } from "./terminal/screen.ts";

/** Everything that one run of the command line has. */
export interface Session {
  readonly screen: Screen;
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly clock: Clock;
  /** The work that continues at the service if a person presses Ctrl-C now. */
  readonly interrupts: Interrupts;
}

/** The texts about work that continues after Ctrl-C, and the functions that restore the terminal. */
export class Interrupts {
  #notice: string | null = null;
  readonly #restores = new Set<() => void>();

  /** Runs work that continues at the service without this command. */
  async during<T>(notice: string, work: () => Promise<T>): Promise<T> {
    const before = this.#notice;
    this.#notice = notice;
    try {
      return await work();
    } finally {
      this.#notice = before;
    }
  }

  /** Registers what gives the terminal its looks back. Returns the function that does so in the ordinary way. */
  restoring(restore: () => void): () => void {
    this.#restores.add(restore);
    return () => {
      if (this.#restores.delete(restore)) restore();
    };
  }

  /** Restores the terminal, and returns the text for the person. Null if no work continues. */
  interrupt(): string | null {
    for (const restore of this.#restores) restore();
    this.#restores.clear();
    return this.#notice;
  }
}

/** A call of a command with its service. */
export interface Connected extends Session {
  readonly service: Service;
}
