import { NODE_BATCH_LIMIT, type SuiCoin } from "../../chain/sui/node.ts";
import { done, type Outcome } from "../../errors.ts";
import type { FundCoin } from "../../fund/fund-store.ts";
import { awaitedCoins } from "../../fund/own-transactions.ts";
import type { Difference, Reconciliation } from "../../fund/views.ts";
import { batchesOf } from "../../paging.ts";
import type { SuiFundCore } from "./core.ts";
import type { FundDeposits } from "./deposits.ts";
import { sumMist } from "./pool.ts";
import type { FundSettlement } from "./settlement.ts";

/** Compares a fund's books with the chain. */
export class FundReconciliation {
  readonly #core: SuiFundCore;
  readonly #settlement: FundSettlement;
  readonly #deposits: FundDeposits;

  constructor(core: SuiFundCore, settlement: FundSettlement, deposits: FundDeposits) {
    this.#core = core;
    this.#settlement = settlement;
    this.#deposits = deposits;
  }

  /** Books deposits and what has executed, and then lists every difference that is left. */
  async run(): Promise<Outcome<Reconciliation>> {
    const core = this.#core;
    const { address } = core;
    if (address === null) return done(compare([], new Map(), [], 0n, 0n));
    const facts = await core.refreshFacts();
    if (!facts.ok) return facts;
    const listed = await core.node.coins(address);
    if (!listed.ok) return listed;
    await this.#settleMoved(listed.value);
    const found = await this.#deposits.find(address, "always");
    if (!found.ok) return found;
    const reading = await core.node.balances(address, []);
    if (!reading.ok) return reading;
    const before = new Map(core.store.ownedCoins().map((coin) => [coin.objectId, coin]));
    const again = await core.node.coins(address);
    if (!again.ok) return again;
    // What moved while the chain was read can be compared with nothing; the next call will.
    const after = core.store.ownedCoins();
    const moved = new Set(after.filter((coin) => before.get(coin.objectId)?.version !== coin.version).map(idOf));
    const still = <Coin extends SuiCoin>(coins: readonly Coin[]) => coins.filter((coin) => !moved.has(idOf(coin)));
    const { balanceAtoms: balanceMist, addressBalanceAtoms: addressBalanceMist } = core.store.totals();
    const onChainMist = reading.value.addressBalanceMist;
    const awaited = awaitedCoins(core.store);
    const compared = compare(still(after), awaited, still(again.value), addressBalanceMist, onChainMist);
    const rowsMist = sumMist(after) + addressBalanceMist;
    if (rowsMist === balanceMist) return done(compared);
    const [ledgerMist, coinsMist] = [balanceMist.toString(), rowsMist.toString()];
    core.deps.log("fund.books_disagree", { fund: core.record.fundId, ledgerMist, coinsMist });
    return done({ ...compared, exact: false });
  }

  /** Looks up the transactions whose coins the chain shows at another version than the books. */
  async #settleMoved(listed: readonly SuiCoin[]): Promise<void> {
    const { store } = this.#core;
    const holders = new Set<string>();
    const versions = new Map(listed.map(({ objectId, version }) => [objectId, version]));
    for (const { objectId, version, holder } of store.ownedCoins())
      if (holder !== null && versions.get(objectId) !== version && store.sponsorship(holder) !== null)
        holders.add(holder);
    for (const batch of batchesOf([...holders], NODE_BATCH_LIMIT)) await this.#settlement.settleExpired(batch);
  }
}

function idOf({ objectId }: SuiCoin): string {
  return objectId;
}

/** @param awaited coins that the books do not have yet, by the digest of the transaction that makes them. */
function compare(
  booked: readonly FundCoin[],
  awaited: ReadonlyMap<string, string>,
  onChain: readonly SuiCoin[],
  bookedAddressBalanceMist: bigint,
  addressBalanceOnChainMist: bigint,
): Reconciliation {
  const chainById = new Map(onChain.map((coin) => [coin.objectId, coin]));
  const differences: Difference[] = [];
  for (const { objectId, version, balanceMist, holder } of booked) {
    const seen = chainById.get(objectId);
    chainById.delete(objectId);
    if (seen?.version === version && seen.balanceMist === balanceMist) continue;
    differences.push({ objectId, bookedAtoms: balanceMist, onChainAtoms: seen?.balanceMist ?? null, cause: holder });
  }
  for (const { objectId, balanceMist } of chainById.values())
    differences.push({
      objectId,
      bookedAtoms: null,
      onChainAtoms: balanceMist,
      cause: awaited.get(objectId) ?? null,
    });
  return {
    coins: booked.length,
    bookedCoinsAtoms: sumMist(booked),
    coinsOnChainAtoms: sumMist(onChain),
    bookedAddressBalanceAtoms: bookedAddressBalanceMist,
    addressBalanceOnChainAtoms: addressBalanceOnChainMist,
    differences,
    exact: differences.length === 0 && bookedAddressBalanceMist === addressBalanceOnChainMist,
  };
}
