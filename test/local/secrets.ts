import { createHash, randomBytes } from "node:crypto";
import { readFile, writeFile } from "node:fs/promises";
import { parseEnv } from "node:util";
import type { Variables } from "./platform.ts";

/** Random values in the formats of `shared/config.ts`. Nothing here has a default: a default secret is a public one. */
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
 * Reads a `.dev.vars` file, the one that wrangler reads too, or makes it with random values, readable by its owner only.
 * An existing file is never changed: whoever wrote it decides, and a missing secret is the service's start-up error.
 */
export async function loadOrCreateSecrets(path: string): Promise<Variables> {
  try {
    await writeFile(path, secretLines(randomSecrets()), { mode: 0o600, flag: "wx" });
  } catch (error) {
    if (!(error instanceof Error && "code" in error && error.code === "EEXIST")) throw error;
  }
  return parseSecrets(await readFile(path, "utf8"));
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
