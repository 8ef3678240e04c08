/** A missing or malformed variable or secret. The text names it and the fix. */
export class ConfigError extends Error {
  override readonly name = "ConfigError";
}
