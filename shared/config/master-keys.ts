import * as z from "zod";
import { ConfigError } from "./error.ts";
import {
  bytesOfBase64,
  readVersions,
  SECRET_BYTES,
  type VersionedSecrets,
  versionedSecrets,
} from "./secret-versions.ts";

/** A key of AWS KMS, and the access to it. */
export interface AwsKms {
  /** The ARN of a key, never of an alias: replies name the key. */
  readonly keyArn: string;
  readonly region: string;
  /** Origin of the KMS endpoint. */
  readonly endpoint: string;
  readonly accessKeyId: string;
  readonly secretAccessKey: string;
  /** Null for credentials without an end. */
  readonly sessionToken: string | null;
}

/** Master key versions as AWS KMS has wrapped them. */
export interface WrappedVersions {
  readonly kms: AwsKms;
  /** A `CiphertextBlob` of AWS KMS by version. */
  readonly byVersion: ReadonlyMap<number, Uint8Array>;
}

/** `MASTER_KEYS` as configured. `byVersion` has the plain versions only. `current` is the highest of all versions. */
export interface ConfiguredMasterKeys extends VersionedSecrets {
  /** Null if `MASTER_KEYS` names no key of AWS KMS. */
  readonly wrapped: WrappedVersions | null;
}

const KMS_HEAD = "awskms:";
const KMS_FORM = `${KMS_HEAD}<key ARN>,1:<base64 of a wrapped version>`;
/** A key of a partition whose endpoints have the common form. */
const KEY_ARN =
  /^arn:(aws|aws-us-gov|aws-cn):kms:([a-z]{2}(?:-[a-z]{1,16}){1,3}-[0-9]{1,2}):[0-9]{12}:key\/[A-Za-z0-9-]{1,64}$/;
/** Base64 in groups of four, as `atob` takes it. */
const BASE64 = "(?:[A-Za-z0-9+/]{4})*(?:[A-Za-z0-9+/]{2}==|[A-Za-z0-9+/]{3}=)?";
/** The longest `CiphertextBlob` (AWS KMS API, `Decrypt`). */
const MAX_WRAPPED_BYTES = 6_144;

const ACCESS_KEY_ID = /^[A-Za-z0-9_]{16,128}$/;
const PRINTABLE = /^[\x21-\x7e]{1,4096}$/;
const endpointSchema = z.union([
  z.url({ protocol: /^https$/, hostname: z.regexes.domain }),
  z.url({ protocol: /^http$/, hostname: /^(?:localhost|127\.0\.0\.1|\[::1\])$/ }),
]);

/**
 * Reads `MASTER_KEYS`: plain versions, or the ARN of a key of AWS KMS and versions that it has wrapped. Beside wrapped
 * versions, one of exactly 32 bytes is plain.
 *
 * @throws ConfigError naming the variable and the fix.
 */
export function masterKeys(text: (name: string) => string | undefined): ConfiguredMasterKeys {
  const value = text("MASTER_KEYS") ?? "";
  if (!value.startsWith(KMS_HEAD)) return { ...versionedSecrets("MASTER_KEYS", value), wrapped: null };
  const comma = value.indexOf(",");
  if (comma < 0) throw new ConfigError(`MASTER_KEYS has no version after the key: write it as ${KMS_FORM}`);
  const kms = awsKms(value.slice(KMS_HEAD.length, comma).trim(), text);
  const versions = readVersions("MASTER_KEYS", value.slice(comma + 1), BASE64, `${KMS_FORM}, more after a comma`);
  const byVersion = new Map<number, Uint8Array>();
  const wrapped = new Map<number, Uint8Array>();
  for (const [version, base64] of versions) {
    const bytes = bytesOfBase64(base64);
    if (bytes.length < SECRET_BYTES || bytes.length > MAX_WRAPPED_BYTES)
      throw new ConfigError(
        `MASTER_KEYS: version ${version} is no wrapped key: set the CiphertextBlob of AWS KMS, in base64`,
      );
    (bytes.length === SECRET_BYTES ? byVersion : wrapped).set(version, bytes);
  }
  return { current: Math.max(...versions.keys()), byVersion, wrapped: { kms, byVersion: wrapped } };
}

function awsKms(keyArn: string, text: (name: string) => string | undefined): AwsKms {
  const [, partition, region] = KEY_ARN.exec(keyArn) ?? [];
  if (partition === undefined || region === undefined)
    throw new ConfigError(
      `MASTER_KEYS: after ${KMS_HEAD} must stand the ARN of a key, and no alias: arn:aws:kms:<region>:<account>:key/<id>`,
    );
  const accessKeyId = text("AWS_ACCESS_KEY_ID");
  const secretAccessKey = text("AWS_SECRET_ACCESS_KEY");
  const sessionToken = text("AWS_SESSION_TOKEN") ?? null;
  if (accessKeyId === undefined || secretAccessKey === undefined)
    throw new ConfigError(
      "MASTER_KEYS names a key of AWS KMS: set AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY, which may unwrap with it",
    );
  if (!ACCESS_KEY_ID.test(accessKeyId))
    throw new ConfigError("AWS_ACCESS_KEY_ID must be the id of an access key, 16 characters or more: set it anew");
  if (!PRINTABLE.test(secretAccessKey))
    throw new ConfigError("AWS_SECRET_ACCESS_KEY must be printable ASCII without spaces: set it anew");
  if (sessionToken !== null && !PRINTABLE.test(sessionToken))
    throw new ConfigError("AWS_SESSION_TOKEN must be printable ASCII without spaces: set it anew, or remove it");
  const endpoint =
    text("AWS_ENDPOINT_URL_KMS") ?? `https://kms.${region}.amazonaws.com${partition === "aws-cn" ? ".cn" : ""}`;
  return { keyArn, region, endpoint: endpointOf(endpoint), accessKeyId, secretAccessKey, sessionToken };
}

/** The credentials go to this URL, and the unwrapped keys come from it. */
function endpointOf(endpoint: string): string {
  const { origin } = endpointSchema.safeParse(endpoint).success ? new URL(endpoint) : { origin: null };
  if (origin === null || endpoint.replace(/\/$/, "") !== origin)
    throw new ConfigError(
      "AWS_ENDPOINT_URL_KMS must be an https URL with a host name and no path, or http on localhost",
    );
  return origin;
}
