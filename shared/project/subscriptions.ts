import { type ProjectParts, RETRY_MS } from "./parts.ts";
import type { ProjectWebhooks } from "./webhooks.ts";

/** Funds that one alarm, or one request, sends the subscriptions to. */
const FUNDS_PER_CALL = 40;

/** Sends every fund the list of events that some webhook of the project wants. */
export class FundSubscriptions {
  readonly #parts: ProjectParts;
  readonly #webhooks: ProjectWebhooks;

  constructor(parts: ProjectParts, webhooks: ProjectWebhooks) {
    this.#parts = parts;
    this.#webhooks = webhooks;
  }

  /** Makes the list due for a new fund. Called within the commit that adds it. */
  addFund(fundId: string): void {
    if (this.#webhooks.subscriptions().types.length === 0) return;
    this.#parts.due.set("announce", fundId, this.#parts.deps.clock.nowMs());
  }

  /** Makes the list due for every fund. Called within the commit that changes it. */
  changed(): void {
    const { sql, deps, due } = this.#parts;
    sql.exec(
      `INSERT INTO due (kind, reference, at_ms) SELECT 'announce', id, ? FROM member WHERE kind = 'fund'
       ON CONFLICT (kind, reference) DO UPDATE SET at_ms = excluded.at_ms`,
      deps.clock.nowMs(),
    );
    due.rearm();
  }

  /** Sends the list to the funds that are due. A fund that does not answer stays due. Never throws for one. */
  async publish(): Promise<void> {
    const { due, deps } = this.#parts;
    const fundIds = due.listDue("announce", deps.clock.nowMs(), FUNDS_PER_CALL).map(({ reference }) => reference);
    if (fundIds.length > 0) await Promise.all(fundIds.map((fundId) => this.#send(fundId)));
  }

  async #send(fundId: string): Promise<void> {
    const { due, deps, env } = this.#parts;
    const sent = this.#webhooks.subscriptions();
    try {
      await env.FUND.getByName(fundId).setSubscribedEvents(sent);
      const isNewest = this.#webhooks.subscriptions().version === sent.version;
      due.set("announce", fundId, isNewest ? null : deps.clock.nowMs());
    } catch (error) {
      deps.log("project.announce_failed", { fund: fundId, error: String(error) });
      due.set("announce", fundId, deps.clock.nowMs() + RETRY_MS);
    }
  }
}
