import { Hex } from "@aptos-labs/ts-sdk";

export function toHex(bytes: Uint8Array): string {
  return Hex.fromHexInput(bytes).toStringWithoutPrefix();
}

/** With or without `0x`. @throws Error when it is no hex. */
export function fromHex(text: string): Uint8Array {
  return text === "" || text === "0x" ? new Uint8Array() : Hex.fromHexString(text).toUint8Array();
}
