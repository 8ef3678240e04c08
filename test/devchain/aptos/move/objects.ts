import * as z from "zod";
import { type Address, displayAddress, longAddress } from "../address.ts";
import { OBJECT_CORE, OBJECT_GROUP } from "./slots.ts";
import type { Json } from "./values.ts";
import { type Item, moveAbort, type World } from "./world.ts";

const CoreData = z.looseObject({ owner: z.string().transform(longAddress) });

/** @throws ExecutionFailure when there is no object. */
export function ownerOf(world: Pick<World, "get">, object: Address): Address {
  return CoreData.parse(objectAt(world, object).resources[OBJECT_CORE]).owner;
}

export function objectAt(world: Pick<World, "get">, object: Address): Item {
  const item = world.get(object, OBJECT_GROUP);
  if (item === undefined) {
    throw moveAbort("0x1::object", 0x60002n, "EOBJECT_DOES_NOT_EXIST", "An object does not exist at this address");
  }
  return item;
}

/** @throws ExecutionFailure unless `owner` owns the object. */
export function requireOwner(world: World, owner: Address, object: Address): Item {
  if (ownerOf(world, object) !== owner) {
    throw moveAbort("0x1::object", 0x50004n, "ENOT_OBJECT_OWNER", "The caller does not have ownership permissions");
  }
  return objectAt(world, object);
}

export function transferObject(world: World, owner: Address, object: Address, to: Address): void {
  const { resources, bytes } = requireOwner(world, owner, object);
  world.put(object, OBJECT_GROUP, { ...resources, [OBJECT_CORE]: objectCore(object, to) }, bytes);
  world.emit("0x1::object::Transfer", {
    from: displayAddress(owner),
    object: displayAddress(object),
    to: displayAddress(to),
  });
}

/** Where objects start to count what they make: above all numbers that accounts use. */
const FIRST_GUID_OF_AN_OBJECT = "1125899906842624";

export function objectCore(object: Address, owner: Address, ungated = true): Json {
  return {
    allow_ungated_transfer: ungated,
    // One is taken, by the events of transfers.
    guid_creation_num: String(BigInt(FIRST_GUID_OF_AN_OBJECT) + 1n),
    owner: displayAddress(owner),
    transfer_events: {
      counter: "0",
      guid: { id: { addr: displayAddress(object), creation_num: FIRST_GUID_OF_AN_OBJECT } },
    },
  };
}
