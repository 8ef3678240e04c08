import type { Problem } from "../../../shared/http/problem.ts";
import type { Answers, AuditRow, Project } from "../answers.ts";
import { Field } from "../parts/form.tsx";
import { Id, WholeId } from "../parts/id.tsx";
import { At } from "../parts/time.tsx";
import { pathTo, withQuery } from "../paths.ts";
import { sentence } from "../problem.tsx";

/** The audit log of a project, or that of the service. */
export interface AuditData {
  readonly projects: readonly Project[];
  /** Null for the log of the service itself. */
  readonly project: Project | null;
  readonly rows: readonly AuditRow[];
  readonly nextCursor: string | null;
  readonly head: Answers["GET /audit/head"] | null;
  readonly query: Readonly<Record<string, string>>;
  readonly problem: Problem | null;
}

const MAX_DETAIL_CHARACTERS = 400;

/** Writes the sent values. Cuts a long text, which the admin API shows in full. */
function detailText(detail: unknown): string {
  const text = JSON.stringify(detail);
  return text.length > MAX_DETAIL_CHARACTERS ? `${text.slice(0, MAX_DETAIL_CHARACTERS)}…` : text;
}

function Row({ row }: { readonly row: AuditRow }) {
  return (
    <tr>
      <td class="lg">
        <At at={row.at} />
      </td>
      <th scope="row">
        {row.action}
        <p class="fine sm">
          <At at={row.at} /> by {row.actor ?? "the service"}
        </p>
        <p class="detail">{detailText(row.detail)}</p>
      </th>
      <td class="lg">
        <Id text={row.target} />
      </td>
      <td class="lg">
        {row.actor ?? <span class="dim">the service</span>} <span class="fine">{row.ip}</span>
      </td>
    </tr>
  );
}

function ChainState({ head, rows }: Pick<AuditData, "head" | "rows">) {
  if (head === null) return null;
  if (head.hash === null) return <p class="empty">No row has a hash yet.</p>;
  const isUnchained = rows.some(({ previousHash }) => previousHash === null);
  return (
    <>
      <p>
        Row {head.seq} is the newest. Each row has the hash of the row before it. Keep a copy of this hash elsewhere.
        Later it proves that nobody has changed the rows up to it.
      </p>
      <WholeId text={head.hash} />
      {isUnchained ? <p class="hint">Rows without a hash are older than the hashes.</p> : null}
    </>
  );
}

/** The changes that operators have made, newest first, and the state of the chain of their hashes. */
export function AuditPage({ projects, project, rows, nextCursor, head, query, problem }: AuditData) {
  const path = pathTo("audit");
  return (
    <>
      <div class="head">
        <h1>Audit</h1>
      </div>
      <form class="filters" method="get" action={path} aria-label="Choose the log">
        <Field
          name="project"
          label="Log of"
          value={project?.id ?? ""}
          options={[
            { value: "", label: "the service (tokens, secrets)" },
            ...projects.map(({ id, name }) => ({ value: id, label: name })),
          ]}
        />
        <Field name="action" label="Action" value={query.action ?? ""} problem={problem} />
        <Field name="actor" label="Who" value={query.actor ?? ""} problem={problem} />
        <div class="acts">
          <button type="submit">Show</button>
        </div>
      </form>
      <section class="panel" aria-labelledby="rows-h">
        <h2 id="rows-h">{project === null ? "Changes of the service" : `Changes of ${project.name}`}</h2>
        {problem === null ? null : <p class="note bad">{sentence(problem.detail)}</p>}
        {rows.length === 0 ? (
          <p class="empty">
            No change is in this list.
            {projects.some(({ id }) => id !== project?.id) ? " Each project has a log of its own:" : ""}
            {projects.map(({ id, name }) =>
              id === project?.id ? null : (
                <>
                  {" "}
                  <a href={withQuery(path, { project: id })}>{name}</a>
                </>
              ),
            )}
          </p>
        ) : (
          <div class="wrap">
            <table>
              <thead>
                <tr>
                  <th scope="col" class="lg">
                    Time
                  </th>
                  <th scope="col">Change</th>
                  <th scope="col" class="lg">
                    Of
                  </th>
                  <th scope="col" class="lg">
                    Who
                  </th>
                </tr>
              </thead>
              <tbody>
                {rows.map((row) => (
                  <Row row={row} />
                ))}
              </tbody>
            </table>
          </div>
        )}
        {nextCursor === null ? null : (
          <p class="more">
            <a class="button" href={withQuery(path, { ...query, cursor: nextCursor })}>
              Next page
            </a>
          </p>
        )}
      </section>
      <section class="panel" aria-labelledby="chain-h">
        <h2 id="chain-h">The chain of hashes</h2>
        <ChainState head={head} rows={rows} />
      </section>
    </>
  );
}
