import type { Problem } from "../../../shared/http/problem.ts";
import { chainOf, networks } from "../../../shared/network-names.ts";
import type { Key } from "../answers.ts";
import { projectsOf } from "../gather.ts";
import { Form } from "../parts/form.tsx";
import { changedFields, STALE } from "../parts/originals.tsx";
import { numberOr, PolicyFields, policyChange } from "../parts/policy-form.tsx";
import { pathTo, withQuery } from "../paths.ts";
import { type DashboardPage, go, page, type Reply, required, type Visit } from "../visit.ts";
import { allKeys, listedKey, usesOf, usesSince } from "./gather.ts";
import { KeysPage } from "./list-page.tsx";
import { ChooseProjectPage, NewKeyPage, ShownOncePage } from "./new-page.tsx";
import { openOfKey, revocationCost } from "./open.ts";
import { KeyPage, rateTexts } from "./page.tsx";
import { StopPage, StoppedPage } from "./stop-page.tsx";
import { NO_USE } from "./use.ts";

const idOf = ({ params }: Visit) => params.id ?? "";

async function keyOf(visit: Visit): Promise<Key> {
  return required(await visit.call("GET /keys/:id", { id: idOf(visit) }));
}

async function fundOf(visit: Visit, { fundId }: Key) {
  if (fundId === null) return null;
  const answered = await visit.call("GET /funds/:id", { id: fundId });
  return answered.ok ? answered.value : null;
}

async function showKey(visit: Visit, accessKey: Key, problem: Problem | null): Promise<Reply> {
  const fund = await fundOf(visit, accessKey);
  const day = new Date(visit.nowMs).toISOString().slice(0, 10);
  const [uses, todays, open] = await Promise.all([
    fund === null ? null : usesOf(visit, fund),
    fund === null ? null : usesSince(visit, fund.id, day),
    openOfKey(visit, accessKey),
  ]);
  const { week, month } = listedKey(accessKey, "", uses);
  const today = todays === null ? null : (todays.get(accessKey.id) ?? NO_USE);
  const props = { visit, accessKey, fund, today, week, month, open, problem };
  return page(accessKey.name, <KeyPage {...props} />, problem?.status ?? 200);
}

/** Shows a key, and says that it is saved. */
const saved = ({ id }: Pick<Key, "id">): Reply => go(withQuery(pathTo("keys", id), { done: "saved" }));

/** Changes a key by a form, and shows it. A refusal is shown beside its field. */
async function change(visit: Visit, body: object): Promise<Reply> {
  const answered = await visit.call("PATCH /keys/:id", { id: idOf(visit), body });
  if (answered.ok) return saved(answered.value);
  return showKey(visit, await keyOf(visit), answered.error);
}

async function changeSettings(visit: Visit): Promise<Reply> {
  const accessKey = await keyOf(visit);
  const changed = changedFields(visit.form, rateTexts(accessKey));
  if (changed === null) return showKey({ ...visit, form: new URLSearchParams() }, accessKey, STALE);
  if (changed.size === 0) return saved(accessKey);
  const text = (name: string) => visit.form.get(name) ?? "";
  const limits = {
    qps: numberOr(text("qps")),
    cups: numberOr(text("cups")),
    sessionsPerSecond: numberOr(text("sessionsPerSecond")),
  };
  const isRate = [...changed].some((name) => name !== "name");
  return change(visit, { ...(changed.has("name") && { name: text("name") }), ...(isRate && { limits }) });
}

async function showPolicyForm(visit: Visit, problem: Problem | null): Promise<Reply> {
  const accessKey = await keyOf(visit);
  const chain = chainOf(accessKey.network);
  return page(
    `Policy of ${accessKey.name}`,
    <section class="panel narrow">
      <p class="crumbs">
        <a href={pathTo("keys")}>Keys</a> · <a href={pathTo("keys", accessKey.id)}>{accessKey.name}</a>
      </p>
      <h1>What {accessKey.name} may have paid</h1>
      <p>A sponsorship has to pass this policy and that of the fund. A change counts from the next call on.</p>
      <Form visit={visit} action={pathTo("keys", accessKey.id, "policy")} problem={problem}>
        <PolicyFields policy={accessKey.policy} chain={chain} form={visit.form} problem={problem} />
        <button type="submit" class="primary">
          Save the policy
        </button>
      </Form>
    </section>,
    problem?.status ?? 200,
  );
}

async function changePolicy(visit: Visit): Promise<Reply> {
  const accessKey = await keyOf(visit);
  const policy = policyChange(visit.form, accessKey.policy, chainOf(accessKey.network));
  if (policy === null) return showPolicyForm({ ...visit, form: new URLSearchParams() }, STALE);
  if (Object.keys(policy).length === 0) return saved(accessKey);
  const answered = await visit.call("PATCH /keys/:id", { id: accessKey.id, body: { policy } });
  return answered.ok ? saved(accessKey) : showPolicyForm(visit, answered.error);
}

