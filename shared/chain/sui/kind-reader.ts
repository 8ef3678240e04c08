import { toHex } from "../../bytes.ts";
import { BcsCursor, UnreadableKind } from "./bcs-cursor.ts";

/** The properties of one input that the rules decide by. The kind of a withdrawal names the balance that pays it. */
export type InputKind =
  | "pure"
  | "owned"
  | "shared"
  | "received"
  | "own_withdrawal"
  | "allowed_withdrawal"
  | "foreign_withdrawal";

/** The kinds of commands, in the order of their variants. */
const commandKinds = [
  "MoveCall",
  "TransferObjects",
  "SplitCoins",
  "MergeCoins",
  "Publish",
  "MakeMoveVec",
  "Upgrade",
] as const;

/** The properties of one command that the rules decide by. */
export interface CommandSummary {
  readonly kind: (typeof commandKinds)[number];
  /** True if any of its arguments, in any position, is the gas coin. */
  readonly usesGasCoin: boolean;
  /** `0x…::module::function`, the package in full length. Null unless it is a Move call. */
  readonly moveTarget: string | null;
  /** True if it publishes or upgrades a package. */
  readonly publishesCode: boolean;
}

/** The properties of a transaction kind that the rules decide by. */
export interface KindSummary {
  readonly inputs: readonly InputKind[];
  readonly commands: readonly CommandSummary[];
  /** The addresses whose balances it withdraws from by an allowance to the sender. */
  readonly funders: readonly string[];
}

const ADDRESS_BYTES = 32;
const DIGEST_BYTES = 32;
/** Move identifiers, as the chain checks them. A name of any other shape could imitate another target. */
const IDENTIFIER = /^[A-Za-z_][A-Za-z0-9_]*$/;
const MAX_IDENTIFIER_BYTES = 128;
/** Far above the chain's own limit on the depth of types. */
const MAX_TYPE_DEPTH = 64;

/**
 * Reads the BCS of a programmable `TransactionKind` (sui-types, `transaction.rs`) and keeps the properties that the
 * rules decide by. Accepts only the one canonical form, to the last byte, so that the chain reads the same. The SDK's
 * codec allows trailing bytes, and takes ten times as long to decode and encode again.
 *
 * @throws UnreadableKind for other kinds, unknown variants, and bytes that are cut short or left over.
 */
export function readKind(bytes: Uint8Array): KindSummary {
  const cursor = new BcsCursor(bytes);
  const summary = new KindReader(cursor).kind();
  cursor.end();
  return summary;
}

/** Reads a kind with bytes after it. Reads only the kind, so it costs little. Throws as `readKind`. */
export function readLeadingKind(bytes: Uint8Array): KindSummary {
  return new KindReader(new BcsCursor(bytes)).kind();
}

function summary(kind: CommandSummary["kind"], usesGasCoin: boolean): CommandSummary {
  return { kind, usesGasCoin, moveTarget: null, publishesCode: false };
}

/** Evaluates both sides even if the first is true, because both must be read. */
function or(first: boolean, second: boolean): boolean {
  return first || second;
}

class KindReader {
  readonly #bytes: BcsCursor;
  readonly #funders: string[] = [];

  constructor(bytes: BcsCursor) {
    this.#bytes = bytes;
  }

