import type { Problem } from "../../../shared/http/problem.ts";
import { chainOf } from "../../../shared/network-names.ts";
import type { Fund } from "../answers.ts";
import { Form } from "../parts/form.tsx";
import { STALE } from "../parts/originals.tsx";
import { PolicyFields, policyChange } from "../parts/policy-form.tsx";
import { pathTo, withQuery } from "../paths.ts";
import { type DashboardPage, go, page, type Reply, type Visit } from "../visit.ts";
import { FundHead } from "./head.tsx";
import { fundOf } from "./open.ts";

function show(visit: Visit, fund: Fund, problem: Problem | null): Reply {
  const chain = chainOf(fund.network);
  return page(
    `Policy of ${fund.name}`,
    <>
      <FundHead fund={fund} part={null} />
      <section class="panel narrow" aria-labelledby="policy-h">
        <h2 id="policy-h">What this fund pays for</h2>
        <p>
          A sponsorship must pass this policy and the policy of its key. A change counts from the next call. Signatures
          from before it stay valid.
        </p>
        <Form visit={visit} action={pathTo("funds", fund.id, "policy")} problem={problem}>
          <PolicyFields policy={fund.policy} chain={chain} form={visit.form} problem={problem} />
          <div class="acts">
            <button type="submit" class="primary">
              Save the policy
            </button>
            <a href={pathTo("funds", fund.id)}>Cancel</a>
          </div>
        </Form>
      </section>
    </>,
    problem?.status ?? 200,
  );
}

async function change(visit: Visit): Promise<Reply> {
  const fund = await fundOf(visit);
  const policy = policyChange(visit.form, fund.policy, chainOf(fund.network));
  if (policy === null) return show({ ...visit, form: new URLSearchParams() }, fund, STALE);
  const saved = go(withQuery(pathTo("funds", fund.id), { done: "saved" }));
  if (Object.keys(policy).length === 0) return saved;
  const answered = await visit.call("PATCH /funds/:id", { id: fund.id, body: { policy } });
  return answered.ok ? saved : show(visit, fund, answered.error);
}

const path = "/funds/:id/policy";
const needs = ["PATCH /funds/:id"] as const;

/** The pages that change the policy of a fund. */
export const policyPages: readonly DashboardPage[] = [
  { method: "GET", path, needs, respond: async (visit) => show(visit, await fundOf(visit), null) },
  { method: "POST", path, needs, respond: change },
];
