/**
 * The text of an access key is `<region>_<chain>_<network>_<hex>`, for example `us1_sui_testnet_01…`. Client libraries
 * read region, chain and network from the prefix. The 64 lower-case hex digits are 32 bytes:
 *
 *     offset  bytes  field
 *          0      1  pepper version   which of the service's peppers made the check, so that peppers can be rotated
 *          1     10  key id           names the record (`key_` + 20 hex digits); not secret, may be logged
 *         11     16  secret           128 random bits; the record stores their SHA-256 only
 *         27      5  check            first 5 bytes of HMAC-SHA-256(pepper, every character before the check)
 *
 * The check is a filter and not the proof. It keeps mistyped, edited and made-up keys away from storage (a guess
 * passes once in 2^40). It covers the prefix, so a key cannot be relabelled to another region or network. The secret
 * authenticates. It is compared with its hash in the key's record. A plain hash suffices: 128 random bits cannot be
 * enumerated, and a slow hash would cost every request.
 */
import { createHmac, hash, timingSafeEqual } from "node:crypto";
import { fromHex, toHex } from "../bytes.ts";
import type { VersionedSecrets } from "../config/secret-versions.ts";
import { type Network, networkSlug, networks } from "../networks.ts";

/** The secret of an access key, in bytes. */
export const KEY_SECRET_BYTES = 16;
const VERSION_HEX = 2;
const ID_HEX = 20;
const SECRET_HEX = KEY_SECRET_BYTES * 2;
const CHECK_BYTES = 5;
const CHECK_HEX = CHECK_BYTES * 2;

const KEY_TEXT = /^([a-z]{2}[0-9]{1,2})_([a-z]+_[a-z]+)_([0-9a-f]{64})$/;
/** The form of a key's id: `key_` and 20 hex digits. */
export const KEY_ID = /^key_[0-9a-f]{20}$/;

const networkBySlug: ReadonlyMap<string, Network> = new Map(networks.map((network) => [networkSlug(network), network]));

/** The parts of an access key's text. Nothing is verified. */
export interface ParsedAccessKey {
  readonly region: string;
  /** The network of the prefix. Routing uses the record's network. */
  readonly network: Network;
  readonly pepperVersion: number;
  readonly keyId: string;
  readonly secret: Uint8Array;
  /** Every character before the check. */
  readonly checkedText: string;
  readonly check: string;
}

/**
 * Writes a new key under the current pepper.
 *
 * @param parts.keyId `key_` and 20 hex digits.
 * @param parts.secret 16 random bytes, never used for another key.
 */
export function issueAccessKey(
  parts: { readonly region: string; readonly network: Network; readonly keyId: string; readonly secret: Uint8Array },
  peppers: VersionedSecrets,
): string {
  if (!KEY_ID.test(parts.keyId) || parts.secret.length !== KEY_SECRET_BYTES)
    throw new Error(`an access key has an id of ${ID_HEX} hex digits and a secret of ${KEY_SECRET_BYTES} bytes`);
  const version = peppers.current.toString(16).padStart(VERSION_HEX, "0");
  const hex = version + parts.keyId.slice("key_".length) + toHex(parts.secret);
  return withCheck(`${parts.region}_${networkSlug(parts.network)}_${hex}`, peppers);
}

/** Appends the check under the current pepper. @param text the key up to its check. */
export function withCheck(text: string, peppers: VersionedSecrets): string {
  return text + toHex(checkOf(text, pepperOf(peppers, peppers.current)));
}

/** Splits a key into its fields. Null if the text has another shape. It does not prove that the key is genuine. */
export function parseAccessKey(text: string): ParsedAccessKey | null {
  const [, region, slug, hex] = KEY_TEXT.exec(text) ?? [];
  if (region === undefined || slug === undefined || hex === undefined) return null;
  const network = networkBySlug.get(slug);
  if (network === undefined) return null;
  const idEnd = VERSION_HEX + ID_HEX;
  return {
    region,
    network,
    pepperVersion: Number.parseInt(hex.slice(0, VERSION_HEX), 16),
    keyId: `key_${hex.slice(VERSION_HEX, idEnd)}`,
    secret: fromHex(hex.slice(idEnd, idEnd + SECRET_HEX)),
    checkedText: text.slice(0, -CHECK_HEX),
    check: text.slice(-CHECK_HEX),
  };
}

/**
 * Returns the network of a prefix: `us1_sui_testnet_…` → `SUI_TESTNET`. Only the prefix is read, because another
 * service's keys may have another rest.
 */
export function networkOfKey<OfChain extends string>(accessKey: string, networks: readonly OfChain[]): OfChain | null {
  const slug = /^[a-z0-9]+_([a-z]+_[a-z]+)_/.exec(accessKey)?.[1];
  return networks.find((network) => network.toLowerCase() === slug) ?? null;
}

/**
 * Returns true if a pepper of this service made the check. Constant time, so that it cannot be guessed digit by digit.
 */
export function hasValidCheck(
  key: Pick<ParsedAccessKey, "pepperVersion" | "checkedText" | "check">,
  peppers: VersionedSecrets,
): boolean {
  const pepper = peppers.byVersion.get(key.pepperVersion);
  if (pepper === undefined) return false;
  return timingSafeEqual(fromHex(key.check), checkOf(key.checkedText, pepper));
}

/** Returns the SHA-256 of a key's secret. The record stores it, and the object that compares it receives it. */
export function hashKeySecret(secret: Uint8Array): Uint8Array {
  return new Uint8Array(hash("sha256", secret, "buffer"));
}

function pepperOf(peppers: VersionedSecrets, version: number): Uint8Array {
  const pepper = peppers.byVersion.get(version);
  if (pepper === undefined) throw new Error(`no pepper of version ${version}`);
  return pepper;
}

function checkOf(checkedText: string, pepper: Uint8Array): Uint8Array {
  return createHmac("sha256", pepper).update(checkedText, "utf8").digest().subarray(0, CHECK_BYTES);
}
