import { exportJWK, generateKeyPair, SignJWT } from "jose";
import { describe, expect, onTestFinished, test, vi } from "vitest";
import { createJwtVerifier } from "../../shared/access/jwt.ts";
import { AUDIENCE, ISSUER, JWKS_URL, newSigningKey, type SigningKey, tokenOf } from "../support/issuer.ts";

const NOW_MS = Date.UTC(2030, 0, 1);
const SECOND_MS = 1_000;
const MINUTE_MS = 60_000;

const [first, second] = [await newSigningKey("first"), await newSigningKey("second")];

function jwks(...keys: readonly SigningKey[]): Response {
  return Response.json({ keys: keys.map(({ publicJwk }) => publicJwk) });
}

/** A verifier, the issuer that it asks, and the clock that it reads. */
function newVerifier(issuer: { answer: () => Response | Promise<Response> }) {
  const clock = { atMs: NOW_MS, nowMs: () => clock.atMs };
  const asked: string[] = [];
  const verify = createJwtVerifier(
    { issuer: ISSUER, audience: AUDIENCE, jwksUrl: JWKS_URL },
    {
      clock,
      log: () => {},
      fetch: async (url) => {
        asked.push(String(url));
        return issuer.answer();
      },
    },
  );
  return { verify, clock, asked };
}

const token = (key: SigningKey, claims: object = {}, nowMs = NOW_MS) => tokenOf(key, { sub: "ada", ...claims }, nowMs);
const seconds = (ms: number) => Math.floor(ms / SECOND_MS);

describe("a token is taken", () => {
  test.each(["RS256", "ES256", "EdDSA"])("with a signature by %s", async (alg) => {
    const key = await newSigningKey("key", alg);
    const { verify } = newVerifier({ answer: () => jwks(key) });
    expect(await verify(await token(key))).toMatchObject({
      kind: "verified",
      subject: "ada",
      claims: { sub: "ada", aud: AUDIENCE },
    });
  });

  test("a minute after it has expired and a minute before it is valid, and no longer", async () => {
    const { verify } = newVerifier({ answer: () => jwks(first) });
    const now = seconds(NOW_MS);
    const verdict = async (claims: object) => {
      const verified = await verify(await token(first, claims));
      return verified.kind === "refused" ? verified.reason : verified.kind;
    };
    expect(await verdict({ exp: now - 59 })).toBe("verified");
    expect(await verdict({ exp: now - 61 })).toBe("token_expired");
    expect(await verdict({ nbf: now + 59 })).toBe("verified");
    expect(await verdict({ nbf: now + 61 })).toBe("token_not_yet_valid");
  });
});

describe("a token is refused", () => {
  const { verify } = newVerifier({ answer: () => jwks(first) });
  const reasonOf = async (text: string) => {
    const verified = await verify(text);
    return verified.kind === "refused" ? verified.reason : verified.kind;
  };

  test("without a signature, or with an HMAC over the public key", async () => {
    const part = (value: object) => Buffer.from(JSON.stringify(value)).toString("base64url");
    const claims = part({ iss: ISSUER, aud: AUDIENCE, sub: "ada", exp: seconds(NOW_MS) + 600 });
    expect(await reasonOf(`${part({ alg: "none" })}.${claims}.`)).toBe("bad_token");
    const secret = Buffer.from(JSON.stringify(first.publicJwk));
    const forged = await new SignJWT({ iss: ISSUER, aud: AUDIENCE, sub: "ada" })
      .setProtectedHeader({ alg: "HS256", kid: first.kid })
      .setExpirationTime("10m")
      .sign(secret);
    expect(await reasonOf(forged)).toBe("bad_token");
  });

  test.each([
    ["another issuer's", { iss: "https://example.org" }, "wrong_issuer"],
    ["nobody's", { iss: undefined }, "wrong_issuer"],
    ["for another app", { aud: "another" }, "wrong_audience"],
    ["for no app", { aud: undefined }, "wrong_audience"],
    ["without an end", { exp: undefined }, "bad_token"],
    ["without a user", { sub: undefined }, "no_subject"],
    ["of an empty user", { sub: "" }, "no_subject"],
    ["of a list of users", { sub: ["ada"] }, "no_subject"],
    ["of half a character, which would be another's replacement", { sub: "ada\ud800" }, "no_subject"],
    ["of a user whose name is too long", { sub: "a".repeat(256) }, "no_subject"],
  ])("%s", async (_, claims, reason) => {
    expect(await reasonOf(await token(first, claims))).toBe(reason);
  });

  test("changed, signed by another key of the same id, or too long", async () => {
    const good = await token(first);
    const [header, , signature] = good.split(".");
    const [, claims] = (await token(first, { sub: "eve" })).split(".");
    expect(await reasonOf(`${header}.${claims}.${signature}`)).toBe("bad_signature");
    expect(await reasonOf(await token({ ...second, kid: first.kid }))).toBe("bad_signature");
    expect(await reasonOf("a".repeat(8_193))).toBe("bad_token");
    expect(await reasonOf("")).toBe("bad_token");
  });

  test("of an RSA key that is too short", async () => {
    const { privateKey, publicKey } = await generateKeyPair("RS256", { extractable: true });
    const { e = "", n = "" } = await exportJWK(publicKey);
    const short = { kty: "RSA", kid: "short", e, n: n.slice(0, 170) };
    const weak = newVerifier({ answer: () => Response.json({ keys: [short] }) });
    const signed = await tokenOf({ kid: "short", alg: "RS256", privateKey, publicJwk: short }, { sub: "ada" }, NOW_MS);
    expect((await weak.verify(signed)).kind).toBe("refused");
  });
});

