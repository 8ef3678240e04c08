import { bcs } from "@mysten/sui/bcs";
import { concatBytes } from "@noble/hashes/utils.js";
import { encodeUleb } from "./pure.ts";
import { type MoveValue, valueType } from "./types.ts";

/** `0x2::funds_accumulator::Withdrawal<Balance<T>>` (sui-framework funds_accumulator.move). */
const Withdrawal = bcs.struct("Withdrawal", { owner: bcs.Address, limit: bcs.u256() });

/** A value as the node shows it: its type, where it has one, and its BCS. */
export function renderValue(value: MoveValue): { name?: string; value: Uint8Array } {
  if (value.kind === "pure") return { value: value.bytes };
  if (value.kind === "receiving") return { value: bcs.Address.serialize(value.id).toBytes() };
  return { name: valueType(value), value: valueBcs(value) };
}

function valueBcs(value: Exclude<MoveValue, { kind: "pure" | "receiving" }>): Uint8Array {
  switch (value.kind) {
    case "object":
      return value.object.contents;
    case "data":
      return value.bytes;
    case "vector":
      return concatBytes(encodeUleb(value.objects.length), ...value.objects.map(({ contents }) => contents));
    case "balance":
      return bcs.u64().serialize(value.balance.value).toBytes();
    case "withdrawal":
      return Withdrawal.serialize({ owner: value.account.address, limit: value.amount }).toBytes();
  }
}
