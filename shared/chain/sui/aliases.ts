import { bcs } from "@mysten/sui/bcs";
import { deriveObjectID, normalizeSuiAddress } from "@mysten/sui/utils";

/** The aliases of an address: the keys that sign for it (sui-framework, `address_alias.move`, protocol 136). */

/** The shared object below which each address has its aliases (sui-types: `SUI_ADDRESS_ALIAS_STATE_OBJECT_ID`). */
const ALIAS_STATE_ID = normalizeSuiAddress("0xa");
const ALIAS_KEY = "0x2::address_alias::AliasKey";

/** The most keys that sign for an address (`MAX_ALIASES`). */
const MAX_ALIASES = 8;

const ADDRESS_BYTES = 32;
/** The id, and the count before the aliases. */
const HEAD_BYTES = ADDRESS_BYTES + 1;

const addressAliases = bcs.struct("AddressAliases", { id: bcs.Address, aliases: bcs.vector(bcs.Address) });

/** Derives the id of the object that holds an address's aliases. */
export function aliasesId(address: string): string {
  return deriveObjectID(ALIAS_STATE_ID, ALIAS_KEY, bcs.Address.serialize(address).toBytes());
}

/** Decodes the aliases of an address: BCS of `AddressAliases`. Null if these are none of this address. */
export function decodeAliases(contents: Uint8Array, address: string): readonly string[] | null {
  try {
    const { id, aliases } = addressAliases.parse(contents);
    // The SDK's codec reads on behind bytes that are cut short.
    const isWhole = contents.length === HEAD_BYTES + aliases.length * ADDRESS_BYTES && aliases.length <= MAX_ALIASES;
    return isWhole && id === aliasesId(address) ? aliases : null;
  } catch {
    return null;
  }
}
