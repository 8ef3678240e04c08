import type { Project } from "../answers.ts";
import type { ProjectWebhook } from "../gather.ts";
import { pathTo, withQuery } from "../paths.ts";
import { StateTag, webhookPath } from "./parts.tsx";

/** The webhooks of all projects. */
export function WebhooksPage(props: {
  readonly webhooks: readonly ProjectWebhook[];
  readonly projects: readonly Project[];
  readonly mayCreate: boolean;
}) {
  const { webhooks, projects, mayCreate } = props;
  return (
    <>
      <div class="head">
        <h1>Webhooks</h1>
      </div>
      <section class="panel" aria-label="Webhooks">
        {webhooks.length === 0 ? (
          <p class="empty">No webhook yet. One tells your back end of deposits, low funds and failing nodes.</p>
        ) : (
          <div class="wrap">
            <table>
              <thead>
                <tr>
                  <th scope="col">Receiver</th>
                  <th scope="col">State</th>
                  <th scope="col" class="lg">
                    Project
                  </th>
                  <th scope="col" class="n">
                    Failures in a row
                  </th>
                  <th scope="col" class="n lg">
                    Dropped
                  </th>
                </tr>
              </thead>
              <tbody>
                {webhooks.map(({ project, webhook }) => (
                  <tr>
                    <th scope="row">
                      <a href={webhookPath(project.id, webhook.id)}>{webhook.url}</a>
                    </th>
                    <td>
                      <StateTag webhook={webhook} />
                    </td>
                    <td class="lg">{project.name}</td>
                    <td class="n">{webhook.failures}</td>
                    <td class="n lg">{webhook.dropped}</td>
                  </tr>
                ))}
              </tbody>
            </table>
          </div>
        )}
      </section>
      {mayCreate && projects.length > 0 && (
        <section class="panel" aria-labelledby="new-h">
          <h2 id="new-h">Create a webhook</h2>
          <p>For which project?</p>
          <ul class="links">
            {projects.map(({ id, name }) => (
              <li>
                <a class="button" href={withQuery(pathTo("new-webhook"), { project: id })}>
                  {name}
                </a>
              </li>
            ))}
          </ul>
        </section>
      )}
    </>
  );
}
