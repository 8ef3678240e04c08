import type { Problem } from "../../../shared/http/problem.ts";
import type { Project, Webhook } from "../answers.ts";
import { Field, Form, OnceField } from "../parts/form.tsx";
import { pathTo, withQuery } from "../paths.ts";
import type { Visit } from "../visit.ts";
import { EventFields, webhookPath } from "./parts.tsx";

const FORMATS = [
  { value: "standard", label: "Standard Webhooks: signed JSON for your back end" },
  { value: "chat", label: "chat: one sentence for each event, for the incoming hook of a chat service" },
] as const;

/** The form of a new webhook. */
export function NewWebhookPage(props: {
  readonly visit: Visit;
  readonly project: Project;
  readonly problem: Problem | null;
}) {
  const { visit, project, problem } = props;
  const { form } = visit;
  return (
    <section class="panel narrow">
      <p class="crumbs">
        <a href={pathTo("webhooks")}>Webhooks</a> of {project.name}
      </p>
      <h1>Create a webhook</h1>
      <Form visit={visit} action={withQuery(pathTo("new-webhook"), { project: project.id })} problem={problem}>
        <OnceField visit={visit} />
        <Field
          name="format"
          label="Format"
          value={form.get("format") ?? "standard"}
          options={FORMATS}
          problem={problem}
          hint="You cannot change it later."
        />
        <Field
          name="url"
          label="URL"
          type="url"
          value={form.get("url") ?? ""}
          required
          problem={problem}
          hint="Use https, port 443 and a public host name. A chat URL is secret: later pages show only its host."
        />
        <EventFields chosen={form.getAll("events")} problem={problem} />
        <button type="submit" class="primary">
          Create the webhook
        </button>
      </Form>
    </section>
  );
}

/** The one page that shows a webhook's secret. */
export function SecretPage(props: { readonly title: string; readonly secret: string | null; readonly path: string }) {
  const { title, secret, path } = props;
  return (
    <section class="panel narrow">
      <h1>{title}</h1>
      {secret === null ? (
        <p class="note warn" role="status">
          This form was sent before, and the secret was shown then. If it is lost, rotate it.
        </p>
      ) : (
        <>
          <p class="note ok" role="status">
            This page shows the secret once: copy it now. Your receiver checks signatures with it.
          </p>
          <p class="secret">
            <code class="id whole" data-copy={secret} data-name="the secret">
              {secret}
            </code>
          </p>
        </>
      )}
      <p>
        <a href={path}>Go to the webhook</a>
      </p>
    </section>
  );
}

/** Asks whether a webhook is to be deleted. */
export function DeletePage({
  visit,
  project,
  webhook,
}: {
  readonly visit: Visit;
  readonly project: Project;
  readonly webhook: Webhook;
}) {
  return (
    <section class="panel narrow">
      <h1>Delete the webhook?</h1>
      <p>
        {webhook.url} gets nothing more. Its secret and its deliveries are deleted, and events that wait for it are
        lost.
      </p>
      <Form visit={visit} action={webhookPath(project.id, webhook.id, "delete")}>
        <button type="submit" class="danger">
          Delete it
        </button>
      </Form>
      <p>
        <a href={webhookPath(project.id, webhook.id)}>Keep it</a>
      </p>
    </section>
  );
}
