import { suiAccount } from "./accounts.ts";
import { createCoinReservationRef } from "./coin-reservation.ts";
import { currentWindow } from "./expiration.ts";
import { estimateBudget, GAS } from "./gas.ts";
import type { Ledger } from "./ledger.ts";
import { coinBalance, SUI_COIN_TYPE } from "./objects.ts";
import { encodeResolved, type ResolvedTransaction } from "./resolve.ts";
import { invalidArgument } from "./status.ts";
import { type DecodedTransaction, gasBudget, type TransactionDataInput, usesGasCoin } from "./transaction.ts";
import { LIMITS } from "./validate.ts";
import type { ChainView } from "./view.ts";
import { availableForGas } from "./withdrawals.ts";

/** Fills in the budget that a first simulation asks for, when the caller gave none. */
export function withEstimatedBudget(
  view: ChainView,
  ledger: Ledger,
  { data, budgetWasGiven }: ResolvedTransaction,
): ResolvedTransaction["data"] {
  if (budgetWasGiven) return data;
  const unpaid = { ...data, gasData: { ...data.gasData, payment: [], budget: GAS.maxBudgetMist } };
  const { gas } = ledger.simulate(encodeResolved(unpaid), "estimate", view);
  const estimate = estimateBudget(gas, view.epoch.referenceGasPrice);
  const available = BigInt(data.gasData.budget);
  if (available < estimate) {
    throw invalidArgument(
      "Insufficient gas balance to cover estimated transaction cost. " +
        `Available gas balance: ${available} MIST. Estimated gas budget required: ${estimate} MIST`,
    );
  }
  return { ...data, gasData: { ...data.gasData, budget: estimate } };
}

/**
 * Chooses what pays for the gas, as a node does (sui-rpc-api simulate: `select_gas`): the payer's address balance where
 * it covers the budget and no command uses the gas coin, else the payer's largest coins that the transaction does not
 * use otherwise. Where a command uses the gas coin, what is in the address balance is put before them.
 */
export function withSelectedGas(view: ChainView, chainId: string, transaction: DecodedTransaction): DecodedTransaction {
  const { data } = transaction;
  if (data.gasData.payment.length > 0) return transaction;
  const budget = gasBudget(transaction);
  const available = availableForGas(view.store.funds, transaction, chainId);
  if (!usesGasCoin(transaction) && available >= budget) {
    return encodeResolved({ ...data, expiration: protectedExpiration(view, chainId, data.expiration) });
  }
  const reserved = usesGasCoin(transaction) ? available : 0n;
  const coins = freeCoins(view, transaction, reserved > 0n ? LIMITS.maxGasObjects - 1 : LIMITS.maxGasObjects);
  const balance = coins.reduce((total, coin) => total + coinBalance(coin.contents), reserved);
  if (balance < budget) {
    throw invalidArgument(
      "Unable to perform gas selection due to insufficient SUI balance (in address balance or coins) for account " +
        `${transaction.gasOwner} to satisfy required budget ${budget}.`,
    );
  }
  const payment = coins.map(({ id, version, digest }) => ({ objectId: id, version, digest }));
  if (reserved === 0n) return encodeResolved({ ...data, gasData: { ...data.gasData, payment } });
  const reservation = createCoinReservationRef(suiAccount(transaction.gasOwner), reserved, view.epoch.epoch, chainId);
  return encodeResolved({
    ...data,
    gasData: { ...data.gasData, payment: [reservation, ...payment] },
    expiration: protectedExpiration(view, chainId, data.expiration),
  });
}

function freeCoins({ store }: ChainView, { gasOwner, programmable }: DecodedTransaction, limit: number) {
  const inputs = new Set(
    programmable.inputs.flatMap(
      ({ Object: given }) => (given?.ImmOrOwnedObject ?? given?.SharedObject ?? given?.Receiving)?.objectId ?? [],
    ),
  );
  return store
    .ownedObjects(gasOwner, SUI_COIN_TYPE, undefined, limit + inputs.size)
    .objects.filter(({ id, owner }) => owner.kind === "address" && !inputs.has(id))
    .slice(0, limit);
}

function protectedExpiration(
  { epoch }: ChainView,
  chainId: string,
  expiration: DecodedTransaction["data"]["expiration"],
): TransactionDataInput["expiration"] {
  return expiration.None ? { ValidDuring: currentWindow({ epoch: epoch.epoch, chainId }) } : expiration;
}
