import { chainOf } from "../../../shared/network-names.ts";
import type { Coin, Fund, LedgerRow } from "../answers.ts";
import { Amount } from "../parts/amount.tsx";
import { Id } from "../parts/id.tsx";
import { At } from "../parts/time.tsx";
import { pathTo, withQuery } from "../paths.ts";
import { type DashboardPage, page, type Reply, required, type Visit } from "../visit.ts";
import { FundHead } from "./head.tsx";
import { fundOf } from "./open.ts";

const ROWS = "50";

function Older({ path, nextCursor }: { readonly path: string; readonly nextCursor: string | null }) {
  if (nextCursor === null) return null;
  return (
    <p class="more">
      <a class="button" href={withQuery(path, { cursor: nextCursor })}>
        Next page
      </a>
    </p>
  );
}

/** The meaning of each kind of row, in a few words. */
const KIND_WORDS = {
  deposit: "money came to the fund",
  reserve: "kept for a sponsorship",
  release: "no longer kept for it",
  charge: "the cost of a sponsorship",
  recycle: "gas, to make an old signature worthless",
  split: "gas, to split or join coins",
  convert: "gas, to make money usable",
  withdraw: "money left the fund, with its gas and rebates",
  adjustment: "the chain shows another amount",
  correction: "noted by a repair",
} as const satisfies Record<LedgerRow["kind"], string>;

