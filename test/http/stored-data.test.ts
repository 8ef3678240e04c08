import { expect, test } from "vitest";
import type { Stores } from "../../shared/api/contract.ts";
import { storesOf } from "../../shared/http/stored-data.ts";

const rpc = (method: string, params: readonly unknown[] = []) =>
  JSON.stringify({ jsonrpc: "2.0", id: 1, method, params });

test.each<[Stores, path: string, body: string]>([
  ["objects", "/aptos/wallet/v1", rpc("wal_createWalletOnChain")],
  ["objects", "/wallet/v1", rpc("svc_wal_createWallet")],
  // Any product's prefix, an old path, a key in the path, an escape, a batch.
  ["objects", "/wallet/v1", rpc("acme_wal_createWallet")],
  ["promise", "/gas/v1", rpc("gas_sponsorTransactionBlock")],
  ["promise", "/sui/gas/v1/key", rpc("gas_prepareTransactionBlock")],
  ["promise", "/sui/gas/v1", rpc("gas_prepareTransactionBlock").replace("gas_", "\\u0067as_")],
  ["objects", "/wallet/v1", `[${rpc("svc_key_createSession")}, ${rpc("svc_wal_importWallet")}]`],
  ["promise", "/wallet/v1", rpc("svc_wal_executeGaslessTransactionBlock")],
  // Written otherwise than it is routed.
  ["objects", "/aptos/wallet/%761", rpc("wal_createWalletOnChain")],
  ["objects", "/aptos/wallet/v1/%2e%2e", rpc("wal_createWalletOnChain")],
  ["objects", "/flows/%73ponsor", "{}"],
  ["objects", "/admin/v1/./projects", "{}"],
  ["objects", "//admin/v1/projects", "{}"],
  ["objects", "/admin\\v1/projects", "{}"],
  ["objects", "http://a/admin/v1/projects", "{}"],
  ["little", "/sui/gas/v1", rpc("gas_executeTransactionBlock")],
  ["little", "/sui/gas/v1", rpc("gas_getSponsoredTransactionBlockStatus")],
  // What a caller only writes about.
  ["little", "/sui/gas/v1", rpc("gas_getFund", ['"method":"gas_sponsorTransactionBlock"'])],
  ["little", "/sui/gas/v1", "not JSON"],
  ["promise", "/gs/v1/api/transaction/signAndSubmit", "{}"],
  ["little", "/gs/v1/api/transaction", "{}"],
  ["little", "/sui/gas/v2", rpc("gas_sponsorTransactionBlock")],
  ["little", "/admin/v1/funds/fund_1/withdraw", "{}"],
  ["little", "/admin/v1/keys/key_1/revoke", "{}"],
])("what stores %s is told by its path and method: %s %s", (stores, path, body) => {
  expect(storesOf({ method: "POST", path, body })).toBe(stores);
});

test("what is read stores little", () => {
  expect(storesOf({ method: "GET", path: "/admin/v1/projects", body: "" })).toBe("little");
});
