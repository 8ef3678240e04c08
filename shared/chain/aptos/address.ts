import { parseHex, toHex } from "../../bytes.ts";

/**
 * Account addresses: 32 bytes, `0x` and 64 lower-case hex digits throughout this code. AIP-40 defines their form for
 * people: `0x0` to `0xf` in one digit, all others in full. Callers' addresses are read by that rule. Nodes omit every
 * leading zero.
 */

const ADDRESS_DIGITS = 64;
/** The most leading zeros that an address may lack, as in the chain's SDK. An address that lacks more is truncated. */
const MAX_MISSING_DIGITS = 4;

/** The address of no account. A signer who does not know the fee payer yet signs over this address instead (AIP-53). */
export const ZERO_ADDRESS = `0x${"0".repeat(ADDRESS_DIGITS)}`;

function isSpecial(address: string): boolean {
  return address.startsWith(ZERO_ADDRESS.slice(0, -1));
}

/**
 * Reads an address as the chain's SDK does: with or without `0x`, in full or short for a special address. Up to four
 * leading zeros may be missing.
 *
 * @returns null for any other text.
 */
export function parseAddress(text: string): string | null {
  const digits = text.replace(/^0x/, "");
  if (!/^[0-9a-fA-F]{1,64}$/.test(digits)) return null;
  const address = `0x${digits.toLowerCase().padStart(ADDRESS_DIGITS, "0")}`;
  return isSpecial(address) || digits.length >= ADDRESS_DIGITS - MAX_MISSING_DIGITS ? address : null;
}

/**
 * Reads an address in the form of a node: `0x` and its digits without leading zeros (aptos-core
 * `api/types/src/address.rs`, `to_hex_literal`). A node makes no typing mistakes, so any number of zeros may be
 * missing.
 *
 * @returns the address in full length. Null for any other text.
 */
export function parseNodeAddress(text: string): string | null {
  const digits = /^0x([0-9a-fA-F]{1,64})$/.exec(text)?.[1];
  return digits === undefined ? null : `0x${digits.toLowerCase().padStart(ADDRESS_DIGITS, "0")}`;
}

/** Writes the addresses in a node's Move type in full length, which the chain's SDK also reads. */
export function withFullAddresses(type: string): string {
  return type.replaceAll(/\b0x[0-9a-fA-F]{1,64}(?=::)/g, (address) => parseNodeAddress(address) ?? address);
}

/** Writes an address in the form of AIP-40. */
export function formatAddress(address: string): string {
  return isSpecial(address) ? `0x${address.slice(-1)}` : address;
}

/** @throws unless the text is an address in full length. */
export function addressBytes(address: string): Uint8Array {
  const bytes = parseHex(address.slice(2));
  if (!address.startsWith("0x") || bytes?.length !== ADDRESS_DIGITS / 2) throw new TypeError("not an address");
  return bytes;
}

/** Writes 32 bytes as an address in full length: `0x` and 64 lower-case hex digits. */
export function addressOfBytes(bytes: Uint8Array): string {
  return `0x${toHex(bytes)}`;
}