function LedgerTable({ fund, rows }: { readonly fund: Fund; readonly rows: readonly LedgerRow[] }) {
  const chain = chainOf(fund.network);
  const change = (atoms: string) =>
    atoms === "0" ? <span class="dim">–</span> : <Amount chain={chain} atoms={atoms} />;
  return (
    <div class="wrap">
      <table>
        <thead>
          <tr>
            <th scope="col">Time, UTC</th>
            <th scope="col">Kind</th>
            <th scope="col" class="lg">
              Reference
            </th>
            <th scope="col" class="n">
              Balance
            </th>
            <th scope="col" class="n lg">
              In flight
            </th>
            <th scope="col" class="n lg">
              Earned fees
            </th>
          </tr>
        </thead>
        <tbody>
          {rows.map((row) => (
            <tr>
              <td>
                <At at={row.at} />
              </td>
              <td>
                {row.kind} <p class="fine">{KIND_WORDS[row.kind]}</p>
              </td>
              <td class="lg">
                <Id text={row.reference} />
              </td>
              <td class="n">{change(row.balance)}</td>
              <td class="n lg">{change(row.inFlight)}</td>
              <td class="n lg">{change(row.accruedFees)}</td>
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}

async function ledger(visit: Visit): Promise<Reply> {
  const fund = await fundOf(visit);
  const { cursor } = visit.query;
  const query = { limit: ROWS, ...(cursor !== undefined && { cursor }) };
  const { items, nextCursor } = required(await visit.call("GET /funds/:id/ledger", { id: fund.id, query }));
  return page(
    `Ledger of ${fund.name}`,
    <>
      <FundHead fund={fund} part="ledger" />
      <section class="panel" aria-labelledby="ledger-h">
        <h2 id="ledger-h">Every change of its money, newest first</h2>
        {items.length === 0 ? (
          <p class="empty">Nothing has changed yet. The first deposit is the first row.</p>
        ) : (
          <>
            <p>
              All changes together are the balance: <Amount chain={chainOf(fund.network)} atoms={fund.balance} />.
            </p>
            <LedgerTable fund={fund} rows={items} />
          </>
        )}
        <Older path={pathTo("funds", fund.id, "ledger")} nextCursor={nextCursor} />
      </section>
    </>,
  );
}

const TIER_WORDS: Readonly<Record<string, string>> = {
  source: "to split from",
  dust: "too small to pay with",
  maintenance: "for the fund's own transactions",
};

const STATE_WORDS = {
  free: "can pay for the next sponsorship",
  held: "pays for an open sponsorship",
  spending: "in a transaction of the fund itself",
  recycling: "in a transaction of the fund itself",
  quarantined: "unused for now: an old signature may still spend it",
  gone: "no longer the fund's",
} as const satisfies Record<Coin["state"], string>;

/** Returns the coins by tier, the tier with most coins first. */
export function tiersOf(coins: readonly Coin[]) {
  const tiers = new Map<string, { count: number; free: number; atoms: bigint }>();
  for (const { tier, state, balance } of coins) {
    const known = tiers.get(tier) ?? { count: 0, free: 0, atoms: 0n };
    const free = known.free + (state === "free" ? 1 : 0);
    tiers.set(tier, { count: known.count + 1, free, atoms: known.atoms + BigInt(balance) });
  }
  return [...tiers].map(([tier, sums]) => ({ tier, ...sums })).toSorted((a, b) => b.count - a.count);
}

function Tier({ tier }: { readonly tier: string }) {
  if (/^\d+$/.test(tier))
    return (
      <>
        coins of <Amount chain="sui" atoms={tier} />
      </>
    );
  return (
    <>
      {tier} <span class="fine">{TIER_WORDS[tier] ?? ""}</span>
    </>
  );
}

function Tiers({ coins }: { readonly coins: readonly Coin[] }) {
  return (
    <div class="wrap">
      <table>
        <thead>
          <tr>
            <th scope="col">Tier</th>
            <th scope="col" class="n">
              Coins
            </th>
            <th scope="col" class="n">
              Free
            </th>
            <th scope="col" class="n">
              Together
            </th>
          </tr>
        </thead>
        <tbody>
          {tiersOf(coins).map(({ tier, count, free, atoms }) => (
            <tr>
              <th scope="row">
                <Tier tier={tier} />
              </th>
              <td class="n">{count}</td>
              <td class="n">{free}</td>
              <td class="n">
                <Amount chain="sui" atoms={atoms} />
              </td>
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}

function CoinTable({ coins }: { readonly coins: readonly Coin[] }) {
  return (
    <div class="wrap">
      <table>
        <thead>
          <tr>
            <th scope="col">Coin</th>
            <th scope="col">State</th>
            <th scope="col" class="n">
              Balance
            </th>
            <th scope="col" class="lg">
              Held by
            </th>
          </tr>
        </thead>
        <tbody>
          {coins.map(({ objectId, state, balance, heldBy }) => (
            <tr>
              <td>
                <Id text={objectId} />
              </td>
              <td>
                {state} <span class="fine lg">{STATE_WORDS[state]}</span>
              </td>
              <td class="n">
                <Amount chain="sui" atoms={balance} />
              </td>
              <td class="lg">
                {heldBy === null ? "–" : <Id text={heldBy} href={withQuery(pathTo("explain"), { q: heldBy })} />}
              </td>
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}

async function coins(visit: Visit): Promise<Reply> {
  const fund = await fundOf(visit);
  const { cursor } = visit.query;
  const query = { limit: "200", ...(cursor !== undefined && { cursor }) };
  const { items, nextCursor } = required(await visit.call("GET /funds/:id/coins", { id: fund.id, query }));
  const isAll = cursor === undefined && nextCursor === null;
  return page(
    `Coins of ${fund.name}`,
    <>
      <FundHead fund={fund} part="coins" />
      <section class="panel" aria-labelledby="tiers-h">
        <h2 id="tiers-h">{isAll ? "Coins by tier" : "Coins of this page by tier"}</h2>
        {items.length === 0 ? <p class="empty">The fund has no coin in its books yet.</p> : <Tiers coins={items} />}
      </section>
      {items.length === 0 ? null : (
        <section class="panel" aria-labelledby="coins-h">
          <h2 id="coins-h">Each coin</h2>
          <CoinTable coins={items} />
          <Older path={pathTo("funds", fund.id, "coins")} nextCursor={nextCursor} />
        </section>
      )}
    </>,
  );
}

/** The pages of a fund's own rows. */
export const fundRowPages: readonly DashboardPage[] = [
  { method: "GET", path: "/funds/:id/ledger", needs: ["GET /funds/:id", "GET /funds/:id/ledger"], respond: ledger },
  { method: "GET", path: "/funds/:id/coins", needs: ["GET /funds/:id", "GET /funds/:id/coins"], respond: coins },
];
