import { type Address, APT_METADATA, displayAddress, longAddress, ZERO_ADDRESS } from "../address.ts";
import { notFound, unparsable } from "../errors.ts";
import { accountAt } from "../move/account.ts";
import { APTOS_COIN } from "../move/framework.ts";
import { assetBalance } from "../move/fungible.ts";
import { moduleJson, moduleName, modulesOf } from "../move/modules.ts";
import { canonicalType, whyNoStruct } from "../move/types.ts";
import { renderCommitted } from "./ledger-json.ts";
import { addressParam, limitQuery, numberQuery, versionQuery } from "./parameters.ts";
import { type ApiCall, type Routes, stateAt } from "./route.ts";

const MAX_RESOURCES = 9_999;
const CURSOR = /^0x[0-9a-f]{1,8}$/;

export const accountRoutes: Routes = {
  /** An address that nothing was done with is an account with number 0 (AIP-115), never a 404. */
  "GET /accounts/:address": (call) => {
    const address = addressParam(call);
    const { sequenceNumber, authenticationKey } = accountAt(stateAt(call.node.store, versionQuery(call)), address);
    return { json: { sequence_number: String(sequenceNumber), authentication_key: authenticationKey } };
  },

  "GET /accounts/:address/resource/:type": (call) => ({ json: resourceOf(call) }),

  "GET /accounts/:address/resources": (call) => {
    const items = call.node.store.itemsAt(addressParam(call), versionQuery(call));
    return page(
      call,
      items.flatMap(({ resources }) => Object.entries(resources).map(([type, data]) => ({ type, data }))),
    );
  },

  "GET /accounts/:address/module/:name": (call) => {
    const address = addressParam(call);
    const name = call.params.name ?? "";
    const found = moduleJson(moduleName(address, name));
    if (found === undefined) {
      const by = `Address(${displayAddress(address)}), Module name(${name}) and Ledger version(${versionQuery(call)})`;
      throw notFound("module_not_found", "Module", by);
    }
    return { json: found };
  },

  "GET /accounts/:address/modules": (call) => page(call, modulesOf(addressParam(call))),

  "GET /accounts/:address/balance/:asset": (call) => {
    const address = addressParam(call);
    const balance = assetBalance(stateAt(call.node.store, versionQuery(call)), address, metadataOf(call));
    return { json: Number(balance) };
  },

  "GET /accounts/:address/transactions": (call) => {
    const { store } = call.node;
    const { version } = call.node.view();
    const address = addressParam(call);
    const limit = limitQuery(call);
    const start = numberQuery(call, "start");
    // Without a start: the last ones.
    const { sequenceNumber } = accountAt(stateAt(store, version), address);
    const last = sequenceNumber > BigInt(limit) ? sequenceNumber - BigInt(limit) : 0n;
    const found = store.transactionsOf(address, start ?? last, limit, version);
    return { json: found.map((one) => renderCommitted(call.node, one)) };
  },

  /** From a version on, else the last ones up to a version (aptos-core storage transaction_store). */
  "GET /accounts/:address/transaction_summaries": (call) => {
    const { store } = call.node;
    const latest = call.node.view().version;
    const address = addressParam(call);
    const limit = limitQuery(call);
    const from = numberQuery(call, "start_version");
    const end = Number(numberQuery(call, "end_version") ?? BigInt(latest));
    const found = store.summariesOf(address, Number(from ?? 0n), Math.min(end, latest));
    const shown = from === undefined ? found.slice(-limit) : found.slice(0, limit);
    const json = shown.map(({ version, hash, replayProtector }) => ({
      sender: displayAddress(address),
      version: String(version),
      transaction_hash: hash,
      replay_protector: replayProtector,
    }));
    return { json };
  },
};

/** The resource of the path's type at the path's address. @throws ApiError if there is none. */
export function resourceOf(call: ApiCall) {
  const address = addressParam(call);
  const version = versionQuery(call);
  const type = typeParam(call);
  const items = call.node.store.itemsAt(address, version);
  const data = items.find(({ resources }) => resources[type] !== undefined)?.resources[type];
  if (data !== undefined) return { type, data };
  const by = `Address(${displayAddress(address)}), Struct tag(${type}) and Ledger version(${version})`;
  throw notFound("resource_not_found", "Resource", by);
}

function typeParam({ params }: ApiCall): string {
  const text = params.type ?? "";
  const why = whyNoStruct(text);
  if (why !== null)
    throw unparsable("path", "resource_type", "string(MoveStructTag)", `invalid struct tag: ${text}, ${why}`);
  try {
    return canonicalType(text);
  } catch (error) {
    const message = error instanceof Error ? error.message : "not a type";
    throw unparsable("path", "resource_type", "string(MoveStructTag)", `invalid struct tag: ${text}, ${message}`);
  }
}

/** The metadata object of the asset that is asked for; a coin type that is not APT's has none, and nobody has any. */
function metadataOf({ params }: ApiCall): Address {
  const asset = params.asset ?? "";
  if (asset.includes("::")) return canonicalType(asset) === APTOS_COIN ? APT_METADATA : ZERO_ADDRESS;
  try {
    return longAddress(asset);
  } catch (error) {
    throw unparsable(
      "path",
      "asset_type",
      "string(AssetType)",
      error instanceof Error ? error.message : "not an asset",
    );
  }
}

/** A page of a list; the cursor, which callers do not look into, says where the next one starts. */
function page(call: ApiCall, all: readonly unknown[]) {
  const limit = limitQuery(call, { most: MAX_RESOURCES, otherwise: MAX_RESOURCES });
  const cursor = call.query.get("start") ?? "0x0";
  if (!CURSOR.test(cursor))
    throw unparsable("parameter", "start", "string(StateKeyWrapper)", `"${cursor}" is not a cursor`);
  const start = Number(cursor);
  const next = start + limit;
  const headers = next < all.length ? { "X-Aptos-Cursor": `0x${next.toString(16)}` } : {};
  return { json: all.slice(start, next), headers };
}
