import { createHash, randomBytes } from "node:crypto";
import { appendFile, chmod, readFile } from "node:fs/promises";
import { parseEnv } from "node:util";
import type { Variables } from "./platform.ts";

/**
 * Makes random values in the formats of `shared/config/config.ts`. None has a default, because a default secret is
 * public.
 */
export function randomServiceSecrets() {
  return {
    MASTER_KEYS: `1:${randomBytes(32).toString("base64")}`,
    KEY_PEPPERS: `1:${randomBytes(32).toString("base64")}`,
    ADMIN_TOKEN: randomBytes(32).toString("base64url"),
  };
}

/** Makes the same, and the workflows' secrets beside their access keys. */
export function randomSecrets() {
  return {
    ...randomServiceSecrets(),
    FLOWS_CALLER_SECRET: randomBytes(32).toString("base64url"),
    FLOWS_SECRET: randomBytes(32).toString("base64"),
  };
}

/**
 * Reads a `.dev.vars` file, readable by its owner only. Wrangler reads the same file. Missing secrets are added with
 * random values. Existing lines stay.
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

/** @returns an empty text if there is no such file. */
async function readIfThere(path: string): Promise<string> {
  try {
    return await readFile(path, "utf8");
  } catch (error) {
    if (error instanceof Error && "code" in error && error.code === "ENOENT") return "";
    throw error;
  }
}

/** Returns the text of a secrets file. */
export function secretLines(secrets: Variables): string {
  return Object.entries(secrets)
    .map(([name, value]) => `${name}="${value}"\n`)
    .join("");
}

/** Returns null if there is no such file. */
export async function readSecrets(path: string): Promise<Variables | null> {
  const text = await readFile(path, "utf8").catch(() => null);
  return text === null ? null : parseSecrets(text);
}

/** Parses the text of a secrets file. */
export function parseSecrets(text: string): Variables {
  const entries = Object.entries(parseEnv(text));
  return Object.fromEntries(entries.flatMap(([name, value]) => (value === undefined ? [] : [[name, value]])));
}

/** Returns a fingerprint that ties kept state to these secrets, without revealing them. */
export function secretsFingerprint(secrets: Variables): string {
  return createHash("sha256").update(`${secrets.MASTER_KEYS}\n${secrets.KEY_PEPPERS}`).digest("hex").slice(0, 16);
}
