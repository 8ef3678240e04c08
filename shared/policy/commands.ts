import { toHex } from "../bytes.ts";

/** What a transaction does, command by command, as a policy sees it. Addresses and packages are in full length. */

/** Where an argument of a command comes from. */
export type Argument =
  /** BCS of a plain value. On Aptos every argument is one. */
  | { readonly kind: "pure"; readonly bytes: Uint8Array }
  /** A plain value that an earlier Move call has taken too, and may have changed: its bytes say nothing. */
  | { readonly kind: "changeable" }
  /** `owned`: the sender's own, or immutable. `shared`: everybody's, or owned through consensus. */
  | { readonly kind: "object"; readonly objectId: string; readonly ownership: "owned" | "shared" | "received" }
  /** Money out of an address balance: the sender's, or somebody else's. */
  | { readonly kind: "withdrawal"; readonly from: "sender" | "other" }
  /** The coin that pays for the gas. */
  | { readonly kind: "gas" }
  /** What an earlier command gives. `index`: which of its results; null: all of them. */
  | { readonly kind: "result"; readonly command: number; readonly index: number | null };

/** Calls a Move function: any command of a Sui transaction, or an entry function on Aptos. */
export interface CallCommand {
  readonly kind: "call";
  /** `0x…::module::function`. */
  readonly target: string;
  /** `u64`, `0x…::module::Name<…>`, … */
  readonly typeArguments: readonly string[];
  readonly arguments: readonly Argument[];
}

export interface TransferCommand {
  readonly kind: "transfer";
  readonly objects: readonly Argument[];
  /** Null: the transaction computes it. */
  readonly recipient: string | null;
}

/** Each amount becomes a coin of its own. */
export interface SplitCommand {
  readonly kind: "split";
  readonly coin: Argument;
  readonly amounts: readonly Argument[];
}

export interface MergeCommand {
  readonly kind: "merge";
  readonly into: Argument;
  readonly coins: readonly Argument[];
}

export interface VectorCommand {
  readonly kind: "vector";
  readonly elements: readonly Argument[];
}

/** Code that the transaction brings. On Sui a package; on Aptos a script. */
export interface CodeCommand {
  readonly kind: "publish" | "upgrade";
}

export interface ScriptCommand {
  readonly kind: "script";
  /** SHA3-256 of its bytecode: 64 hex digits after `0x`. */
  readonly codeHash: string;
  readonly typeArguments: readonly string[];
}

/** An owner of an on-chain multisig account has it run something (Aptos). */
export interface MultisigCommand {
  readonly kind: "multisig";
  readonly account: string;
  /** Null: what is stored on chain. */
  readonly runs: CallCommand | ScriptCommand | null;
}

/** Something that is newer than this code. */
export interface UnknownCommand {
  readonly kind: "unknown";
}

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

/** The address that a plain value is, in full length; null for anything else. */
export function addressIn(argument: Argument | undefined): string | null {
  return argument?.kind === "pure" && argument.bytes.length === ADDRESS_BYTES ? `0x${toHex(argument.bytes)}` : null;
}
