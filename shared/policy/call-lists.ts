import { addressIn, type CallCommand, type Command } from "./commands.ts";
import { fullTarget } from "./move-targets.ts";
import { isPlumbingCall, isSendingPlumbing, whyNotOnlyPlumbing } from "./plumbing.ts";

/** The lists that one call names. Null if the call names no such list. An empty list allows nothing. */
export interface CallLists {
  /** The addresses that may get objects, beside the sender. In full length and lower case. */
  readonly allowedAddresses: readonly string[] | null;
  /** The Move calls that the transaction may make: `package::module::function`, the package in full length. */
  readonly allowedMoveCallTargets: readonly string[] | null;
}

/** The list that a transaction violates, and the reason. */
export interface OutsideList {
  readonly rule: keyof CallLists;
  readonly details: string;
}

/** The facts of a call that decide beside its commands. */
export interface ListedCall {
  readonly sender: string;
  readonly lists: CallLists;
  /** Returns true if a policy names a Move call among those that it allows. */
  readonly isTrusted: (target: string) => boolean;
}

/** Functions of Sui's framework that give an object to the address in one of their arguments, beside the plumbing. */
const SENDS: ReadonlyMap<string, number> = new Map(
  Object.entries({
    "0x2::coin::mint_and_transfer": 2,
    "0x2::pay::join_vec_and_transfer": 1,
    "0x2::pay::split_and_transfer": 2,
    "0x2::sui::transfer": 1,
    "0x2::token::transfer": 1,
  }).map(([target, recipientAt]) => [fullTarget(target), recipientAt]),
);

const TRANSFERS = fullTarget("0x2::transfer::");
/** The functions of that module that give nothing away, or name an address. */
const PROVABLE = new Set(["0x2::transfer::public_receive", "0x2::transfer::public_transfer"].map(fullTarget));

/**
 * Returns true if a function of the framework gives objects away without an argument that names the recipient. It
 * shares or freezes them.
 */
function givesAway(target: string): boolean {
  return target.startsWith(TRANSFERS) && !PROVABLE.has(target);
}

/** Returns the first list that a transaction violates. Null if it keeps to both. */
export function outsideLists(commands: readonly Command[], call: ListedCall): OutsideList | null {
  const { allowedAddresses, allowedMoveCallTargets } = call.lists;
  const byTarget = allowedMoveCallTargets === null ? null : whyNotTargets(commands, new Set(allowedMoveCallTargets));
  if (byTarget !== null) return { rule: "allowedMoveCallTargets", details: byTarget };
  const byAddress = allowedAddresses === null ? null : whyNotAddresses(commands, allowedAddresses, call);
  return byAddress === null ? null : { rule: "allowedAddresses", details: byAddress };
}

/**
 * Native commands and the plumbing of SDKs need no entry, as in the lists of policies. Published code cannot have an
 * entry.
 */
function whyNotTargets(commands: readonly Command[], listed: ReadonlySet<string>): string | null {
  for (const [at, command] of commands.entries()) {
    if (command.kind === "publish" || command.kind === "upgrade") return `command ${at} brings code of its own`;
    if (command.kind === "unknown") return `command ${at} is of a kind that this service does not know`;
    if (command.kind === "call" && !listed.has(command.target) && !isPlumbingCall(command.target))
      return `command ${at} calls ${command.target}, which is not listed: add it if the transaction may make it`;
  }
  return null;
}

/**
 * A recipient must be a plain address of the list. A recipient that the transaction computes proves nothing. The gifts
 * of a called function prove nothing either, so the call's own list or a policy must name the function.
 */
function whyNotAddresses(
  commands: readonly Command[],
  allowedAddresses: readonly string[],
  { sender, lists, isTrusted }: ListedCall,
): string | null {
  const recipients = new Set([sender, ...allowedAddresses]);
  for (const [at, command] of commands.entries()) {
    if (command.kind !== "call") continue;
    if (givesAway(command.target)) return `command ${at} calls ${command.target}, which names no recipient`;
    const recipientAt = SENDS.get(command.target);
    if (recipientAt === undefined) continue;
    const recipient = addressIn(command.arguments[recipientAt]);
    if (recipient === null || !recipients.has(recipient))
      return `command ${at} calls ${command.target} for an address that may get no objects`;
  }
  const listed = new Set(lists.allowedMoveCallTargets ?? []);
  const isListed = ({ target }: CallCommand) => !isSendingPlumbing(target) && (listed.has(target) || isTrusted(target));
  const why = whyNotOnlyPlumbing(commands, { isListed, recipients, ownsGas: false });
  return why && `${why}: name the recipients here, and the calls in allowedMoveCallTargets or in the key's policy`;
}
