import { type AccountAuthenticator, AccountAuthenticatorAbstraction } from "@aptos-labs/ts-sdk";
import { isAbstractionOf } from "./abstraction.ts";
import { type Address, ZERO_ADDRESS } from "./address.ts";
import type { ValidationStatus } from "./errors.ts";
import { GAS, type GasSchedule, intrinsicUnits, paysForAccount } from "./gas.ts";
import { toHex } from "./hex.ts";
import { accountAt, findAccount } from "./move/account.ts";
import { aptBalance } from "./move/fungible.ts";
import type { World } from "./move/world.ts";
import { authenticationKey, isAbsent } from "./signatures.ts";
import { feePayerOf, type Signed } from "./signed.ts";

export const CHAIN_ID = 4;
/** A number as large is for transactions without one. */
const FIRST_TOO_BIG_SEQUENCE_NUMBER = 1n << 63n;

/** At admission a transaction may be ahead of its sender's sequence number, as the mempool keeps it until its turn. */
export type Stage = "admission" | "execution" | "simulation";

/** How long before its expiration an orderless transaction may come (aptos-framework transaction_validation.move). */
const MAX_ORDERLESS_SECONDS = 65n;
/** For so long after its expiration a nonce is kept, and not used again (nonce_validation.move). */
const NONCE_OVERLAP_SECONDS = 100n;

export interface Circumstances {
  readonly stage: Stage;
  readonly gas: GasSchedule;
  /** When the latest transaction of a sender with a nonce expires. */
  readonly nonceExpiry: (sender: Address, nonce: bigint) => bigint | undefined;
  readonly world: Pick<World, "get">;
  /** Seconds, of the last block or of the one that it is to be in. */
  readonly nowSeconds: bigint;
}

/**
 * What the VM has against a transaction, or undefined. The order of the checks is that of aptos-vm gas.rs and of
 * aptos-framework transaction_validation.move; signatures are verified before.
 */
export function whyInvalid(signed: Signed, circumstances: Circumstances): ValidationStatus | undefined {
  return (
    whySignersAreInvalid(signed) ??
    whyGasIsInvalid(signed, circumstances) ??
    whyPrologueFails(signed, circumstances) ??
    whyOtherKeysAreInvalid(signed, circumstances)
  );
}

/** The fee payer may be any of the signers as well. */
function whySignersAreInvalid({ sender, secondaries }: Signed): ValidationStatus | undefined {
  const signers = [sender, ...secondaries.map(({ address }) => address)];
  return new Set(signers).size < signers.length ? "SIGNERS_CONTAIN_DUPLICATES" : undefined;
}

function whyGasIsInvalid(
  { raw, bytes, sender, nonce }: Signed,
  { world, gas }: Circumstances,
): ValidationStatus | undefined {
  const { max_gas_amount: maxUnits, gas_unit_price: priceOctas, sequence_number: sequenceNumber } = raw;
  if (bytes.length > GAS.maxTransactionBytes) return "EXCEEDED_MAX_TRANSACTION_SIZE";
  if (maxUnits > gas.maxUnits) return "MAX_GAS_UNITS_EXCEEDS_MAX_GAS_UNITS_BOUND";
  if (maxUnits < intrinsicUnits(gas, bytes.length)) return "MAX_GAS_UNITS_BELOW_MIN_TRANSACTION_GAS_UNITS";
  if (priceOctas < GAS.minPriceOctas) return "GAS_UNIT_PRICE_BELOW_MIN_BOUND";
  if (priceOctas > GAS.maxPriceOctas) return "GAS_UNIT_PRICE_ABOVE_MAX_BOUND";
  const createsAccount = nonce === undefined && sequenceNumber === 0n && findAccount(world, sender) === undefined;
  if (createsAccount && !paysForAccount(gas, maxUnits, priceOctas))
    return "MAX_GAS_UNITS_BELOW_MIN_TRANSACTION_GAS_UNITS";
  return undefined;
}

function whyPrologueFails(signed: Signed, circumstances: Circumstances): ValidationStatus | undefined {
  const { raw, sender, senderAuthenticator } = signed;
  const { world, nowSeconds, stage } = circumstances;
  if (nowSeconds >= raw.expiration_timestamp_secs) return "TRANSACTION_EXPIRED";
  if (raw.chain_id.chainId !== CHAIN_ID) return "BAD_CHAIN_ID";
  if (!provesKey(sender, senderAuthenticator, circumstances)) return "INVALID_AUTH_KEY";

  const replayed = whyReplayed(signed, circumstances);
  if (replayed !== undefined) return replayed;

  const payer = feePayerOf(signed);
  const isFree = stage === "simulation" && payer === ZERO_ADDRESS;
  if (!isFree && aptBalance(world, payer) < raw.max_gas_amount * raw.gas_unit_price) {
    return "INSUFFICIENT_BALANCE_FOR_TRANSACTION_FEE";
  }
  return undefined;
}

function whyReplayed(signed: Signed, { world, nowSeconds, stage, nonceExpiry }: Circumstances) {
  const { raw, sender, nonce } = signed;
  if (nonce !== undefined) {
    const expiry = raw.expiration_timestamp_secs;
    if (expiry > nowSeconds + MAX_ORDERLESS_SECONDS) return "TRANSACTION_EXPIRATION_TOO_FAR_IN_FUTURE";
    const before = nonceExpiry(sender, nonce);
    const isKept = before !== undefined && (before >= nowSeconds || expiry <= before + NONCE_OVERLAP_SECONDS);
    return isKept ? "NONCE_ALREADY_USED" : undefined;
  }
  const { sequenceNumber } = accountAt(world, sender);
  if (raw.sequence_number >= FIRST_TOO_BIG_SEQUENCE_NUMBER) return "SEQUENCE_NUMBER_TOO_BIG";
  if (raw.sequence_number < sequenceNumber) return "SEQUENCE_NUMBER_TOO_OLD";
  return raw.sequence_number > sequenceNumber && stage !== "admission" ? "SEQUENCE_NUMBER_TOO_NEW" : undefined;
}

function whyOtherKeysAreInvalid(
  { secondaries, feePayer }: Signed,
  circumstances: Circumstances,
): ValidationStatus | undefined {
  const others = [...secondaries, ...(feePayer === undefined ? [] : [feePayer])];
  const allProven = others.every(({ address, authenticator }) => provesKey(address, authenticator, circumstances));
  return allProven ? undefined : "INVALID_AUTH_KEY";
}

/** A simulation may come without any authenticator, and so without a key. */
function provesKey(address: Address, authenticator: AccountAuthenticator, { world, stage }: Circumstances): boolean {
  if (isAbsent(authenticator)) return stage === "simulation";
  if (authenticator instanceof AccountAuthenticatorAbstraction) return isAbstractionOf(world, address, authenticator);
  const key = authenticationKey(authenticator);
  return key !== undefined && `0x${toHex(key)}` === accountAt(world, address).authenticationKey;
}
