import { expect, test } from "vitest";
import {
  addCheck,
  endpointNames,
  type NodeHealth,
  type NodeReading,
  newestLedgerMs,
  nodeState,
  unhealthySinceMs,
} from "../../shared/directory/node-health.ts";

const name = { network: "SUI_TESTNET", endpoint: "one.example.com" } as const;
const good = (ledgerAtMs: number, latencyMs = 20): NodeReading => ({
  ok: true,
  latencyMs,
  ledger: { height: 7n, ledgerAtMs, protocolVersion: "138", software: null },
});
const failed: NodeReading = { ok: false, latencyMs: 4_000, fault: "no answer in time" };

const NOW_MS = 200_000;

/** Adds one check a minute. */
function after(...readings: readonly NodeReading[]): NodeHealth | null {
  return readings.reduce<NodeHealth | null>(
    (health, reading, index) =>
      addCheck(health, name, reading, newestLedgerMs([reading], NOW_MS), 60_000 * (index + 1)),
    null,
  );
}

test("a single failure is counted, and two in a row make an endpoint unhealthy since the first of them", () => {
  const once = after(good(0), failed);
  expect(once).toMatchObject({ checks: 2, failures: 1, goodAtMs: 60_000, fault: "no answer in time" });
  expect(once && unhealthySinceMs(once)).toBeNull();
  const twice = after(good(0), failed, failed);
  expect(twice && unhealthySinceMs(twice)).toBe(120_000);
  expect(twice).toMatchObject({ totalLatencyMs: 8_020, ledger: { height: 7n } });
});

test("an endpoint is unchecked until a check was good or two in a row have failed", () => {
  const shown = (...readings: readonly NodeReading[]) => {
    const health = after(...readings);
    if (health === null) return nodeState({ ...name, isInUse: true });
    return nodeState({ ...health, isInUse: true, unhealthySinceMs: unhealthySinceMs(health) });
  };
  expect(shown()).toBe("unchecked");
  expect(shown(failed)).toBe("unchecked");
  expect(shown(failed, failed)).toBe("unhealthy");
  expect(shown(good(0))).toBe("healthy");
  expect(shown(good(0), failed)).toBe("healthy");
  expect(shown(failed, good(0))).toBe("healthy");
});

test("one good check ends it, and the counters go on", () => {
  const recovered = after(failed, failed, failed, good(240_000));
  expect(recovered && unhealthySinceMs(recovered)).toBeNull();
  expect(recovered).toMatchObject({ checks: 4, failures: 3, failuresInARow: 0, fault: null, failingSinceMs: null });
});

test("an endpoint more than a minute behind another one fails its check, and a halted chain fails none", () => {
  const newestMs = newestLedgerMs([good(100_000), good(160_001), failed], NOW_MS);
  expect(newestMs).toBe(160_001);
  expect(addCheck(null, name, good(100_000), newestMs, 200_000)).toMatchObject({
    behindMs: 60_001,
    fault: "it lags: 60 s behind another endpoint",
    goodAtMs: null,
  });
  expect(addCheck(null, name, good(100_001), newestMs, 200_000)).toMatchObject({ behindMs: 60_000, fault: null });
  expect(addCheck(null, name, good(0), newestLedgerMs([good(0), good(0)], NOW_MS), 9_000_000)).toMatchObject({
    fault: null,
  });
});

test("a block more than a minute ahead of the clock is a fault of its endpoint, and makes no other one lag", () => {
  for (const hostile of [good(NOW_MS + 60_001), good(Number.MAX_SAFE_INTEGER)]) {
    const newestMs = newestLedgerMs([good(NOW_MS), hostile], NOW_MS);
    expect(addCheck(null, name, good(NOW_MS), newestMs, NOW_MS)).toMatchObject({ behindMs: 0, fault: null });
    expect(addCheck(null, name, hostile, newestMs, NOW_MS)).toMatchObject({
      fault: expect.stringMatching(/^its newest block is [0-9]+ s ahead of this service's clock$/),
      ledger: null,
      behindMs: null,
      goodAtMs: null,
    });
  }
  const ahead = good(NOW_MS + 60_000);
  expect(addCheck(null, name, ahead, newestLedgerMs([ahead], NOW_MS), NOW_MS)).toMatchObject({ fault: null });
  expect(newestLedgerMs([good(NOW_MS + 60_001)], NOW_MS)).toBeNull();
});

test("endpoints are named by their hosts alone, because a path may hold a key", () => {
  const urls = ["https://a.example.com/v1/secret", "https://b.example.com", "https://a.example.com/v1/other"];
  expect([...endpointNames(urls).values()]).toEqual(["a.example.com", "b.example.com", "a.example.com#2"]);
});
