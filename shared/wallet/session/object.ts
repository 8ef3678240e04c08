import { DurableObject } from "cloudflare:workers";
import { createDeps, type Deps } from "../../bindings/deps.ts";
import type { Env, ObjectMethods } from "../../bindings/env.ts";
import type { SessionObject } from "../../bindings/session.ts";
import { done, type Outcome, refuse } from "../../errors.ts";
import { SessionHalves, showHalves } from "./halves.ts";
import { shardOfSession } from "./token.ts";

/**
 * Keeps the service's halves of session tokens if no KV is bound. They are in memory only, because an object's disk
 * retains its contents for weeks. Clients renew sessions that are lost with the instance.
 */
export class Session extends DurableObject<Env> implements ObjectMethods<SessionObject> {
  readonly #deps: Deps;
  readonly #halves = new SessionHalves();

  constructor(ctx: DurableObjectState, env: Env) {
    super(ctx, env);
    this.#deps = createDeps(env);
  }

  async put(key: string, value: Uint8Array, expiresAtMs: number): Promise<Outcome<null>> {
    if (!this.#halves.keep(key, value, expiresAtMs, this.#deps.clock.nowMs()))
      return refuse("overloaded", "too many sessions are open: try again later");
    await this.#stayAwake();
    showHalves(shardOfSession(key), this.#halves);
    return done(null);
  }

  async get(key: string): Promise<Uint8Array | null> {
    return this.#halves.find(key, this.#deps.clock.nowMs());
  }

  override async alarm(): Promise<void> {
    this.#halves.woke();
    this.#halves.dropExpired(this.#deps.clock.nowMs());
    await this.#stayAwake();
  }

  async #stayAwake(): Promise<void> {
    const { clock } = this.#deps;
    const atMs = this.#halves.nextAlarm(clock.nowMs());
    if (atMs !== null) await this.ctx.storage.setAlarm(clock.alarmAtMs(atMs));
  }
}
