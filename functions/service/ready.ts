import type { Context } from "hono";
import type { Deps } from "../../shared/bindings/deps.ts";
import { DIRECTORY_NAME } from "../../shared/bindings/directory.ts";
import type { Env } from "../../shared/bindings/env.ts";
import { checkedSecrets } from "../../shared/crypto/key-check.ts";
import type { Unready } from "../../shared/directory/readiness.ts";
import { secretsVerdict } from "../../shared/directory/right-secrets.ts";
import { isMissingMethod } from "../../shared/durable/missing-method.ts";
import type { AppEnv } from "../../shared/http/app.ts";
import { retryAfterHeader } from "../../shared/http/retry-after.ts";
import { storageVerdict } from "./storage-verdict.ts";

/** Anybody may ask. One look serves all callers of this time. */
const LOOK_KEPT_MS = 3_000;

async function lookUp(env: Env, deps: Deps): Promise<readonly Unready[]> {
  const storage = await storageVerdict(env, deps);
  if (storage !== "ok") return [{ cause: storage === "failed" ? "storage_failed" : "newer_state", count: 1 }];
  const { wrong } = await secretsVerdict(env, deps, checkedSecrets);
  const secrets: readonly Unready[] = wrong.length > 0 ? [{ cause: "wrong_secrets", count: wrong.length }] : [];
  if (deps.config.service === null) return secrets;
  return [...secrets, ...(await readinessOf(env))];
}

/** Asks the directory. One of an earlier build cannot answer during a roll-out, and that is no failure. */
async function readinessOf(env: Env): Promise<readonly Unready[]> {
  try {
    return await env.DIRECTORY.getByName(DIRECTORY_NAME).readiness();
  } catch (error) {
    if (isMissingMethod(error, "readiness")) return [];
    throw error;
  }
}

/**
 * Answers `GET /ready`: 200 if the service can do its work, else 503 with the causes and their counts. It names no
 * project, fund or node, because it is public: `GET /admin/v1/nodes` and the metrics do.
 */
export function ready(deps: Deps) {
  let look: { readonly causes: readonly Unready[]; readonly atMs: number } | null = null;
  // A promise of one request must not be awaited by another, so only the value is kept. The directory joins the rest.
  const causesNow = async (env: Env): Promise<readonly Unready[]> => {
    if (look !== null && performance.now() - look.atMs < LOOK_KEPT_MS) return look.causes;
    const causes = await lookUp(env, deps);
    look = { causes, atMs: performance.now() };
    return causes;
  };
  return async (c: Context<AppEnv>): Promise<Response> => {
    try {
      const causes = await causesNow(c.env);
      return causes.length === 0
        ? c.json({ status: "ready" })
        : c.json({ status: "not_ready", causes }, 503, retryAfterHeader(LOOK_KEPT_MS));
    } catch (error) {
      deps.log("ready.failed", { requestId: c.var.requestId, error: String(error) });
      const causes: readonly Unready[] = [{ cause: "storage_failed", count: 1 }];
      return c.json({ status: "not_ready", causes }, 503, retryAfterHeader(LOOK_KEPT_MS));
    }
  };
}
