import { ConfigError } from "./error.ts";

/** Versioned 32-byte secrets, `1:<base64>,2:<base64>`: the highest version is current, older ones still open. */
export interface VersionedSecrets {
  readonly current: number;
  readonly byVersion: ReadonlyMap<number, Uint8Array>;
}

/** The length of each versioned secret, in bytes. */
export const SECRET_BYTES = 32;

const MAX_VERSION = 255;

/** Returns the bytes of Base64 text of the right form. */
export function bytesOfBase64(base64: string): Uint8Array {
  return Uint8Array.from(atob(base64), (char) => char.charCodeAt(0));
}

/**
 * Reads a list of versions, `1:<base64>,2:<base64>`.
 *
 * @param base64 pattern of the part after the version.
 * @param form the form of the list, in words for the error.
 * @returns Base64 text by version, at least one.
 * @throws ConfigError naming the variable and the fix.
 */
export function readVersions(name: string, text: string, base64: string, form: string): ReadonlyMap<number, string> {
  const pattern = new RegExp(`^([1-9][0-9]{0,2}):(${base64})$`);
  const byVersion = new Map<number, string>();
  for (const part of text.split(",")) {
    const [, version, value] = pattern.exec(part.trim()) ?? [];
    if (version === undefined || value === undefined || Number(version) > MAX_VERSION)
      throw new ConfigError(`${name} must be a list like ${form}`);
    if (byVersion.has(Number(version))) throw new ConfigError(`${name}: version ${version} occurs twice: give it once`);
    byVersion.set(Number(version), value);
  }
  return byVersion;
}

/** Reads plain versions of 32 bytes. @param name name of the variable, for errors. @throws ConfigError. */
export function versionedSecrets(name: string, text: string): VersionedSecrets {
  const form = "1:<base64 of 32 bytes>. Make one with: openssl rand -base64 32";
  const versions = readVersions(name, text, "[A-Za-z0-9+/]{43}=", form);
  const byVersion = new Map([...versions].map(([version, base64]) => [version, bytesOfBase64(base64)]));
  return { current: Math.max(...byVersion.keys()), byVersion };
}
