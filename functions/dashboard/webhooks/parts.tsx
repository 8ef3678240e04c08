import type { Problem } from "../../../shared/http/problem.ts";
import type { Webhook } from "../answers.ts";
import { faultOf } from "../parts/form.tsx";
import { pathTo } from "../paths.ts";
import { EVENT_TYPES, EVENT_WORDS } from "./events.ts";

/** The path of a webhook's page. */
export function webhookPath(projectId: string, webhookId: string, ...part: readonly string[]): string {
  return pathTo("projects", projectId, "webhooks", webhookId, ...part);
}

/** Describes the state of a webhook. */
export function StateTag({ webhook }: { readonly webhook: Webhook }) {
  const { disabledCause, failures } = webhook;
  if (disabledCause === "gone") return <span class="tag bad">Gone</span>;
  if (disabledCause !== null) return <span class="tag">Disabled</span>;
  return failures > 0 ? <span class="tag warn">Failing</span> : <span class="tag ok">Enabled</span>;
}

/** The choice of the events that a webhook gets. */
export function EventFields({
  chosen,
  problem,
}: {
  readonly chosen: readonly string[];
  readonly problem: Problem | null;
}) {
  const fault = faultOf(problem, "events");
  return (
    <fieldset>
      <legend>Events</legend>
      {EVENT_TYPES.map((type) => (
        <label class="choice">
          <input type="checkbox" name="events" value={type} checked={chosen.includes(type)} />
          <span>
            <code>{type}</code> <span class="dim">{(EVENT_WORDS as Readonly<Record<string, string>>)[type]}</span>
          </span>
        </label>
      ))}
      {fault !== null && <p class="fault">{fault}</p>}
    </fieldset>
  );
}
