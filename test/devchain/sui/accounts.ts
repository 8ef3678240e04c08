import { bcs, TypeTagSerializer } from "@mysten/sui/bcs";
import { deriveDynamicFieldID, normalizeStructTag } from "@mysten/sui/utils";
import { SUI_TYPE } from "./objects.ts";

/** What an address holds in funds of one coin type, outside of coin objects. */
export interface Account {
  readonly address: string;
  readonly coinType: string;
}

const ACCUMULATOR_ROOT = "0xacc";
const BALANCE = normalizeStructTag("0x2::balance::Balance");

export function balanceType(coinType: string): string {
  return `${BALANCE}<${coinType}>`;
}

/** The type of what a withdrawal input is before it is redeemed. */
export function withdrawalType(coinType: string): string {
  return `${normalizeStructTag("0x2::funds_accumulator::Withdrawal")}<${balanceType(coinType)}>`;
}

/** The same of a withdrawal from an allowance. */
export function allowanceWithdrawalType(coinType: string): string {
  return `${normalizeStructTag("0x2::allowance::AllowanceWithdrawal")}<${balanceType(coinType)}>`;
}

/** The type of the coin in a `0x2::balance::Balance`; undefined for every other type. */
export function coinTypeOfBalance(type: string): string | undefined {
  return type.startsWith(`${BALANCE}<`) ? type.slice(BALANCE.length + 1, -1) : undefined;
}

export function suiAccount(address: string): Account {
  return { address, coinType: SUI_TYPE };
}

export function accountKey({ address, coinType }: Account): string {
  return `${address} ${coinType}`;
}

const keyTypes = new Map<string, ReturnType<typeof TypeTagSerializer.parseFromStr>>();

function accumulatorKeyType(coinType: string) {
  const known = keyTypes.get(coinType);
  if (known) return known;
  const type = TypeTagSerializer.parseFromStr(`0x2::accumulator::Key<${balanceType(coinType)}>`, true);
  keyTypes.set(coinType, type);
  return type;
}

/** The id under which effects name an account: its dynamic field of the accumulator root (sui-types accumulator_root.rs). */
export function accumulatorId({ address, coinType }: Account): string {
  return deriveDynamicFieldID(ACCUMULATOR_ROOT, accumulatorKeyType(coinType), bcs.Address.serialize(address).toBytes());
}
