import { chainOf } from "../../../shared/network-names.ts";
import { networkText } from "../fund-words.ts";
import type { AllFunds } from "../gather.ts";
import { Amount } from "../parts/amount.tsx";
import { pathTo, withQuery } from "../paths.ts";
import { FundTag } from "./head.tsx";

/** All funds by project. */
export function FundsPage({ all, mayCreate }: { readonly all: AllFunds; readonly mayCreate: boolean }) {
  return (
    <>
      <div class="head">
        <h1>Funds</h1>
        {mayCreate ? (
          <p class="acts">
            <a class="button" href={pathTo("start")}>
              New project
            </a>
          </p>
        ) : null}
      </div>
      {all.unreadable.length === 0 ? null : (
        <p class="note bad">These cannot be read, and the log has the cause: {all.unreadable.join(", ")}</p>
      )}
      {all.projects.length === 0 ? <p class="empty">There is no project yet.</p> : null}
      {all.projects.map(({ project, funds, unreadable }) => (
        <section class="panel" aria-labelledby={project.id}>
          <div class="head">
            <h2 id={project.id}>{project.name}</h2>
            {mayCreate ? (
              <a
                href={withQuery(pathTo("start"), { project: project.id, new: "fund" })}
                aria-label={`New fund in ${project.name}`}
              >
                New fund
              </a>
            ) : null}
          </div>
          {unreadable.length === 0 ? null : <p class="note bad">Cannot be read now: {unreadable.join(", ")}</p>}
          {funds.length === 0 ? (
            <p class="empty">This project has no fund.</p>
          ) : (
            <div class="wrap">
              <table class="even">
                <thead>
                  <tr>
                    <th scope="col">Fund</th>
                    <th scope="col">State</th>
                    <th scope="col" class="n">
                      Available
                    </th>
                    <th scope="col" class="n lg">
                      In flight
                    </th>
                    <th scope="col" class="lg">
                      Network
                    </th>
                  </tr>
                </thead>
                <tbody>
                  {funds.map((fund) => (
                    <tr>
                      <th scope="row">
                        <a href={pathTo("funds", fund.id)}>{fund.name}</a>
                        <p class="fine sm">{networkText(fund.network)}</p>
                      </th>
                      <td>
                        <FundTag fund={fund} />
                      </td>
                      <td class="n">
                        <Amount chain={chainOf(fund.network)} atoms={fund.available} />
                      </td>
                      <td class="n lg">
                        <Amount chain={chainOf(fund.network)} atoms={fund.inFlight} />
                      </td>
                      <td class="lg">{networkText(fund.network)}</td>
                    </tr>
                  ))}
                </tbody>
              </table>
            </div>
          )}
        </section>
      ))}
      {all.isWhole ? null : (
        <p class="hint">There are more projects or funds than this page reads. The admin API lists all.</p>
      )}
    </>
  );
}
