import { bcs } from "@mysten/sui/bcs";
import { normalizeStructTag } from "@mysten/sui/utils";
import { balanceType } from "./accounts.ts";
import type { ObjectStore } from "./store.ts";
import type { CallArg } from "./transaction.ts";

const ALLOWANCE_PREFIX = `${normalizeStructTag("0x2::allowance::Allowance")}<`;
const CAP_PREFIX = `${normalizeStructTag("0x2::allowance::AllowanceCap")}<`;
export const RATE_LIMIT_TYPE = normalizeStructTag("0x2::allowance::RateLimit");

const Window = bcs.enum("Window", { PeriodicMs: bcs.u64(), CalendarMonths: bcs.u8() });
/** sui-framework allowance.move: `RateLimit`. */
export const RateLimit = bcs.enum("RateLimit", {
  Windowed: bcs.struct("Windowed", {
    limit: bcs.u256(),
    spent: bcs.u256(),
    anchorMs: bcs.option(bcs.u64()),
    index: bcs.u64(),
    window: Window,
  }),
});
/** sui-framework allowance.move: `Allowance`, with its settings in their order. */
export const Allowance = bcs.struct("Allowance", {
  id: bcs.Address,
  funder: bcs.Address,
  spender: bcs.option(bcs.Address),
  app: bcs.option(bcs.string()),
  lifetimeCap: bcs.option(bcs.u256()),
  startTimestampMs: bcs.option(bcs.u64()),
  expirationTimestampMs: bcs.option(bcs.u64()),
  rateLimit: bcs.option(RateLimit),
  name: bcs.string(),
  currentSpend: bcs.u256(),
});
export const AllowanceCap = bcs.struct("AllowanceCap", { id: bcs.Address, allowance: bcs.Address });

export type AllowanceFields = typeof Allowance.$inferType;

/** The type of an allowance, or of its cap, that is over these funds, such as `0x2::balance::Balance<…>`. */
export function allowanceType(fundsType: string): string {
  return `${ALLOWANCE_PREFIX}${fundsType}>`;
}

export function allowanceCapType(fundsType: string): string {
  return `${CAP_PREFIX}${fundsType}>`;
}

/** The type of the funds of an allowance or of its cap; undefined for what is neither. */
export function allowanceFunds(type: string): string | undefined {
  const prefix = [ALLOWANCE_PREFIX, CAP_PREFIX].find((one) => type.startsWith(one));
  return prefix === undefined ? undefined : type.slice(prefix.length, -1);
}

/** A withdrawal from an allowance, as a transaction declares it. */
export interface DeclaredAllowance {
  readonly allowance: string;
  readonly funder: string;
  readonly coinType: string;
}

/**
 * Checks a declared withdrawal against its allowance, as validators do before they sign (sui-types allowance.rs).
 *
 * @returns what is wrong with it, undefined if it stands.
 */
export function whyNotAllowed(
  store: ObjectStore,
  { inputs, sender }: { readonly inputs: readonly CallArg[]; readonly sender: string },
  { allowance: id, funder, coinType }: DeclaredAllowance,
): string | undefined {
  const isInput = inputs.some(({ Object: given }) => given?.SharedObject?.objectId === id);
  if (!isInput) return `Specified allowance ${id} not found among the tx inputs`;
  const object = store.liveObject(id);
  if (object === undefined || !object.type.startsWith(ALLOWANCE_PREFIX)) {
    return `Specified allowance ${id} is not a sui::allowance::Allowance`;
  }
  const settings = Allowance.parse(object.contents);
  if (settings.funder !== funder) return `Declared funder ${funder} does not match the funder of allowance ${id}`;
  if (settings.spender !== sender) return `Transaction sender is not the spender of allowance ${id}`;
  const [held, declared] = [allowanceFunds(object.type) ?? "", balanceType(coinType)];
  return held === declared ? undefined : `Allowance ${id} is for ${held}, not ${declared}`;
}
