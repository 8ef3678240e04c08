import * as z from "zod";
import { APTOS_GOLD } from "../../demo.ts";
import { APT_METADATA, longAddress } from "../address.ts";
import { renderCommitted } from "../api/ledger-json.ts";
import type { Node } from "../api/route.ts";
import { epochOf } from "../clock.ts";
import { APTOS_COIN } from "../move/framework.ts";
import { FUNGIBLE_STORE, OBJECT_CORE, OBJECT_GROUP } from "../move/slots.ts";
import { CHAIN_ID } from "../prologue.ts";
import type { Row } from "./rows.ts";

const PROCESSORS = [
  "default_processor",
  "account_transactions_processor",
  "fungible_asset_processor",
  "user_transaction_processor",
  "events_processor",
  "objects_processor",
];

const StoreResources = z.looseObject({
  [FUNGIBLE_STORE]: z.looseObject({
    balance: z.string(),
    metadata: z.object({ inner: z.string().transform(longAddress) }),
  }),
  [OBJECT_CORE]: z.looseObject({ owner: z.string() }),
});

const UserTransaction = z.object({
  version: z.string(),
  sender: z.string(),
  sequence_number: z.string(),
  max_gas_amount: z.string(),
  gas_unit_price: z.string(),
  expiration_timestamp_secs: z.string(),
  timestamp: z.string(),
  payload: z.looseObject({ function: z.string().optional() }),
  signature: z.looseObject({ type: z.string() }),
});

/** Indexers name a paired asset by its coin. */
const APT: Row = {
  asset_type: APTOS_COIN,
  creator_address: longAddress("0x1"),
  decimals: 8,
  icon_uri: "",
  last_transaction_timestamp: "1970-01-01T00:00:00",
  last_transaction_version: 0,
  name: "Aptos Coin",
  project_uri: "",
  supply_aggregator_table_handle_v1: null,
  supply_aggregator_table_key_v1: null,
  symbol: "APT",
  token_standard: "v1",
};

const GOLD: Row = {
  ...APT,
  asset_type: longAddress(APTOS_GOLD),
  decimals: 0,
  name: "Demo Gold",
  symbol: "GOLD",
  token_standard: "v2",
};

/** The tables that there are, each with all of its rows: enough for tests, not for load. */
export const TABLES: Readonly<Record<string, (node: Node) => Row[]>> = {
  ledger_infos: () => [{ chain_id: CHAIN_ID }],

  processor_status: (node) => {
    const { version, timestampUs } = node.view();
    return PROCESSORS.map((processor) => ({
      processor,
      last_success_version: version,
      last_updated: timeText(timestampUs),
      last_transaction_timestamp: timeText(timestampUs),
    }));
  },

  current_fungible_asset_balances: (node) => {
    const { version } = node.view();
    return node.store.itemsInSlot(OBJECT_GROUP, version).flatMap(({ address, item, version: writtenAt }) => {
      const found = StoreResources.safeParse(item.resources);
      return found.success ? [balanceRow(node, address, found.data, writtenAt)] : [];
    });
  },

  user_transactions: (node) => node.store.transactionsUpTo(node.view().version).map((one) => userRow(node, one)),

  account_transactions: (node) => {
    const { version } = node.view();
    const transactions = new Map(node.store.transactionsUpTo(version).map((one) => [one.version, userRow(node, one)]));
    return node.store.touchedUpTo(version).map(({ address, version: transactionVersion }) => ({
      account_address: address,
      transaction_version: transactionVersion,
      user_transaction: transactions.get(transactionVersion) ?? null,
    }));
  },
};

function balanceRow(
  { blocks }: Node,
  storage: string,
  resources: z.infer<typeof StoreResources>,
  version: number,
): Row {
  const metadata = resources[FUNGIBLE_STORE].metadata.inner === APT_METADATA ? APT : GOLD;
  return {
    amount: Number(resources[FUNGIBLE_STORE].balance),
    asset_type: metadata.asset_type ?? null,
    is_frozen: false,
    is_primary: true,
    last_transaction_timestamp: timeText(blocks.timestampUs(blocks.locate(version).block)),
    last_transaction_version: version,
    metadata,
    owner_address: longAddress(resources[OBJECT_CORE].owner),
    storage_id: storage,
    token_standard: "v2",
  };
}

function userRow(node: Node, transaction: Parameters<typeof renderCommitted>[1]): Row {
  const rendered = UserTransaction.parse(renderCommitted(node, transaction));
  const called = rendered.payload.function ?? null;
  return {
    version: Number(rendered.version),
    block_height: transaction.block,
    epoch: epochOf(transaction.block),
    sender: longAddress(rendered.sender),
    sequence_number: Number(rendered.sequence_number),
    max_gas_amount: Number(rendered.max_gas_amount),
    gas_unit_price: Number(rendered.gas_unit_price),
    expiration_timestamp_secs: timeText(BigInt(rendered.expiration_timestamp_secs) * 1_000_000n),
    timestamp: timeText(BigInt(rendered.timestamp)),
    entry_function_id_str: called,
    parent_signature_type: rendered.signature.type,
  };
}

/** The last moment that a date can hold: clients may choose any expiration. */
const LAST_US = 8_640_000_000_000_000_000n;

/** A timestamp without a zone, as the indexer's tables have them. */
function timeText(us: bigint): string {
  const ms = Number((us < LAST_US ? us : LAST_US) / 1_000n);
  return new Date(ms).toISOString().replace("Z", "");
}
