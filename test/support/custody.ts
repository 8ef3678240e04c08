import { Buffer } from "node:buffer";
import { type MasterKeys, plainMasterKeys } from "../../shared/crypto/master-keys.ts";
import type { KeyPair } from "../../shared/crypto/signer.ts";
import type { Outcome } from "../../shared/errors.ts";
import type { WalletRef } from "../../shared/wallet/context.ts";
import type { DerivedSecret } from "../../shared/wallet/derivation.ts";
import vectors from "../crypto/vectors.json" with { type: "json" };

export { vectors };
export type WalletVector = (typeof vectors.wallets)[number];

export function bytesOf(hex: string): Uint8Array<ArrayBuffer> {
  return Uint8Array.from(Buffer.from(hex, "hex"));
}

export function randomBytes(length: number): Uint8Array {
  return crypto.getRandomValues(new Uint8Array(length));
}

/** Gives these, in this order, instead of random bytes. */
export function bytesInTurn(...hexes: readonly string[]): (length: number) => Uint8Array {
  const left = hexes.map(bytesOf);
  return (length) => {
    const next = left.shift();
    if (next?.length !== length) throw new Error(`nobody should ask for ${length} random bytes now`);
    return next;
  };
}

/** Of the vectors; the last one is current. */
export function masterKeys(...versions: readonly ("1" | "2")[]): MasterKeys {
  const byVersion = new Map(versions.map((version) => [Number(version), bytesOf(vectors.masterKeys[version])]));
  return plainMasterKeys({ current: Number(versions.at(-1)), byVersion });
}

export function randomSecret(derivation: DerivedSecret["derivation"] = "hkdf"): DerivedSecret {
  return { derivation, bytes: randomBytes(32) };
}

/** The derived secret of the vectors. */
export function secretOf({ derivation }: { readonly derivation: string }): DerivedSecret {
  const found = vectors.secrets.find((secret) => secret.derivation === derivation);
  if (found === undefined || (derivation !== "scrypt" && derivation !== "hkdf")) throw new Error(derivation);
  return { derivation, bytes: bytesOf(found.derived) };
}

export function walletOf({ chain, walletId }: WalletVector): WalletRef {
  if (chain !== "sui" && chain !== "aptos") throw new Error(chain);
  return { projectId: vectors.projectId, chain, walletId };
}

/** PKCS #8 of an Ed25519 private key (RFC 8410, section 7) before its 32 bytes. */
const PKCS8_HEADER = "302e020100300506032b657004220420";

/** Extractable, as a new one is. Nobody checks that the two belong together. */
export async function keyPairOf(key: { readonly secret: string; readonly publicKey: string }): Promise<KeyPair> {
  const pkcs8 = bytesOf(PKCS8_HEADER + key.secret);
  const privateKey = await crypto.subtle.importKey("pkcs8", pkcs8, "Ed25519", true, ["sign"]);
  return { publicKey: bytesOf(key.publicKey), privateKey };
}

export function expectDone<T>(outcome: Outcome<T>): T {
  if (!outcome.ok) throw new Error(`${outcome.error.reason}: ${outcome.error.details}`);
  return outcome.value;
}

/** `done`, or the reason of the refusal, or the name of what was thrown. */
export async function endOf(outcome: Outcome<unknown> | Promise<Outcome<unknown>>): Promise<string> {
  try {
    const settled = await outcome;
    return settled.ok ? "done" : settled.error.reason;
  } catch (error) {
    return error instanceof Error ? error.name : "thrown";
  }
}

/** Each byte altered in turn, in its lowest and in its highest bit. */
export function alterations(bytes: Uint8Array): readonly { readonly at: number; readonly altered: Uint8Array }[] {
  return Array.from(bytes, (byte, at) =>
    [byte ^ 0x01, byte ^ 0x80].map((other) => ({ at, altered: bytes.with(at, other) })),
  ).flat();
}
