import { parseConfig } from "../config/config.ts";
import { ConfigError } from "../config/error.ts";
import type { Bundle } from "./build.ts";
import { type Place, shown } from "./place.ts";
import type { Variables } from "./platform.ts";
import { LaunchError } from "./terminal.ts";

/**
 * Reads the configuration as the service will, before the service is started. Otherwise its error would reach a person
 * inside the error of its first caller.
 *
 * @param variables override those of wrangler.toml.
 * @throws LaunchError, one line with the variable and the fix.
 */
export function checkVariables(
  variables: Variables,
  { vars, kvBindings }: Pick<Bundle, "vars" | "kvBindings">,
  { secretsPath }: Pick<Place, "secretsPath">,
): void {
  const bound = Object.fromEntries(kvBindings.map((name) => [name, {}]));
  try {
    parseConfig({ ...bound, ...vars, ...variables });
  } catch (error) {
    throw error instanceof ConfigError
      ? new LaunchError(`${shown(secretsPath)} or wrangler.toml: ${error.message}`)
      : error;
  }
}
