import { type Argument, addressIn, type CallCommand, type Command } from "./commands.ts";
import { fullTarget } from "./move-targets.ts";

/** The terms of the commands that a transaction may hold beside the calls that a policy lists. */
export interface PlumbingTerms {
  readonly isListed: (call: CallCommand) => boolean;
  /** The addresses that may get objects: the sender, and perhaps others. Null if any address may. */
  readonly recipients: ReadonlySet<string> | null;
  /** True if the gas coin is the sender's own. */
  readonly ownsGas: boolean;
}

interface PlumbingCall {
  /** The index of the argument that names the recipient. */
  readonly recipientAt?: number;
  readonly givesNothing?: true;
}

/**
 * Calls that the SDKs themselves put between an app's own calls. They make an option, or convert the sender's money
 * from one form into another (`tx.object.option` and `coinWithBalance` of @mysten/sui). All of them belong to Sui's
 * frameworks.
 */
const PLUMBING_CALLS: ReadonlyMap<string, PlumbingCall> = new Map(
  Object.entries<PlumbingCall>({
    "0x1::option::none": {},
    "0x1::option::some": {},
    "0x2::balance::destroy_zero": { givesNothing: true },
    "0x2::balance::redeem_funds": {},
    "0x2::balance::send_funds": { recipientAt: 1, givesNothing: true },
    "0x2::balance::zero": {},
    "0x2::coin::destroy_zero": { givesNothing: true },
    "0x2::coin::from_balance": {},
    "0x2::coin::into_balance": {},
    "0x2::coin::redeem_funds": {},
    "0x2::coin::send_funds": { recipientAt: 1, givesNothing: true },
    "0x2::coin::zero": {},
    "0x2::transfer::public_transfer": { recipientAt: 1, givesNothing: true },
  }).map(([target, call]) => [fullTarget(target), call]),
);

/**
 * Returns true if a call is plumbing.
 *
 * @param target `package::module::function`, the package in full length.
 */
export function isPlumbingCall(target: string): boolean {
  return PLUMBING_CALLS.has(target);
}

/**
 * Returns true if a call is plumbing that names a recipient.
 *
 * @param target `package::module::function`, the package in full length.
 */
export function isSendingPlumbing(target: string): boolean {
  return PLUMBING_CALLS.get(target)?.recipientAt !== undefined;
}

/**
 * Returns the reason if a Sui transaction does more than the listed calls and the plumbing between them. Null if it
 * does not.
 *
 * Plumbing splits, merges, collects and transfers the sender's own objects, and the results of calls and plumbing. A
 * later command must take each result of plumbing, and each command is either listed or plumbing. So a result ends in a
 * listed call or with a recipient that the terms allow.
 */
export function whyNotOnlyPlumbing(commands: readonly Command[], terms: PlumbingTerms): string | null {
  const taken = takenResults(commands);
  for (const [at, command] of commands.entries()) {
    const why = whyNot(command, at, taken, terms);
    if (why !== null) return `command ${at} ${why}`;
  }
  return null;
}

function whyNot(command: Command, at: number, taken: ReadonlySet<string>, terms: PlumbingTerms): string | null {
  switch (command.kind) {
    case "call":
      return whyNotCall(command, at, taken, terms);
    case "transfer":
      return whyNotRecipient(command.recipient, terms) ?? whyNotOwn(command.objects, terms);
    case "split":
      return (
        whyNotOwn([command.coin, ...command.amounts], terms) ??
        whyLost(command.coin, taken) ??
        whyUnused(at, taken, command.amounts.length > 0)
      );
    case "merge":
      return whyNotOwn([command.into, ...command.coins], terms) ?? whyLost(command.into, taken);
    case "vector":
      return whyNotOwn(command.elements, terms) ?? whyUnused(at, taken);
    case "publish":
    case "upgrade":
      return "brings code of its own";
    default:
      return "is of a kind that this rule does not know";
  }
}

function whyNotCall(call: CallCommand, at: number, taken: ReadonlySet<string>, terms: PlumbingTerms): string | null {
  if (terms.isListed(call))
    return call.arguments.some(isForeignMoney) ? "withdraws from a balance that is not the sender's" : null;
  const plumbing = PLUMBING_CALLS.get(call.target);
  if (plumbing === undefined) return `calls ${call.target}, which is not listed`;
  const { recipientAt, givesNothing = false } = plumbing;
  const whyNotTo = recipientAt === undefined ? null : whyNotRecipient(addressIn(call.arguments[recipientAt]), terms);
  return whyNotTo ?? whyNotOwn(call.arguments, terms) ?? whyUnused(at, taken, !givesNothing);
}

function whyNotRecipient(to: string | null, { recipients }: PlumbingTerms): string | null {
  if (to === null) return "transfers to an address that the transaction computes";
  if (recipients === null || recipients.has(to)) return null;
  return `transfers to ${to}, which is not the sender${recipients.size > 1 ? ", nor another that may get objects" : ""}`;
}

function isForeignMoney(argument: Argument): boolean {
  return argument.kind === "withdrawal" && argument.from === "other";
}

/** Refuses objects that are shared, received or owned by others. Only listed calls may take them. */
function whyNotOwn(args: readonly Argument[], { ownsGas }: PlumbingTerms): string | null {
  for (const argument of args) {
    if (argument.kind === "object" && argument.ownership !== "owned")
      return `handles ${argument.objectId}, which is ${argument.ownership} and not the sender's own`;
    if (isForeignMoney(argument)) return "withdraws from a balance that is not the sender's";
    if (argument.kind === "gas" && !ownsGas) return "uses the gas coin, which is not the sender's";
  }
  return null;
}

/**
 * Returns a reason if nothing takes a coin after a split from it or a merge into it. A coin that a call returns may be
 * changed if a later command takes it. Otherwise it is a reference to a coin that stays in place, and money merged into
 * it is lost.
 */
function whyLost(coin: Argument, taken: ReadonlySet<string>): string | null {
  return coin.kind === "result" && !taken.has(keyOf(coin.command, coin.index))
    ? "changes a coin that nothing takes afterwards"
    : null;
}

function whyUnused(at: number, taken: ReadonlySet<string>, gives = true): string | null {
  return gives && !taken.has(keyOf(at, "any")) ? "gives what nothing takes" : null;
}

function keyOf(command: number, result: number | "any" | null): string {
  // All results of a command count as one result. Otherwise the chain refuses to take them by one name.
  return `${command} ${result ?? 0}`;
}

/** Returns the results that a later command consumes: in a call, a transfer, a vector, or a merge into another coin. */
function takenResults(commands: readonly Command[]): ReadonlySet<string> {
  const taken = new Set<string>();
  for (const [at, command] of commands.entries()) {
    for (const argument of takenBy(command)) {
      if (argument.kind !== "result" || argument.command >= at) continue;
      taken.add(keyOf(argument.command, argument.index));
      taken.add(keyOf(argument.command, "any"));
    }
  }
  return taken;
}

function takenBy(command: Command): readonly Argument[] {
  switch (command.kind) {
    case "call":
      return command.arguments;
    case "transfer":
      return command.objects;
    case "split":
      return command.amounts;
    case "merge":
      return command.coins;
    case "vector":
      return command.elements;
    default:
      return [];
  }
}
