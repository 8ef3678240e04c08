import { expect, test } from "vitest";
import type { NodeView, UncheckedNode } from "../../shared/directory/node-health.ts";
import { noticesBy, type Rounds, unreadyBy } from "../../shared/directory/readiness.ts";
import type { ServiceReport } from "../../shared/directory/service-report.ts";
import type { Network } from "../../shared/networks.ts";

const NOW_MS = 10_000_000;
const report: ServiceReport = { networks: [], projects: 3, funds: 4, unreadable: 0, storageFull: 0, overdue: 0 };
const last = (change: Partial<ServiceReport> = {}, atMs = NOW_MS): Rounds => ({
  last: { report: { ...report, ...change }, atMs },
  lateMs: 0,
});

function node(network: Network, goodAtMs: number | null, isInUse = true, fault: string | null = "down"): NodeView {
  return {
    network,
    endpoint: "one.example.com",
    checks: 3,
    failures: 0,
    failuresInARow: 0,
    totalLatencyMs: 30,
    latencyMs: 10,
    checkedAtMs: NOW_MS,
    goodAtMs,
    behindMs: 0,
    ledger: null,
    fault,
    failingSinceMs: null,
    unhealthySinceMs: null,
    isInUse,
  };
}

test("a service that nothing speaks against is ready, also before the first round", () => {
  const unchecked: UncheckedNode = { network: "SUI_TESTNET", endpoint: "one.example.com", isInUse: true };
  expect(unreadyBy([node("SUI_TESTNET", NOW_MS), unchecked], last(), NOW_MS)).toEqual([]);
  expect(unreadyBy([unchecked], { last: null, lateMs: 1_200_000 }, NOW_MS)).toEqual([]);
});

test("each network in use whose endpoints all fail needs one that answered well within a minute", () => {
  const nodes = [
    node("SUI_TESTNET", NOW_MS - 60_001),
    node("SUI_TESTNET", NOW_MS - 60_000),
    node("APTOS_TESTNET", NOW_MS - 60_001),
    node("APTOS_MAINNET", null),
    node("SUI_DEVNET", null, false),
  ];
  expect(unreadyBy(nodes, last(), NOW_MS)).toEqual([{ cause: "no_node_answers", count: 2 }]);
});

test("a network with an endpoint whose check is not done yet, or was good, is not silent", () => {
  const failed = node("SUI_TESTNET", null);
  const old = node("SUI_TESTNET", NOW_MS - 300_000, true, null);
  const unchecked: UncheckedNode = { network: "SUI_TESTNET", endpoint: "two.example.com", isInUse: true };
  expect(unreadyBy([failed, failed], last(), NOW_MS)).toEqual([{ cause: "no_node_answers", count: 1 }]);
  expect(unreadyBy([failed, old], last(), NOW_MS)).toEqual([]);
  expect(unreadyBy([failed, unchecked], last(), NOW_MS)).toEqual([]);
});

test("each cause of a round is named with its count, and an old or a missing round is a cause itself", () => {
  expect(unreadyBy([], last({ storageFull: 1, overdue: 2, unreadable: 3 }), NOW_MS)).toEqual([
    { cause: "storage_full", count: 1 },
    { cause: "work_overdue", count: 2 },
    { cause: "objects_unreadable", count: 3 },
  ]);
  expect(unreadyBy([], last({}, NOW_MS - 1_200_000), NOW_MS)).toEqual([]);
  expect(unreadyBy([], last({}, NOW_MS - 1_200_001), NOW_MS)).toEqual([{ cause: "checks_overdue", count: 1 }]);
  expect(unreadyBy([], { last: null, lateMs: 1_200_001 }, NOW_MS)).toEqual([{ cause: "checks_overdue", count: 1 }]);
});

test("a network in use with a newer protocol than is known is a notice, once, and never a cause", () => {
  const at = (network: Network, protocolVersion: string | null, isInUse = true): NodeView => ({
    ...node(network, NOW_MS, isInUse, null),
    ledger: { height: 7n, ledgerAtMs: NOW_MS, protocolVersion, software: null },
  });
  const known = [at("SUI_TESTNET", "140"), at("APTOS_TESTNET", null), at("SUI_MAINNET", "999", false)];
  expect(noticesBy(known)).toEqual([]);
  const newer = [
    ...known,
    at("SUI_DEVNET", "140"),
    at("SUI_DEVNET", "141"),
    at("SUI_LOCALNET", "18446744073709551615"),
  ];
  expect(noticesBy(newer)).toEqual([{ notice: "newer_protocol", count: 2 }]);
  expect(unreadyBy(newer, last(), NOW_MS)).toEqual([]);
});
