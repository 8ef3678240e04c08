import { normalizeStructTag } from "@mysten/sui/utils";
import { transferObject } from "../workspace.ts";
import { FRAMEWORK } from "./balance.ts";
import { readAddress } from "./data.ts";
import {
  type AbortLocation,
  ADDRESS,
  byValue,
  datatype,
  type MoveCall,
  type MoveFunction,
  typeParameter,
} from "./types.ts";

const PARTY_TYPE = normalizeStructTag("0x2::party::Party");
const PARTY = datatype(PARTY_TYPE);
const OBJECT = typeParameter(0);

/** Abort code of the natives of `0x2::transfer` (sui-move-natives transfer.rs). */
const E_SHARED_NON_NEW_OBJECT = 0n;
const SHARE: AbortLocation = { package: FRAMEWORK, module: "transfer", function: 7, functionName: "share_object_impl" };

/**
 * The public functions of `0x2::transfer`, which take objects with `store` only, and `0x2::party::single_owner`.
 * A party that is not an object's single owner cannot be made here, so the owner's address stands for it.
 */
export const TRANSFER_FUNCTIONS: readonly MoveFunction[] = [
  transferFunction({
    name: "public_transfer",
    index: 1,
    parameters: [byValue(OBJECT), byValue(ADDRESS)],
    run: (call) => {
      transferObject(call.object(0), readAddress(call.bytes(1)));
      return [];
    },
  }),
  transferFunction({
    name: "public_party_transfer",
    index: 3,
    parameters: [byValue(OBJECT), byValue(PARTY)],
    run: (call) => {
      call.object(0).owner = { kind: "party", address: readAddress(call.bytes(1)), startVersion: 0n };
      return [];
    },
  }),
  transferFunction({
    name: "public_freeze_object",
    index: 5,
    parameters: [byValue(OBJECT)],
    run: (call) => {
      call.object(0).owner = { kind: "immutable" };
      return [];
    },
  }),
  transferFunction({
    name: "public_share_object",
    index: 6,
    parameters: [byValue(OBJECT)],
    run: (call) => {
      shareNew(call);
      return [];
    },
  }),
  {
    package: FRAMEWORK,
    module: "party",
    name: "single_owner",
    index: 0,
    isEntry: false,
    typeParameters: [],
    parameters: [byValue(ADDRESS)],
    returns: [PARTY],
    takesContext: false,
    run: (call) => [{ kind: "data", type: PARTY_TYPE, bytes: call.bytes(0) }],
  },
];

/** Only what the transaction itself has made can be shared. */
function shareNew(call: MoveCall): void {
  const object = call.object(0);
  if (!call.workspace.created.has(object.id)) call.abort(E_SHARED_NON_NEW_OBJECT, SHARE);
  object.owner = { kind: "shared", initialSharedVersion: 0n };
}

function transferFunction(shape: Pick<MoveFunction, "name" | "index" | "parameters" | "run">): MoveFunction {
  return {
    package: FRAMEWORK,
    module: "transfer",
    isEntry: false,
    typeParameters: ["key+store"],
    returns: [],
    takesContext: false,
    ...shape,
  };
}
