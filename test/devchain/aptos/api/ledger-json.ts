import { modelledHash } from "../blocks.ts";
import { epochOf } from "../clock.ts";
import { pendingJson } from "../render.ts";
import type { Signed } from "../signed.ts";
import type { CommittedTransaction } from "../store.ts";
import type { Node } from "./route.ts";

/** Modelled: no block of this chain reaches a limit, and none is measured. */
const BLOCK_END = {
  block_gas_limit_reached: false,
  block_output_limit_reached: false,
  block_effective_block_gas_units: 0,
  block_approx_output_size: 0,
};

/** A committed transaction with what follows from its place in the ledger. */
export function renderCommitted({ blocks }: Node, { version, block, json }: CommittedTransaction) {
  const fields: unknown = JSON.parse(json);
  if (typeof fields !== "object" || fields === null) throw new Error(`transaction ${version} is not kept as an object`);
  return {
    version: String(version),
    ...fields,
    timestamp: String(blocks.timestampUs(block)),
    type: "user_transaction",
  };
}

/** A pending transaction as it is looked up: only then it has a type. */
export function renderPending(signed: Signed) {
  return { ...pendingJson(signed), type: "pending_transaction" };
}

/** Any transaction of the ledger, those included that blocks have without anyone sending them. */
export function renderVersion(node: Node, version: number) {
  const { block, kind } = node.blocks.locate(version);
  const user = kind === "user" ? node.store.transactionAt(version) : undefined;
  return user === undefined ? systemTransaction(node, version, block, kind) : renderCommitted(node, user);
}

function systemTransaction({ genesis, blocks }: Node, version: number, block: number, kind: string) {
  const hash = (what: string) => modelledHash(genesis.id, `${what}/${version}`);
  const common = {
    version: String(version),
    hash: hash("transaction"),
    state_change_hash: hash("state_change"),
    event_root_hash: hash("event_root"),
    state_checkpoint_hash: kind === "metadata" ? null : hash("state_checkpoint"),
    gas_used: "0",
    success: true,
    vm_status: "Executed successfully",
    accumulator_root_hash: hash("accumulator_root"),
    changes: [],
  };
  const timestamp = String(blocks.timestampUs(block));
  if (kind === "genesis") {
    const payload = { type: "write_set_payload", write_set: { type: "direct_write_set", changes: [], events: [] } };
    return { ...common, payload, events: [], type: "genesis_transaction" };
  }
  if (kind === "epilogue")
    return { ...common, timestamp, block_end_info: BLOCK_END, type: "block_epilogue_transaction" };
  return {
    ...common,
    id: modelledHash(genesis.id, `block/${block}`),
    epoch: String(epochOf(block)),
    round: String(block),
    events: [],
    previous_block_votes_bitvec: [],
    proposer: "0x1",
    failed_proposer_indices: [],
    timestamp,
    type: "block_metadata_transaction",
  };
}

export function renderBlock(node: Node, height: number, withTransactions: boolean) {
  const { blocks, genesis } = node;
  const first = blocks.firstVersion(height);
  const last = blocks.lastVersion(height);
  const versions = Array.from({ length: last - first + 1 }, (_, index) => first + index);
  return {
    block_height: String(height),
    block_hash: modelledHash(genesis.id, `block/${height}`),
    block_timestamp: String(blocks.timestampUs(height)),
    first_version: String(first),
    last_version: String(last),
    transactions: withTransactions ? versions.map((version) => renderVersion(node, version)) : null,
  };
}
