import { type Deps, serviceMasterKeys } from "../bindings/deps.ts";
import { concatBytes, lengthPrefixed } from "../bytes.ts";
import type { MasterKeys } from "../crypto/master-keys.ts";
import { masterKeyVersionOf, notOpened, openBytes, type SealContext, sealBytes } from "../crypto/sealing.ts";
import { SECRET_BYTES } from "../webhooks/sign.ts";
import type { ProjectSealed } from "./sealed.ts";

/** A replaced secret signs for this time beside the new one. */
const PREVIOUS_SECRET_MS = 86_400_000;
/** Domain of the sealed secrets. It is part of the stored format. */
const SECRET_LABEL = "webhook-secret";

interface SealedSecrets {
  readonly current: Uint8Array;
  /** Null if no earlier secret signs any more. */
  readonly previous: Uint8Array | null;
}

/**
 * Keeps the secrets of webhooks, sealed under the master key. Each has a row among the project's sealed objects,
 * written in the commit that stores the seal.
 */
export class WebhookSecrets {
  readonly #sql: SqlStorage;
  readonly #sealed: ProjectSealed;
  readonly #deps: Deps;

  constructor(sql: SqlStorage, sealed: ProjectSealed, deps: Deps) {
    this.#sql = sql;
    this.#sealed = sealed;
    this.#deps = deps;
  }

  /** Makes a random secret, and seals it for this webhook. Stores nothing. */
  async make(projectId: string, id: string): Promise<{ secret: Uint8Array; sealed: Uint8Array }> {
    const secret = new Uint8Array(this.#deps.randomBytes(SECRET_BYTES));
    const sealed = await sealBytes(secret, this.#masterKeys(), contextOf(projectId, id), this.#deps.randomBytes);
    return { secret, sealed };
  }

  /** Records the master key version of a seal. Called within the commit that stores the seal. */
  record(id: string, sealed: Uint8Array): void {
    this.#sealed.recordSealing({ kind: "webhook", name: id }, masterKeyVersionOf(sealed));
  }

  /** Stores a new secret. The secret before it signs for a day more. Called within a commit. */
  replace(id: string, sealed: Uint8Array, nowMs: number): void {
    this.#sql.exec(
      `UPDATE webhook SET previous_secret = sealed_secret, previous_until_ms = ?, sealed_secret = ? WHERE id = ?`,
      nowMs + PREVIOUS_SECRET_MS,
      sealed,
      id,
    );
    this.record(id, sealed);
  }

  /** Called within the commit that deletes the webhook. */
  forget(id: string): void {
    this.#sealed.forget(id);
  }

  /**
   * Opens the secrets that sign a message, the current one first. Empty if there is no such webhook.
   *
   * @throws UnopenableSealError if a master key version is not configured.
   */
  async open(projectId: string, id: string): Promise<readonly Uint8Array[]> {
    const stored = this.#load(id);
    if (stored === null) return [];
    const { current, previous } = stored;
    const sealed = previous === null ? [current] : [current, previous];
    const context = contextOf(projectId, id);
    return Promise.all(sealed.map((one) => openBytes(one, this.#masterKeys(), context)));
  }

  /**
   * Returns true if the current secret opens. Null if there is no such webhook, or its seal is under another version.
   */
  async opensUnder(projectId: string, id: string, masterKeyVersion: number): Promise<boolean | null> {
    const current = this.#load(id)?.current ?? null;
    if (current === null || masterKeyVersionOf(current) !== masterKeyVersion) return null;
    return openBytes(current, this.#masterKeys(), contextOf(projectId, id)).then(() => true, notOpened);
  }

  /**
   * Seals both secrets under the current master key, in one commit. A repeat changes nothing.
   *
   * @returns the master key version of both from now on, also for a deleted webhook. Throws if one does not open; both
   * then stay as they were.
   */
  async reseal(projectId: string, id: string): Promise<number> {
    const masterKeys = this.#masterKeys();
    const stored = this.#load(id);
    if (stored === null) return masterKeys.current;
    const context = contextOf(projectId, id);
    const anew = async (sealed: Uint8Array) => {
      if (masterKeyVersionOf(sealed) === masterKeys.current) return sealed;
      const secret = await openBytes(sealed, masterKeys, context);
      return sealBytes(secret, masterKeys, context, this.#deps.randomBytes);
    };
    const current = await anew(stored.current);
    const previous = stored.previous === null ? null : await anew(stored.previous);
    // A rotation may have stored another secret since then. The job then tries again.
    const written = this.#sql
      .exec(
        "UPDATE webhook SET sealed_secret = ?, previous_secret = ? WHERE id = ? AND sealed_secret = ? RETURNING 1",
        current,
        previous,
        id,
        stored.current,
      )
      .toArray();
    if (written.length === 0 && this.#load(id) !== null) throw new Error("the secret was replaced meanwhile");
    return masterKeys.current;
  }

  #load(id: string): SealedSecrets | null {
    const [row] = this.#sql
      .exec<{ sealed_secret: ArrayBuffer; previous_secret: ArrayBuffer | null; previous_until_ms: number }>(
        "SELECT sealed_secret, previous_secret, previous_until_ms FROM webhook WHERE id = ?",
        id,
      )
      .toArray();
    if (row === undefined) return null;
    const signs = row.previous_until_ms > this.#deps.clock.nowMs();
    return {
      current: new Uint8Array(row.sealed_secret),
      previous: row.previous_secret !== null && signs ? new Uint8Array(row.previous_secret) : null,
    };
  }

  #masterKeys(): MasterKeys {
    return serviceMasterKeys(this.#deps);
  }
}

/** Binds a seal to its project and webhook. A seal that is moved to another one does not open. */
function contextOf(projectId: string, id: string): SealContext {
  return { label: SECRET_LABEL, boundTo: concatBytes(lengthPrefixed(projectId), lengthPrefixed(id)) };
}
