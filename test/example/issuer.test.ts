import { randomBytes } from "node:crypto";
import { describe, expect, test } from "vitest";
import { createExampleIssuer, EXAMPLE_ISSUER } from "../../shared/access/example-issuer.ts";
import { createJwtVerifier } from "../../shared/access/jwt.ts";
import { exampleVars } from "../../shared/cli/example-vars.ts";

const NOW_MS = 1_900_000_000_000;

/** The workflows' own verifier, which reads the key set of whoever has `flowsSecret`. */
function verifierOf(flowsSecret: Uint8Array, nowMs = NOW_MS) {
  const issuer = createExampleIssuer(flowsSecret);
  const fetch = async () => Response.json(await issuer.keySet());
  return createJwtVerifier(EXAMPLE_ISSUER, { fetch, clock: { nowMs: () => nowMs }, log: () => {} });
}

describe("the example's tokens", () => {
  const [secret, another] = [randomBytes(32), randomBytes(32)];

  test("are verified like those of any issuer, and name the user", async () => {
    const { token, expiresAtMs } = await createExampleIssuer(secret).issue("ada", NOW_MS);
    expect(await verifierOf(secret)(token)).toMatchObject({ kind: "verified", subject: "ada", claims: { sub: "ada" } });
    expect(expiresAtMs).toBe(NOW_MS + 15 * 60_000);
    expect(await verifierOf(secret, expiresAtMs + 61_000)(token)).toMatchObject({ reason: "token_expired" });
  });

  test("are of one deployment: another FLOWS_SECRET makes another key", async () => {
    const { token } = await createExampleIssuer(another).issue("ada", NOW_MS);
    expect(await verifierOf(secret)(token)).toMatchObject({ kind: "refused", reason: "unknown_key" });
  });

  test("come with a public key only", async () => {
    const { keys } = await createExampleIssuer(secret).keySet();
    expect(keys.map((key) => Object.keys(key).sort())).toEqual([["alg", "crv", "kid", "kty", "use", "x"]]);
  });
});

describe("npm start turns the example on", () => {
  const url = "http://127.0.0.1:8787";
  const FLOWS_SECRET = randomBytes(32).toString("base64");

  test("for both names of this machine, and for the origins that were set", () => {
    const { FLOWS_ORIGINS } = exampleVars({ FLOWS_SECRET, FLOWS_ORIGINS: "https://app.example.com" }, url);
    expect(FLOWS_ORIGINS).toBe(`${url} http://localhost:8787 https://app.example.com`);
  });

  test.each([
    ["it is set off", { FLOWS_SECRET, EXAMPLE: "off" }],
    ["the app has an issuer", { FLOWS_SECRET, JWT_ISSUER: "https://login.example.com" }],
    ["there are no wallets", {}],
  ])("not where %s", (_, secrets) => {
    expect(exampleVars(secrets, url)).toEqual({});
  });
});
