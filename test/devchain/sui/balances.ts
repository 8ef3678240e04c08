import type { ObjectStore } from "./store.ts";

/** What an address has of one coin type: in coin objects, and in its address balance. */
export interface Balance {
  readonly coinType: string;
  readonly inCoins: bigint;
  readonly inFunds: bigint;
}

export function balanceOf(store: ObjectStore, owner: string, coinType: string): Balance {
  return {
    coinType,
    inCoins: store.coinBalance(owner, coinType),
    inFunds: store.funds.balance({ address: owner, coinType }),
  };
}

/** A page of an address's balances, sorted by coin type. */
export function balancesOf(store: ObjectStore, owner: string, after: string | undefined, limit: number): Balance[] {
  const inFunds = store.funds.balances(owner).map(({ coinType }) => coinType);
  const inCoins = store.coinBalances(owner, after, limit).map(({ coinType }) => coinType);
  return [...new Set([...inFunds, ...inCoins])]
    .filter((coinType) => after === undefined || coinType > after)
    .sort()
    .slice(0, limit)
    .map((coinType) => balanceOf(store, owner, coinType));
}
