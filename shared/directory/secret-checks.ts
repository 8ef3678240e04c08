import type { Deps } from "../bindings/deps.ts";
import {
  checkedSecrets,
  type SealedProof,
  type SecretCheck,
  type SecretsVerdict,
  type SecretVersion,
  verdictOf,
} from "../crypto/key-check.ts";

/** A wrong secret raises one event in this time. */
const REPORT_INTERVAL_MS = 86_400_000;

/** Keeps a check value of each secret's first use, and compares later secrets with it. */
export class SecretChecks {
  readonly #sql: SqlStorage;
  readonly #deps: Deps;

  constructor(sql: SqlStorage, deps: Deps) {
    this.#sql = sql;
    this.#deps = deps;
  }

  /**
   * Implements `DirectoryObject.compareSecrets`.
   *
   * @param prove tries to open the values that were sealed under a master key version.
   */
  async compare(
    checks: readonly SecretCheck[],
    prove: (masterKeyVersion: number) => Promise<SealedProof>,
  ): Promise<SecretsVerdict> {
    const masterKeys = checks.filter(({ secret }) => secret === "MASTER_KEYS");
    const others = checks.filter(({ secret }) => secret !== "MASTER_KEYS");
    const verdicts = new Map<SecretCheck, ReturnType<typeof verdictOf>>();
    for (const check of masterKeys)
      if (this.#valueOf(check) === null) verdicts.set(check, verdictOf(await prove(check.version)));
    const differs = (check: SecretCheck) => (this.#valueOf(check) ?? check.value) !== check.value;
    const isWrong = (check: SecretCheck) => differs(check) || verdicts.get(check) === "wrong";
    if (!masterKeys.some(isWrong)) {
      for (const check of masterKeys) if (verdicts.get(check) !== "undecided") this.#recordFirstUse(check);
      const areKnown =
        masterKeys.length === 0
          ? this.#deps.config.service === null
          : masterKeys.every((check) => this.#valueOf(check) !== null);
      if (areKnown) for (const check of others) this.#recordFirstUse(check);
    }
    const wrong = checks.filter(isWrong).map(versionOf);
    const undecided = checks.filter((check) => !isWrong(check) && this.#valueOf(check) === null).map(versionOf);
    return { wrong, undecided };
  }

  /** Lists every secret that was used. */
  list(): readonly SecretCheck[] {
    return this.#sql
      .exec<{ secret: string; version: number; value: string }>("SELECT * FROM secret_check")
      .toArray()
      .flatMap(({ secret: name, version, value }) => {
        const secret = checkedSecrets.find((known) => known === name);
        return secret === undefined ? [] : [{ secret, version, value }];
      });
  }

  /** Returns the wrong secrets that were not reported lately, logs them, and counts them as reported. */
  takeUnreported(wrong: readonly SecretVersion[]): readonly SecretVersion[] {
    const nowMs = this.#deps.clock.nowMs();
    const unreported = wrong.filter(
      ({ secret, version }) =>
        this.#sql
          .exec(
            `INSERT INTO secret_mismatch (secret, version, told_at_ms) VALUES (?, ?, ?) ON CONFLICT DO UPDATE
             SET told_at_ms = excluded.told_at_ms WHERE told_at_ms <= ? RETURNING 1`,
            secret,
            version,
            nowMs,
            nowMs - REPORT_INTERVAL_MS,
          )
          .toArray().length > 0,
    );
    for (const secret of unreported) this.#deps.log("security.service_secret_mismatch", { ...secret });
    return unreported;
  }

  #valueOf({ secret, version }: SecretVersion): string | null {
    const [row] = this.#sql
      .exec<{ value: string }>("SELECT value FROM secret_check WHERE secret = ? AND version = ?", secret, version)
      .toArray();
    return row?.value ?? null;
  }

  /** Records a value, unless one is recorded. */
  #recordFirstUse({ secret, version, value }: SecretCheck): void {
    this.#sql.exec(
      "INSERT INTO secret_check (secret, version, value) VALUES (?, ?, ?) ON CONFLICT DO NOTHING",
      secret,
      version,
      value,
    );
  }
}

function versionOf({ secret, version }: SecretCheck): SecretVersion {
  return { secret, version };
}
