import { chainOf } from "../../../shared/network-names.ts";
import { coinName } from "../parts/amount-text.ts";
import { Field, Form, OnceField } from "../parts/form.tsx";
import { Id, WholeId } from "../parts/id.tsx";
import { DASHBOARD, pathTo } from "../paths.ts";
import { exampleCall, exampleCode } from "./example.ts";
import { FundStep } from "./fund-step.tsx";
import { backHere, type StartData, Step } from "./step.tsx";

function ProjectStep({ visit, project, problem }: StartData) {
  if (project !== null)
    return (
      <Step title={`Project: ${project.name}`} state="done">
        <p class="fine">
          <Id text={project.id} />
        </p>
      </Step>
    );
  return (
    <Step title="Make a project" state="now">
      <p>A project keeps the funds, keys and wallets of one app together.</p>
      <Form visit={visit} action={pathTo("start", "project")} problem={problem}>
        <OnceField visit={visit} />
        <Field
          name="name"
          label="Name of the project"
          value={visit.form.get("name") ?? ""}
          hint="Such as the name of your app"
          problem={problem}
          maxlength={100}
          required
          autofocus
        />
        <button type="submit" class="primary">
          Make the project
        </button>
      </Form>
    </Step>
  );
}

function KeyStep({ visit, fund, keys, secret, problem }: StartData) {
  const title = "Make an access key";
  const [key] = keys;
  if (fund === null) return <Step title={title} state="later" />;
  if (secret !== null)
    return (
      <Step title={`Key: ${key?.name ?? ""}`} state="done">
        <p class="note warn" role="status">
          This is the only time that the key is shown. Copy it now, and keep it in your back end's secrets.
        </p>
        <WholeId text={secret} />
      </Step>
    );
  if (key !== undefined)
    return (
      <Step title={`Key: ${key.name}`} state="done">
        <p class="fine">
          It was shown once. If it is lost, <a href={pathTo("keys", key.id)}>disable it</a> and make another one.
        </p>
      </Step>
    );
  if (!visit.may("POST /projects/:id/keys"))
    return (
      <Step title={title} state="now">
        <p>Only an owner makes keys. Ask the holder of ADMIN_TOKEN.</p>
      </Step>
    );
  const coin = coinName(chainOf(fund.network));
  return (
    <Step title={title} state="now">
      <p>
        With this key your back end asks for sponsorships from the fund <b>{fund.name}</b>. It can be disabled at any
        time.
      </p>
      <Form visit={visit} action={pathTo("start", "key")} problem={problem}>
        <OnceField visit={visit} />
        <input type="hidden" name="project" value={fund.projectId} />
        <input type="hidden" name="fund" value={fund.id} />
        <Field
          name="name"
          label="Name of the key"
          value={visit.form.get("name") ?? ""}
          hint="Such as the program that will hold it"
          problem={problem}
          maxlength={100}
          required
        />
        <Field
          name="perDay"
          label={`Most that it may spend a day, in ${coin}`}
          value={visit.form.get("perDay") ?? "1"}
          inputmode="decimal"
          hint="It limits what a leaked key can cost. Leave it empty for no limit."
          path="policy.maxSpendPerDay"
          problem={problem}
        />
        <button type="submit" class="primary">
          Make the key
        </button>
      </Form>
    </Step>
  );
}

function SponsorStep({ visit, fund, keys, secret, seen }: StartData) {
  const title = "Sponsor something";
  if (fund === null || keys.length === 0) return <Step title={title} state="later" />;
  const call = exampleCall(visit.origin, fund.network, secret);
  const hasCoins = BigInt(fund.available) > 0n;
  return (
    <Step title={seen === null ? title : "The fund has sponsored"} state={seen === null ? "now" : "done"}>
      {call === null ? (
        <p>Your back end hands over the transaction that its user has built:</p>
      ) : (
        <>
          <p>Run this in a terminal. It sponsors an empty transaction, and executes nothing.</p>
          <pre>
            <code data-copy={call} data-name="the call">
              {call}
            </code>
          </pre>
        </>
      )}
      <details open={call === null}>
        <summary>From your code</summary>
        <pre>
          <code>{exampleCode(visit.origin, fund.network)}</code>
        </pre>
      </details>
      {hasCoins ? null : <p class="note warn">The fund has nothing yet to pay with: send coins to it first.</p>}
      <div id="live-seen" data-live={backHere(fund)}>
        {seen === null ? (
          <p class="note">
            No sponsorship is seen yet. <a href={backHere(fund)}>Look again</a>
          </p>
        ) : (
          <p class="note ok" role="status">
            Seen: <Id text={seen.digest} />. You are done. <a href={pathTo("funds", fund.id)}>See it in the fund</a>
          </p>
        )}
      </div>
    </Step>
  );
}

/** The first run: from nothing to a sponsored transaction, in four steps. */
export function StartPage(data: StartData) {
  const isOver = data.seen !== null;
  return (
    <>
      <div class="head">
        <h1>{isOver ? "It works" : "Sponsor your first transaction"}</h1>
        <p class="acts">
          <a href={DASHBOARD}>Overview</a>
        </p>
      </div>
      <section class="panel" aria-label="Four steps">
        <ol class="steps">
          <ProjectStep {...data} />
          <FundStep {...data} />
          <KeyStep {...data} />
          <SponsorStep {...data} />
        </ol>
      </section>
    </>
  );
}
