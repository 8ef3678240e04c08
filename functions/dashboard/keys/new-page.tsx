import type { Problem } from "../../../shared/http/problem.ts";
import { networks } from "../../../shared/network-names.ts";
import type { Fund, Key, Project } from "../answers.ts";
import { networkText } from "../fund-words.ts";
import { Field, Form, faultOf, OnceField } from "../parts/form.tsx";
import { pathTo, withQuery } from "../paths.ts";
import type { Visit } from "../visit.ts";

const RIGHTS = [
  { right: "gas", label: "Gas", hint: "sponsor transactions from the fund" },
  { right: "wallet", label: "Wallet", hint: "create and use wallets of users" },
  { right: "node", label: "Node", hint: "pass calls to the chain's nodes" },
] as const;

/** Everything that the form of a new key shows. */
export interface NewKeyPageProps {
  readonly visit: Visit;
  readonly project: Project;
  readonly funds: readonly Fund[];
  readonly problem: Problem | null;
}

/** The choice of the project that a new key belongs to. */
export function ChooseProjectPage({ projects }: { readonly projects: readonly Project[] }) {
  return (
    <section class="panel narrow">
      <h1>Create a key</h1>
      {projects.length === 0 ? (
        <p>
          A key belongs to a project, and there is none. <a href={pathTo("start")}>Set one up</a>.
        </p>
      ) : (
        <>
          <p>For which project?</p>
          <ul class="links">
            {projects.map(({ id, name }) => (
              <li>
                <a class="button" href={withQuery(pathTo("new-key"), { project: id })}>
                  {name}
                </a>
              </li>
            ))}
          </ul>
        </>
      )}
    </section>
  );
}

/** The form of a new key. */
export function NewKeyPage({ visit, project, funds, problem }: NewKeyPageProps) {
  const { form, query } = visit;
  const wasSent = form.size > 0;
  const chosen = form.get("payer") ?? query.fund ?? funds[0]?.id ?? "";
  const payers = [
    ...funds.map(({ id, name, network }) => ({ value: id, label: `${name}, on ${networkText(network)}` })),
    ...networks.map((network) => ({ value: network, label: `No fund, on ${networkText(network)}` })),
  ];
  const has = (right: string) =>
    wasSent ? form.getAll("rights").includes(right) : right === "gas" && funds.length > 0;
  const fault = faultOf(problem, "rights");
  return (
    <section class="panel narrow">
      <p class="crumbs">
        <a href={pathTo("keys")}>Keys</a> of {project.name}
      </p>
      <h1>Create a key</h1>
      <Form visit={visit} action={withQuery(pathTo("new-key"), { project: project.id })} problem={problem}>
        <OnceField visit={visit} />
        <Field
          name="name"
          label="Name"
          value={form.get("name") ?? ""}
          maxlength={100}
          required
          autofocus
          problem={problem}
          hint="Name the app that will use it. Its spending is listed by this name."
        />
        <Field name="payer" label="Pays from" options={payers} value={chosen} path="fundId" problem={problem} />
        <fieldset>
          <legend>Rights</legend>
          {RIGHTS.map(({ right, label, hint }) => (
            <label class="choice">
              <input type="checkbox" name="rights" value={right} checked={has(right)} />
              <span>
                {label} <span class="dim">{hint}</span>
              </span>
            </label>
          ))}
          {fault !== null && <p class="fault">{fault}</p>}
        </fieldset>
        <Field
          name="qps"
          label="Calls a second"
          value={form.get("qps") ?? "100"}
          inputmode="numeric"
          path="limits.qps"
          problem={problem}
        />
        <p class="hint">The key starts with spending limits. You can change them on its page.</p>
        <button type="submit" class="primary">
          Create the key
        </button>
      </Form>
    </section>
  );
}

/** The one page that shows a new key. */
export function ShownOncePage({ made, text }: { readonly made: Key; readonly text: string | null }) {
  return (
    <section class="panel narrow">
      <h1>The key {made.name}</h1>
      {text === null ? (
        <>
          <p class="note warn" role="status">
            This form was sent before, and the key was shown then. Nobody can show it again.
          </p>
          <p>If that page is lost, disable the key and create another one.</p>
        </>
      ) : (
        <>
          <p class="note ok" role="status">
            The key is active. This page shows it once: copy it now.
          </p>
          <p class="secret">
            <code class="id whole" data-copy={text} data-name="the key">
              {text}
            </code>
          </p>
          <p>Put it into the secrets of your app's back end. Never into a page or an app on a phone.</p>
        </>
      )}
      <p>
        <a href={pathTo("keys", made.id)}>Go to the key</a>
      </p>
    </section>
  );
}
