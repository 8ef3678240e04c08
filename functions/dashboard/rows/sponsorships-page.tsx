import { ENDING_WORDS } from "../../../shared/fund/explain/words/sponsorship-endings.ts";
import { STATE_WORDS, type StateWords } from "../../../shared/fund/explain/words/sponsorship-states.ts";
import type { Problem } from "../../../shared/http/problem.ts";
import { chainOf } from "../../../shared/network-names.ts";
import type { Fund, Sponsorship } from "../answers.ts";
import { explainPath } from "../explain/page.tsx";
import { FundHead } from "../fund/head.tsx";
import { MaybeAmount } from "../parts/amount.tsx";
import { Id } from "../parts/id.tsx";
import { SponsorshipTag } from "../parts/status-tag.tsx";
import { Ago, AgoAt } from "../parts/time.tsx";
import { pathTo } from "../paths.ts";
import { type FilterField, Filters, More, NoRows } from "./filters.tsx";

/** Returns the choices of a filter in the words of the table. */
function choicesOf(words: Readonly<Record<string, StateWords>>) {
  return Object.entries(words).map(([value, { status }]) => ({ value, label: status }));
}

/** The filters of the list, as the admin API names them. */
export const SPONSORSHIP_FILTERS: readonly FilterField[] = [
  { name: "from", label: "From", type: "date" },
  { name: "to", label: "To", type: "date" },
  { name: "state", label: "State", options: choicesOf(STATE_WORDS) },
  { name: "outcome", label: "How it ended", options: choicesOf(ENDING_WORDS) },
  { name: "keyId", label: "Key", hint: "key_…" },
  { name: "sender", label: "Sender", hint: "0x and 64 digits" },
];

/** Everything that the list of sponsorships shows. */
export interface SponsorshipsPageProps {
  readonly fund: Fund;
  readonly items: readonly Sponsorship[];
  readonly nextCursor: string | null;
  readonly query: Readonly<Record<string, string>>;
  readonly isFirst: boolean;
  readonly problem: Problem | null;
  /** The names of keys by their ids. */
  readonly names: ReadonlyMap<string, string>;
  readonly nowMs: number;
}

function Row({
  row,
  fund,
  names,
  nowMs,
}: { readonly row: Sponsorship } & Pick<SponsorshipsPageProps, "fund" | "names" | "nowMs">) {
  const chain = chainOf(fund.network);
  return (
    <tr>
      <td class="nowrap lg">
        <Ago at={row.createdAt} nowMs={nowMs} />
      </td>
      <td>
        <Id text={row.digest} href={explainPath(row.digest)} />
        <p class="fine sm">
          <AgoAt at={row.createdAt} nowMs={nowMs} />
        </p>
      </td>
      <td>
        <SponsorshipTag row={row} />
      </td>
      <td class="lg">
        <a href={pathTo("keys", row.keyId)} title={row.keyId}>
          {names.get(row.keyId) ?? row.keyId}
        </a>
      </td>
      <td class="lg">
        <Id text={row.sender} href={explainPath(row.sender)} />
      </td>
      <td class="n">
        <MaybeAmount chain={chain} atoms={row.charged} />
      </td>
    </tr>
  );
}

/** The sponsorships of a fund, newest first. */
export function SponsorshipsPage({
  fund,
  items,
  nextCursor,
  query,
  isFirst,
  problem,
  names,
  nowMs,
}: SponsorshipsPageProps) {
  const action = pathTo("funds", fund.id, "sponsorships");
  return (
    <>
      <FundHead fund={fund} part="sponsorships" />
      <section class="panel" aria-labelledby="rows-h">
        <h2 id="rows-h">Sponsorships, newest first</h2>
        <Filters action={action} fields={SPONSORSHIP_FILTERS} query={query} problem={problem} />
        {items.length === 0 ? (
          <NoRows
            problem={problem}
            isFiltered={Object.keys(query).length > 0}
            empty="Nothing was sponsored yet. The first sponsorship of a key of this fund is shown here."
          />
        ) : (
          <div class="wrap">
            <table>
              <thead>
                <tr>
                  <th scope="col" class="lg">
                    Asked
                  </th>
                  <th scope="col">Transaction</th>
                  <th scope="col">How it stands</th>
                  <th scope="col" class="lg">
                    Key
                  </th>
                  <th scope="col" class="lg">
                    Sender
                  </th>
                  <th scope="col" class="n">
                    Charged
                  </th>
                </tr>
              </thead>
              <tbody>
                {items.map((row) => (
                  <Row row={row} fund={fund} names={names} nowMs={nowMs} />
                ))}
              </tbody>
            </table>
          </div>
        )}
        <More action={action} query={query} nextCursor={nextCursor} isFirst={isFirst} />
      </section>
    </>
  );
}
