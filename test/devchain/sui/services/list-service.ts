import { GrpcTypes } from "@mysten/sui/grpc";
import type { CommittedTransaction } from "../ledger.ts";
import { applyMask, parseMask } from "../masks.ts";
import { invalidArgument } from "../status.ts";
import type { ChainView } from "../view.ts";
import { maskTransaction } from "./ledger-service.ts";
import { matchesEvent, matchesTransaction } from "./list-filter.ts";
import { type Methods, stream } from "./method.ts";

/** Modelled: the limits are a setting of the node. */
const DEFAULT_ITEMS = 50;
const MOST_ITEMS = 1_000;
const TRANSACTION_MASK = ["digest"];
const EVENT_MASK = ["event_type"];

const Reason = GrpcTypes.QueryEndReason;

/** The bounds that both requests have. */
interface Bounds {
  readonly startCheckpoint?: bigint;
  readonly endCheckpoint?: bigint;
  readonly options?: GrpcTypes.QueryOptions;
}

/** One item of a list. `position`: where it is among all, from 1. */
interface Placed<Item> {
  readonly item: Item;
  readonly position: bigint;
  readonly checkpoint: bigint;
}

interface Frame<Item> {
  readonly item?: Item;
  readonly watermark: GrpcTypes.Watermark;
  readonly end?: GrpcTypes.QueryEnd;
}

/** Lists what was committed, from the first transaction on, as far as the endpoint shows it. */
export function listService(view: () => ChainView): Methods {
  /** Of one transaction after another; an event's position counts all events before it. */
  function* transactions(): Generator<Placed<CommittedTransaction>> {
    for (const [index, item] of view().transactions().entries())
      yield { item, position: BigInt(index + 1), checkpoint: item.executed.checkpoint ?? 0n };
  }

  function* events(): Generator<Placed<GrpcTypes.Event>> {
    let position = 0n;
    for (const { item, checkpoint } of transactions())
      for (const [eventIndex, event] of (item.executed.events?.events ?? []).entries()) {
        position += 1n;
        const { digest, timestamp } = item.executed;
        const at = {
          checkpoint,
          eventIndex,
          ...(digest && { transactionDigest: digest }),
          ...(timestamp && { timestamp }),
        };
        yield { item: { ...event, ...at }, position, checkpoint };
      }
  }

  return {
    "LedgerService/ListTransactions": stream(
      GrpcTypes.ListTransactionsRequest,
      GrpcTypes.ListTransactionsResponse,
      (request) => {
        const mask = parseMask(GrpcTypes.ExecutedTransaction, request.readMask?.paths ?? TRANSACTION_MASK);
        const found = query(request, [...transactions()], view(), (item) => matchesTransaction(item, request.filter));
        return found.map(({ item, ...frame }) => ({
          ...frame,
          ...(item && { transaction: maskTransaction(item, mask) }),
        }));
      },
    ),

    "LedgerService/ListEvents": stream(GrpcTypes.ListEventsRequest, GrpcTypes.ListEventsResponse, (request) => {
      const mask = parseMask(GrpcTypes.Event, request.readMask?.paths ?? EVENT_MASK);
      const found = query(request, [...events()], view(), (item) => matchesEvent(item, request.filter));
      return found.map(({ item, ...frame }) => ({
        ...frame,
        ...(item && { event: applyMask(GrpcTypes.Event, item, mask) }),
      }));
    }),
  };
}

/** The frames of one query: each item with the place behind it, and at the end why no more come. */
function query<Item>(
  { startCheckpoint = 0n, endCheckpoint, options }: Bounds,
  all: readonly Placed<Item>[],
  { checkpoint: tip }: ChainView,
  isWanted: (item: Item) => boolean,
): readonly Frame<Item>[] {
  const limit = Math.min(options?.limit ?? DEFAULT_ITEMS, MOST_ITEMS);
  if (limit === 0) throw invalidArgument("limit must be at least 1");
  const [after, before] = [positionOf(options?.after) ?? 0n, positionOf(options?.before)];
  const isDescending = options?.ordering === GrpcTypes.Ordering.DESCENDING;
  const inBounds = all.filter(
    ({ position, checkpoint }) =>
      position > after &&
      (before === undefined || position < before) &&
      checkpoint >= startCheckpoint &&
      (endCheckpoint === undefined || checkpoint < endCheckpoint),
  );
  const wanted = (isDescending ? inBounds.toReversed() : inBounds).filter(({ item }) => isWanted(item));
  const frames = wanted
    .slice(0, limit)
    .map(({ item, position }): Frame<Item> => ({ item, watermark: watermark(position) }));
  const last = frames.at(-1);
  if (last !== undefined && wanted.length >= limit)
    return [...frames.slice(0, -1), { ...last, end: { reason: Reason.ITEM_LIMIT } }];
  const bound = isDescending ? after : (before ?? (all.at(-1)?.position ?? 0n) + 1n);
  const covered = isDescending
    ? startCheckpoint
    : min(endCheckpoint === undefined ? undefined : endCheckpoint - 1n, tip.sequenceNumber);
  const end = {
    reason: endReason(isDescending, { after, before, startCheckpoint, endCheckpoint }, tip.sequenceNumber),
  };
  const resume = isDescending ? bound : bound - 1n;
  return [...frames, { watermark: { ...watermark(resume), checkpoint: covered }, end }];
}

interface Interval {
  readonly after: bigint;
  readonly before: bigint | undefined;
  readonly startCheckpoint: bigint;
  readonly endCheckpoint: bigint | undefined;
}

function endReason(isDescending: boolean, { after, before, endCheckpoint }: Interval, tip: bigint) {
  if (isDescending) return after > 0n ? Reason.CURSOR_BOUND : Reason.CHECKPOINT_BOUND;
  if (before !== undefined) return Reason.CURSOR_BOUND;
  return endCheckpoint !== undefined && endCheckpoint <= tip ? Reason.CHECKPOINT_BOUND : Reason.LEDGER_TIP;
}

function min(one: bigint | undefined, other: bigint): bigint {
  return one === undefined || one > other ? other : one;
}

const CURSOR_BYTES = 8;

function watermark(position: bigint): GrpcTypes.Watermark {
  const cursor = new Uint8Array(CURSOR_BYTES);
  new DataView(cursor.buffer).setBigUint64(0, position);
  return { cursor };
}

function positionOf(cursor: Uint8Array | undefined): bigint | undefined {
  if (cursor === undefined) return undefined;
  if (cursor.length !== CURSOR_BYTES) throw invalidArgument("invalid cursor");
  return new DataView(cursor.buffer, cursor.byteOffset).getBigUint64(0);
}
