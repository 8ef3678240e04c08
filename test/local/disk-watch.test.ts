import { expect, test } from "vitest";
import { type DiskState, isRefusedOn, nextDiskState } from "./disk-watch.ts";

const LIMITS = { lowBytes: 200, fullBytes: 30, reserveBytes: 60 };

test.each<[DiskState, number, DiskState]>([
  ["ok", 200, "ok"],
  ["ok", 199, "low"],
  ["ok", 29, "full"],
  ["low", 259, "low"],
  ["low", 260, "ok"],
  ["low", 29, "full"],
  // What was given up is room, and does not end the state.
  ["full", 89, "full"],
  ["full", 259, "full"],
  ["full", 260, "ok"],
])("a disk that was %s and has %i left is %s", (before, freeBytes, after) => {
  expect(nextDiskState(before, freeBytes, LIMITS)).toBe(after);
});

const rpc = (method: string) => JSON.stringify({ jsonrpc: "2.0", id: 1, method, params: [] });

test.each<[string, string, DiskState | null]>([
  ["POST", "/admin/v1/projects", "low"],
  ["POST", "/admin/v1/projects/prj_1/funds", "low"],
  ["POST", rpc("wal_createWalletOnChain"), "low"],
  ["POST", rpc("svc_wal_createWallet"), "low"],
  ["POST", `[${rpc("gas_getFund")}, ${rpc("svc_wal_importWallet")}]`, "low"],
  ["POST", rpc("gas_sponsorTransactionBlock"), "full"],
  ["POST", rpc("gas_prepareTransactionBlock"), "full"],
  ["POST", rpc("svc_wal_executeGaslessTransactionBlock"), "full"],
  ["POST", "/flows/sponsor-and-execute", "full"],
  ["POST", rpc("gas_executeTransactionBlock"), null],
  ["POST", rpc("gas_getSponsoredTransactionBlockStatus"), null],
  ["POST", "/admin/v1/funds/fund_1/withdraw", null],
  ["POST", "/admin/v1/keys/key_1/revoke", null],
  ["GET", "/admin/v1/projects", null],
])("%s %s is refused from the state %s on", (method, text, from) => {
  const states: readonly DiskState[] = ["ok", "low", "full"];
  const refused = states.filter((state) => isRefusedOn(state, method, text));
  expect(refused).toEqual(from === null ? [] : states.slice(states.indexOf(from)));
});
