import { ConfigError } from "./error.ts";
import { type ConfiguredMasterKeys, masterKeys } from "./master-keys.ts";
import { bytesOfBase64, type VersionedSecrets, versionedSecrets } from "./secret-versions.ts";

/** The secrets of the service. */
export interface ServiceSecrets {
  readonly masterKeys: ConfiguredMasterKeys;
  readonly keyPeppers: VersionedSecrets;
  readonly adminToken: string;
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
    masterKeys: masterKeys(text),
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
