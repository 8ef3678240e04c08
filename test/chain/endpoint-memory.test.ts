import { afterEach, expect, test, vi } from "vitest";
import { EndpointMemory } from "../../shared/chain/endpoint-memory.ts";

const URL = "https://node.test";
const MINUTE_MS = 60_000;

afterEach(() => {
  vi.restoreAllMocks();
});

test("an endpoint that hung is forgotten after a minute, also if the clock is set back by hours", () => {
  const memory = new EndpointMemory({ nowMs: () => 0 });
  const at = vi.spyOn(performance, "now").mockReturnValue(10_000 * MINUTE_MS);
  memory.noteHang(URL);
  memory.noteFault(URL);
  expect([memory.hangs(URL), memory.isDead(URL)]).toEqual([true, false]);
  at.mockReturnValue(9_000 * MINUTE_MS);
  expect([memory.hangs(URL), memory.isDead(URL)]).toEqual([false, false]);
  at.mockReturnValue(10_001 * MINUTE_MS);
  expect([memory.hangs(URL), memory.isDead(URL)]).toEqual([false, true]);
});
