import { beforeEach, describe, expect, test } from "vitest";
import { ChainGuard } from "../../../shared/chain/aptos/chain-guard.ts";
import { createAptosNode } from "../../../shared/chain/aptos/rest/node.ts";
import type { AptosLedgerState } from "../../../shared/chain/aptos/seen.ts";
import { isAnotherLedger, lastSeenOf } from "../../../shared/fund/aptos/chain-facts.ts";
import type { AptosNetwork } from "../../../shared/networks.ts";

const URLS = ["http://a.test/v1", "http://b.test/v1"] as const;
const SEEN = lastSeenOf({ chain: 150, version: 1_000n, timestampMs: 1_000_000 });

let nowMs: number;
let logged: string[];
let resets: AptosLedgerState[];

beforeEach(() => {
  nowMs = 2_000_000;
  logged = [];
  resets = [];
});

/** Each endpoint answers for a chain id; null: it does not answer. Both are later than what is remembered. */
function nodeOf(chains: Record<string, number | null>, network: AptosNetwork = "APTOS_DEVNET") {
  const guard = new ChainGuard({
    network,
    urls: URLS,
    clock: { nowMs: () => nowMs, alarmAtMs: (atMs) => atMs },
    log: (event, fields) => logged.push(`${event} ${fields?.host} ${fields?.chain}`),
    isAnother: (ledger) => isAnotherLedger(ledger, SEEN),
    onReset: (ledger) => resets.push(ledger),
  });
  return createAptosNode({
    network,
    urls: URLS,
    accepts: (url, ledger) => guard.accepts(url, ledger),
    fetch: async (input) => {
      const chain = chains[new URL(String(input)).host[0] ?? ""] ?? null;
      if (chain === null) throw new TypeError("fetch failed");
      const headers = {
        "x-aptos-chain-id": String(chain),
        "x-aptos-ledger-version": "2000",
        "x-aptos-ledger-oldest-version": "0",
        "x-aptos-ledger-timestampusec": "2000000000",
      };
      return Response.json({ gas_estimate: 100 }, { headers });
    },
  });
}

describe("an endpoint of another chain", () => {
  test("is passed over, and logged once a change; the chain is not called reset", async () => {
    const chains: Record<string, number | null> = { a: 151, b: 150 };
    const node = nodeOf(chains);
    for (let times = 0; times < 3; times++) expect(await node.estimateGasPrice()).toEqual({ ok: true, value: 100n });
    expect(logged).toEqual(["node.other_chain a.test 151"]);
    chains.a = 150;
    for (let times = 0; times < 3; times++) await node.estimateGasPrice();
    expect(logged).toEqual(["node.other_chain a.test 151", "node.own_chain a.test 150"]);
    expect(resets).toEqual([]);
  });

  test("proves nothing while the other one does not answer", async () => {
    const node = nodeOf({ a: 151, b: null });
    expect(await node.estimateGasPrice()).toMatchObject({ error: { reason: "node_unavailable" } });
    expect(await node.transactionAtSequence(`0x${"a".repeat(64)}`, 0n)).toMatchObject({
      error: { reason: "node_unavailable" },
    });
    expect(resets).toEqual([]);
  });

  test("is the reset chain where every endpoint answers for one, and goes on doing so", async () => {
    const node = nodeOf({ a: 151, b: 151 });
    for (let times = 0; times < 3; times++) expect(await node.estimateGasPrice()).toMatchObject({ ok: false });
    expect(resets, "one look").toEqual([]);
    nowMs += 3_000;
    expect(await node.estimateGasPrice()).toMatchObject({ ok: false });
    expect(resets).toMatchObject([{ chain: 151 }, { chain: 151 }]);
  });

  test("is no reset chain where it has answered for its own meanwhile", async () => {
    const chains: Record<string, number | null> = { a: 151, b: 151 };
    const node = nodeOf(chains);
    await node.estimateGasPrice();
    Object.assign(chains, { a: 150, b: 150 });
    nowMs += 3_000;
    expect(await node.estimateGasPrice()).toMatchObject({ ok: true });
    chains.a = 151;
    chains.b = null;
    expect(await node.estimateGasPrice()).toMatchObject({ ok: false });
    expect(resets).toEqual([]);
  });

  test("is a mistake where every endpoint is of another network, and no reset", async () => {
    const node = nodeOf({ a: 2, b: 2 }, "APTOS_MAINNET");
    expect(await node.estimateGasPrice()).toMatchObject({ ok: false });
    expect(logged).toEqual(["node.other_chain a.test 2", "node.other_chain b.test 2"]);
    expect(resets).toEqual([]);
  });
});
