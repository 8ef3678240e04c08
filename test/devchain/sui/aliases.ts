import { bcs } from "@mysten/sui/bcs";
import { deriveObjectID, normalizeStructTag, normalizeSuiAddress } from "@mysten/sui/utils";
import type { ObjectStore } from "./store.ts";

/** The shared object below which each address has its aliases (sui-types: `SUI_ADDRESS_ALIAS_STATE_OBJECT_ID`). */
export const ALIAS_STATE_ID = normalizeSuiAddress("0xa");
export const ALIAS_STATE_TYPE = normalizeStructTag("0x2::address_alias::AddressAliasState");
export const ALIASES_TYPE = normalizeStructTag("0x2::address_alias::AddressAliases");

export const AliasState = bcs.struct("AddressAliasState", { id: bcs.Address, version: bcs.u64() });
export const Aliases = bcs.struct("AddressAliases", { id: bcs.Address, aliases: bcs.vector(bcs.Address) });

/** The id of an address's aliases, derived from the shared object (sui-framework address_alias.move: `AliasKey`). */
export function aliasesId(address: string): string {
  const key = bcs.Address.serialize(address).toBytes();
  return deriveObjectID(ALIAS_STATE_ID, "0x2::address_alias::AliasKey", key);
}

/** Who may sign for an address: itself, until it has aliases. */
export function signersFor(store: ObjectStore, address: string): readonly string[] {
  const object = store.liveObject(aliasesId(address));
  return object === undefined ? [address] : Aliases.parse(object.contents).aliases;
}
