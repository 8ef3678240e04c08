import type { Child } from "hono/jsx";
import type { Problem } from "../../../shared/http/problem.ts";
import { chainOf, type Network } from "../../../shared/network-names.ts";
import type { Fund, Key, Project, Sponsorship } from "../answers.ts";
import { LOW_BALANCE_HINT, networkText } from "../fund-words.ts";
import { Amount } from "../parts/amount.tsx";
import { coinName } from "../parts/amount-text.ts";
import { Field, Form, OnceField } from "../parts/form.tsx";
import { Id, WholeId } from "../parts/id.tsx";
import { QrCode } from "../parts/qr.tsx";
import { DASHBOARD, pathTo, withQuery } from "../paths.ts";
import type { Visit } from "../visit.ts";
import { exampleCall, exampleCode, faucetCall } from "./example.ts";

/** The parts of the set-up. Each part is null until it is made. */
export interface StartData {
  readonly visit: Visit;
  readonly project: Project | null;
  readonly fund: Fund | null;
  readonly keys: readonly Key[];
  /** The new key itself, on the one page that shows it. */
  readonly secret: string | null;
  /** The newest sponsorship of the fund. Null without one. */
  readonly seen: Sponsorship | null;
  /** The networks that have a node, which are those that a fund can be on. */
  readonly networks: readonly Network[];
  readonly problem: Problem | null;
}

type State = "done" | "now" | "later";

function Step(props: { readonly title: string; readonly state: State; readonly children?: Child }) {
  const { title, state, children } = props;
  return (
    <li data-state={state} aria-current={state === "now" ? "step" : undefined}>
      <div>
        <h2>
          {title} {state === "done" ? <small>done</small> : null}
        </h2>
        {children}
      </div>
    </li>
  );
}

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

function FundForm({ visit, project, networks, problem }: StartData) {
  return (
    <Form visit={visit} action={pathTo("start", "fund")} problem={problem}>
      <OnceField visit={visit} />
      <input type="hidden" name="project" value={project?.id ?? ""} />
      <Field
        name="network"
        label="Network"
        value={visit.form.get("network") ?? networks[0] ?? ""}
        options={networks.map((network) => ({ value: network, label: networkText(network) }))}
        hint="It cannot be changed later."
        problem={problem}
      />
      <Field
        name="name"
        label="Name of the fund"
        value={visit.form.get("name") ?? ""}
        problem={problem}
        maxlength={100}
        required
        autofocus
      />
      <Field
        name="lowBalance"
        label="Warn below, in coins"
        value={visit.form.get("lowBalance") ?? "1"}
        inputmode="decimal"
        hint={LOW_BALANCE_HINT}
        problem={problem}
      />
      <button type="submit" class="primary">
        Make the fund
      </button>
    </Form>
  );
}

function DepositNow({ visit, fund }: { readonly visit: Visit; readonly fund: Fund }) {
  const chain = chainOf(fund.network);
  const isFunded = BigInt(fund.balance) > 0n;
  const { depositAddress, network } = fund;
  const faucet = depositAddress && faucetCall(network, visit.ground.config.nodes[network][0], depositAddress);
  return (
    <>
      {depositAddress === null || isFunded ? null : (
        <div class="deposit">
          <QrCode text={depositAddress} label={`QR code of the deposit address of ${fund.name}`} />
          <div>
            <p>
              Send some {coinName(chain)} to this address on {networkText(fund.network)}. A tenth of a coin is enough to
              try.
            </p>
            <WholeId text={depositAddress} />
            {faucet === null ? null : (
              <pre>
                <code data-copy={faucet} data-name="the call of the faucet">
                  {faucet}
                </code>
              </pre>
            )}
          </div>
        </div>
      )}
      <div id="live-deposit" data-live={backHere(fund)}>
        {isFunded ? (
          <p class="note ok" role="status">
            The balance of the fund is <Amount chain={chain} atoms={fund.balance} />.
          </p>
        ) : (
          <p class="note">No deposit is seen yet. You can go on meanwhile.</p>
        )}
      </div>
      {isFunded || !visit.may("POST /funds/:id/refresh") ? null : (
        <Form visit={visit} action={pathTo("start", "refresh")}>
          <input type="hidden" name="project" value={fund.projectId} />
          <input type="hidden" name="fund" value={fund.id} />
          <button type="submit">Look for the deposit now</button>
        </Form>
      )}
    </>
  );
}

function FundStep(data: StartData) {
  const { visit, project, fund } = data;
  if (project === null) return <Step title="Make a fund, and send coins to it" state="later" />;
  if (fund === null)
    return (
      <Step title="Make a fund, and send coins to it" state="now">
        <p>A fund pays the gas of your users. The service keeps its key encrypted.</p>
        <FundForm {...data} />
      </Step>
    );
  return (
    <Step title={`Fund: ${fund.name}`} state={BigInt(fund.balance) > 0n ? "done" : "now"}>
      <DepositNow visit={visit} fund={fund} />
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

function backHere(fund: Fund): string {
  return withQuery(pathTo("start"), { project: fund.projectId, fund: fund.id });
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
