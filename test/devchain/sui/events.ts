import { bcs, TypeTagSerializer } from "@mysten/sui/bcs";
import { GrpcTypes } from "@mysten/sui/grpc";
import { taggedDigest } from "./hash.ts";
import { renderJson } from "./json.ts";
import type { EmittedEvent } from "./workspace.ts";

/** sui-types event.rs: `Event` and `TransactionEvents`. */
const Event = bcs.struct("Event", {
  packageId: bcs.Address,
  transactionModule: bcs.string(),
  sender: bcs.Address,
  type: bcs.StructTag,
  contents: bcs.byteVector(),
});
const TransactionEventsBcs = bcs.struct("TransactionEvents", { data: bcs.vector(Event) });

export interface TransactionEvents {
  readonly digest: string;
  readonly proto: GrpcTypes.TransactionEvents;
}

/** Encodes a transaction's events, or gives undefined when it emitted none. */
export function encodeEvents(events: readonly EmittedEvent[]): TransactionEvents | undefined {
  if (events.length === 0) return undefined;
  const bytes = TransactionEventsBcs.serialize({
    data: events.map((event) => ({
      packageId: event.package,
      transactionModule: event.module,
      sender: event.sender,
      type: structTag(event.type),
      contents: event.contents,
    })),
  }).toBytes();
  const digest = taggedDigest("TransactionEvents", bytes);
  const proto = GrpcTypes.TransactionEvents.create({
    bcs: { name: "TransactionEvents", value: bytes },
    digest,
    events: events.map(eventProto),
  });
  return { digest, proto };
}

function eventProto(event: EmittedEvent): GrpcTypes.Event {
  const json = renderJson(event.type, event.contents);
  return {
    packageId: event.package,
    module: event.module,
    sender: event.sender,
    eventType: event.type,
    contents: { name: event.type, value: event.contents },
    ...(json && { json }),
  };
}

function structTag(type: string) {
  const tag = TypeTagSerializer.parseFromStr(type, true);
  if (!("struct" in tag)) throw new Error(`${type} is not a struct type`);
  return tag.struct;
}
