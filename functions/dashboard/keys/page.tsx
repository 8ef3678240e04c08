import type { Problem } from "../../../shared/http/problem.ts";
import { chainOf } from "../../../shared/network-names.ts";
import type { Fund, Key } from "../answers.ts";
import { explainPath } from "../explain/page.tsx";
import { networkText } from "../fund-words.ts";
import { Done } from "../parts/done.tsx";
import { Field, Form } from "../parts/form.tsx";
import { Id } from "../parts/id.tsx";
import { Originals } from "../parts/originals.tsx";
import { PolicyInWords } from "../parts/policy.tsx";
import { SpentHint } from "../parts/spent.tsx";
import { Ago } from "../parts/time.tsx";
import { pathTo, withQuery } from "../paths.ts";
import type { Visit } from "../visit.ts";
import { UseAgainstLimits } from "./limits.tsx";
import type { OpenOfKey } from "./open.ts";
import { doubtOf, type KeyUse } from "./use.ts";
import { UseTable } from "./use-table.tsx";

/** Everything that the page of a key shows. */
export interface KeyPageProps {
  readonly visit: Visit;
  readonly accessKey: Key;
  /** Null if the key has no fund. */
  readonly fund: Fund | null;
  readonly today: KeyUse | null;
  readonly week: KeyUse | null;
  readonly month: KeyUse | null;
  readonly open: OpenOfKey;
  /** The refusal of the last change. */
  readonly problem?: Problem | null;
}

function Facts({
  accessKey,
  fund,
  nowMs,
}: {
  readonly accessKey: Key;
  readonly fund: Fund | null;
  readonly nowMs: number;
}) {
  return (
    <dl class="facts">
      <dt>Id</dt>
      <dd>
        <Id text={accessKey.id} />
      </dd>
      <dt>Network</dt>
      <dd>{networkText(accessKey.network)}</dd>
      <dt>Rights</dt>
      <dd>{accessKey.rights.join(", ")}</dd>
      <dt>Pays from</dt>
      <dd>{fund === null ? "no fund" : <a href={pathTo("funds", fund.id)}>{fund.name}</a>}</dd>
      {accessKey.refusals !== null && (
        <>
          <dt>Not admitted</dt>
          <dd>
            {accessKey.refusals.today} calls today, {accessKey.refusals.last30Days} in 30 days
          </dd>
        </>
      )}
      <dt>Created</dt>
      <dd>
        <Ago at={accessKey.createdAt} nowMs={nowMs} />
      </dd>
    </dl>
  );
}

/** Returns the name and the rates of a key as the texts of their form. */
export function rateTexts({ name, limits: { qps, cups, sessionsPerSecond } }: Key) {
  return { name, qps: String(qps), cups: String(cups), sessionsPerSecond: String(sessionsPerSecond) };
}

function Rates({
  visit,
  accessKey,
  problem,
}: {
  readonly visit: Visit;
  readonly accessKey: Key;
  readonly problem: Problem | null;
}) {
  const { qps, cups, sessionsPerSecond } = accessKey.limits;
  const { form } = visit;
  const texts = rateTexts(accessKey);
  const may = visit.may("PATCH /keys/:id");
  return (
    <section class="panel" aria-labelledby="rates-h">
      <h2 id="rates-h">Name and rates</h2>
      {may ? (
        <Form visit={visit} action={pathTo("keys", accessKey.id)} problem={problem}>
          <Originals texts={texts} form={form} />
          <Field
            name="name"
            label="Name"
            value={form.get("name") ?? texts.name}
            maxlength={100}
            required
            problem={problem}
          />
          <Field
            name="qps"
            label="Calls a second"
            value={form.get("qps") ?? texts.qps}
            inputmode="numeric"
            path="limits.qps"
            problem={problem}
          />
          <Field
            name="cups"
            label="Compute units a second"
            value={form.get("cups") ?? texts.cups}
            inputmode="numeric"
            path="limits.cups"
            problem={problem}
          />
          <Field
            name="sessionsPerSecond"
            label="Sessions a second"
            value={form.get("sessionsPerSecond") ?? texts.sessionsPerSecond}
            inputmode="numeric"
            path="limits.sessionsPerSecond"
            problem={problem}
            hint="How often an app may open wallets with this key."
          />
          <button type="submit">Save</button>
        </Form>
      ) : (
        <p>
          {qps} calls, {cups} compute units and {sessionsPerSecond} {sessionsPerSecond === 1 ? "session" : "sessions"} a
          second.
        </p>
      )}
    </section>
  );
}

