import { expect, test } from "vitest";
import { halvesHere, MAX_SESSIONS, SessionHalves, showHalves } from "../../../shared/wallet/session/halves.ts";

const value = Uint8Array.of(1, 2, 3);

test("a half ends at its expiry, and its shard shows the memory of its newest object only", () => {
  const halves = new SessionHalves();
  halves.keep("s1:a", value, 1_000, 0);
  showHalves(3, halves);
  expect(halvesHere(3)?.find("s1:a", 999)).toBe(value);
  expect(halvesHere(3)?.find("s1:a", 1_000)).toBeNull();
  expect(halvesHere(4)).toBeNull();
  halves.dropExpired(1_000);
  expect(halves.find("s1:a", 0)).toBeNull();
  showHalves(3, new SessionHalves());
  expect(halvesHere(3)?.find("s1:a", 0)).toBeNull();
});

test("a half of a fast clock ends with that clock, and does not come back", () => {
  const halves = new SessionHalves();
  halves.keep("s1:a", value, 4_200_000, 3_600_000);
  expect(halves.find("s1:a", 3_540_000)).toBe(value);
  expect(halves.find("s1:a", 0)).toBeNull();
  halves.dropExpired(0);
  expect(halves.find("s1:a", 3_600_000)).toBeNull();
});

test("a half is kept without a call of the object only while an alarm keeps the object alive", () => {
  const nowMs = 1_000_000;
  const halves = new SessionHalves();
  expect(halves.nextAlarm(nowMs)).toBeNull();
  halves.keep("s1:a", value, nowMs + 600_000, nowMs);
  expect(halves.isKeptAlive(nowMs)).toBe(false);
  expect(halves.nextAlarm(nowMs)).toBe(nowMs + 5_000);
  expect(halves.nextAlarm(nowMs + 10)).toBeNull();
  expect(halves.isKeptAlive(nowMs + 5_999)).toBe(true);
  expect(halves.isKeptAlive(nowMs + 6_000)).toBe(false);
  // An alarm may be late. Only one that was lost is armed again.
  expect(halves.nextAlarm(nowMs + 14_999)).toBeNull();
  expect(halves.nextAlarm(nowMs + 15_000)).toBe(nowMs + 20_000);
  halves.woke();
  expect(halves.isKeptAlive(nowMs + 15_000)).toBe(false);
});

test("a full shard keeps its sessions, refuses new ones, and makes room of expired ones", () => {
  const halves = new SessionHalves();
  halves.keep("s1:first", value, 10, 0);
  for (let n = 1; n < MAX_SESSIONS; n += 1) halves.keep(`s1:${n}`, value, 20, 0);
  expect(halves.keep("s1:new", value, 20, 9)).toBe(false);
  expect(halves.find("s1:first", 9)).toBe(value);
  expect(halves.keep("s1:new", value, 20, 10)).toBe(true);
});
