import type { CoinVersion, SuiCoin } from "../../../chain/sui/coins.ts";
import { NODE_BATCH_LIMIT } from "../../../chain/sui/node.ts";
import { done, type Outcome, refuse } from "../../../errors.ts";
import { batchesOf } from "../../../paging.ts";
import { sleep } from "../../../timing.ts";
import type { Difference, Reconciliation } from "../../views.ts";
import { awaitedCoins } from "../adopt.ts";
import type { FundCoin } from "../store.ts";
import type { SuiFundCore } from "./chain.ts";
import type { SuiDeposits } from "./deposits.ts";
import { everyCoin } from "./listing.ts";
import { sumMist } from "./pool.ts";
import type { SuiSettlement } from "./settle.ts";

/** The waits between looks at a difference. A node shows an execution 0.2 to 1 s later (measured, sui-node 1.62). */
const LOOK_AGAIN_MS = [300, 900] as const;

/** Compares a fund's books with the chain. */
export class SuiReconciliation {
  readonly #core: SuiFundCore;
  readonly #settlement: SuiSettlement;
  readonly #deposits: SuiDeposits;

  constructor(core: SuiFundCore, settlement: SuiSettlement, deposits: SuiDeposits) {
    this.#core = core;
    this.#settlement = settlement;
    this.#deposits = deposits;
  }

  /**
   * Books deposits and executions, and then lists every remaining difference. A node answers an execution shortly
   * before it shows the change. So a difference is looked at again until it stays.
   *
   * @returns `node_unavailable` if a node does not answer, or if there are too many coins to compare in one call.
   */
  async run(): Promise<Outcome<Reconciliation>> {
    const { address } = this.#core;
    if (address === null) return done(compare([], new Map(), [], 0n, 0n));
    for (const waitMs of LOOK_AGAIN_MS) {
      const compared = await this.#compare(address);
      if (!compared.ok || compared.value.exact) return compared;
      await sleep(waitMs);
    }
    return this.#compare(address);
  }

  async #compare(address: string): Promise<Outcome<Reconciliation>> {
    const core = this.#core;
    const facts = await core.refreshFacts();
    if (!facts.ok) return facts;
    const listed = await everyCoin(core, address);
    if (!listed.ok) return listed;
    if (listed.value === null) return refuseSize();
    await this.#settleMoved(listed.value);
    const found = await this.#deposits.find("always");
    if (!found.ok) return found;
    const reading = await core.node.balances(address, []);
    if (!reading.ok) return reading;
    const before = new Map(core.store.ownedCoins().map((coin) => [coin.objectId, coin]));
    const again = await everyCoin(core, address);
    if (!again.ok) return again;
    if (again.value === null) return refuseSize();
    const payable = again.value.filter(({ owner }) => owner.kind === "address");
    // A coin that moved during the reading cannot be compared now. The next call compares it.
    const after = core.store.ownedCoins();
    const moved = new Set(after.filter((coin) => before.get(coin.objectId)?.version !== coin.version).map(idOf));
    const still = <Coin extends CoinVersion>(coins: readonly Coin[]) => coins.filter((coin) => !moved.has(idOf(coin)));
    const { balanceAtoms: balanceMist, addressBalanceAtoms: addressBalanceMist } = core.store.totals();
    const onChainMist = reading.value.value.addressBalanceMist ?? 0n;
    const awaited = awaitedCoins(core.store);
    const compared = compare(still(after), awaited, still(payable), addressBalanceMist, onChainMist);
    const rowsMist = sumMist(after) + addressBalanceMist;
    if (rowsMist === balanceMist) return done(compared);
    const [ledgerMist, coinsMist] = [balanceMist.toString(), rowsMist.toString()];
    core.deps.log("fund.books_disagree", { fund: core.record.fundId, ledgerMist, coinsMist });
    return done({ ...compared, exact: false });
  }

  /** Looks up the transactions whose coins have another version on the chain than in the books. */
  async #settleMoved(listed: readonly SuiCoin[]): Promise<void> {
    const { store } = this.#core;
    const holders = new Set<string>();
    const versions = new Map(listed.map(({ objectId, version }) => [objectId, version]));
    for (const { objectId, version, heldByDigest } of store.ownedCoins())
      if (heldByDigest !== null && versions.get(objectId) !== version && store.sponsorship(heldByDigest) !== null)
        holders.add(heldByDigest);
    for (const batch of batchesOf([...holders], NODE_BATCH_LIMIT)) await this.#settlement.settleExpired(batch);
  }
}

function refuseSize() {
  return refuse("node_unavailable", "the fund has too many coins for one comparison: merge them first");
}

function idOf({ objectId }: CoinVersion): string {
  return objectId;
}

/**
 * Compares booked coins with listed ones.
 *
 * @param awaited coins that the books do not have yet, by the digest of the transaction that makes them.
 */
function compare(
  booked: readonly FundCoin[],
  awaited: ReadonlyMap<string, string>,
  onChain: readonly CoinVersion[],
  bookedAddressBalanceMist: bigint,
  addressBalanceOnChainMist: bigint,
): Reconciliation {
  const chainById = new Map(onChain.map((coin) => [coin.objectId, coin]));
  const differences: Difference[] = [];
  for (const { objectId, version, balanceMist, heldByDigest } of booked) {
    const seen = chainById.get(objectId);
    chainById.delete(objectId);
    if (seen?.version === version && seen.balanceMist === balanceMist) continue;
    differences.push({
      objectId,
      bookedAtoms: balanceMist,
      onChainAtoms: seen?.balanceMist ?? null,
      cause: heldByDigest,
    });
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
