import { randomBytes } from "node:crypto";
import { Webhook } from "standardwebhooks";
import { expect, test } from "vitest";
import { isAuthentic, parseSecret, secretText, signatureHeaders } from "../../shared/webhooks/sign.ts";

const secret = Uint8Array.from(randomBytes(32));
const other = Uint8Array.from(randomBytes(32));
const nowMs = Date.now();
const message = { id: "evt_1", timestampSeconds: Math.floor(nowMs / 1_000), body: '{"type":"a","data":{"name":"ä"}}' };

test("the library verifies what we sign, by each of the secrets, and by no other", () => {
  const headers = signatureHeaders(message, [secret, other]);
  for (const known of [secret, other])
    expect(new Webhook(secretText(known)).verify(message.body, headers)).toEqual(JSON.parse(message.body));
  const stranger = secretText(Uint8Array.from(randomBytes(32)));
  expect(() => new Webhook(stranger).verify(message.body, headers)).toThrow();
});

test("we verify what the library signs, and nothing that differs by a byte, or is too old or too new", () => {
  const signature = new Webhook(secretText(secret)).sign(message.id, new Date(nowMs), message.body);
  const authentic = (change: Partial<typeof message> = {}, signatures = signature, key = secret, atMs = nowMs) =>
    isAuthentic({ ...message, ...change }, signatures, key, atMs);
  expect(authentic()).toBe(true);
  expect(authentic({}, `v1a,AAAA v1,AAAA ${signature}`)).toBe(true);
  expect(authentic({ body: `${message.body} ` })).toBe(false);
  expect(authentic({ id: "evt_2" })).toBe(false);
  expect(authentic({ timestampSeconds: message.timestampSeconds + 1 })).toBe(false);
  expect(authentic({}, signature, other)).toBe(false);
  for (const signatures of [
    "",
    "v1,",
    "v1",
    signature.replace("v1,", "v2,"),
    signature.slice(0, -2),
    signature.slice(3),
  ])
    expect(authentic({}, signatures), signatures).toBe(false);
  expect(authentic({}, signature, secret, nowMs + 300_000 - 1_000)).toBe(true);
  expect(authentic({}, signature, secret, nowMs + 302_000)).toBe(false);
  expect(authentic({}, signature, secret, nowMs - 302_000)).toBe(false);
  const many = `${"v1,AAAA ".repeat(10)}${signature}`;
  expect(authentic({}, many), "more signatures than anybody needs are not looked at").toBe(false);
});

test("a secret is whsec_ and the Base64 of 24 to 64 bytes", () => {
  expect(parseSecret(secretText(secret))).toEqual(secret);
  const text = (bytes: number) => `whsec_${randomBytes(bytes).toString("base64")}`;
  for (const bytes of [24, 64]) expect(parseSecret(text(bytes))).toHaveLength(bytes);
  for (const bad of [text(23), text(65), "whsec_", "", secretText(secret).slice(6), `${secretText(secret)} `])
    expect(parseSecret(bad), bad).toBe(null);
});