describe("the issuer's keys", () => {
  test("are read once for many tokens, and again for a token of a new key", async () => {
    const issuer = { answer: () => jwks(first) };
    const { verify, clock, asked } = newVerifier(issuer);
    for (let call = 0; call < 3; call++) expect((await verify(await token(first))).kind).toBe("verified");
    expect(asked).toEqual([JWKS_URL]);
    issuer.answer = () => jwks(first, second);
    clock.atMs += 10 * SECOND_MS;
    expect((await verify(await token(second, {}, clock.atMs))).kind).toBe("verified");
    expect(asked).toHaveLength(2);
  });

  test("are not read for each of many tokens of keys that do not exist", async () => {
    const { verify, clock, asked } = newVerifier({ answer: () => jwks(first) });
    await verify(await token(first));
    const unknown = { kind: "refused", reason: "unknown_key" };
    for (let call = 0; call < 20; call++) expect(await verify(await token(second))).toMatchObject(unknown);
    expect(asked).toHaveLength(1);
    clock.atMs += 10 * SECOND_MS;
    for (let call = 0; call < 20; call++) expect(await verify(await token(second))).toMatchObject(unknown);
    expect(asked).toHaveLength(2);
  });

  test("are not asked for with each token either while the issuer is out and none are known", async () => {
    const issuer = { answer: () => new Response("down", { status: 503 }) };
    const { verify, clock, asked } = newVerifier(issuer);
    for (let call = 0; call < 20; call++) expect((await verify(await token(first))).kind).toBe("unavailable");
    expect(asked).toHaveLength(1);
    issuer.answer = () => jwks(first);
    clock.atMs += SECOND_MS;
    expect((await verify(await token(first))).kind).toBe("verified");
  });

  test("are read for each of the tokens that come together first: none waits for another's", async () => {
    const { verify } = newVerifier({ answer: () => jwks(first) });
    const good = await token(first);
    const kinds = await Promise.all([verify(good), verify(good)]);
    expect(kinds.map(({ kind }) => kind)).toEqual(["verified", "verified"]);
  });

  test("that never come are none, whether or not the fetch heeds its signal", async () => {
    const { verify } = newVerifier({ answer: () => new Promise(() => {}) });
    const timeout = AbortSignal.timeout.bind(AbortSignal);
    vi.spyOn(AbortSignal, "timeout").mockImplementation(() => timeout(1));
    onTestFinished(() => void vi.restoreAllMocks());
    expect((await verify(await token(first))).kind).toBe("unavailable");
  });

  test("are read again after the clock was set back: none known, a new one, a withdrawn one", async () => {
    const issuer = { answer: () => Response.error() as Response };
    const { verify, clock } = newVerifier(issuer);
    const HOUR_MS = 60 * MINUTE_MS;
    clock.atMs = NOW_MS + HOUR_MS;
    expect(await verify(await token(first))).toMatchObject({ kind: "unavailable" });
    clock.atMs = NOW_MS;
    issuer.answer = () => jwks(first);
    expect(await verify(await token(first)), "none known").toMatchObject({ kind: "verified" });
    clock.atMs = NOW_MS + HOUR_MS;
    expect(await verify(await token(second, {}, clock.atMs))).toMatchObject({ reason: "unknown_key" });
    clock.atMs = NOW_MS + MINUTE_MS;
    issuer.answer = () => jwks(second);
    expect(await verify(await token(second)), "a new one").toMatchObject({ kind: "verified" });
    expect(await verify(await token(first)), "a withdrawn one").toMatchObject({ reason: "unknown_key" });
  });

  test("that the issuer has withdrawn end to count", async () => {
    const issuer = { answer: () => jwks(first, second) };
    const { verify, clock } = newVerifier(issuer);
    expect((await verify(await token(first))).kind).toBe("verified");
    issuer.answer = () => jwks(second);
    clock.atMs += 10 * MINUTE_MS;
    expect(await verify(await token(first, {}, clock.atMs))).toMatchObject({ reason: "unknown_key" });
  });

  test("count on for an hour while the issuer is out, and then nobody is let in", async () => {
    const issuer = { answer: () => jwks(first) };
    const { verify, clock } = newVerifier(issuer);
    await verify(await token(first));
    issuer.answer = () => new Response("down", { status: 503 });
    clock.atMs += 59 * MINUTE_MS;
    expect((await verify(await token(first, {}, clock.atMs))).kind).toBe("verified");
    clock.atMs += MINUTE_MS;
    expect((await verify(await token(first, {}, clock.atMs))).kind).toBe("unavailable");
  });

  test.each([
    ["an error", () => new Response("no", { status: 500 })],
    ["a redirect", () => new Response(null, { status: 302, headers: { location: "https://example.org" } })],
    ["something else than keys", () => Response.json({ keys: "none" })],
    ["too much", () => new Response(`{"keys":[],"more":"${"a".repeat(262_144)}"}`)],
  ])("that come as %s are none: nothing is said about the token", async (_, answer) => {
    const { verify } = newVerifier({ answer });
    expect((await verify(await token(first))).kind).toBe("unavailable");
  });
});
