import { bcs } from "@mysten/sui/bcs";
import type { MoveValue } from "./types.ts";

export function readU64(bytes: Uint8Array): bigint {
  return new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength).getBigUint64(0, true);
}

export function readAddress(bytes: Uint8Array): string {
  return bcs.Address.parse(bytes);
}

export function u64Value(value: bigint): MoveValue {
  return { kind: "data", type: "u64", bytes: bcs.u64().serialize(value).toBytes() };
}
