import { UnexpectedAnswer } from "../../shared/cli/client/http.ts";

/** What the guard of a deposit works with. */
export interface DepositParts {
  /** Stores that the deposit may arrive, whatever happens from now on. */
  readonly noteSent: () => Promise<void>;
  /** Gives back what the fund has. Returns false if that failed. It looks for no deposit that was not noted. */
  readonly giveBack: () => Promise<boolean>;
}

/**
 * Decides between a deposit that goes out and the end of its story, which Ctrl-C may begin at any time. The first one
 * wins. A deposit after the end would go to a fund whose key is being deleted.
 */
export class DepositGuard {
  readonly #parts: DepositParts;
  #givenBack: Promise<boolean> | null = null;

  constructor(parts: DepositParts) {
    this.#parts = parts;
  }

  /** Lets the deposit out. @throws UnexpectedAnswer if the fund is being given back. */
  async sending(): Promise<void> {
    if (this.#givenBack !== null) throw new UnexpectedAnswer("the story has ended, so nothing was paid");
    await this.#parts.noteSent();
  }

  /** Gives the fund back once, for any number of calls. */
  giveBackOnce(): Promise<boolean> {
    this.#givenBack ??= this.#parts.giveBack();
    return this.#givenBack;
  }
}
