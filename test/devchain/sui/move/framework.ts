import { CLOCK_TYPE, Clock } from "../clock-object.ts";
import { moveFunds } from "../funds.ts";
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
  accountOf,
  BALANCE,
  BALANCE_FUNCTIONS,
  balanceValue,
  COIN,
  checkSplit,
  coinFunction,
  coinValue,
  destroyZero,
  FRAMEWORK,
  redeem,
  WITHDRAWAL,
} from "./balance.ts";
import { readAddress, readU64, u64Value } from "./data.ts";
import {
  type AbortLocation,
  ADDRESS,
  byValue,
  datatype,
  immutable,
  type MoveCall,
  type MoveFunction,
  mutable,
  U64,
  vectorOf,
} from "./types.ts";

/** `0x2::coin::divide_into_n` raises these (sui-framework coin.move). */
const EInvalidArg = 1n;
const ECoinNotEnough = 2n;
const COIN_DIVIDE: AbortLocation = {
  package: FRAMEWORK,
  module: "coin",
  function: 15,
  instruction: 10,
  functionName: "divide_into_n",
};

/** The functions of the Sui framework that a plain coin wallet calls. They behave as framework/sources does. */
export const FRAMEWORK_FUNCTIONS: readonly MoveFunction[] = [
  coinFunction({
    module: "coin",
    name: "value",
    index: 4,
    parameters: [immutable(COIN)],
    returns: [U64],
    run: (call) => [u64Value(coinBalance(call.object(0).contents))],
  }),
  coinFunction({
    module: "coin",
    name: "zero",
    index: 10,
    parameters: [],
    returns: [COIN],
    takesContext: true,
    run: (call) => [coinValue(call, 0n)],
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
      destroyZero(call, coinBalance(call.object(0).contents));
      deleteObject(call.workspace, call.object(0));
      return [];
    },
  }),
  coinFunction({
    module: "coin",
    name: "into_balance",
    index: 5,
    parameters: [byValue(COIN)],
    returns: [BALANCE],
    run: (call) => {
      const coin = call.object(0);
      deleteObject(call.workspace, coin);
      return [balanceValue(call, coinBalance(coin.contents))];
    },
  }),
  coinFunction({
    module: "coin",
    name: "from_balance",
    index: 6,
    parameters: [byValue(BALANCE)],
    returns: [COIN],
    takesContext: true,
    run: (call) => [coinValue(call, call.balance(0).value)],
  }),
  coinFunction({
    module: "coin",
    name: "send_funds",
    index: 13,
    parameters: [byValue(COIN), byValue(ADDRESS)],
    takesGasCoin: true,
    run: (call) => {
      const coin = call.object(0);
      const account = accountOf(call, readAddress(call.bytes(1)));
      const { workspace } = call;
      moveFunds(workspace.funds, account, coinBalance(coin.contents));
      deleteObject(workspace, coin);
      if (coin.id === workspace.gasCoin?.id) workspace.gasCoin.givenTo = { kind: "funds", account };
      return [];
    },
  }),
  coinFunction({
    module: "coin",
    name: "redeem_funds",
    index: 14,
    parameters: [byValue(WITHDRAWAL)],
    returns: [COIN],
    takesContext: true,
    run: (call) => [coinValue(call, redeem(call))],
  }),
  ...BALANCE_FUNCTIONS,
  {
    package: FRAMEWORK,
    module: "clock",
    name: "timestamp_ms",
    index: 0,
    isEntry: false,
    typeParameters: [],
    parameters: [immutable(datatype(CLOCK_TYPE))],
    returns: [U64],
    takesContext: false,
    run: (call) => [u64Value(BigInt(Clock.parse(call.object(0).contents).timestamp_ms))],
  },
  {
    package: FRAMEWORK,
    module: "sui",
    name: "new",
    index: 0,
    isEntry: false,
    isPrivate: true,
    typeParameters: [],
    parameters: [],
    returns: [],
    takesContext: true,
    run: () => [],
  },
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

function joinCoins(workspace: Workspace, into: LiveObject, coin: LiveObject): void {
  setCoinBalance(into, coinBalance(into.contents) + coinBalance(coin.contents));
  deleteObject(workspace, coin);
}

function splitCoin(call: MoveCall, coin: LiveObject, amount: bigint): LiveObject {
  const balance = coinBalance(coin.contents);
  checkSplit(call, balance, amount);
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
