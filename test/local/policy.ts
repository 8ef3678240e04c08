import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { root } from "./root.ts";
import { LaunchError } from "./terminal.ts";

/**
 * Loads the app's policy from its source, before it is started or deployed.
 *
 * @throws LaunchError that names file and line, where the policy cannot mean what it says.
 */
export async function checkPolicy(path = join(root, "functions/policy.ts")): Promise<void> {
  try {
    await import(pathToFileURL(path).href);
  } catch (error) {
    if (error instanceof Error && error.name === "PolicyError") throw new LaunchError(error.message);
    throw error;
  }
}
