import type { Deps } from "../../shared/bindings/deps.ts";
import { DIRECTORY_NAME } from "../../shared/bindings/directory.ts";
import type { Env } from "../../shared/bindings/env.ts";
import { isNewerState, type NewerSchema } from "../../shared/directory/newer-state.ts";

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
