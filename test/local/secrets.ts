import { createHash, randomBytes } from "node:crypto";
import { readFile, writeFile } from "node:fs/promises";
import type { Variables } from "./platform.ts";

/** Random values in the formats of `shared/config.ts`. Nothing here has a default: a default secret is a public one. */
export function randomSecrets() {
  return {
    MASTER_KEYS: `1:${randomBytes(32).toString("base64")}`,
    KEY_PEPPERS: `1:${randomBytes(32).toString("base64")}`,
    ADMIN_TOKEN: randomBytes(32).toString("base64url"),
    FLOWS_CALLER_SECRET: randomBytes(32).toString("base64url"),
  };
}

/**
 * Reads a `.dev.vars` file, the one that wrangler reads too, or makes it with random values, readable by its owner only.
 * An existing file is never changed: whoever wrote it decides, and a missing secret is the service's start-up error.
 */
export async function loadOrCreateSecrets(path: string): Promise<Variables> {
  const lines = Object.entries(randomSecrets()).map(([name, value]) => `${name}="${value}"\n`);
  try {
    await writeFile(path, lines.join(""), { mode: 0o600, flag: "wx" });
  } catch (error) {
    if (!(error instanceof Error && "code" in error && error.code === "EEXIST")) throw error;
  }
  return parseSecrets(await readFile(path, "utf8"));
}

export function parseSecrets(text: string): Variables {
  const found: Record<string, string> = {};
  for (const line of text.split(/\r?\n/)) {
    const [, name, quoted, bare] = /^\s*(?:export\s+)?([A-Z][A-Z0-9_]*)\s*=\s*(?:"([^"]*)"|(.*?))\s*$/.exec(line) ?? [];
    if (name !== undefined) found[name] = quoted ?? bare ?? "";
  }
  return found;
}

/** Tells whether kept state belongs to these secrets, without giving them away. */
export function secretsFingerprint(secrets: Variables): string {
  return createHash("sha256").update(`${secrets.MASTER_KEYS}\n${secrets.KEY_PEPPERS}`).digest("hex").slice(0, 16);
}
