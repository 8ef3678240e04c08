import { expect, onTestFinished, test, vi } from "vitest";
import { RememberedHalves } from "../../../shared/wallet/session/remembered.ts";
import { SESSION_LIFETIME_MS } from "../../../shared/wallet/session/token.ts";

const EXPIRES_AT_MS = 600_000;
const LIMIT = 10_000;

function half(): Uint8Array {
  return Uint8Array.of(1, 2, 3);
}

test("a half is remembered until its session expires, and is then overwritten", () => {
  const halves = new RememberedHalves();
  const value = half();
  halves.set("s1:a", value, EXPIRES_AT_MS);
  expect(halves.get("s1:a", EXPIRES_AT_MS - 1)).toBe(value);
  expect(halves.get("s1:a", EXPIRES_AT_MS)).toBe(null);
  expect(halves.get("s1:b", EXPIRES_AT_MS + 1_000)).toBe(null);
  expect(value).toEqual(new Uint8Array(3));
});

test("an expired half stays forgotten if the clock goes back", () => {
  const halves = new RememberedHalves();
  halves.set("s1:a", half(), EXPIRES_AT_MS);
  // Less than a second ago all halves were looked through.
  expect(halves.get("s1:a", EXPIRES_AT_MS - 1)).toEqual(half());
  expect(halves.get("s1:a", EXPIRES_AT_MS)).toBe(null);
  expect(halves.get("s1:a", EXPIRES_AT_MS - 1)).toBe(null);
});

test("the oldest half gives way to one too many", () => {
  const halves = new RememberedHalves();
  for (let index = 0; index <= LIMIT; index += 1) halves.set(`s1:${index}`, half(), EXPIRES_AT_MS);
  expect(halves.get("s1:0", 1)).toBe(null);
  expect(halves.get("s1:1", 1)).toEqual(half());
  expect(halves.get(`s1:${LIMIT}`, 1)).toEqual(half());
});

test("a half that is remembered again costs no other half its place", () => {
  const halves = new RememberedHalves();
  for (let index = 0; index < LIMIT; index += 1) halves.set(`s1:${index}`, half(), EXPIRES_AT_MS);
  halves.set(`s1:${LIMIT - 1}`, half(), EXPIRES_AT_MS);
  expect(halves.get("s1:0", 1)).toEqual(half());
});

test("no half outlives a session because the clock was set back", () => {
  vi.useFakeTimers({ toFake: ["performance"] });
  onTestFinished(() => void vi.useRealTimers());
  const halves = new RememberedHalves();
  const value = half();
  halves.set("s1:a", value, EXPIRES_AT_MS);
  vi.advanceTimersByTime(SESSION_LIFETIME_MS - 1);
  expect(halves.get("s1:a", 1)).toBe(value);
  halves.set("s1:a", half(), EXPIRES_AT_MS);
  vi.advanceTimersByTime(1);
  expect(halves.get("s1:a", 1), "a repeat does not begin a new life").toBe(null);
  expect(value).toEqual(new Uint8Array(3));
});
