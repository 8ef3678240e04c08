import type { Result } from "../../result.ts";
import type { Reply } from "./calls.ts";
import type { FlowError } from "./errors.ts";
import type { SignedTransaction } from "./networks.ts";

/** The parts of a run that differ between chains. */

/** The name of one attempt. */
export interface Named {
  /** Names the attempt in the storage. */
  readonly id: string;
  /** Names the signer of a request, whose earlier transactions no answer may repeat. */
  readonly signerOf: (asked: string) => string;
  /** True if the app has named the attempt, so that every later call gets its end. */
  readonly isNamed: boolean;
}

/** One request, in the form that every attempt needs. */
export interface Request<Executed> extends Named {
  /** Builds the request, as text. Throws if the app's transaction cannot be built. */
  build(): Promise<string>;
  /** Reads a kept result. Null if it has another form. */
  readExecuted(body: unknown): Executed | null;
  /** Removes from a result the parts that may be long. */
  shorten(executed: Executed): Executed;
}

/** An answer of `sponsor`. */
export interface Expiring {
  /** Milliseconds since 1970. */
  readonly expiresAtMs: number;
}

/** A request that the user signs with a wallet of their own. */
export interface Plan<Sponsored extends Expiring, Executed> extends Request<Executed> {
  sponsor(asked: string, key: string, signal: AbortSignal): Promise<Reply<Sponsored>>;
  /** Reads a kept answer of `sponsor`. Null if it has another form. */
  readSponsored(body: unknown): Sponsored | null;
  /**
   * Compares the answer with the request. Returns the difference as a text if they differ.
   *
   * @param used null if the user has signed it, so that only its form is compared.
   */
  check(sponsored: Sponsored, asked: string, used: readonly string[] | null): SignedTransaction | string;
  /** Asks the user for a signature. */
  sign(checked: SignedTransaction): Promise<Result<string, FlowError>>;
  /** Returns true if the chain can never execute the transaction any more. */
  isOver(checked: SignedTransaction): Promise<boolean>;
  execute(signed: Signed<Sponsored>, key: string, signal: AbortSignal): Promise<Reply<Executed>>;
}

/** A checked transaction with the user's signature. */
export interface Signed<Sponsored> {
  readonly sponsored: Sponsored;
  readonly checked: SignedTransaction;
  readonly signature: string;
}

/** Writes a request as text: its signer and its content. */
export function askedText(sender: string, content: string): string {
  return `${sender} ${content}`;
}

/** Reads the result of `askedText`. */
export function askedParts(asked: string): { readonly sender: string; readonly content: string } {
  const [sender = "", content = ""] = asked.split(" ");
  return { sender, content };
}

/** A request that the user's embedded wallet signs, in one call. */
export interface EmbeddedPlan<Executed> extends Request<Executed> {
  execute(asked: string, key: string, signal: AbortSignal): Promise<Reply<Executed>>;
}
