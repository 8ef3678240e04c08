/** Versioned 32-byte secrets, `1:<base64>,2:<base64>`: the highest version is current, older ones still open. */
export interface VersionedSecrets {
  readonly current: number;
  readonly byVersion: ReadonlyMap<number, Uint8Array>;
}
