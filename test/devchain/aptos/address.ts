import { AccountAddress } from "@aptos-labs/ts-sdk";
import { sha3_256 } from "@noble/hashes/sha3.js";
import { fromHex, toHex } from "./hex.ts";

/** An address as it is kept here: `0x` and 64 lower-case digits. */
export type Address = `0x${string}`;

export const FRAMEWORK = longAddress("0x1");
/** The metadata object of APT as a fungible asset. */
export const APT_METADATA = longAddress("0xa");
export const ZERO_ADDRESS = longAddress("0x0");

/** How the address of an object is derived from the object and owner that it belongs to (object.move). */
const DERIVED_FROM_OBJECT = 0xfc;

/** @throws Error with the SDK's text when it is no address. */
export function longAddress(text: string): Address {
  return `0x${AccountAddress.from(text, { maxMissingChars: 63 }).toStringLongWithoutPrefix()}`;
}

export function addressFromBytes(bytes: Uint8Array): Address {
  return `0x${toHex(bytes)}`;
}

/** As a node writes an address in full length: without leading zeros (aptos-core `api/types/src/address.rs`, `to_hex_literal`). */
export function displayAddress(address: string): string {
  return address.replace(/^0x0{0,63}/, "0x");
}

/** Where an owner's balance of an asset is kept (primary_fungible_store.move). */
export function primaryStore(owner: Address, metadata: Address = APT_METADATA): Address {
  return addressFromBytes(
    sha3_256(new Uint8Array([...fromHex(owner.slice(2)), ...fromHex(metadata.slice(2)), DERIVED_FROM_OBJECT])),
  );
}
