import type { Context } from "hono";
import type { Deps } from "../../shared/bindings/deps.ts";
import { DIRECTORY_NAME, type DirectoryObject } from "../../shared/bindings/directory.ts";
import type { Env } from "../../shared/bindings/env.ts";
import { checkedSecrets } from "../../shared/crypto/key-check.ts";
import { orKeyServiceRefusal } from "../../shared/crypto/key-service.ts";
import type { Notice, Unready } from "../../shared/directory/readiness.ts";
import { secretsVerdict } from "../../shared/directory/right-secrets.ts";
import { isMissingMethod } from "../../shared/durable/missing-method.ts";
import type { AppEnv } from "../../shared/http/app.ts";
import { retryAfterHeader } from "../../shared/http/retry-after.ts";
import { storageVerdict } from "./storage-verdict.ts";

/** Anybody may ask. One look serves all callers of this time. */
const LOOK_KEPT_MS = 3_000;

interface Look {
  readonly causes: readonly Unready[];
  readonly notices: readonly Notice[];
}

async function lookUp(env: Env, deps: Deps): Promise<Look> {
  const storage = await storageVerdict(env, deps);
  if (storage !== "ok")
    return { causes: [{ cause: storage === "failed" ? "storage_failed" : "newer_state", count: 1 }], notices: [] };
  const verdict = await orKeyServiceRefusal(secretsVerdict(env, deps, checkedSecrets));
  const secrets = unreadySecrets(verdict.ok ? verdict.value.wrong.length : null);
  if (deps.config.service === null) return { causes: secrets, notices: [] };
  const causes = await ifKnown(env, "readiness", (directory) => directory.readiness());
  const notices = await ifKnown(env, "notices", (directory) => directory.notices());
  return { causes: [...secrets, ...causes], notices };
}

/** @param wrong the number of wrong secrets. Null if a master key could not be read. */
function unreadySecrets(wrong: number | null): readonly Unready[] {
  if (wrong === null) return [{ cause: "key_service", count: 1 }];
  return wrong > 0 ? [{ cause: "wrong_secrets", count: wrong }] : [];
}

/** Asks the directory. One of an earlier build cannot answer during a roll-out, and that is no failure. */
async function ifKnown<Found>(
  env: Env,
  method: "readiness" | "notices",
  ask: (directory: DirectoryObject) => Promise<readonly Found[]>,
): Promise<readonly Found[]> {
  try {
    return await ask(env.DIRECTORY.getByName(DIRECTORY_NAME));
  } catch (error) {
    if (isMissingMethod(error, method)) return [];
    throw error;
  }
}

/**
 * Answers `GET /ready`: 200 if the service can do its work, else 503 with the causes and their counts. Notices change no
 * status. It names no
 * project, fund or node, because it is public: `GET /admin/v1/nodes` and the metrics do.
 */
export function ready(deps: Deps) {
  let look: (Look & { readonly atMs: number }) | null = null;
  // A promise of one request must not be awaited by another, so only the value is kept. The directory joins the rest.
  const lookNow = async (env: Env): Promise<Look> => {
    if (look !== null && performance.now() - look.atMs < LOOK_KEPT_MS) return look;
    const { causes, notices } = await lookUp(env, deps);
    look = { causes, notices, atMs: performance.now() };
    return look;
  };
  return async (c: Context<AppEnv>): Promise<Response> => {
    try {
      const { causes, notices } = await lookNow(c.env);
      const noted = notices.length === 0 ? {} : { notices };
      return causes.length === 0
        ? c.json({ status: "ready", ...noted })
        : c.json({ status: "not_ready", causes, ...noted }, 503, retryAfterHeader(LOOK_KEPT_MS));
    } catch (error) {
      deps.log("ready.failed", { requestId: c.var.requestId, error: String(error) });
      const causes: readonly Unready[] = [{ cause: "storage_failed", count: 1 }];
      return c.json({ status: "not_ready", causes }, 503, retryAfterHeader(LOOK_KEPT_MS));
    }
  };
}
