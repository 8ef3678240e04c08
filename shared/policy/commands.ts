import { toHex } from "../bytes.ts";

/** The commands of a transaction as a policy sees them. Addresses and packages are in full length. */

/** The source of a command's argument. */
export type Argument =
  /** The BCS of a plain value. On Aptos every argument is a plain value. */
  | { readonly kind: "pure"; readonly bytes: Uint8Array }
  /** A plain value that an earlier Move call has taken too, and may have changed. Its bytes prove nothing. */
  | { readonly kind: "changeable" }
  /**
   * `owned`: the sender's own object, or an immutable one. `shared`: an object of everybody, or one that consensus
   * owns.
   */
  | { readonly kind: "object"; readonly objectId: string; readonly ownership: "owned" | "shared" | "received" }
  /** Money from an address balance, of the sender or of another address. */
  | { readonly kind: "withdrawal"; readonly from: "sender" | "other" }
  /** The coin that pays for the gas. */
  | { readonly kind: "gas" }
  /** The result of an earlier command. `index` selects one of its results. Null means all of them. */
  | { readonly kind: "result"; readonly command: number; readonly index: number | null };

/** A call of a Move function: any command of a Sui transaction, or an entry function on Aptos. */
export interface CallCommand {
  readonly kind: "call";
  /** Format: `0x…::module::function`. */
  readonly target: string;
  /** Examples: `u64`, `0x…::module::Name<…>`. */
  readonly typeArguments: readonly string[];
  readonly arguments: readonly Argument[];
}

/** A transfer of objects to one recipient. */
export interface TransferCommand {
  readonly kind: "transfer";
  readonly objects: readonly Argument[];
  /** Null if the transaction computes the recipient. */
  readonly recipient: string | null;
}

/** A split of a coin. Each amount becomes a coin of its own. */
export interface SplitCommand {
  readonly kind: "split";
  readonly coin: Argument;
  readonly amounts: readonly Argument[];
}

/** A merge of coins into one coin. */
export interface MergeCommand {
  readonly kind: "merge";
  readonly into: Argument;
  readonly coins: readonly Argument[];
}

/** A vector that the transaction makes of its elements. */
export interface VectorCommand {
  readonly kind: "vector";
  readonly elements: readonly Argument[];
}

/** Code that a Sui transaction contains: a package. On Aptos, a script contains code. */
export interface CodeCommand {
  readonly kind: "publish" | "upgrade";
}

/** A script that an Aptos transaction contains. */
export interface ScriptCommand {
  readonly kind: "script";
  /** The SHA3-256 of the script's bytecode: 64 hex digits after `0x`. */
  readonly codeHash: string;
  readonly typeArguments: readonly string[];
}

/** A run for an on-chain multisig account, which one of its owners starts (Aptos). */
export interface MultisigCommand {
  readonly kind: "multisig";
  readonly account: string;
  /** Null if the command runs the payload that is stored on chain. */
  readonly runs: CallCommand | ScriptCommand | null;
}

/** A command of a kind that this build does not know. */
export interface UnknownCommand {
  readonly kind: "unknown";
}

/** One command of a transaction. */
export type Command =
  | CallCommand
  | TransferCommand
  | SplitCommand
  | MergeCommand
  | VectorCommand
  | CodeCommand
  | ScriptCommand
  | MultisigCommand
  | UnknownCommand;

const ADDRESS_BYTES = 32;

/** Returns the address that a plain value holds, in full length. Null if the argument is anything else. */
export function addressIn(argument: Argument | undefined): string | null {
  return argument?.kind === "pure" && argument.bytes.length === ADDRESS_BYTES ? `0x${toHex(argument.bytes)}` : null;
}
