import type { GrpcTypes } from "@mysten/sui/grpc";
import { normalizeStructTag, normalizeSuiAddress } from "@mysten/sui/utils";
import type { CommittedTransaction } from "../ledger.ts";
import { GrpcCode, GrpcStatus, invalidArgument } from "../status.ts";
import { decodeTransaction, parseAddress } from "../transaction.ts";

type TransactionPredicate = GrpcTypes.TransactionLiteral["predicate"];
type EventPredicate = GrpcTypes.EventLiteral["predicate"];

/** Terms of which one has to hold, and in it each literal. */
interface Filter<Predicate> {
  readonly terms: readonly {
    readonly literals: readonly { readonly negated: boolean; readonly predicate: Predicate }[];
  }[];
}

function matches<Predicate>(filter: Filter<Predicate> | undefined, holds: (predicate: Predicate) => boolean): boolean {
  if (filter === undefined) return true;
  if (filter.terms.length === 0 || filter.terms.some(({ literals }) => literals.length === 0))
    throw invalidArgument("a filter needs at least one term, and a term at least one literal");
  return filter.terms.some(({ literals }) => literals.every(({ negated, predicate }) => holds(predicate) !== negated));
}

export function matchesTransaction(
  { executed, bytes }: CommittedTransaction,
  filter: GrpcTypes.TransactionFilter | undefined,
): boolean {
  const events = executed.events?.events ?? [];
  const changes = executed.effects?.changedObjects ?? [];
  return matches(filter, (predicate: TransactionPredicate) => {
    switch (predicate.oneofKind) {
      case "sender":
        return decodeTransaction(bytes).sender === addressOf(predicate.sender);
      case "affectedAddress": {
        const address = addressOf(predicate.affectedAddress);
        const owners = changes.flatMap(({ inputOwner, outputOwner }) => [inputOwner?.address, outputOwner?.address]);
        const accounts = changes.map(({ accumulatorWrite }) => accumulatorWrite?.address);
        return [...owners, ...accounts].includes(address);
      }
      case "affectedObject": {
        const id = parseAddress("object_id", predicate.affectedObject.objectId);
        return changes.some(({ objectId }) => objectId === id);
      }
      case "moveCall": {
        const calls = decodeTransaction(bytes).programmable.commands.flatMap(({ MoveCall: call }) => call ?? []);
        const paths = calls.map((call) => `${normalizeSuiAddress(call.package)}::${call.module}::${call.function}`);
        return paths.some((path) => isWithin(path, predicate.moveCall.function));
      }
      case "emitModule":
        return events.some((event) => isEmittedBy(event, predicate.emitModule));
      case "eventType":
        return events.some((event) => isOfType(event, predicate.eventType));
      // Nothing can be published here.
      case "packageWrite":
        return false;
      default:
        throw unserved(predicate.oneofKind);
    }
  });
}

export function matchesEvent(event: GrpcTypes.Event, filter: GrpcTypes.EventFilter | undefined): boolean {
  return matches(filter, (predicate: EventPredicate) => {
    switch (predicate.oneofKind) {
      case "sender":
        return event.sender === addressOf(predicate.sender);
      case "emitModule":
        return isEmittedBy(event, predicate.emitModule);
      case "eventType":
        return isOfType(event, predicate.eventType);
      default:
        throw unserved(predicate.oneofKind);
    }
  });
}

function unserved(kind: string | undefined): GrpcStatus {
  if (kind === undefined) return invalidArgument("a literal needs a predicate");
  return new GrpcStatus(GrpcCode.UNIMPLEMENTED, `the development chain does not filter by ${kind}`);
}

function addressOf({ address }: { readonly address?: string }): string {
  return parseAddress("address", address);
}

function isEmittedBy({ packageId = "", module = "" }: GrpcTypes.Event, filter: GrpcTypes.EmitModuleFilter): boolean {
  return isWithin(`${normalizeSuiAddress(packageId)}::${module}`, filter.module);
}

function isOfType({ eventType = "" }: GrpcTypes.Event, { eventType: wanted = "" }: GrpcTypes.EventTypeFilter): boolean {
  const type = normalizeStructTag(eventType);
  if (wanted.includes("<")) return type === normalizeStructTag(wanted);
  return isWithin(type.replace(/<.*$/, ""), wanted);
}

/** Whether a path is the given one, or lies below it. */
function isWithin(path: string, given = ""): boolean {
  const [first = "", ...rest] = given.split("::");
  const within = [parseAddress("path", first), ...rest].join("::");
  return path === within || path.startsWith(`${within}::`);
}
