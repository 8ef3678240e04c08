/**
 * Check values of the secrets that a deployment must never exchange under the same version:
 *
 *     base64url(HKDF-SHA-256(secret, no salt, "gasworks/key-check/v1/" ‖ name, 16))
 *
 * One says whether two secrets are the same and nothing else about them: they are 32 random bytes each.
 */
import { Buffer } from "node:buffer";
import { utf8 } from "../bytes.ts";
import type { Config } from "../config/config.ts";
import type { VersionedSecrets } from "../config/secrets.ts";
import { hkdfBytes } from "./hkdf.ts";

const CHECK_BYTES = 16;
/** FLOWS_SECRET has no versions. */
const ONLY_VERSION = 1;

export const checkedSecrets = ["MASTER_KEYS", "KEY_PEPPERS", "FLOWS_SECRET"] as const;
export type CheckedSecret = (typeof checkedSecrets)[number];

/** A secret by the name of its variable. */
export interface SecretVersion {
  readonly secret: CheckedSecret;
  readonly version: number;
}

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

/** By configuration: a request has its check values compared, and makes none anew. */
const known = new WeakMap<object, readonly SecretCheck[]>();

/** Of all that is configured, every version. */
export function checksOf(config: Pick<Config, "service" | "flows">): readonly SecretCheck[] {
  const before = known.get(config);
  if (before !== undefined) return before;
  const made = makeChecks(config);
  known.set(config, made);
  return made;
}

function makeChecks({ service, flows }: Pick<Config, "service" | "flows">): readonly SecretCheck[] {
  const flowsSecret = flows?.secret ?? null;
  return [
    ...(service === null ? [] : versionsOf("MASTER_KEYS", service.masterKeys)),
    ...(service === null ? [] : versionsOf("KEY_PEPPERS", service.keyPeppers)),
    ...(flowsSecret === null ? [] : [checkOf("FLOWS_SECRET", ONLY_VERSION, flowsSecret)]),
  ];
}

/** `MASTER_KEYS version 1`, `FLOWS_SECRET`. */
export function secretText({ secret, version }: SecretVersion): string {
  return secret === "FLOWS_SECRET" ? secret : `${secret} version ${version}`;
}

export interface SecretsVerdict {
  /** Others than those of their first use, or they open nothing of what was sealed. */
  readonly wrong: readonly SecretVersion[];
  /** Not written down: too little was sealed, or too much of it is damaged, to tell whether they are right. */
  readonly undecided: readonly SecretVersion[];
}

/** What came of trying to open what was sealed under one master key version. */
export interface SealedProof {
  readonly opened: boolean;
  /** Sealed things that were there and did not open. */
  readonly failed: number;
  /** Objects that gave no answer. */
  readonly unanswered: number;
}

/** Fewer that do not open may as well be damaged. */
const ENOUGH_FAILURES = 3;

/**
 * What is known of a master key by what it was to open. One thing that opens proves it right.
 *
 * @returns `unused`: nothing was sealed under it, so that its first use decides.
 */
export function verdictOf({ opened, failed, unanswered }: SealedProof): "right" | "wrong" | "unused" | "undecided" {
  if (opened) return "right";
  if (failed >= ENOUGH_FAILURES) return "wrong";
  return failed + unanswered === 0 ? "unused" : "undecided";
}

/** What an operator has to hear of master keys that are not decided. */
export function undecidedSecretsText(undecided: readonly SecretVersion[]): string {
  return `${undecided.map(secretText).join(" and ")}: nothing that was sealed under it opens, and too little to tell whether the key is wrong or the records are damaged. Nothing new is sealed under it. Bring the right value back, or add a new version beside it`;
}

/** What an operator has to hear. */
export function wrongSecretsText(wrong: readonly SecretVersion[]): string {
  return `${wrong.map(secretText).join(" and ")}: not what this deployment was begun with. Bring the right value back`;
}
