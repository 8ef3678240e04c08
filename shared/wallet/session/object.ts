import { DurableObject } from "cloudflare:workers";
import { createDeps, type Deps } from "../../bindings/deps.ts";
import type { Env, ObjectMethods } from "../../bindings/env.ts";
import type { SessionObject } from "../../bindings/session.ts";
import { done, type Outcome, refuse } from "../../errors.ts";
import { liveHalf, type SessionHalf, showHalves } from "./halves.ts";
import { shardOfSession } from "./token.ts";

/** The alarm fires before the platform ends an idle object and its memory. */
const KEEP_ALIVE_MS = 5_000;
/** An alarm that is later than this was lost. */
const LATE_MS = 10_000;
/** Sessions take about 250 bytes each. A full shard refuses new sessions and keeps its present ones. */
const MAX_SESSIONS = 50_000;

/**
 * Keeps the service's halves of session tokens if no KV is bound. They are in memory only, because an object's disk
 * retains its contents for weeks. Clients renew sessions that are lost with the instance.
 */
export class Session extends DurableObject<Env> implements ObjectMethods<SessionObject> {
  readonly #deps: Deps;
  readonly #halves = new Map<string, SessionHalf>();
  /** The time of the next alarm. Zero if this instance has armed none. */
  #wakesAtMs = 0;

  constructor(ctx: DurableObjectState, env: Env) {
    super(ctx, env);
    this.#deps = createDeps(env);
  }

  async put(key: string, value: Uint8Array, expiresAtMs: number): Promise<Outcome<null>> {
    if (this.#halves.size >= MAX_SESSIONS) this.#dropExpired();
    if (this.#halves.size >= MAX_SESSIONS) return refuse("overloaded", "too many sessions are open: try again later");
    this.#halves.set(key, { value, expiresAtMs });
    showHalves(shardOfSession(key), this.#halves);
    await this.#stayAwake();
    return done(null);
  }

  async get(key: string): Promise<Uint8Array | null> {
    return liveHalf(this.#halves, key, this.#deps.clock.nowMs());
  }

  override async alarm(): Promise<void> {
    this.#wakesAtMs = 0;
    this.#dropExpired();
    await this.#stayAwake();
  }

  #dropExpired(): void {
    const nowMs = this.#deps.clock.nowMs();
    for (const [key, { expiresAtMs }] of this.#halves) if (expiresAtMs <= nowMs) this.#halves.delete(key);
  }

  async #stayAwake(): Promise<void> {
    const { clock } = this.#deps;
    const nowMs = clock.nowMs();
    const isArmed = nowMs < this.#wakesAtMs + LATE_MS && this.#wakesAtMs <= nowMs + KEEP_ALIVE_MS;
    if (this.#halves.size === 0 || isArmed) return;
    this.#wakesAtMs = nowMs + KEEP_ALIVE_MS;
    await this.ctx.storage.setAlarm(clock.alarmAtMs(this.#wakesAtMs));
  }
}
