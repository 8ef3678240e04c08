import { createServer } from "node:http";
import { exportJWK, generateKeyPair, type JWTPayload, SignJWT } from "jose";
import { LOOPBACK } from "../../shared/cli/ports.ts";

export const ISSUER = "https://login.example.com/";
export const AUDIENCE = "the app";
export const JWKS_HOST = "login.example.com";
export const JWKS_URL = `https://${JWKS_HOST}/.well-known/jwks.json`;

export interface SigningKey {
  readonly kid: string;
  readonly alg: string;
  readonly privateKey: CryptoKey;
  readonly publicJwk: object;
}

export async function newSigningKey(kid: string, alg = "ES256"): Promise<SigningKey> {
  const { privateKey, publicKey } = await generateKeyPair(alg, { extractable: true });
  return { kid, alg, privateKey, publicJwk: { ...(await exportJWK(publicKey)), kid, alg, use: "sig" } };
}

/** A token of this key, good for ten minutes unless the claims say otherwise. */
export function tokenOf(key: SigningKey, claims: JWTPayload, nowMs = Date.now()): Promise<string> {
  const nowSeconds = Math.floor(nowMs / 1_000);
  return new SignJWT({ iss: ISSUER, aud: AUDIENCE, exp: nowSeconds + 600, ...claims })
    .setProtectedHeader({ alg: key.alg, kid: key.kid })
    .sign(key.privateKey);
}

/** Serves the public keys as an issuer does; to the service it is known by its public name. */
export async function startIssuer(keys: readonly SigningKey[]) {
  const server = createServer((_request, response) => {
    response.setHeader("content-type", "application/json");
    response.end(JSON.stringify({ keys: keys.map(({ publicJwk }) => publicJwk) }));
  });
  await new Promise<void>((resolve) => server.listen(0, LOOPBACK, resolve));
  const address = server.address();
  if (address === null || typeof address === "string") throw new Error("the issuer has no port");
  return {
    url: `http://${LOOPBACK}:${address.port}`,
    stop: () => {
      server.closeAllConnections();
      server.close();
    },
  };
}
