import type { Problem } from "../../../shared/http/problem.ts";
import type { Answers, Project, Webhook } from "../answers.ts";
import { Done } from "../parts/done.tsx";
import { Field, Form } from "../parts/form.tsx";
import { Id } from "../parts/id.tsx";
import { Ago, AgoAt } from "../parts/time.tsx";
import { pathTo } from "../paths.ts";
import { type FilterField, Filters, More, NoRows } from "../rows/filters.tsx";
import type { Visit } from "../visit.ts";
import { EVENT_TYPES } from "./events.ts";
import { EventFields, StateTag, webhookPath } from "./parts.tsx";

type Delivery = Answers["GET /projects/:id/webhooks/:partId/deliveries"]["items"][number];

/** The filters of deliveries, as the admin API names them. */
export const DELIVERY_FILTERS: readonly FilterField[] = [
  { name: "state", label: "State", options: ["pending", "delivered", "failed"] },
  { name: "type", label: "Event", options: EVENT_TYPES },
  { name: "from", label: "From", type: "date" },
  { name: "to", label: "To", type: "date" },
];

/** Everything that the page of a webhook shows. */
export interface WebhookPageProps {
  readonly visit: Visit;
  readonly project: Project;
  readonly webhook: Webhook;
  readonly deliveries: readonly Delivery[];
  readonly nextCursor: string | null;
  readonly query: Readonly<Record<string, string>>;
  readonly isFirst: boolean;
  /** The refusal of the list. */
  readonly listProblem: Problem | null;
  /** The refusal of the last change. */
  readonly problem: Problem | null;
}

const DELIVERY_TONES: Readonly<Record<Delivery["state"], string>> = { pending: "warn", delivered: "ok", failed: "bad" };

function outcomeOf({ lastStatus, lastError }: Delivery): string {
  return lastStatus === null ? (lastError ?? "not tried yet") : `HTTP ${lastStatus}`;
}

function DeliveryRow({
  delivery,
  visit,
  action,
}: {
  readonly delivery: Delivery;
  readonly visit: Visit;
  readonly action: string | null;
}) {
  const { eventId, type, state, attempts, createdAt, nextAttemptAt } = delivery;
  return (
    <tr>
      <td class="nowrap lg">
        <Ago at={createdAt} nowMs={visit.nowMs} />
      </td>
      <td>
        <code>{type}</code>
        <p class="fine sm">
          <AgoAt at={createdAt} nowMs={visit.nowMs} />
        </p>
        <p class="fine">
          <Id text={eventId} />
        </p>
      </td>
      <td>
        <span class={`tag ${DELIVERY_TONES[state]}`}>{state}</span>
        <p class="fine">
          {outcomeOf(delivery)}, {attempts} {attempts === 1 ? "attempt" : "attempts"}
          {nextAttemptAt !== null && (
            <>
              , next <Ago at={nextAttemptAt} nowMs={visit.nowMs} />
            </>
          )}
        </p>
        {action !== null && (
          <Form visit={visit} action={action}>
            <input type="hidden" name="eventId" value={eventId} />
            <button type="submit">Send again</button>
          </Form>
        )}
      </td>
    </tr>
  );
}

function Deliveries({
  visit,
  project,
  webhook,
  deliveries,
  nextCursor,
  query,
  isFirst,
  listProblem,
}: WebhookPageProps) {
  const path = webhookPath(project.id, webhook.id);
  const may = visit.may("POST /projects/:id/webhooks/:partId/resend") && webhook.enabled;
  const action = may ? webhookPath(project.id, webhook.id, "resend") : null;
  return (
    <section class="panel" aria-labelledby="deliveries-h">
      <h2 id="deliveries-h">Deliveries of the last seven days</h2>
      <Filters action={path} fields={DELIVERY_FILTERS} query={query} problem={listProblem} />
      {deliveries.length === 0 ? (
        <NoRows problem={listProblem} isFiltered={Object.keys(query).length > 0} empty="Nothing was sent to it yet." />
      ) : (
        <div class="wrap">
          <table>
            <thead>
              <tr>
                <th scope="col" class="lg">
                  Raised
                </th>
                <th scope="col">Event</th>
                <th scope="col">State</th>
              </tr>
            </thead>
            <tbody>
              {deliveries.map((delivery) => (
                <DeliveryRow delivery={delivery} visit={visit} action={action} />
              ))}
            </tbody>
          </table>
        </div>
      )}
      <More action={path} query={query} nextCursor={nextCursor} isFirst={isFirst} />
    </section>
  );
}

function Settings({
  visit,
  project,
  webhook,
  problem,
}: Pick<WebhookPageProps, "visit" | "project" | "webhook" | "problem">) {
  const path = (part: string) => webhookPath(project.id, webhook.id, part);
  const { form } = visit;
  return (
    <section class="panel" aria-labelledby="settings-h">
      <h2 id="settings-h">Settings</h2>
      <Form visit={visit} action={path("change")} problem={problem}>
        <Field name="url" label="URL" type="url" value={form.get("url") ?? webhook.url} required problem={problem} />
        <EventFields chosen={form.size > 0 ? form.getAll("events") : webhook.events} problem={problem} />
        <button type="submit">Save</button>
      </Form>
      <div class="acts">
        <Form visit={visit} action={path(webhook.enabled ? "disable" : "enable")}>
          <button type="submit">{webhook.enabled ? "Disable" : "Enable"}</button>
        </Form>
        <a class="button danger" href={path("delete")}>
          Delete
        </a>
      </div>
      {visit.may("POST /projects/:id/webhooks/:partId/rotate-secret") && (
        <NewSecret visit={visit} webhook={webhook} action={path("rotate")} />
      )}
    </section>
  );
}

function NewSecret({ visit, webhook, action }: Pick<WebhookPageProps, "visit" | "webhook"> & { action: string }) {
  return (
    <Form visit={visit} action={action}>
      <input type="hidden" name="previousSecretUntil" value={webhook.previousSecretUntil ?? "none"} />
      <label class="choice">
        <input type="checkbox" name="sure" value="yes" required />
        <span>
          The new secret is shown once, and counts at once. The old one works beside it for 24 hours. Give your receiver
          the new one by then.
          {webhook.previousSecretUntil !== null && " Any older secret ends now."}
        </span>
      </label>
      <button type="submit">Make a new secret</button>
    </Form>
  );
}

/** The page of a webhook: its state, and its deliveries. */
export function WebhookPage(props: WebhookPageProps) {
  const { visit, webhook, project } = props;
  return (
    <>
      <div class="head">
        <p class="crumbs">
          <a href={pathTo("webhooks")}>Webhooks</a> of {project.name}
        </p>
        <h1>
          <code>{webhook.url}</code>
        </h1>
        <StateTag webhook={webhook} />
      </div>
      <Done visit={visit} />
      {webhook.disabledCause === "gone" && (
        <p class="note bad">Its receiver has answered 410, so nothing is sent. Enable it once the receiver is back.</p>
      )}
      {webhook.failures > 0 && (
        <p class="note warn">
          The last {webhook.failures} attempts failed. Each event is tried for three days; then it can be sent again
          here.
        </p>
      )}
      {webhook.dropped > 0 && (
        <p class="note warn">{webhook.dropped} events were dropped, because too many others waited for it.</p>
      )}
      <Deliveries {...props} />
      {visit.may("PATCH /projects/:id/webhooks/:partId") && <Settings {...props} />}
    </>
  );
}
