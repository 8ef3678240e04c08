import { bcs } from "@mysten/sui/bcs";
import { DEMO_PACKAGE } from "../../demo.ts";

export const COUNTER_TYPE = `${DEMO_PACKAGE}::demo::Counter`;
export const BADGE_TYPE = `${DEMO_PACKAGE}::demo::Badge`;
export const LOCKER_TYPE = `${DEMO_PACKAGE}::demo::Locker`;
export const PARCEL_TYPE = `${DEMO_PACKAGE}::demo::Parcel`;
/** A coin type other than SUI: the witness of module `demo`. */
export const DEMO_COIN_TYPE = `${DEMO_PACKAGE}::demo::DEMO`;
export const BADGE_MINTED_TYPE = `${DEMO_PACKAGE}::demo::BadgeMinted`;

export const Counter = bcs.struct("Counter", { id: bcs.Address, value: bcs.u64() });
export const Badge = bcs.struct("Badge", { id: bcs.Address, name: bcs.string() });
export const Locker = bcs.struct("Locker", { id: bcs.Address, badge: bcs.option(Badge) });
export const WrappedCoin = bcs.struct("Coin", { id: bcs.Address, balance: bcs.u64() });
export const Parcel = bcs.struct("Parcel", { id: bcs.Address, coin: WrappedCoin });
export const BadgeMinted = bcs.struct("BadgeMinted", {
  badge_id: bcs.Address,
  name: bcs.string(),
  owner: bcs.Address,
});
