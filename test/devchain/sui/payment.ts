import { type Account, suiAccount } from "./accounts.ts";
import { moveFunds } from "./funds.ts";
import { type ChainObject, coinBalance, SUI_COIN_TYPE } from "./objects.ts";
import {
  createCoin,
  deleteObject,
  type LiveObject,
  removeObject,
  setCoinBalance,
  type Workspace,
} from "./workspace.ts";

/**
 * How a transaction's gas is paid. Everything is smashed into the first source: a coin, or what the payer has in its
 * address balance, of which `reservedMist` may be used at most (sui-adapter gas_payment.rs).
 */
export type GasPayment =
  | {
      readonly kind: "coin";
      readonly target: ChainObject;
      readonly coins: readonly ChainObject[];
      readonly payer: string;
      readonly reservedMist: bigint;
    }
  | {
      readonly kind: "balance";
      readonly coins: readonly ChainObject[];
      readonly payer: string;
      readonly reservedMist: bigint;
    };

/** Where gas is charged in the end: it follows the gas coin when that is given away. */
export type ChargeLocation =
  | { readonly kind: "coin"; readonly coin: LiveObject }
  | { readonly kind: "balance"; readonly account: Account };

export function paymentCoins(payment: GasPayment): readonly ChainObject[] {
  return payment.kind === "coin" ? [payment.target, ...payment.coins] : payment.coins;
}

export function paymentTotal(payment: GasPayment): bigint {
  return paymentCoins(payment).reduce((sum, coin) => sum + coinBalance(coin.contents), payment.reservedMist);
}

/**
 * Puts all sources into the first. When the funds have run short (`fundsShort`) nothing is taken from an address
 * balance (sui-adapter gas_charger.rs).
 */
export function smashGas(workspace: Workspace, payment: GasPayment, fundsShort: boolean): ChargeLocation {
  let inOtherCoins = 0n;
  for (const { id } of payment.coins) {
    const coin = requireLive(workspace, id);
    inOtherCoins += coinBalance(coin.contents);
    deleteObject(workspace, coin);
  }
  const account = suiAccount(payment.payer);
  if (payment.kind === "balance") {
    moveFunds(workspace.funds, account, inOtherCoins);
    return { kind: "balance", account };
  }
  const coin = requireLive(workspace, payment.target.id);
  const reserved = fundsShort ? 0n : payment.reservedMist;
  moveFunds(workspace.funds, account, -reserved);
  setCoinBalance(coin, coinBalance(coin.contents) + inOtherCoins + reserved);
  return { kind: "coin", coin };
}

/**
 * Hands the gas coin to the commands, with the budget withheld from it so that they cannot spend that. Gas from an
 * address balance is a coin of its own for as long as they run, which takes the transaction's first derived id.
 */
export function openGasCoin(
  workspace: Workspace,
  payment: GasPayment,
  location: ChargeLocation,
  budget: bigint,
): LiveObject {
  if (location.kind === "coin") {
    setCoinBalance(location.coin, coinBalance(location.coin.contents) - budget);
    workspace.gasCoin = { id: location.coin.id, givenTo: undefined };
    return location.coin;
  }
  const coin = createCoin(workspace, SUI_COIN_TYPE, paymentTotal(payment) - budget);
  coin.owner = { kind: "address", address: payment.payer };
  workspace.gasCoin = { id: coin.id, givenTo: undefined };
  return coin;
}

/**
 * Gives the budget back to the gas coin, wherever it went, and settles a coin that was made of an address balance.
 * Returns where the gas is to be charged (sui-adapter context.rs: `finish_gas_coin`).
 */
export function closeGasCoin(
  workspace: Workspace,
  payment: GasPayment,
  location: ChargeLocation,
  gasCoin: LiveObject,
  budget: bigint,
): ChargeLocation {
  const givenTo = workspace.gasCoin?.givenTo;
  const left = coinBalance(gasCoin.contents) + budget;
  if (givenTo?.kind === "funds") moveFunds(workspace.funds, givenTo.account, budget);
  else setCoinBalance(gasCoin, left);
  if (location.kind === "balance") {
    const change = givenTo === undefined ? left - paymentTotal(payment) : -paymentTotal(payment);
    moveFunds(workspace.funds, location.account, change);
    if (givenTo === undefined) removeObject(workspace, gasCoin);
  }
  if (givenTo === undefined) return location;
  return givenTo.kind === "funds" ? { kind: "balance", account: givenTo.account } : { kind: "coin", coin: gasCoin };
}

export function chargeGas(workspace: Workspace, location: ChargeLocation, netMist: bigint): void {
  if (location.kind === "balance") moveFunds(workspace.funds, location.account, -netMist);
  else setCoinBalance(location.coin, coinBalance(location.coin.contents) - netMist);
}

function requireLive(workspace: Workspace, id: string): LiveObject {
  const object = workspace.objects.get(id);
  if (object === undefined) throw new Error(`gas coin ${id} was not loaded`);
  return object;
}
