import { coinContents, coinObjectType, SUI_COIN_TYPE, SUI_TYPE } from "../objects.ts";
import { createCoin, createObject, deleteObject, removeObject, unwrapObject } from "../workspace.ts";
import { readU64 } from "./data.ts";
import { DEMO_COIN_TYPE, PARCEL_TYPE, Parcel, WrappedCoin } from "./demo-types.ts";
import { byValue, coinOf, datatype, demoFunction, type MoveFunction, U64 } from "./types.ts";

const SUI_COIN = coinOf(datatype(SUI_TYPE));
const DEMO_COIN = coinOf(datatype(DEMO_COIN_TYPE));
const PARCEL = datatype(PARCEL_TYPE);

/**
 * What a stranger may send to an address beside SUI, in Move:
 * ```move
 * public struct Parcel has key, store { id: UID, coin: Coin<SUI> }
 * public fun mint_coin(value: u64, ctx: &mut TxContext): Coin<DEMO>   // anybody may; its treasury is not modelled
 * public fun wrap_coin(coin: Coin<SUI>, ctx: &mut TxContext): Parcel
 * public fun unwrap_coin(parcel: Parcel): Coin<SUI>
 * ```
 */
export const COIN_FUNCTIONS: readonly MoveFunction[] = [
  demoFunction({
    name: "mint_coin",
    index: 12,
    parameters: [byValue(U64)],
    returns: [DEMO_COIN],
    takesContext: true,
    run: (call) => [
      { kind: "object", object: createCoin(call.workspace, coinObjectType(DEMO_COIN_TYPE), readU64(call.bytes(0))) },
    ],
  }),
  demoFunction({
    name: "wrap_coin",
    index: 13,
    parameters: [byValue(SUI_COIN)],
    returns: [PARCEL],
    takesContext: true,
    run: (call) => {
      const { workspace } = call;
      const put = call.object(0);
      const coin = WrappedCoin.parse(put.contents);
      const parcel = createObject(workspace, {
        type: PARCEL_TYPE,
        hasPublicTransfer: true,
        contents: (id) => Parcel.serialize({ id, coin }).toBytes(),
      });
      removeObject(workspace, put);
      return [{ kind: "object", object: parcel }];
    },
  }),
  demoFunction({
    name: "unwrap_coin",
    index: 14,
    parameters: [byValue(PARCEL)],
    returns: [SUI_COIN],
    run: (call) => {
      const parcel = call.object(0);
      const { id, balance } = Parcel.parse(parcel.contents).coin;
      deleteObject(call.workspace, parcel);
      const coin = unwrapObject(call.workspace, {
        id,
        type: SUI_COIN_TYPE,
        hasPublicTransfer: true,
        owner: undefined,
        contents: coinContents(id, BigInt(balance)),
      });
      return [{ kind: "object", object: coin }];
    },
  }),
];
