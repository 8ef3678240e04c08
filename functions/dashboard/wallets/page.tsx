import type { Problem } from "../../../shared/http/problem.ts";
import type { Answers, Project } from "../answers.ts";
import { explainPath } from "../explain/page.tsx";
import { grouped } from "../parts/amount-text.ts";
import { Done } from "../parts/done.tsx";
import { Field, Form } from "../parts/form.tsx";
import { Id } from "../parts/id.tsx";
import { Ago } from "../parts/time.tsx";
import { pathTo, withQuery } from "../paths.ts";
import { type FilterField, Filters, More, NoRows } from "../rows/filters.tsx";
import type { Visit } from "../visit.ts";

type Wallet = Answers["GET /projects/:id/wallets"]["items"][number];

/** The filters of wallets, as the admin API names them. */
export const WALLET_FILTERS: readonly FilterField[] = [
  { name: "address", label: "Address", hint: "0x and 64 digits" },
  { name: "chain", label: "Chain", options: ["sui", "aptos"] },
  { name: "from", label: "From", type: "date" },
  { name: "to", label: "To", type: "date" },
];

/** The wallets that a project has made this month, up to the count's limit. */
export interface MadeThisMonth {
  readonly count: number;
  /** False if there are more. */
  readonly isAll: boolean;
}

/** Everything that the page of a project's wallets shows. */
export interface WalletsPageProps {
  readonly visit: Visit;
  readonly project: Project;
  readonly projects: readonly Project[];
  readonly items: readonly Wallet[];
  readonly nextCursor: string | null;
  readonly query: Readonly<Record<string, string>>;
  readonly isFirst: boolean;
  readonly listProblem: Problem | null;
  readonly problem: Problem | null;
  /** Null if it was not counted. */
  readonly made: MadeThisMonth | null;
}

/** States the used part of a quota. */
export function quotaText(made: MadeThisMonth | null, perMonth: number | null): string {
  const limit =
    perMonth === null ? "There is no limit on new wallets." : `At most ${grouped(String(perMonth))} a month are made.`;
  if (made === null) return limit;
  const count = `${made.isAll ? "" : "More than "}${grouped(String(made.count))}`;
  const isReached = perMonth !== null && made.count >= perMonth;
  return `${count} new ${made.isAll && made.count === 1 ? "wallet" : "wallets"} this month (UTC). ${limit}${isReached ? " The limit is reached: new users get none." : ""}`;
}

function Quota({ visit, project, made, problem }: Pick<WalletsPageProps, "visit" | "project" | "made" | "problem">) {
  const { walletsPerMonth } = project;
  return (
    <section class="panel" aria-labelledby="quota-h">
      <h2 id="quota-h">Quota</h2>
      <p>{quotaText(made, walletsPerMonth)}</p>
      {visit.may("PATCH /projects/:id") && (
        <Form visit={visit} action={withQuery(pathTo("wallets"), { project: project.id })} problem={problem}>
          <Field
            name="walletsPerMonth"
            label="New wallets a month"
            value={visit.form.get("walletsPerMonth") ?? String(walletsPerMonth ?? "")}
            inputmode="numeric"
            problem={problem}
            hint="Empty: no limit. 0: nobody gets a new wallet."
          />
          <button type="submit">Save</button>
        </Form>
      )}
    </section>
  );
}

function Projects({ projects, current }: { readonly projects: readonly Project[]; readonly current: Project }) {
  const shown = projects.some(({ id }) => id === current.id) ? projects : [...projects, current];
  return (
    <form class="filters" method="get" action={pathTo("wallets")} aria-label="Project">
      <Field
        name="project"
        label="Wallets of"
        value={current.id}
        options={shown.map(({ id, name }) => ({ value: id, label: name }))}
      />
      <button type="submit">Show</button>
    </form>
  );
}

/** The wallets of a project, in the order of their creation. */
export function WalletsPage(props: WalletsPageProps) {
  const { visit, project, projects, items, nextCursor, query, isFirst, listProblem } = props;
  const action = pathTo("wallets");
  const kept = { project: project.id };
  return (
    <>
      <div class="head">
        <h1>Wallets</h1>
      </div>
      <Done visit={visit} />
      {projects.length > 1 && <Projects projects={projects} current={project} />}
      <Quota {...props} />
      <section class="panel" aria-labelledby="wallets-h">
        <h2 id="wallets-h">Wallets of {project.name}, the oldest first</h2>
        <Filters action={action} fields={WALLET_FILTERS} query={query} problem={listProblem} kept={kept} />
        {items.length === 0 ? (
          <NoRows
            problem={listProblem}
            isFiltered={Object.keys(query).length > 0}
            empty="No wallet yet. A key with the right wallet makes them for your users."
          />
        ) : (
          <div class="wrap">
            <table>
              <thead>
                <tr>
                  <th scope="col">Wallet</th>
                  <th scope="col">Address</th>
                  <th scope="col" class="lg">
                    Chain
                  </th>
                  <th scope="col">Created</th>
                </tr>
              </thead>
              <tbody>
                {items.map(({ walletId, address, chain, createdAt }) => (
                  <tr>
                    <th scope="row">{walletId}</th>
                    <td>
                      <Id text={address} href={explainPath(address)} />
                    </td>
                    <td class="lg">{chain === "sui" ? "Sui" : "Aptos"}</td>
                    <td>
                      <Ago at={createdAt} nowMs={visit.nowMs} />
                    </td>
                  </tr>
                ))}
              </tbody>
            </table>
          </div>
        )}
        <More action={action} query={{ ...kept, ...query }} nextCursor={nextCursor} isFirst={isFirst} />
      </section>
    </>
  );
}
