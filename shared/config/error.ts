/** A variable or secret that is missing or malformed: the text names it and the fix. */
export class ConfigError extends Error {
  override readonly name = "ConfigError";
}
