import { Buffer } from "node:buffer";
import { concatBytes, fromHex, utf8 } from "../bytes.ts";
import { hkdfBytes } from "../crypto/hkdf.ts";
import { sha256Base64url } from "../crypto/sha256.ts";
import type { JwtConfig } from "./jwt.ts";

const ORIGIN = "https://example.gasworks.invalid";

/**
 * The issuer of the example page's users. Its name can never exist (RFC 6761, `.invalid`), so no real issuer is
 * mistaken for it. A wallet's id is made from its issuer, so no other issuer's users share these wallets.
 */
export const EXAMPLE_ISSUER: JwtConfig = {
  issuer: ORIGIN,
  audience: "gasworks-example",
  jwksUrl: `${ORIGIN}/example/jwks.json`,
};

const TOKEN_TTL_SECONDS = 900;
const MS_PER_SECOND = 1_000;
const ALGORITHM = "Ed25519";
/** PKCS #8 of an Ed25519 seed, without the seed (RFC 8410, section 7). */
const PKCS8_PREFIX = fromHex("302e020100300506032b657004220420");
const SEED_BYTES = 32;

/** An issuer of tokens for the example page. */
export interface ExampleIssuer {
  /** The public key, as `JWT_JWKS_URL` returns it. */
  keySet(): Promise<{ readonly keys: readonly JsonWebKey[] }>;
  /** Issues a token for a quarter of an hour. It authenticates no caller. */
  issue(subject: string, nowMs: number): Promise<{ readonly token: string; readonly expiresAtMs: number }>;
}

interface IssuerKey {
  readonly privateKey: CryptoKey;
  readonly publicJwk: { readonly kty: "OKP"; readonly crv: "Ed25519"; readonly x: string };
  readonly keyId: string;
}

async function deriveKey(flowsSecret: Uint8Array): Promise<IssuerKey> {
  const input = { salt: new Uint8Array(), info: utf8("gasworks/flows/example-issuer/v1") };
  const pkcs8 = concatBytes(PKCS8_PREFIX, hkdfBytes(flowsSecret, input, SEED_BYTES));
  // The key is extractable, because WebCrypto returns the public key in no other way.
  const privateKey = await crypto.subtle.importKey("pkcs8", pkcs8, ALGORITHM, true, ["sign"]);
  const jwk = await crypto.subtle.exportKey("jwk", privateKey);
  if (!("x" in jwk) || jwk.x === undefined) throw new Error("an Ed25519 key was exported without its public half");
  // The key's thumbprint is the hash of this very text (RFC 7638, section 3).
  const publicJwk = { crv: "Ed25519", kty: "OKP", x: jwk.x } as const;
  return { privateKey, publicJwk, keyId: sha256Base64url(JSON.stringify(publicJwk)) };
}

/** Signs claims as a JWT (RFC 7515, section 7.1). */
async function signedToken({ privateKey, keyId }: IssuerKey, claims: object): Promise<string> {
  const parts = [{ alg: ALGORITHM, typ: "JWT", kid: keyId }, claims];
  const signed = parts.map((part) => Buffer.from(JSON.stringify(part)).toString("base64url")).join(".");
  const signature = await crypto.subtle.sign(ALGORITHM, privateKey, utf8(signed));
  return `${signed}.${Buffer.from(signature).toString("base64url")}`;
}

/** Creates the issuer. @param flowsSecret FLOWS_SECRET, 32 bytes. The key is derived from it, under its own label. */
export function createExampleIssuer(flowsSecret: Uint8Array): ExampleIssuer {
  // Each request derives the key anew. A request on Workers must not wait for another request's I/O.
  const key = () => deriveKey(flowsSecret);
  return {
    async keySet() {
      const { publicJwk, keyId } = await key();
      return { keys: [{ ...publicJwk, kid: keyId, alg: ALGORITHM, use: "sig" }] };
    },
    async issue(subject, nowMs) {
      const issuedAtSeconds = Math.floor(nowMs / MS_PER_SECOND);
      const expiresAtSeconds = issuedAtSeconds + TOKEN_TTL_SECONDS;
      const token = await signedToken(await key(), {
        iss: EXAMPLE_ISSUER.issuer,
        aud: EXAMPLE_ISSUER.audience,
        sub: subject,
        iat: issuedAtSeconds,
        exp: expiresAtSeconds,
      });
      return { token, expiresAtMs: expiresAtSeconds * MS_PER_SECOND };
    },
  };
}