function Stop({ visit, accessKey }: { readonly visit: Visit; readonly accessKey: Key }) {
  const isActive = accessKey.status === "active";
  return (
    <section class="panel" aria-labelledby="stop-h">
      <h2 id="stop-h">{isActive ? "Stop this key" : "This key is disabled"}</h2>
      {isActive ? (
        <p>A disabled key is refused from its next call on. Its signatures stay valid, unless you revoke them too.</p>
      ) : (
        <p>Every call with it is refused. An owner can make it active again.</p>
      )}
      <div class="acts">
        {isActive && visit.may("POST /keys/:id/revoke") && (
          <a class="button danger" href={pathTo("keys", accessKey.id, "stop")}>
            Disable or revoke
          </a>
        )}
        {!isActive && visit.may("PATCH /keys/:id") && (
          <Form visit={visit} action={pathTo("keys", accessKey.id, "activate")}>
            <button type="submit">Make it active again</button>
          </Form>
        )}
        {!isActive && visit.may("POST /keys/:id/revoke") && (
          <a class="button danger" href={pathTo("keys", accessKey.id, "stop")}>
            Revoke its signatures
          </a>
        )}
      </div>
    </section>
  );
}

function Links({ accessKey, fund }: { readonly accessKey: Key; readonly fund: Fund }) {
  return (
    <p class="acts links-apart">
      <a href={withQuery(pathTo("funds", fund.id, "sponsorships"), { keyId: accessKey.id })}>Its sponsorships</a>
      <a href={withQuery(pathTo("funds", fund.id, "refusals"), { keyId: accessKey.id })}>Its refusals</a>
      <a href={explainPath("")}>Explain one</a>
    </p>
  );
}

/** The page of a key: its use, against its limits. */
export function KeyPage({ visit, accessKey, fund, today, week, month, open, problem = null }: KeyPageProps) {
  const chain = chainOf(accessKey.network);
  const doubt = doubtOf({ key: accessKey, week, month }, visit.nowMs);
  return (
    <>
      <div class="head">
        <p class="crumbs">
          <a href={pathTo("keys")}>Keys</a>
        </p>
        <h1>{accessKey.name}</h1>
        {accessKey.status === "active" ? <span class="tag ok">Active</span> : <span class="tag bad">Disabled</span>}
      </div>
      <Done visit={visit} />
      {doubt !== null && (
        <p class={`note ${doubt.tone}`}>
          <b>{accessKey.name}</b> {doubt.text}
        </p>
      )}
      <div class="cols">
        <section class="panel" aria-labelledby="facts-h">
          <h2 id="facts-h">What it is</h2>
          <Facts accessKey={accessKey} fund={fund} nowMs={visit.nowMs} />
        </section>
        <Stop visit={visit} accessKey={accessKey} />
      </div>
      {fund !== null && (
        <section class="panel" aria-labelledby="use-h">
          <h2 id="use-h">What it did</h2>
          <UseTable
            accessKey={accessKey}
            spans={[
              ["Today", today],
              ["7 days", week],
              ["30 days", month],
            ]}
          />
          <SpentHint />
          <Links accessKey={accessKey} fund={fund} />
        </section>
      )}
      {fund !== null && (
        <section class="panel" aria-labelledby="limits-h">
          <h2 id="limits-h">Limits against use</h2>
          <UseAgainstLimits policy={accessKey.policy} chain={chain} today={today} open={open} />
        </section>
      )}
      <div class="cols">
        <section class="panel" aria-labelledby="policy-h">
          <div class="head">
            <h2 id="policy-h">What it may have paid</h2>
            {visit.may("PATCH /keys/:id") && <a href={pathTo("keys", accessKey.id, "policy")}>Change</a>}
          </div>
          <PolicyInWords policy={accessKey.policy} owner={{ chain, kind: "key" }} />
        </section>
        <Rates visit={visit} accessKey={accessKey} problem={problem} />
      </div>
    </>
  );
}
