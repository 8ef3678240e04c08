import { WordNumbers } from "../durable/sql.ts";

/**
 * The ways in which a sponsorship ends, on both chains, with the state of each.
 *
 * - `succeeded`, `aborted` (by Move code), `out_of_gas`, `failed` (otherwise): the chain has executed it.
 * - `expired_unsigned`: prepared, and not executed in its time. The fund never signed it.
 * - `expired`: signed, and not executed in its time.
 * - `refused`: its own call was refused after the reservation. The fund never signed it.
 * - `rejected`: signed and sent, and no node executed it.
 * - `revoked`: an operator withdrew it.
 * - `replaced`: another transaction of its sender used its sequence number. On Aptos.
 * - `unresolvable`: it can never execute any more, and no node shows whether it did.
 */
export const endings = {
  succeeded: "complete",
  aborted: "complete",
  out_of_gas: "complete",
  failed: "complete",
  expired_unsigned: "dead",
  expired: "dead",
  refused: "dead",
  rejected: "dead",
  revoked: "dead",
  replaced: "dead",
  unresolvable: "unresolvable",
} as const;
/** One way in which a sponsorship ends. */
export type Ending = keyof typeof endings;

/** The names of all endings. */
export const endingNames = Object.keys(endings) as [Ending, ...Ending[]];

/** The numbers of the endings. They are part of the stored format. */
export const endingNumbers = new WordNumbers<Ending>({
  succeeded: 2,
  aborted: 3,
  out_of_gas: 4,
  failed: 5,
  expired_unsigned: 6,
  expired: 7,
  refused: 8,
  rejected: 9,
  revoked: 10,
  replaced: 11,
  unresolvable: 12,
});

/** The words of both chains' nodes for a gas budget that was too low. */
const OUT_OF_GAS = /^InsufficientGas\b|^OUT_OF_GAS\b|^Out of gas\b/i;

/**
 * Names the ending of an execution.
 *
 * @param failure the failure in the node's words. Null on success.
 */
export function endingOf(failure: string | null, isAbort: boolean): Ending {
  if (failure === null) return "succeeded";
  if (isAbort) return "aborted";
  return OUT_OF_GAS.test(failure) ? "out_of_gas" : "failed";
}
