import { describe, expect, test } from "vitest";
import { readAbort } from "../../../shared/chain/aptos/vm-status.ts";
import { type Ending, endingNames, endingNumbers, endingOf, endings } from "../../../shared/fund/endings.ts";
import {
  archivedTrace,
  commandBits,
  commandKinds,
  commandsOf,
  firstTargets,
  NO_TRACE,
  shownEnding,
  type Trace,
  tracedExecution,
  traceOfArchived,
} from "../../../shared/fund/explain/trace.ts";
import { readNumbers, writeNumbers } from "../../../shared/fund/explain/varints.ts";
import { packUuid, unpackUuid } from "../../../shared/fund/packed.ts";
import { newRequestId, timeOfRequestId } from "../../../shared/http/request-id.ts";

const PACKAGE = `0x${"a".repeat(64)}`;
const ABORT = { package: PACKAGE, module: "shop", function: null, code: "7", constant: "ESOLD_OUT", command: null };
const TRACE: Trace = {
  requestId: "0199c2f0-1234-7abc-8def-0123456789ab",
  reserveEntry: 7,
  endEntry: 9,
  ending: "aborted",
  targets: [`${PACKAGE}::shop::buy`],
  commands: ["MoveCall", "TransferObjects"],
  endpoint: "node.example",
  checkpoint: 123_456_789,
  executedAtMs: 1_760_000_000_123,
  failure: null,
  abort: ABORT,
};

describe("what is stored of a sponsorship", () => {
  test("numbers read back in a few bytes, with what is behind them", () => {
    const numbers = [0, -1, 1, 63, 64, -1_000, 2 ** 32, 2 ** 51, null, 12];
    const rest = Uint8Array.of(0x80, 0, 255);
    const written = writeNumbers(numbers, rest);
    expect(readNumbers(written, numbers.length)).toEqual({ numbers, rest });
    expect(writeNumbers([5, null, null], new Uint8Array())).toHaveLength(1);
    expect(readNumbers(writeNumbers([5, null, null], new Uint8Array()), 3).numbers).toEqual([5, null, null]);
    expect(readNumbers(writeNumbers([null, null], rest), 2)).toEqual({ numbers: [null, null], rest });
  });

  test("a request id takes 16 bytes, and any other text stays", () => {
    const id = crypto.randomUUID();
    const packed = packUuid(id);
    expect(packed).toHaveLength(16);
    if (typeof packed === "string") throw new Error("it is not packed");
    expect(unpackUuid(Uint8Array.from(packed).buffer)).toBe(id);
    for (const other of ["request-1", id.toUpperCase(), `${id}0`])
      expect(unpackUuid(String(packUuid(other)))).toBe(other);
  });

  test("an archived record reads back, and one of an earlier build has no trace", () => {
    for (const trace of [TRACE, NO_TRACE, { ...TRACE, abort: null, failure: "Out of gas" }])
      expect(traceOfArchived(JSON.parse(JSON.stringify(archivedTrace(trace))))).toEqual(trace);
    expect(archivedTrace(undefined)).toEqual([]);
    expect(traceOfArchived([])).toBeUndefined();
  });

  test("every kind of command has a bit of its own", () => {
    expect(new Set(commandKinds.map((kind) => commandBits([kind]))).size).toBe(commandKinds.length);
    for (const kind of commandKinds) expect(commandsOf(commandBits([kind]))).toEqual([kind]);
    expect(commandsOf(commandBits(["Upgrade", "MoveCall"]))).toEqual(["MoveCall", "Upgrade"]);
  });

  test("a stranger's transaction stores few targets, and a node's reply few characters", () => {
    const many = Array.from({ length: 1_000 }, (_, index) => `${PACKAGE}::m::f${index}`);
    expect(firstTargets([...many.slice(0, 1), ...many])).toEqual(many.slice(0, 8));
    expect(firstTargets(Array.from({ length: 8 }, (_, index) => `${index}`.repeat(326))).join("").length).toBeLessThan(
      801,
    );
    expect(firstTargets(["x".repeat(5_000)])[0]).toHaveLength(400);
    const long = "x".repeat(100_000);
    const abort = { ...ABORT, package: long, module: long, function: long, constant: long };
    const shown = { endpoint: long, failure: long, checkpoint: 2n ** 64n - 1n, executedAtMs: 1.5 };
    expect(JSON.stringify(tracedExecution({ ...shown, abort })).length).toBeLessThan(1_000);
    expect(tracedExecution({ ...shown, abort: null })).toMatchObject({ checkpoint: null, executedAtMs: null });
    expect(JSON.stringify(tracedExecution({ ...shown, abort: null })).length).toBeLessThan(1_000);
  });
});