async function showStop(visit: Visit, problem: Problem | null): Promise<Reply> {
  const accessKey = await keyOf(visit);
  const fund = await fundOf(visit, accessKey);
  const [uses, open] = await Promise.all([fund === null ? null : usesOf(visit, fund), openOfKey(visit, accessKey)]);
  const { month } = listedKey(accessKey, "", uses);
  const cost = fund === null ? null : revocationCost(fund, open, month);
  const props = { visit, accessKey, fund, open, cost, problem };
  return page(`Stop ${accessKey.name}`, <StopPage {...props} />, problem?.status ?? 200);
}

async function stop(visit: Visit): Promise<Reply> {
  const outstanding = visit.form.get("outstanding") === "true";
  const answered = await visit.call("POST /keys/:id/revoke", { id: idOf(visit), body: { outstanding } });
  if (!answered.ok) return showStop(visit, answered.error);
  const accessKey = await keyOf(visit);
  return page(
    `${accessKey.name} is disabled`,
    <StoppedPage accessKey={accessKey} revoked={answered.value} wasOutstanding={outstanding} />,
  );
}

async function showNew(visit: Visit, problem: Problem | null): Promise<Reply> {
  const { project: id } = visit.query;
  if (id === undefined) {
    const { items } = await projectsOf(visit);
    const [only] = items;
    if (items.length !== 1 || only === undefined) return page("Create a key", <ChooseProjectPage projects={items} />);
    return go(`${pathTo("new-key")}?project=${only.id}`);
  }
  const project = required(await visit.call("GET /projects/:id", { id }));
  const { items: funds } = required(await visit.call("GET /projects/:id/funds", { id, query: { limit: "40" } }));
  const props = { visit, project, funds, problem };
  return page("Create a key", <NewKeyPage {...props} />, problem?.status ?? 200);
}

async function create(visit: Visit): Promise<Reply> {
  const { form, query } = visit;
  const id = query.project ?? "";
  const payer = form.get("payer") ?? "";
  const network = networks.find((each) => each === payer);
  const fund = network === undefined ? required(await visit.call("GET /funds/:id", { id: payer })) : null;
  const body = {
    name: form.get("name") ?? "",
    network: fund?.network ?? network,
    rights: form.getAll("rights"),
    fundId: fund?.id ?? null,
    limits: { qps: numberOr(form.get("qps") ?? ""), cups: 1_000 },
  };
  const idempotencyKey = form.get("once");
  const answered = await visit.call("POST /projects/:id/keys", { id, body, idempotencyKey });
  if (!answered.ok) return showNew(visit, answered.error);
  const { key: text, ...made } = answered.value;
  return page(`The key ${made.name}`, <ShownOncePage made={made} text={text} />);
}

/** The pages of access keys. */
export const keyPages: readonly DashboardPage[] = [
  {
    method: "GET",
    path: "/keys",
    needs: ["GET /projects/:id/keys"],
    respond: async (visit) => {
      const all = await allKeys(visit);
      const mayCreate = visit.may("POST /projects/:id/keys");
      return page("Keys", <KeysPage all={all} nowMs={visit.nowMs} mayCreate={mayCreate} />);
    },
  },
  { method: "GET", path: "/new-key", needs: ["POST /projects/:id/keys"], respond: (visit) => showNew(visit, null) },
  { method: "POST", path: "/new-key", needs: ["POST /projects/:id/keys"], respond: create },
  {
    method: "GET",
    path: "/keys/:id",
    needs: ["GET /keys/:id"],
    respond: async (visit) => showKey(visit, await keyOf(visit), null),
  },
  { method: "POST", path: "/keys/:id", needs: ["PATCH /keys/:id"], respond: changeSettings },
  {
    method: "POST",
    path: "/keys/:id/activate",
    needs: ["PATCH /keys/:id"],
    respond: (visit) => change(visit, { status: "active" }),
  },
  {
    method: "GET",
    path: "/keys/:id/policy",
    needs: ["PATCH /keys/:id"],
    respond: (visit) => showPolicyForm(visit, null),
  },
  { method: "POST", path: "/keys/:id/policy", needs: ["PATCH /keys/:id"], respond: changePolicy },
  {
    method: "GET",
    path: "/keys/:id/stop",
    needs: ["POST /keys/:id/revoke"],
    respond: (visit) => showStop(visit, null),
  },
  { method: "POST", path: "/keys/:id/stop", needs: ["POST /keys/:id/revoke"], respond: stop },
];
