import { type LiveObject, liveObject } from "../workspace.ts";
import { FRAMEWORK } from "./balance.ts";
import type { AbortLocation, MoveCall } from "./types.ts";

/** Abort codes of the natives of `0x2::transfer` (sui-move-natives object_runtime, transfer.rs). */
const E_RECEIVING_OBJECT_TYPE_MISMATCH = 2n;
const E_UNABLE_TO_RECEIVE_OBJECT = 3n;
const RECEIVE: AbortLocation = { package: FRAMEWORK, module: "transfer", function: 9, functionName: "receive_impl" };

/** `0x2::transfer::receive`: takes an object out of the hands of the object that it was sent to. */
export function receiveObject(call: MoveCall, parent: string, id: string, type: string): LiveObject {
  const { workspace } = call;
  const sent = workspace.receivable.get(id);
  if (sent === undefined || sent.owner.kind !== "address" || sent.owner.address !== parent) {
    return call.abort(E_UNABLE_TO_RECEIVE_OBJECT, RECEIVE);
  }
  if (sent.type !== type) return call.abort(E_RECEIVING_OBJECT_TYPE_MISMATCH, RECEIVE);
  const object = { ...liveObject(sent), owner: undefined };
  workspace.objects.set(id, object);
  workspace.received.set(id, sent);
  workspace.record.received.set(id, sent);
  return object;
}
