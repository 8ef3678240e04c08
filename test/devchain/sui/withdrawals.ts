import { normalizeStructTag } from "@mysten/sui/utils";
import { type Account, accountKey, accumulatorId, suiAccount } from "./accounts.ts";
import { isCoinReservation, parseCoinReservation } from "./coin-reservation.ts";
import type { ChainContext } from "./context.ts";
import type { FundReads } from "./fund-store.ts";
import type { Protocol } from "./protocol.ts";
import { transactionExpired, transactionRefused } from "./status.ts";
import { type CallArg, type DecodedTransaction, gasBudget, type ObjectRef } from "./transaction.ts";

/** All withdrawals of a transaction, the one that pays for its gas included (sui-types transaction.rs). */
const MAX_WITHDRAWALS = 10;

type FundsWithdrawal = NonNullable<CallArg["FundsWithdrawal"]>;

/** At most so much may be taken out of an account. */
export interface Withdrawal {
  readonly account: Account;
  readonly amount: bigint;
  /** The allowance by which the sender may take it out of another's account. */
  readonly allowance?: string;
}

/** Checks the withdrawals by themselves, without what the accounts hold (sui-types transaction.rs: `validity_check`). */
export function checkWithdrawals(transaction: DecodedTransaction, { chainId, epoch, protocol }: ChainContext): void {
  const { payment } = transaction.data.gasData;
  const explicit = transaction.programmable.inputs.flatMap((input) => input.FundsWithdrawal ?? []);
  for (const withdrawal of explicit) checkExplicit(withdrawal, protocol);
  const reservations = [...reservedInputs(transaction), ...payment.filter(isCoinReservation)];
  for (const ref of reservations) {
    const reservation = parseCoinReservation(ref, chainId);
    if (reservation === undefined) continue;
    if (reservation.epoch !== epoch && reservation.epoch + 1n !== epoch) throw transactionExpired();
    if (reservation.amount === 0n) throw invalidWithdrawal("Balance withdraw reservation amount must be non-zero");
  }
  if (explicit.length + reservations.length + (payment.length === 0 ? 1 : 0) > MAX_WITHDRAWALS) {
    throw invalidWithdrawal(`Maximum number of balance withdraw reservations is ${MAX_WITHDRAWALS}`);
  }
  checkReservedGas(transaction, chainId);
}

function checkExplicit({ withdrawFrom, reservation }: FundsWithdrawal, { allowances }: Protocol): void {
  switch (withdrawFrom.$kind) {
    case "Sender":
      break;
    case "Sponsor":
      throw invalidWithdrawal("Explicit sponsor withdrawals are not yet supported");
    case "SenderAllowance":
      if (allowances) break;
      throw transactionRefused("Feature is not supported: Allowance withdrawals are not enabled");
  }
  if (BigInt(reservation.MaxAmountU64) === 0n) {
    throw invalidWithdrawal("Balance withdraw reservation amount must be non-zero");
  }
}

/** A coin reservation pays for gas only out of the SUI of a sender that pays for itself. */
function checkReservedGas({ sender, gasOwner, data }: DecodedTransaction, chainId: string): void {
  const own = accumulatorId(suiAccount(sender));
  for (const ref of data.gasData.payment) {
    const reservation = parseCoinReservation(ref, chainId);
    if (reservation === undefined) continue;
    if (gasOwner !== sender || reservation.accumulatorId !== own) {
      throw transactionRefused(`Gas object is not an owned object with owner: AddressOwner(${sender})`);
    }
  }
}

function reservedInputs({ programmable }: DecodedTransaction): ObjectRef[] {
  return programmable.inputs.flatMap((input) => {
    const ref = input.Object?.ImmOrOwnedObject;
    return ref && isCoinReservation(ref) ? [ref] : [];
  });
}

/** The account and amount of a withdrawal input. */
export function explicitWithdrawal(
  { reservation, typeArg, withdrawFrom }: FundsWithdrawal,
  sender: string,
): Withdrawal {
  const { funder, allowance } = withdrawFrom.SenderAllowance ?? { funder: sender };
  const account = { address: funder, coinType: normalizeStructTag(typeArg.Balance) };
  return { account, amount: BigInt(reservation.MaxAmountU64), ...(allowance !== undefined && { allowance }) };
}

/** The account and amount of an input that is a coin reservation, or undefined for an object. It draws on the sender. */
export function reservedWithdrawal(
  funds: FundReads,
  ref: ObjectRef,
  { sender }: DecodedTransaction,
  chainId: string,
): Withdrawal | undefined {
  const reservation = parseCoinReservation(ref, chainId);
  if (reservation === undefined) return undefined;
  const account = funds.accountOf(reservation.accumulatorId);
  if (account === undefined) {
    throw invalidWithdrawal(`coin reservation object id ${reservation.accumulatorId} not found`);
  }
  if (account.address !== sender) {
    throw invalidWithdrawal(
      `coin reservation object id ${reservation.accumulatorId} is owned by ${account.address}, not sender ${sender}`,
    );
  }
  return { account, amount: reservation.amount };
}

/** What a transaction without gas coins may take from its payer's address balance. */
export function gasWithdrawal(transaction: DecodedTransaction): Withdrawal {
  return { account: suiAccount(transaction.gasOwner), amount: gasBudget(transaction) };
}

/** The SUI in the gas payer's address balance that the transaction's own withdrawals leave for the gas. */
export function availableForGas(funds: FundReads, transaction: DecodedTransaction, chainId: string): bigint {
  const { gasOwner, sender, programmable } = transaction;
  let available = funds.balance(suiAccount(gasOwner));
  for (const { FundsWithdrawal: explicit, Object: object } of programmable.inputs) {
    const ref = object?.ImmOrOwnedObject;
    const withdrawal = explicit
      ? explicitWithdrawal(explicit, sender)
      : ref && reservedWithdrawal(funds, ref, transaction, chainId);
    if (withdrawal && accountKey(withdrawal.account) === accountKey(suiAccount(gasOwner)))
      available -= withdrawal.amount;
  }
  return available > 0n ? available : 0n;
}

/** What is missing for the withdrawals, netted by account, or undefined when the accounts hold enough for all. */
export function missingFunds(funds: FundReads, withdrawals: readonly Withdrawal[]): string | undefined {
  const wanted = new Map<string, Withdrawal>();
  for (const { account, amount } of withdrawals) {
    const key = accountKey(account);
    wanted.set(key, { account, amount: amount + (wanted.get(key)?.amount ?? 0n) });
  }
  for (const { account, amount } of wanted.values()) {
    const held = funds.balance(account);
    if (held < amount) return shortage(account, amount, held);
  }
  return undefined;
}

export function invalidWithdrawal(reason: string) {
  return transactionRefused(`Invalid withdraw reservation: ${reason}`);
}

/** Worded as sui-core's execution_scheduler does since 2026. */
function shortage({ address, coinType }: Account, wanted: bigint, held: bigint): string {
  const shortType = coinType.replace(/^0x0*/, "0x");
  return (
    `Insufficient address balance of coin type ${shortType} for address ${address}: the transaction requires ${wanted} ` +
    `but only ${held} is available. Note that the address balance does not include funds held in Coin objects owned by ` +
    "the address; to spend those funds, use the Coin objects directly as transaction inputs."
  );
}
