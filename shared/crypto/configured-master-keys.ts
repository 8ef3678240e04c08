import type { Log } from "../bindings/ports.ts";
import type { ConfiguredMasterKeys } from "../config/master-keys.ts";
import { type KmsPorts, unwrapByKms } from "./aws-kms/unwrap.ts";
import { type MasterKeys, plainMasterKeys, wrappedMasterKeys } from "./master-keys.ts";

/** Returns the master keys of a configuration. Makes no call before a wrapped version is read. */
export function masterKeysOfConfig(
  configured: ConfiguredMasterKeys,
  { log, ...ports }: KmsPorts & { readonly log: Log },
): MasterKeys {
  if (configured.wrapped === null) return plainMasterKeys(configured);
  const { kms, byVersion: wrapped } = configured.wrapped;
  return wrappedMasterKeys(configured, {
    wrapped,
    unwrap: (version, blob) => unwrapByKms(kms, { version, blob }, ports),
    nowMs: ports.nowMs,
    log,
  });
}
