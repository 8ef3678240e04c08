import { bcs } from "@mysten/sui/bcs";
import type { GrpcTypes } from "@mysten/sui/grpc";
import { CLOCK_TYPE, Clock } from "./clock-object.ts";
import {
  BADGE_MINTED_TYPE,
  BADGE_TYPE,
  Badge,
  BadgeMinted,
  COUNTER_TYPE,
  Counter,
  LOCKER_TYPE,
  Locker,
  PARCEL_TYPE,
  Parcel,
} from "./move/demo-types.ts";
import { coinBalance, coinTypeOf } from "./objects.ts";

type JsonValue = NonNullable<GrpcTypes.Object["json"]>;

/** The JSON that the node derives from a Move value: u64 as text, ids and addresses in the long form. */
export function renderJson(type: string, contents: Uint8Array): JsonValue | undefined {
  if (coinTypeOf(type) !== undefined) {
    return jsonStruct({ id: bcs.Address.parse(contents), balance: String(coinBalance(contents)) });
  }
  switch (type) {
    case CLOCK_TYPE:
      return jsonStruct(Clock.parse(contents));
    case COUNTER_TYPE:
      return jsonStruct(Counter.parse(contents));
    case BADGE_TYPE:
      return jsonStruct(Badge.parse(contents));
    case LOCKER_TYPE:
      return jsonStruct(Locker.parse(contents));
    case PARCEL_TYPE:
      return jsonStruct(Parcel.parse(contents));
    case BADGE_MINTED_TYPE:
      return jsonStruct(BadgeMinted.parse(contents));
    default:
      return undefined;
  }
}

interface Fields {
  readonly [name: string]: string | null | Fields;
}

function jsonStruct(fields: Fields): JsonValue {
  const entries = Object.entries(fields).map(([name, value]) => [name, jsonValue(value)] as const);
  return { kind: { oneofKind: "structValue", structValue: { fields: Object.fromEntries(entries) } } };
}

function jsonValue(value: Fields[string]): JsonValue {
  if (value === null) return { kind: { oneofKind: "nullValue", nullValue: 0 } };
  if (typeof value === "string") return { kind: { oneofKind: "stringValue", stringValue: value } };
  return jsonStruct(value);
}
