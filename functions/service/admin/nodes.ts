import * as z from "zod";
import { DIRECTORY_NAME } from "../../../shared/bindings/directory.ts";
import { type NodeView, nodeState, nodeStates, type UncheckedNode } from "../../../shared/directory/node-health.ts";
import { networkSchema } from "../../../shared/networks.ts";
import { instant, iso } from "./route/fields.ts";
import { listRoute } from "./route/list.ts";
import { answer, noQuery } from "./route/route.ts";

const count = z.int().min(0);

/** The schema of a node in a list. */
export const nodeSchema = z.object({
  network: networkSchema,
  endpoint: z.string().describe("the host of the configured URL; a further URL of one host has a number"),
  state: z
    .enum(nodeStates)
    .describe(
      "unhealthy: two checks in a row have failed. A check fails without a good answer within 4 s, or if it lags. unchecked: no check was good yet",
    ),
  inUse: z.boolean().describe("a fund or key uses the network. Events and /ready concern these only"),
  cause: z.string().nullable().describe("why the last check failed; null if it was good"),
  latencyMs: count.nullable().describe("the time of the last check"),
  averageLatencyMs: count.nullable().describe("the average of all checks"),
  lagMs: count.nullable().describe("how far its newest block was behind that of the network's newest endpoint"),
  checks: count,
  failures: count,
  failuresInARow: count,
  height: z.string().nullable().describe("the newest checkpoint on Sui, the newest ledger version on Aptos"),
  ledgerAt: instant.nullable().describe("the time of its newest block, by the chain's clock"),
  protocolVersion: z.string().nullable().describe("the protocol version on Sui; null on Aptos, whose nodes show none"),
  software: z.string().nullable().describe("the node's build, in its own words"),
  checkedAt: instant.nullable(),
  lastGoodAt: instant.nullable(),
  failingSince: instant.nullable().describe("the first of the failures in a row; null if the last check was good"),
});

const isoOrNull = (atMs: number | null) => (atMs === null ? null : iso(atMs));

const UNCHECKED = {
  state: "unchecked",
  cause: null,
  latencyMs: null,
  averageLatencyMs: null,
  lagMs: null,
  checks: 0,
  failures: 0,
  failuresInARow: 0,
  height: null,
  ledgerAt: null,
  protocolVersion: null,
  software: null,
  checkedAt: null,
  lastGoodAt: null,
  failingSince: null,
} as const;

function showNode(node: NodeView | UncheckedNode): z.input<typeof nodeSchema> {
  const { network, endpoint, isInUse: inUse } = node;
  if (!("checks" in node)) return { network, endpoint, inUse, ...UNCHECKED };
  const { checks, failures, failuresInARow, latencyMs, ledger } = node;
  return {
    network,
    endpoint,
    state: nodeState(node),
    inUse,
    cause: node.fault,
    latencyMs,
    averageLatencyMs: Math.round(node.totalLatencyMs / Math.max(checks, 1)),
    lagMs: node.behindMs,
    checks,
    failures,
    failuresInARow,
    height: ledger?.height.toString() ?? null,
    ledgerAt: isoOrNull(ledger?.ledgerAtMs ?? null),
    protocolVersion: ledger?.protocolVersion ?? null,
    software: ledger?.software ?? null,
    checkedAt: iso(node.checkedAtMs),
    lastGoodAt: isoOrNull(node.goodAtMs),
    failingSince: isoOrNull(node.failingSinceMs),
  };
}

/** Lists the configured endpoints and what their checks have shown. */
export const nodesRoute = listRoute({
  path: "/nodes",
  summary:
    "List every configured node: latency, failures, lag, protocol version and last good answer. The service checks them every five minutes, and at this call if the last check is older than 20 s",
  resource: null,
  query: noQuery,
  item: nodeSchema,
  handle: async ({ env }) => {
    const nodes = await env.DIRECTORY.getByName(DIRECTORY_NAME).nodes();
    return answer({ items: nodes.map(showNode), nextCursor: null });
  },
});
