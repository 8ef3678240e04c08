import type { Rules } from "./compare.ts";

const FREE = [
  /^\.headers\.x-aptos-(?!chain-id)/,
  /\.(?:signature|public_key)(?:\.|$)(?:.*value)?$/,
  /\.(?:version|max_gas_amount|timestamp|ledger_version|ledger_timestamp|block_height|epoch|expiration_timestamp_secs)$/,
  /\.(?:signature|public_key|bytecode|git_hash|node_role|oldest_ledger_version|oldest_block_height|block_timestamp|block_hash)$/,
  /\.(?:current\.value|sequence_number_at|state_key_hash|state_change_hash|event_root_hash|accumulator_root_hash)$/,
];
/** Each network has its own, and they change with its age. */
const OF_NETWORK = [
  /\.chain_id$|^\.headers\.x-aptos-chain-id$/,
  /\.(?:deprioritized_|prioritized_)?gas_estimate$/,
  /\.(?:guid_creation_num|counter)$/,
];

const chainRules: Rules = {
  isFree: (path) => FREE.some((free) => free.test(path)),
  keyOf(path, item) {
    if (path.endsWith(".changes")) return String(Object(item).data?.type ?? Object(item).resource);
    return /\.(?:exposed_functions|structs)$/.test(path) ? String(Object(item).name) : null;
  },
  mask: (text) => text.replace(/(Ledger version\(|it must be < )\d+/g, "$1<n>"),
  learn: () => undefined,
};

/** The same for a node of any network. */
const networkRules: Rules = {
  ...chainRules,
  isFree: (path) => chainRules.isFree(path) || OF_NETWORK.some((own) => own.test(path)),
};

/** What a payer has left goes by whose transaction came first. */
export function manyAtOnce(rules: Rules): Rules {
  return { ...rules, isFree: (path) => rules.isFree(path) || path.endsWith(".data.data.balance") };
}

/** How answers are compared: of a chain that was set up as the recorded one, or of a node of any network. */
export function rulesFor({ chain }: { readonly chain?: unknown }): Rules {
  return chain === undefined ? networkRules : chainRules;
}
