import { bcs } from "@mysten/sui/bcs";
import { normalizeStructTag } from "@mysten/sui/utils";
import { DEMO_ABORT_LOCKER_EMPTY, DEMO_ABORT_LOCKER_FULL } from "../../demo.ts";
import { createObject, deleteObject, type LiveObject, removeObject, unwrapObject } from "../workspace.ts";
import { u64Value } from "./data.ts";
import { BADGE_TYPE, Badge, LOCKER_TYPE, Locker } from "./demo-types.ts";
import { STRING_TYPE } from "./pure.ts";
import { receiveObject } from "./receive.ts";
import {
  byValue,
  coinOf,
  datatype,
  demoFunction,
  type MoveCall,
  type MoveFunction,
  type MoveValue,
  mutable,
  receivingOf,
  typeName,
  typeParameter,
  U64,
  vectorOf,
} from "./types.ts";

const LOCKER = datatype(LOCKER_TYPE);
const BADGE = datatype(BADGE_TYPE);
const COIN = coinOf(typeParameter(0));
const OPTIONAL_TEXT = datatype("0x1::option::Option", datatype(STRING_TYPE));

/**
 * Objects that hold and receive others, in Move:
 * ```move
 * public fun new_locker(ctx: &mut TxContext): Locker
 * public fun lock(locker: &mut Locker, badge: Badge)        // wraps; aborts with 2 when there is a badge in it
 * public fun unlock(locker: &mut Locker): Badge             // unwraps; aborts with 3 when there is none
 * public fun burn_locked(locker: &mut Locker)               // deletes what is wrapped
 * public fun burn(badge: Badge)
 * public fun receive_badge(locker: &mut Locker, sent: Receiving<Badge>): Badge
 * public fun receive_coin<T>(locker: &mut Locker, sent: Receiving<Coin<T>>): Coin<T>
 * public fun measure(text: Option<String>, numbers: vector<u64>): u64
 * ```
 */
export const LOCKER_FUNCTIONS: readonly MoveFunction[] = [
  demoFunction({
    name: "new_locker",
    index: 4,
    parameters: [],
    returns: [LOCKER],
    takesContext: true,
    run: (call) => {
      const locker = createObject(call.workspace, {
        type: LOCKER_TYPE,
        hasPublicTransfer: true,
        contents: (id) => Locker.serialize({ id, badge: null }).toBytes(),
      });
      return [{ kind: "object", object: locker }];
    },
  }),
  demoFunction({
    name: "lock",
    index: 5,
    parameters: [mutable(LOCKER), byValue(BADGE)],
    run: (call) => {
      const { id, badge } = Locker.parse(call.object(0).contents);
      if (badge !== null) call.abort(DEMO_ABORT_LOCKER_FULL);
      const put = call.object(1);
      call.object(0).contents = Locker.serialize({ id, badge: Badge.parse(put.contents) }).toBytes();
      removeObject(call.workspace, put);
      return [];
    },
  }),
  demoFunction({
    name: "unlock",
    index: 6,
    parameters: [mutable(LOCKER)],
    returns: [BADGE],
    run: (call) => [{ kind: "object", object: takeOut(call) }],
  }),
  demoFunction({
    name: "burn_locked",
    index: 7,
    parameters: [mutable(LOCKER)],
    run: (call) => {
      deleteObject(call.workspace, takeOut(call));
      return [];
    },
  }),
  demoFunction({
    name: "burn",
    index: 8,
    parameters: [byValue(BADGE)],
    run: (call) => {
      deleteObject(call.workspace, call.object(0));
      return [];
    },
  }),
  demoFunction({
    name: "receive_badge",
    index: 9,
    parameters: [mutable(LOCKER), byValue(receivingOf(BADGE))],
    returns: [BADGE],
    run: (call) => [received(call, BADGE_TYPE)],
  }),
  demoFunction({
    name: "receive_coin",
    index: 10,
    typeParameters: ["any"],
    parameters: [mutable(LOCKER), byValue(receivingOf(COIN))],
    returns: [COIN],
    run: (call) => [received(call, typeName(COIN, call.typeArguments))],
  }),
  demoFunction({
    name: "measure",
    index: 11,
    parameters: [byValue(OPTIONAL_TEXT), byValue(vectorOf(U64))],
    returns: [U64],
    run: (call) => {
      const text = bcs.option(bcs.string()).parse(call.bytes(0)) ?? "";
      return [u64Value(BigInt(text.length + bcs.vector(bcs.u64()).parse(call.bytes(1)).length))];
    },
  }),
];

function received(call: MoveCall, type: string): MoveValue {
  return {
    kind: "object",
    object: receiveObject(call, call.object(0).id, call.receiving(1), normalizeStructTag(type)),
  };
}

function takeOut(call: MoveCall): LiveObject {
  const { id, badge } = Locker.parse(call.object(0).contents);
  if (badge === null) return call.abort(DEMO_ABORT_LOCKER_EMPTY);
  call.object(0).contents = Locker.serialize({ id, badge: null }).toBytes();
  const contents = Badge.serialize(badge).toBytes();
  return unwrapObject(call.workspace, {
    id: badge.id,
    type: BADGE_TYPE,
    hasPublicTransfer: true,
    owner: undefined,
    contents,
  });
}
