import { createHash, randomBytes } from "node:crypto";
import { appendFile, chmod, readFile } from "node:fs/promises";
import { parseEnv } from "node:util";
import type { Variables } from "./platform.ts";

/** Random values in the formats of `shared/config/config.ts`. Nothing here has a default: a default secret is a public one. */
export function randomServiceSecrets() {
  return {
    MASTER_KEYS: `1:${randomBytes(32).toString("base64")}`,
    KEY_PEPPERS: `1:${randomBytes(32).toString("base64")}`,
    ADMIN_TOKEN: randomBytes(32).toString("base64url"),
  };
}

/** The same, and what the workflows need beside their access keys. */
export function randomSecrets() {
  return {
    ...randomServiceSecrets(),
    FLOWS_CALLER_SECRET: randomBytes(32).toString("base64url"),
    FLOWS_SECRET: randomBytes(32).toString("base64"),
  };
}

/**
 * Reads a `.dev.vars` file, the one that wrangler reads too, readable by its owner only. Secrets that it lacks are added
 * with random values. What somebody has written there stays.
 */
export async function loadOrCreateSecrets(path: string): Promise<Variables> {
  const text = await readIfThere(path);
  const known = parseSecrets(text);
  const missing = Object.entries(randomSecrets()).filter(([name]) => (known[name] ?? "") === "");
  if (missing.length === 0) return known;
  const separator = text === "" || text.endsWith("\n") ? "" : "\n";
  await appendFile(path, separator + secretLines(Object.fromEntries(missing)), { mode: 0o600 });
  await chmod(path, 0o600);
  return parseSecrets(await readFile(path, "utf8"));
}

/** @returns an empty text where there is no such file. */
async function readIfThere(path: string): Promise<string> {
  try {
    return await readFile(path, "utf8");
  } catch (error) {
    if (error instanceof Error && "code" in error && error.code === "ENOENT") return "";
    throw error;
  }
}

/** The text of a secrets file. */
export function secretLines(secrets: Variables): string {
  return Object.entries(secrets)
    .map(([name, value]) => `${name}="${value}"\n`)
    .join("");
}

/** Null when there is no such file. */
export async function readSecrets(path: string): Promise<Variables | null> {
  const text = await readFile(path, "utf8").catch(() => null);
  return text === null ? null : parseSecrets(text);
}

export function parseSecrets(text: string): Variables {
  const entries = Object.entries(parseEnv(text));
  return Object.fromEntries(entries.flatMap(([name, value]) => (value === undefined ? [] : [[name, value]])));
}

/** Tells whether kept state belongs to these secrets, without giving them away. */
export function secretsFingerprint(secrets: Variables): string {
  return createHash("sha256").update(`${secrets.MASTER_KEYS}\n${secrets.KEY_PEPPERS}`).digest("hex").slice(0, 16);
}
