/** Resources of an object lie in one slot of storage. */
export const OBJECT_GROUP = "0x1::object::ObjectGroup";
export const OBJECT_CORE = "0x1::object::ObjectCore";
export const FUNGIBLE_STORE = "0x1::fungible_asset::FungibleStore";
