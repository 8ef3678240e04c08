import type { Unusable } from "../answers.ts";
import { Id } from "../parts/id.tsx";
import { pathTo, withQuery } from "../paths.ts";
import { sentence } from "../problem.tsx";
import { type DashboardPage, page, type Reply, type Visit } from "../visit.ts";
import { FundHead } from "./head.tsx";
import { fundOf } from "./open.ts";

const ROWS = "50";

const KINDS: Readonly<Record<Unusable["kind"], string>> = {
  coin: "Coins",
  address_balance: "Address balance",
  object: "Objects",
  unreadable: "Unreadable",
};

const OWNERS: Readonly<Record<NonNullable<Unusable["owner"]>, string>> = {
  address: "the address alone",
  consensus: "through consensus",
};

function Row({ row }: { readonly row: Unusable }) {
  const { kind, type, owner, objects, amount, objectId, cause } = row;
  return (
    <tr>
      <th scope="row">
        {KINDS[kind]} {type === "" ? null : <code>{type}</code>}
        <p class="fine">{sentence(cause)}</p>
      </th>
      <td>{owner === null ? "not known" : OWNERS[owner]}</td>
      <td class="n">{objects === 0 ? "–" : objects.toLocaleString("en")}</td>
      <td class="n lg">{amount ?? "–"}</td>
      <td class="lg">{objectId === null ? "–" : <Id text={objectId} />}</td>
    </tr>
  );
}

function Table({ items }: { readonly items: readonly Unusable[] }) {
  return (
    <div class="wrap">
      <table>
        <thead>
          <tr>
            <th scope="col">What it is, and why</th>
            <th scope="col">Owned by</th>
            <th scope="col" class="n">
              Count
            </th>
            <th scope="col" class="n lg">
              Base units
            </th>
            <th scope="col" class="lg">
              One of them
            </th>
          </tr>
        </thead>
        <tbody>
          {items.map((row) => (
            <Row row={row} />
          ))}
        </tbody>
      </table>
    </div>
  );
}

async function unusable(visit: Visit): Promise<Reply> {
  const fund = await fundOf(visit);
  const { cursor } = visit.query;
  const query = { limit: ROWS, ...(cursor !== undefined && { cursor }) };
  const listed = await visit.call("GET /funds/:id/unusable", { id: fund.id, query });
  const { items, nextCursor } = listed.ok ? listed.value : { items: [], nextCursor: null };
  return page(
    `Not usable at ${fund.name}`,
    <>
      <FundHead fund={fund} part="unusable" />
      <section class="panel" aria-labelledby="unusable-h">
        <h2 id="unusable-h">What this fund cannot use</h2>
        <p>Anybody can send anything to the address of a fund. The fund cannot pay with what is listed here.</p>
        {listed.ok ? null : (
          <p class="note bad" role="alert">
            {sentence(listed.error.detail)}
          </p>
        )}
        {listed.ok && items.length === 0 ? (
          <p class="empty">
            {cursor === undefined && nextCursor === null
              ? "There is nothing of that kind."
              : "Nothing is on this page."}
          </p>
        ) : null}
        {items.length === 0 ? null : <Table items={items} />}
        {nextCursor === null ? null : (
          <p class="more">
            <a class="button" href={withQuery(pathTo("funds", fund.id, "unusable"), { cursor: nextCursor })}>
              Next page
            </a>
          </p>
        )}
      </section>
    </>,
    listed.ok ? 200 : listed.error.status,
  );
}

/** The page of the things at a fund's address that it cannot use. */
export const unusablePages: readonly DashboardPage[] = [
  {
    method: "GET",
    path: "/funds/:id/unusable",
    needs: ["GET /funds/:id", "GET /funds/:id/unusable"],
    respond: unusable,
  },
];
