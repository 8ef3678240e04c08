import { bcs } from "@mysten/sui/bcs";
import { normalizeSuiAddress } from "@mysten/sui/utils";
import { coinBalance } from "../objects.ts";
import {
  createCoin,
  deleteObject,
  type LiveObject,
  setCoinBalance,
  transferObject,
  type Workspace,
} from "../workspace.ts";
import {
  type AbortLocation,
  byValue,
  coinOf,
  immutable,
  type MoveCall,
  type MoveFunction,
  mutable,
  typeName,
  typeParameter,
  U64,
  vectorOf,
} from "./types.ts";

const FRAMEWORK = normalizeSuiAddress("0x2");
const COIN = coinOf(typeParameter(0));

/** `0x2::balance::split` and `destroy_zero` raise these (sui-framework balance.move). Function indexes are modelled. */
const ENonZero = 0n;
const ENotEnough = 2n;
/** `0x2::coin::divide_into_n` raises these (sui-framework coin.move). */
const EInvalidArg = 1n;
const ECoinNotEnough = 2n;
const BALANCE_SPLIT: AbortLocation = { package: FRAMEWORK, module: "balance", function: 6, functionName: "split" };
const BALANCE_DESTROY_ZERO: AbortLocation = {
  package: FRAMEWORK,
  module: "balance",
  function: 8,
  functionName: "destroy_zero",
};
const COIN_DIVIDE: AbortLocation = { package: FRAMEWORK, module: "coin", function: 11, functionName: "divide_into_n" };

type FunctionShape = Omit<MoveFunction, "package" | "isEntry" | "takesContext" | "typeParameters" | "returns"> &
  Partial<Pick<MoveFunction, "isEntry" | "takesContext" | "returns">>;

/** The functions of the Sui framework that a plain coin wallet calls. They behave as framework/sources does. */
export const FRAMEWORK_FUNCTIONS: readonly MoveFunction[] = [
  coinFunction({
    module: "coin",
    name: "value",
    index: 4,
    parameters: [immutable(COIN)],
    returns: [U64],
    run: (call) => [
      {
        kind: "data",
        type: "u64",
        bytes: bcs
          .u64()
          .serialize(coinBalance(call.object(0).contents))
          .toBytes(),
      },
    ],
  }),
  coinFunction({
    module: "coin",
    name: "zero",
    index: 10,
    parameters: [],
    returns: [COIN],
    takesContext: true,
    run: (call) => [{ kind: "object", object: createCoin(call.workspace, typeName(COIN, call.typeArguments), 0n) }],
  }),
  coinFunction({
    module: "coin",
    name: "join",
    index: 8,
    isEntry: true,
    parameters: [mutable(COIN), byValue(COIN)],
    run: (call) => {
      joinCoins(call.workspace, call.object(0), call.object(1));
      return [];
    },
  }),
  coinFunction({
    module: "coin",
    name: "split",
    index: 9,
    parameters: [mutable(COIN), byValue(U64)],
    returns: [COIN],
    takesContext: true,
    run: (call) => [{ kind: "object", object: splitCoin(call, call.object(0), readU64(call.bytes(1))) }],
  }),
  coinFunction({
    module: "coin",
    name: "destroy_zero",
    index: 12,
    parameters: [byValue(COIN)],
    run: (call) => {
      if (coinBalance(call.object(0).contents) !== 0n) call.abort(ENonZero, BALANCE_DESTROY_ZERO);
      deleteObject(call.workspace, call.object(0));
      return [];
    },
  }),
  coinFunction({
    module: "pay",
    name: "join_vec",
    index: 6,
    isEntry: true,
    parameters: [mutable(COIN), byValue(vectorOf(COIN))],
    run: (call) => {
      for (const coin of call.objects(1)) joinCoins(call.workspace, call.object(0), coin);
      return [];
    },
  }),
  coinFunction({
    module: "pay",
    name: "divide_and_keep",
    index: 3,
    isEntry: true,
    parameters: [mutable(COIN), byValue(U64)],
    takesContext: true,
    run: (call) => {
      for (const coin of divideCoin(call, call.object(0), readU64(call.bytes(1)))) {
        transferObject(coin, call.workspace.sender);
      }
      return [];
    },
  }),
];

export function readU64(bytes: Uint8Array): bigint {
  return new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength).getBigUint64(0, true);
}

function coinFunction(shape: FunctionShape): MoveFunction {
  return { package: FRAMEWORK, typeParameters: 1, isEntry: false, takesContext: false, returns: [], ...shape };
}

function joinCoins(workspace: Workspace, into: LiveObject, coin: LiveObject): void {
  setCoinBalance(into, coinBalance(into.contents) + coinBalance(coin.contents));
  deleteObject(workspace, coin);
}

function splitCoin(call: MoveCall, coin: LiveObject, amount: bigint): LiveObject {
  const balance = coinBalance(coin.contents);
  if (balance < amount) call.abort(ENotEnough, BALANCE_SPLIT);
  setCoinBalance(coin, balance - amount);
  return createCoin(call.workspace, coin.type, amount);
}

/** Splits a coin into `count` equal ones; the remainder stays in the coin, which is one of them. */
function divideCoin(call: MoveCall, coin: LiveObject, count: bigint): LiveObject[] {
  if (count === 0n) call.abort(EInvalidArg, COIN_DIVIDE);
  if (count > coinBalance(coin.contents)) call.abort(ECoinNotEnough, COIN_DIVIDE);
  const share = coinBalance(coin.contents) / count;
  const parts: LiveObject[] = [];
  for (let made = 1n; made < count; made++) parts.push(splitCoin(call, coin, share));
  return parts;
}
