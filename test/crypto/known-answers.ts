import { describe, expect, test } from "vitest";
import { toHex, utf8 } from "../../shared/bytes.ts";
import { hkdfBytes, hmacSha256 } from "../../shared/crypto/hkdf.ts";
import { walletContext } from "../../shared/wallet/context.ts";
import {
  createSecretDeriver,
  DERIVATION_LIMITS,
  scryptBytes,
  secretDerivations,
} from "../../shared/wallet/derivation.ts";
import { openRecord, openWallet, resealWallet, sealWallet } from "../../shared/wallet/record.ts";
import { issueSession, parseToken } from "../../shared/wallet/session/token.ts";
import { createThrottle } from "../../shared/wallet/throttle.ts";
import {
  bytesInTurn,
  bytesOf,
  expectDone,
  keyPairOf,
  masterKeys,
  secretOf,
  vectors,
  walletOf,
} from "../support/custody.ts";
import { hkdfCases, hmacCases, scryptCases } from "./rfc-cases.ts";

/** What every runtime must compute: each of them runs this. */
export function describeKnownAnswers(): void {
  const deriveSecret = createSecretDeriver(createThrottle(DERIVATION_LIMITS, Date.now));

  describe("standards", () => {
    test.each(hmacCases)("RFC 4231 $name", ({ key, message, mac }) => {
      expect(toHex(hmacSha256(bytesOf(key), bytesOf(message)))).toBe(mac);
    });

    test.each(hkdfCases)("RFC 5869 $name", ({ secret, salt, info, derived }) => {
      const input = { salt: bytesOf(salt), info: bytesOf(info) };
      const bytes = hkdfBytes(bytesOf(secret), input, derived.length / 2);
      expect(toHex(bytes)).toBe(derived);
    });

    test.each(scryptCases)("RFC 7914 section 12, $cost", async ({ password, salt, cost, derived }) => {
      expect(toHex(await scryptBytes(utf8(password), utf8(salt), cost, 64))).toBe(derived);
    });
  });

  test.each(vectors.secrets)("the derived secret of $derivation", async ({ derivation, secret, derived }) => {
    const kind = secretDerivations.find((name) => name === derivation) ?? "scrypt";
    const outcome = await deriveSecret(secret, { derivation: kind, salt: bytesOf(vectors.projectSalt) });
    expect(toHex(expectDone(outcome).bytes)).toBe(derived);
  });

  describe.each(vectors.wallets)("the wallet $walletId on $chain", (vector) => {
    const wallet = walletOf(vector);
    const publicKey = bytesOf(vectors.publicKey);
    const { walletSalt, innerNonce, outerNonce, resealNonce } = vectors;

    test("has this context, record and inner layer", async () => {
      expect(toHex(walletContext(wallet))).toBe(vector.context);
      const random = bytesInTurn(walletSalt, innerNonce, outerNonce);
      const pair = await keyPairOf({ secret: vectors.seed, publicKey: vectors.publicKey });
      const stored = await sealWallet(pair, wallet, secretOf(vector), masterKeys("1"), random);
      expect(toHex(stored.record)).toBe(vector.record);
      expect(toHex(expectDone(await openRecord(stored, wallet, masterKeys("1"))).inner)).toBe(vector.inner);
    });

    test("has this record under the next master key", async () => {
      const stored = { publicKey, record: bytesOf(vector.record) };
      const resealed = await resealWallet(stored, wallet, masterKeys("1", "2"), bytesInTurn(resealNonce));
      expect(toHex(expectDone(resealed))).toBe(vector.resealed);
    });

    test.each(["record", "resealed"] as const)("signs this from its %s", async (kind) => {
      const stored = { publicKey, record: bytesOf(vector[kind]) };
      const signer = expectDone(await openWallet(stored, wallet, secretOf(vector), masterKeys("1", "2")));
      expect(toHex(await signer.sign(utf8(vector.signed)))).toBe(vector.signature);
    });
  });

  test.each(vectors.sessions)("a session of a secret derived by $derivation", async (vector) => {
    const { projectId } = vectors;
    const session = { secret: secretOf(vector), accessKeyId: vector.accessKeyId, epoch: vector.epoch };
    const random = bytesInTurn(vector.random, vector.nonce);
    const issued = await issueSession(session, projectId, vector.issuedAtMs, masterKeys("1"), random);
    const { token, storeKey, expiresAtMs, issuedAtMs } = vector;
    expect(issued).toEqual({ token, storeKey, expiresAtMs, storeValue: bytesOf(vector.storeValue) });
    const half = expectDone(await parseToken(token, projectId, masterKeys("1")));
    expect(half.storeKey).toBe(storeKey);
    const opened = await half.open(bytesOf(vector.storeValue), { nowMs: issuedAtMs, epoch: vector.epoch });
    expect(expectDone(opened)).toEqual({ ...session, issuedAtMs, expiresAtMs });
  });
}
