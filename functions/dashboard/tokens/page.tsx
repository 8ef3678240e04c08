import type { Problem } from "../../../shared/http/problem.ts";
import type { Token } from "../answers.ts";
import { Done } from "../parts/done.tsx";
import { Field, Form, OnceField } from "../parts/form.tsx";
import { WholeId } from "../parts/id.tsx";
import { Ago } from "../parts/time.tsx";
import { pathTo } from "../paths.ts";
import type { Visit } from "../visit.ts";

const ROLES = [
  { value: "viewer", label: "viewer: reads" },
  { value: "operator", label: "operator: all but keys, exports and withdrawals" },
  { value: "owner", label: "owner: everything" },
] as const;

/** The terms that the form offers, in days. */
export const TERMS = [
  { value: "1", label: "1 day" },
  { value: "7", label: "7 days" },
  { value: "30", label: "30 days" },
  { value: "90", label: "90 days" },
  { value: "365", label: "a year" },
] as const;

/** The tokens, and the answer to the last form. */
export interface TokensData {
  readonly visit: Visit;
  readonly tokens: readonly Token[];
  readonly problem: Problem | null;
  /** The new token itself, on the one page that shows it. */
  readonly secret: NewSecret | null;
}

/** A token that was just made. Its text is null if the form was sent before. */
interface NewSecret {
  readonly name: string;
  readonly text: string | null;
}

/** The field with the time from which the term counts. If the form is sent twice, both name the same end. */
export const SINCE_FIELD = "since";

function Secret({ name, text }: NewSecret) {
  return (
    <section class="panel" aria-labelledby="secret-h">
      <h2 id="secret-h">The token of {name}</h2>
      {text === null ? (
        <p class="note warn" role="status">
          This form was sent before, and the token was shown then. If that page is lost, delete the token and make
          another.
        </p>
      ) : (
        <>
          <p class="note warn" role="status">
            This is the only time that it is shown. Hand it over in a safe way. If it is lost, delete it and make
            another.
          </p>
          <WholeId text={text} />
        </>
      )}
    </section>
  );
}

function TokenRow({ visit, token }: { readonly visit: Visit; readonly token: Token }) {
  const hasEnded = Date.parse(token.expiresAt) <= visit.nowMs;
  const isOwn = token.id === visit.operator.tokenId;
  return (
    <tr>
      <th scope="row">
        {token.name} {isOwn ? <span class="tag">yours</span> : null}
      </th>
      <td>{token.role}</td>
      <td>
        {hasEnded ? <span class="tag">ended</span> : null} <Ago at={token.expiresAt} nowMs={visit.nowMs} />
      </td>
      <td class="n">
        <a href={pathTo("tokens", token.id, "delete")} aria-label={`Delete the token ${token.name}`}>
          Delete
        </a>
      </td>
    </tr>
  );
}

/** The tokens of operators, and the form that makes one. */
export function TokensPage({ visit, tokens, problem, secret }: TokensData) {
  // A refused form has made nothing. After a fault that is unknown, so the same form must be sent again.
  const isNew = problem === null || problem.status < 500;
  const since = visit.form.get(SINCE_FIELD);
  return (
    <>
      <div class="head">
        <h1>Tokens</h1>
      </div>
      <Done visit={visit} />
      {secret === null ? null : <Secret {...secret} />}
      <section class="panel" aria-labelledby="list-h">
        <h2 id="list-h">Who may log in</h2>
        {tokens.length === 0 ? (
          <p class="empty">Only ADMIN_TOKEN opens this service. Make a token for each person and program.</p>
        ) : (
          <div class="wrap">
            <table>
              <thead>
                <tr>
                  <th scope="col">Name</th>
                  <th scope="col">Role</th>
                  <th scope="col">Ends</th>
                  <th scope="col" class="n">
                    Delete
                  </th>
                </tr>
              </thead>
              <tbody>
                {tokens.map((token) => (
                  <TokenRow visit={visit} token={token} />
                ))}
              </tbody>
            </table>
          </div>
        )}
      </section>
      <section class="panel" aria-labelledby="new-h">
        <h2 id="new-h">New token</h2>
        <Form visit={visit} action={pathTo("tokens")} problem={problem}>
          <OnceField visit={visit} isNew={isNew} />
          <input type="hidden" name={SINCE_FIELD} value={isNew ? visit.nowMs : (since ?? visit.nowMs)} />
          <Field
            name="name"
            label="Name"
            value={problem === null ? "" : (visit.form.get("name") ?? "")}
            hint="Of the person or program that gets it. The audit log shows it."
            problem={problem}
            maxlength={100}
            required
          />
          <Field
            name="role"
            label="Role"
            value={visit.form.get("role") ?? "viewer"}
            options={ROLES}
            problem={problem}
          />
          <Field
            name="days"
            label="Ends after"
            value={visit.form.get("days") ?? "90"}
            options={TERMS}
            path="expiresAt"
            problem={problem}
          />
          <button type="submit" class="primary">
            Make the token
          </button>
        </Form>
      </section>
    </>
  );
}

/** Shows a token once more before it is deleted. */
export function DeletePage({ visit, token }: { readonly visit: Visit; readonly token: Token }) {
  return (
    <section class="panel narrow" aria-labelledby="delete-h">
      <h1 id="delete-h">Delete the token of {token.name}?</h1>
      <p>Its next call is refused, and whoever uses it is logged out here. You cannot undo this.</p>
      <Form visit={visit} action={pathTo("tokens", token.id, "delete")}>
        <div class="acts">
          <button type="submit" class="danger">
            Delete the token
          </button>
          <a href={pathTo("tokens")}>Cancel</a>
        </div>
      </Form>
    </section>
  );
}
