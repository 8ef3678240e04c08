import type { Context } from "hono";
import type { Deps } from "../../shared/bindings/deps.ts";
import { checkedSecrets, undecidedSecretsText, wrongSecretsText } from "../../shared/crypto/key-check.ts";
import { orKeyServiceRefusal } from "../../shared/crypto/key-service.ts";
import { secretsVerdict } from "../../shared/directory/right-secrets.ts";
import { newerBuildText } from "../../shared/directory/schema-versions.ts";
import type { AppEnv } from "../../shared/http/app.ts";
import type { WorkflowKeys } from "../../shared/workflow/keys.ts";
import { storageVerdict } from "./storage-verdict.ts";

const STORAGE_DETAIL =
  "the disk of the objects is full, read-only or broken: nothing can be stored. The log has the error as storage.failed";

/**
 * Answers `GET /health`: 200 if the service can store and its secrets open its contents. Otherwise 503 with the cause.
 * Names undecided secrets, and keys that differ from the app's policy, with status 200.
 */
export function health(deps: Deps, keys: WorkflowKeys) {
  return async (c: Context<AppEnv>): Promise<Response> => {
    const storage = await storageVerdict(c.env, deps);
    if (storage === "failed") return c.json({ status: "storage_failed", detail: STORAGE_DETAIL }, 503);
    if (storage !== "ok") return c.json({ status: "newer_state", detail: newerBuildText(storage.newer) }, 503);
    const verdict = await orKeyServiceRefusal(secretsVerdict(c.env, deps, checkedSecrets));
    if (!verdict.ok) return c.json({ status: verdict.error.reason, detail: verdict.error.details }, 503);
    const { wrong, undecided } = verdict.value;
    if (wrong.length > 0) return c.json({ status: "wrong_secrets", detail: wrongSecretsText(wrong) }, 503);
    const unproved = undecided.filter(({ secret }) => secret === "MASTER_KEYS");
    const keysDiffer = await keys.verdict(c.env);
    // The service still serves every wallet and fund whose seal opens.
    return c.json({
      status: "ok",
      ...(unproved.length > 0 && { undecided: undecidedSecretsText(unproved) }),
      ...(keysDiffer !== null && { policy: keysDiffer }),
    });
  };
}
