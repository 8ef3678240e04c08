import { withoutRule } from "../../../shared/fund/explain/cause.ts";
import { openingOfRefusal } from "../../../shared/fund/explain/refusal-openings.ts";
import { adviceOnRefusal } from "../../../shared/fund/explain/words/refusal-advice.ts";
import type { Problem } from "../../../shared/http/problem.ts";
import type { Answers, Fund, RefusalCount } from "../answers.ts";
import { explainPath } from "../explain/page.tsx";
import { FundHead } from "../fund/head.tsx";
import { grouped } from "../parts/amount-text.ts";
import { Id, Targets } from "../parts/id.tsx";
import { Ago, AgoAt } from "../parts/time.tsx";
import { pathTo, withQuery } from "../paths.ts";
import { sentence } from "../problem.tsx";
import { type FilterField, Filters, More, NoRows } from "./filters.tsx";

type RefusedCall = Answers["GET /funds/:id/refusals"]["items"][number];

/** The filters of the list, as the admin API names them. */
export const REFUSAL_FILTERS: readonly FilterField[] = [
  { name: "from", label: "From", type: "date" },
  { name: "to", label: "To", type: "date" },
  { name: "reason", label: "Reason", hint: "policy_refused, …" },
  { name: "rule", label: "Rule", hint: "maxSpendPerDay, …" },
  { name: "keyId", label: "Key", hint: "key_…" },
  { name: "sender", label: "Sender", hint: "0x and 64 digits" },
  { name: "requestId", label: "Request id" },
];

/** Everything that the list of refusals shows. */
export interface RefusalsPageProps {
  readonly fund: Fund;
  readonly items: readonly RefusedCall[];
  readonly nextCursor: string | null;
  /** The counters of the last seven days. Null if they are not known. */
  readonly counts: readonly RefusalCount[] | null;
  readonly query: Readonly<Record<string, string>>;
  readonly isFirst: boolean;
  readonly problem: Problem | null;
  readonly names: ReadonlyMap<string, string>;
  readonly nowMs: number;
}

/** The refusals of one kind: a reason, and a rule if a policy refused. */
export interface RefusalSum {
  readonly reason: string;
  readonly rule: string | null;
  readonly calls: number;
}

/** Sums counters by reason and rule, the most frequent first. */
export function sumsOf(counts: readonly RefusalCount[]): readonly RefusalSum[] {
  const sums = new Map<string, RefusalSum>();
  for (const { reason, rule, calls } of counts) {
    const name = `${reason} ${rule ?? ""}`;
    sums.set(name, { reason, rule, calls: (sums.get(name)?.calls ?? 0) + calls });
  }
  return [...sums.values()].toSorted((one, other) => other.calls - one.calls);
}

function Sums({ sums, action }: { readonly sums: readonly RefusalSum[]; readonly action: string }) {
  return (
    <section class="panel" aria-labelledby="sums-h">
      <h2 id="sums-h">The last 7 days, by what refused</h2>
      <ul class="need">
        {sums.map(({ reason, rule, calls }) => (
          <li>
            <span class="tag warn">{grouped(String(calls))}</span>
            <span>
              <b>{openingOfRefusal(reason)}</b>
              {rule !== null && (
                <>
                  {" "}
                  by <code>{rule}</code>
                </>
              )}
              . <span class="dim">{adviceOnRefusal({ reason, rule, policy: null })}</span>
            </span>
            <a href={withQuery(action, { reason, rule })} aria-label={`Show refusals: ${reason} ${rule ?? ""}`}>
              Show
            </a>
          </li>
        ))}
      </ul>
    </section>
  );
}

function Row({ call, names, nowMs }: { readonly call: RefusedCall } & Pick<RefusalsPageProps, "names" | "nowMs">) {
  const { requestId, keyId, sender, targets, reason, rule, details, at } = call;
  return (
    <tr>
      <td class="nowrap lg">
        <Ago at={at} nowMs={nowMs} />
      </td>
      <td>
        {sentence(withoutRule(details, rule))}
        <p class="fine sm">
          <AgoAt at={at} nowMs={nowMs} />
        </p>
        <p class="fine">
          <code>{reason}</code> {rule !== null && <code>{rule}</code>}
        </p>
        <Targets targets={targets} />
      </td>
      <td class="lg">
        {keyId === "" ? (
          "–"
        ) : (
          <a href={pathTo("keys", keyId)} title={keyId}>
            {names.get(keyId) ?? keyId}
          </a>
        )}
      </td>
      <td class="lg">{sender === null ? "–" : <Id text={sender} href={explainPath(sender)} />}</td>
      <td>{requestId === null ? "–" : <Id text={requestId} href={explainPath(requestId)} />}</td>
    </tr>
  );
}

/** The refusals of a fund: first why and how often, then call by call. */
export function RefusalsPage(props: RefusalsPageProps) {
  const { fund, items, nextCursor, counts, query, isFirst, problem, names, nowMs } = props;
  const action = pathTo("funds", fund.id, "refusals");
  const sums = sumsOf(counts ?? []);
  return (
    <>
      <FundHead fund={fund} part="refusals" />
      {sums.length > 0 && <Sums sums={sums} action={action} />}
      <section class="panel" aria-labelledby="calls-h">
        <h2 id="calls-h">The last refused calls</h2>
        <Filters action={action} fields={REFUSAL_FILTERS} query={query} problem={problem} />
        {items.length === 0 ? (
          <NoRows
            problem={problem}
            isFiltered={Object.keys(query).length > 0}
            empty="This fund has refused nothing. The last 1,000 refused calls are kept here."
          />
        ) : (
          <div class="wrap">
            <table>
              <thead>
                <tr>
                  <th scope="col" class="lg">
                    When
                  </th>
                  <th scope="col">What the caller saw</th>
                  <th scope="col" class="lg">
                    Key
                  </th>
                  <th scope="col" class="lg">
                    Sender
                  </th>
                  <th scope="col">Request</th>
                </tr>
              </thead>
              <tbody>
                {items.map((call) => (
                  <Row call={call} names={names} nowMs={nowMs} />
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
