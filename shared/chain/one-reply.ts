/** The state of an endpoint's chain at one of its replies, as named in the reply itself. */
export interface LedgerState {
  /** Host of the endpoint. */
  readonly endpoint: string;
  /** Sui: the base58 genesis digest. Aptos: the chain id. */
  readonly chain: string | number;
  /** Time of the newest block that the reply holds, by the chain's clock. */
  readonly timestampMs: number;
  /** The lowest checkpoint or version from which on the endpoint still had every transaction. */
  readonly lowestAvailable: bigint;
}

/** Marks a value that a chain port has read. An object literal does not have the mark, and a spread loses it. */
declare class OneReply {
  protected readonly isOfOneReply: true;
}

/**
 * A value of one endpoint's reply, with the state of the chain at that same reply. Only the chain ports make one. A
 * proof of death, a comparison of balances and a deposit accept nothing else.
 */
export type Seen<T, State extends LedgerState = LedgerState> = State & { readonly value: T } & OneReply;

/**
 * Makes evidence. Only a chain port may call it, with two values of one reply. The linter refuses all other imports.
 */
export function seenIn<T, State extends LedgerState>(state: State, value: T): Seen<T, State> {
  return { ...state, value } as Seen<T, State>;
}