describe("how a sponsorship ended", () => {
  test("has one word and one number each, on both chains", () => {
    expect(new Set(endingNames.map((ending) => endingNumbers.numberOf(ending))).size).toBe(endingNames.length);
    expect(Object.keys(endings)).toEqual(endingNames);
  });

  test.each<[string | null, boolean, Ending]>([
    [null, false, "succeeded"],
    ["MoveAbort(…) in command 0", true, "aborted"],
    ["InsufficientGas", false, "out_of_gas"],
    ["InsufficientGas in command 1", false, "out_of_gas"],
    ["Out of gas", false, "out_of_gas"],
    ["Move abort in 0x1::a: EOUT_OF_GAS(0x1): Out of gas", false, "failed"],
    ["InsufficientCoinBalance in command 0", false, "failed"],
    ["", false, "failed"],
  ])("%j is worded by its failure", (failure, isAbort, ending) => expect(endingOf(failure, isAbort)).toBe(ending));

  test("is not shown while it is live", () => {
    const trace = { ...NO_TRACE, ending: "revoked" } as const;
    expect(["prepared", "signed", "expired"].map((state) => shownEnding({ trace, state }))).toEqual([null, null, null]);
    expect(shownEnding({ trace, state: "dead" })).toBe("revoked");
    expect(shownEnding({ state: "dead" })).toBeNull();
  });
});

test.each([
  [
    "Move abort in 0x1::coin: EINSUFFICIENT_BALANCE(0x10006): Not enough coins",
    "0x1",
    "coin",
    "65542",
    "EINSUFFICIENT_BALANCE",
  ],
  [`Move abort in ${PACKAGE}::shop: 0x7`, PACKAGE, "shop", "7", null],
  ["Move abort in 0xffff::m: E(0xffffffffffffffff): ", "0xffff", "m", "18446744073709551615", "E"],
])("an abort is read from %j", (vmStatus, address, module, code, constant) => {
  const packageId = `0x${address.slice(2).padStart(64, "0")}`;
  expect(readAbort(vmStatus)).toEqual({ package: packageId, module, function: null, code, constant, command: null });
});

test.each([
  "Executed successfully",
  "Out of gas",
  "Move abort: code 0x1",
  "Move abort in 0x1::coin: ",
  "Move abort in 0x1::coin: NAME(7): no code",
  " Move abort in 0x1::coin: 0x1",
  "Execution failed in 0x1::coin::transfer at code offset 3",
])("no abort is read from %j", (vmStatus) => expect(readAbort(vmStatus)).toBeNull());

test("a request id bears its time, and another id none", () => {
  const nowMs = Date.UTC(2026, 10, 23, 20, 30, 15, 123);
  const ids = Array.from({ length: 100 }, () => newRequestId(nowMs));
  expect(new Set(ids).size).toBe(100);
  for (const id of ids) {
    expect(id).toMatch(/^[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/);
    expect(timeOfRequestId(id)).toBe(nowMs);
  }
  expect([crypto.randomUUID(), "request-1", ""].map(timeOfRequestId)).toEqual([null, null, null]);
});
