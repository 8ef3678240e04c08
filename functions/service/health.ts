import type { Context } from "hono";
import type { Deps } from "../../shared/bindings/deps.ts";
import { DIRECTORY_NAME } from "../../shared/bindings/directory.ts";
import type { Env } from "../../shared/bindings/env.ts";
import { checkedSecrets, undecidedSecretsText, wrongSecretsText } from "../../shared/crypto/key-check.ts";
import { isNewerState, type NewerSchema, newerBuildText } from "../../shared/directory/newer-state.ts";
import { secretsVerdict } from "../../shared/directory/right-secrets.ts";
import type { AppEnv } from "../../shared/http/app.ts";
import type { WorkflowKeys } from "../../shared/workflow/keys.ts";

const STORAGE_DETAIL =
  "the disk of the objects is full, read-only or broken: nothing can be stored. The log has the error as storage.failed";

/**
 * Answers `GET /health`: 200 if the service can store and its secrets open what it holds, else 503 with the cause.
 * Undecided secrets and keys that differ from the app's policy are named, and leave the status 200.
 */
export function health(deps: Deps, keys: WorkflowKeys) {
  return async (c: Context<AppEnv>): Promise<Response> => {
    const storage = await storageVerdict(c.env, deps);
    if (storage === "failed") return c.json({ status: "storage_failed", detail: STORAGE_DETAIL }, 503);
    if (storage !== "ok") return c.json({ status: "newer_state", detail: newerBuildText(storage.newer) }, 503);
    const { wrong, undecided } = await secretsVerdict(c.env, deps, checkedSecrets);
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

/** Reads the Directory, the one object of every deployment. If it does not answer, nothing can be stored. */
export async function storageVerdict(
  env: Env,
  { config, log }: Deps,
): Promise<"ok" | "failed" | { readonly newer: readonly NewerSchema[] }> {
  if (config.service === null) return "ok";
  try {
    const directory = env.DIRECTORY.getByName(DIRECTORY_NAME);
    if (!(await directory.canStore())) return "failed";
    const newer = await directory.newerSchemas();
    return newer.length === 0 ? "ok" : { newer };
  } catch (error) {
    log(isNewerState(error) ? "storage.newer" : "storage.failed", { object: DIRECTORY_NAME, error: String(error) });
    return isNewerState(error) ? { newer: [] } : "failed";
  }
}
