/**
 * Check values of the secrets that a deployment must never exchange under the same version:
 *
 *     base64url(HKDF-SHA-256(secret, no salt, "gasworks/key-check/v1/" ‖ name, 16))
 *
 * A check value shows whether two secrets are the same, and nothing else: they are 32 random bytes each.
 */
import { Buffer } from "node:buffer";
import { utf8 } from "../bytes.ts";
import type { Config } from "../config/config.ts";
import type { VersionedSecrets } from "../config/secret-versions.ts";
import { hkdfBytes } from "./hkdf.ts";
import type { MasterKeys } from "./master-keys.ts";
import { masterKeyOf } from "./sealing.ts";

const CHECK_BYTES = 16;
/** FLOWS_SECRET has no versions. */
const ONLY_VERSION = 1;

/** The secrets whose first use leaves a check value. */
export const checkedSecrets = ["MASTER_KEYS", "KEY_PEPPERS", "FLOWS_SECRET"] as const;
/** A secret whose first use leaves a check value, by its variable. */
export type CheckedSecret = (typeof checkedSecrets)[number];

/** A version of a secret, with the name of its variable. */
export interface SecretVersion {
  readonly secret: CheckedSecret;
  readonly version: number;
}

/** The check value of one version of a secret. */
export interface SecretCheck extends SecretVersion {
  /** 22 characters. */
  readonly value: string;
}

function checkOf(secret: CheckedSecret, version: number, bytes: Uint8Array): SecretCheck {
  const info = utf8(`gasworks/key-check/v1/${secret}`);
  const value = Buffer.from(hkdfBytes(bytes, { salt: new Uint8Array(), info }, CHECK_BYTES)).toString("base64url");
  return { secret, version, value };
}

function versionsOf(secret: CheckedSecret, { byVersion }: VersionedSecrets): readonly SecretCheck[] {
  return [...byVersion].map(([version, bytes]) => checkOf(secret, version, bytes));
}

function masterKeyChecks(masterKeys: MasterKeys): Promise<readonly SecretCheck[]> {
  return Promise.all(
    masterKeys.versions.map(async (version) => checkOf("MASTER_KEYS", version, await masterKeyOf(masterKeys, version))),
  );
}

/** The secrets of a deployment. Master keys are null if it runs only the workflows. */
export interface HeldSecrets {
  readonly config: Pick<Config, "service" | "flows">;
  readonly masterKeys: MasterKeys | null;
}

/** Check values by configuration. Requests compare them and compute none anew. */
const known = new WeakMap<object, readonly SecretCheck[]>();

/** Returns the check values of every configured version. Null if `checksOf` has not made them yet. */
export function knownChecksOf({ config }: Pick<HeldSecrets, "config">): readonly SecretCheck[] | null {
  return known.get(config) ?? null;
}

/** Makes the check values of every configured version. @throws KeyServiceError as `MasterKeys.bytesOf`. */
export async function checksOf(secrets: HeldSecrets): Promise<readonly SecretCheck[]> {
  const { config } = secrets;
  const made = knownChecksOf(secrets) ?? (await makeChecks(secrets));
  // Another call may have made them during the await. Their list identifies them.
  const checks = knownChecksOf(secrets) ?? made;
  known.set(config, checks);
  return checks;
}

async function makeChecks({ config, masterKeys }: HeldSecrets): Promise<readonly SecretCheck[]> {
  const { service, flows } = config;
  // Without its master keys a service would pass as one whose keys are right.
  if ((service === null) !== (masterKeys === null))
    throw new Error("the master keys are not those of the configuration");
  const flowsSecret = flows?.secret ?? null;
  return [
    ...(masterKeys === null ? [] : await masterKeyChecks(masterKeys)),
    ...(service === null ? [] : versionsOf("KEY_PEPPERS", service.keyPeppers)),
    ...(flowsSecret === null ? [] : [checkOf("FLOWS_SECRET", ONLY_VERSION, flowsSecret)]),
  ];
}

/** Returns the text of a secret, such as `MASTER_KEYS version 1` or `FLOWS_SECRET`. */
export function secretText({ secret, version }: SecretVersion): string {
  return secret === "FLOWS_SECRET" ? secret : `${secret} version ${version}`;
}

/** The comparison of the configured secrets with their first use. */
export interface SecretsVerdict {
  /** Secrets that differ from those of their first use, or that open none of the values sealed under them. */
  readonly wrong: readonly SecretVersion[];
  /** Secrets without a record. Too few values were sealed to decide, or too many of them are damaged. */
  readonly undecided: readonly SecretVersion[];
}

/** The result of opening the objects that were sealed under one master key version. */
export interface SealedProof {
  readonly opened: boolean;
  /** Sealed values that exist and did not open. */
  readonly failed: number;
  /** Objects that gave no answer. */
  readonly unanswered: number;
}

/** Fewer failures may as well be damage. */
const ENOUGH_FAILURES = 3;

/**
 * Judges a master key by the values that it should open. One that opens proves it right.
 *
 * @returns `unused` if nothing was sealed under it. Its first use then decides.
 */
export function verdictOf({ opened, failed, unanswered }: SealedProof): "right" | "wrong" | "unused" | "undecided" {
  if (opened) return "right";
  if (failed >= ENOUGH_FAILURES) return "wrong";
  return failed + unanswered === 0 ? "unused" : "undecided";
}

/** Returns the operator's text on master keys that are not decided. */
export function undecidedSecretsText(undecided: readonly SecretVersion[]): string {
  return `${undecided.map(secretText).join(" and ")}: nothing that was sealed under it opens, and too few values were sealed to decide whether the key is wrong or they are damaged. Nothing new is sealed under it. Bring the right value back, or add a new version beside it`;
}

/** Returns the operator's text on wrong secrets. */
export function wrongSecretsText(wrong: readonly SecretVersion[]): string {
  return `${wrong.map(secretText).join(" and ")}: not what this deployment was begun with. Bring the right value back`;
}
