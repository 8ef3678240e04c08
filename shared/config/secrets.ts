import { ConfigError } from "./error.ts";
/** Versioned 32-byte secrets, `1:<base64>,2:<base64>`: the highest version is current, older ones still open. */
export interface VersionedSecrets {
  readonly current: number;
  readonly byVersion: ReadonlyMap<number, Uint8Array>;
}

/** The length of each versioned secret, in bytes. */
export const SECRET_BYTES = 32;

/** The secrets of the service. */
export interface ServiceSecrets {
  readonly masterKeys: VersionedSecrets;
  readonly keyPeppers: VersionedSecrets;
  readonly adminToken: string;
}

function bytesOfBase64(base64: string): Uint8Array {
  return Uint8Array.from(atob(base64), (char) => char.charCodeAt(0));
}

function versionedSecrets(name: string, text: string): VersionedSecrets {
  const byVersion = new Map<number, Uint8Array>();
  for (const part of text.split(",")) {
    const [, version, base64] = /^([1-9][0-9]{0,2}):([A-Za-z0-9+/]{43}=)$/.exec(part.trim()) ?? [];
    if (version === undefined || base64 === undefined || Number(version) > 255)
      throw new ConfigError(
        `${name} must be a list like 1:<base64 of 32 bytes>. Make one with: openssl rand -base64 32`,
      );
    const bytes = bytesOfBase64(base64);
    if (bytes.length !== SECRET_BYTES || byVersion.has(Number(version)))
      throw new ConfigError(`${name}: version ${version} occurs twice or is not 32 bytes: give it once, with 32 bytes`);
    byVersion.set(Number(version), bytes);
  }
  return { current: Math.max(...byVersion.keys()), byVersion };
}

/** The token is sent as a bearer token in a header, so it has no spaces. */
export const TOKEN = /^[\x21-\x7e]{24,}$/;

/** The form of a token that an operator chooses, in words. */
export const TOKEN_FORM = "at least 24 printable ASCII characters without spaces";

/** The secrets that mount the service. If none is set, only the workflows are mounted. */
export const SERVICE_SECRETS = ["MASTER_KEYS", "KEY_PEPPERS", "ADMIN_TOKEN"] as const;

/** Reads the service's secrets. Null if none is set. */
export function serviceSecrets(text: (name: string) => string | undefined): ServiceSecrets | null {
  const names = SERVICE_SECRETS;
  const missing = names.filter((name) => text(name) === undefined);
  if (missing.length === names.length) return null;
  if (missing.length > 0)
    throw new ConfigError(
      `${missing.join(" and ")} missing: the service needs ${names.join(", ")} together (or none of them, to run the workflows only)`,
    );
  const adminToken = text("ADMIN_TOKEN") ?? "";
  if (!TOKEN.test(adminToken))
    throw new ConfigError(`ADMIN_TOKEN must have ${TOKEN_FORM}. Make one with: openssl rand -base64 32`);
  return {
    masterKeys: versionedSecrets("MASTER_KEYS", text("MASTER_KEYS") ?? ""),
    keyPeppers: versionedSecrets("KEY_PEPPERS", text("KEY_PEPPERS") ?? ""),
    adminToken,
  };
}

/** Reads FLOWS_SECRET, 32 bytes. Null if it is not set. */
export function flowsSecret(text: string | undefined): Uint8Array | null {
  if (text === undefined) return null;
  if (!/^[A-Za-z0-9+/]{43}=$/.test(text))
    throw new ConfigError("FLOWS_SECRET must be the base64 of 32 bytes. Make one with: openssl rand -base64 32");
  return bytesOfBase64(text);
}
