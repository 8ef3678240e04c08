import { CHAIN_ID } from "../prologue.ts";
import type { Node, Routes } from "./route.ts";

const GIT_HASH = "d".repeat(40);

function ledgerInfo(node: Node) {
  const { version, height, timestampUs, epoch } = node.view();
  const oldest = node.oldest();
  return {
    chain_id: CHAIN_ID,
    epoch: String(epoch),
    ledger_version: String(version),
    oldest_ledger_version: String(oldest.version),
    ledger_timestamp: String(timestampUs),
    node_role: "full_node",
    oldest_block_height: String(oldest.height),
    block_height: String(height),
    git_hash: GIT_HASH,
  };
}

/** On every answer. */
export function ledgerHeaders(node: Node): Record<string, string> {
  const { version, height, timestampUs, epoch } = node.view();
  const oldest = node.oldest();
  return {
    "X-Aptos-Chain-Id": String(CHAIN_ID),
    "X-Aptos-Ledger-Version": String(version),
    "X-Aptos-Ledger-Oldest-Version": String(oldest.version),
    "X-Aptos-Ledger-TimestampUsec": String(timestampUs),
    "X-Aptos-Epoch": String(epoch),
    "X-Aptos-Block-Height": String(height),
    "X-Aptos-Oldest-Block-Height": String(oldest.height),
  };
}

export const generalRoutes: Routes = {
  "GET /": ({ node }) => ({ json: ledgerInfo(node) }),
  "GET /-/healthy": () => ({ json: { message: "aptos-node:ok" } }),
  "GET /estimate_gas_price": () => ({
    json: { deprioritized_gas_estimate: 100, gas_estimate: 100, prioritized_gas_estimate: 150 },
  }),
};