  kind(): KindSummary {
    if (this.#bytes.variant() !== 0) throw new UnreadableKind("not a programmable transaction");
    const inputs = this.#bytes.list(() => this.#input());
    return { inputs, commands: this.#bytes.list(() => this.#command()), funders: this.#funders };
  }

  #input(): InputKind {
    switch (this.#bytes.variant()) {
      case 0:
        this.#bytes.skip(this.#bytes.length());
        return "pure";
      case 1:
        return this.#object();
      case 2:
        return this.#withdrawal();
      default:
        throw new UnreadableKind("unknown input");
    }
  }

  #object(): InputKind {
    const variant = this.#bytes.variant();
    if (variant > 2) throw new UnreadableKind("unknown object input");
    this.#bytes.skip(ADDRESS_BYTES + 8);
    if (variant === 1) {
      this.#bytes.flag();
      return "shared";
    }
    if (this.#bytes.length() !== DIGEST_BYTES) throw new UnreadableKind("a digest of another length");
    this.#bytes.skip(DIGEST_BYTES);
    return variant === 0 ? "owned" : "received";
  }

  /**
   * Reads a reservation (a u64), a type, and the owner of the balance: the sender, the sponsor, or an address that gave
   * an allowance.
   */
  #withdrawal(): InputKind {
    if (this.#bytes.variant() !== 0) throw new UnreadableKind("unknown reservation");
    this.#bytes.skip(8);
    if (this.#bytes.variant() !== 0) throw new UnreadableKind("unknown type of withdrawal");
    this.#type();
    const from = this.#bytes.variant();
    if (from > 2) throw new UnreadableKind("unknown source of a withdrawal");
    if (from < 2) return from === 0 ? "own_withdrawal" : "foreign_withdrawal";
    // The funder, and the id of the allowance.
    this.#funders.push(`0x${toHex(this.#bytes.take(ADDRESS_BYTES))}`);
    this.#bytes.skip(ADDRESS_BYTES);
    return "allowed_withdrawal";
  }

  #command(): CommandSummary {
    const kind = commandKinds[this.#bytes.variant()];
    switch (kind) {
      case "MoveCall":
        return this.#moveCall();
      case "TransferObjects": // objects, address
        return summary(kind, or(this.#arguments(), this.#argument()));
      case "SplitCoins": // coin, amounts
      case "MergeCoins": // destination, sources
        return summary(kind, or(this.#argument(), this.#arguments()));
      case "Publish":
        this.#package();
        return { ...summary(kind, false), publishesCode: true };
      case "MakeMoveVec": // type or none, elements
        if (this.#bytes.flag()) this.#type();
        return summary(kind, this.#arguments());
      case "Upgrade": // The fields of Publish, the package, the ticket
        this.#package();
        this.#bytes.skip(ADDRESS_BYTES);
        return { ...summary(kind, this.#argument()), publishesCode: true };
      default:
        throw new UnreadableKind("unknown command");
    }
  }

  #moveCall(): CommandSummary {
    const address = toHex(this.#bytes.take(ADDRESS_BYTES));
    const moveTarget = `0x${address}::${this.#identifier()}::${this.#identifier()}`;
    this.#bytes.list(() => this.#type());
    return { ...summary("MoveCall", this.#arguments()), moveTarget };
  }

  /** Modules and dependencies. */
  #package(): void {
    this.#bytes.list(() => this.#bytes.skip(this.#bytes.length()));
    this.#bytes.list(() => this.#bytes.skip(ADDRESS_BYTES));
  }

  #arguments(): boolean {
    return this.#bytes.list(() => this.#argument()).includes(true);
  }

  /** True for the gas coin. */
  #argument(): boolean {
    const variant = this.#bytes.variant();
    if (variant > 3) throw new UnreadableKind("unknown argument");
    // Input and Result have one index, NestedResult two.
    this.#bytes.skip([0, 2, 2, 4][variant] ?? 0);
    return variant === 0;
  }

  #type(depth = 0): void {
    const variant = this.#bytes.variant();
    if (variant > 10 || depth > MAX_TYPE_DEPTH) throw new UnreadableKind("unknown type, or too deep");
    if (variant === 6) this.#type(depth + 1);
    if (variant !== 7) return;
    this.#bytes.skip(ADDRESS_BYTES);
    this.#identifier();
    this.#identifier();
    this.#bytes.list(() => this.#type(depth + 1));
  }

  #identifier(): string {
    const length = this.#bytes.length();
    if (length > MAX_IDENTIFIER_BYTES) throw new UnreadableKind("a name that is too long");
    const text = String.fromCharCode(...this.#bytes.take(length));
    if (!IDENTIFIER.test(text)) throw new UnreadableKind("not a Move identifier");
    return text;
  }
}
