import type { Answer } from "../../service/admin/route/route.ts";
import type { MasterKey } from "../answers.ts";
import { Done } from "../parts/done.tsx";
import { Form } from "../parts/form.tsx";
import { pathTo } from "../paths.ts";
import { sentence } from "../problem.tsx";
import type { Visit } from "../visit.ts";

/** The service's own settings. */
export interface SettingsData {
  readonly visit: Visit;
  /** Null if the role may not read it. */
  readonly secrets: Answer<MasterKey> | null;
  readonly mayReadTokens: boolean;
}

/** Describes the state of the sealed keys, in one sentence and its tone. */
export function secretsVerdict(secrets: MasterKey): { readonly tone: "ok" | "warn" | "bad"; readonly text: string } {
  const { wrong, unopenable, remaining, failing, current, checks } = secrets;
  if (wrong.length > 0) {
    const names = wrong.map(({ secret, version }) => `${secret} version ${version}`).join(", ");
    return {
      tone: "bad",
      text: `These secrets are not those that were used first: ${names}. Put the first ones back.`,
    };
  }
  if (unopenable > 0)
    return {
      tone: "bad",
      text: `${unopenable} keys need a newer master key than any that is set. Put it back.`,
    };
  if (failing > 0)
    return {
      tone: "warn",
      text: `${failing} keys could not be encrypted again. Look for project.reseal_failed in the log of the service.`,
    };
  if (remaining > 0)
    return { tone: "warn", text: `${remaining} keys still need an older master key. Keep it, or encrypt them again.` };
  const isOlderSet = checks.some(({ secret, version }) => secret === "MASTER_KEYS" && version < current);
  const rest = isOlderSet ? " You can remove older versions." : "";
  return { tone: "ok", text: `Every key is encrypted with master key ${current}.${rest}` };
}

function Secrets({ visit, secrets }: { readonly visit: Visit; readonly secrets: Answer<MasterKey> }) {
  if (!secrets.ok) return <p class="note bad">{sentence(secrets.error.detail)}</p>;
  const { value } = secrets;
  const { tone, text } = secretsVerdict(value);
  return (
    <>
      <p class={`note ${tone}`}>{text}</p>
      {value.undecided.length === 0 ? null : (
        <p>Not used yet: {value.undecided.map(({ secret, version }) => `${secret} version ${version}`).join(", ")}.</p>
      )}
      <div class="wrap">
        <table>
          <thead>
            <tr>
              <th scope="col">Secret</th>
              <th scope="col" class="n">
                Version
              </th>
              <th scope="col">Check value</th>
            </tr>
          </thead>
          <tbody>
            {value.checks.map(({ secret, version, value: check }) => (
              <tr>
                <th scope="row" class="solid">
                  {secret}
                </th>
                <td class="n">{version}</td>
                <td>
                  <code>{check}</code>
                </td>
              </tr>
            ))}
          </tbody>
        </table>
      </div>
      <p class="hint">Equal check values mean equal secrets. They show nothing else of a secret.</p>
      {value.remaining > 0 && visit.may("POST /master-key/rewrap") ? (
        <Form visit={visit} action={pathTo("settings", "rewrap")}>
          <button type="submit">Encrypt everything with version {value.current}</button>
        </Form>
      ) : null}
    </>
  );
}

/** The page of the secrets and the configuration of the service. */
export function SettingsPage({ visit, secrets, mayReadTokens }: SettingsData) {
  const { region, withdrawAddresses, nodes } = visit.ground.config;
  const networks = Object.values(nodes).filter((urls) => urls.length > 0).length;
  return (
    <>
      <div class="head">
        <h1>Settings</h1>
      </div>
      <Done visit={visit} />
      <div class="cols">
        <section class="panel" aria-labelledby="secrets-h">
          <h2 id="secrets-h">Secrets</h2>
          {secrets === null ? (
            <p class="empty">Only an owner reads the state of the secrets.</p>
          ) : (
            <Secrets visit={visit} secrets={secrets} />
          )}
        </section>
        <section class="panel" aria-labelledby="service-h">
          <h2 id="service-h">Service</h2>
          <dl class="facts">
            <dt>You</dt>
            <dd>
              {visit.operator.name}, {visit.operator.role}
            </dd>
            <dt>Region</dt>
            <dd>{region}</dd>
            <dt>Networks</dt>
            <dd>
              {networks} with <a href={pathTo("nodes")}>nodes</a>
            </dd>
            <dt>Withdrawals</dt>
            <dd>
              {withdrawAddresses === null ? (
                "to any address. Set WITHDRAW_ADDRESSES to limit them."
              ) : (
                <>to {withdrawAddresses.length} addresses of WITHDRAW_ADDRESSES</>
              )}
            </dd>
          </dl>
          {mayReadTokens ? (
            <p>
              <a href={pathTo("tokens")}>Tokens of operators</a>
            </p>
          ) : null}
        </section>
      </div>
    </>
  );
}
