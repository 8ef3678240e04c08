import { Transaction } from "@mysten/sui/transactions";
import { toBase64 } from "@mysten/sui/utils";
import { afterEach, beforeAll, describe, expect } from "vitest";
import { admin, sui } from "../../harness/harness.ts";
import { clearFaults, orderFault, SIMULATE } from "../../support/chain-control.ts";
import { longTest, shortCases, shortTest } from "../../support/rounds.ts";
import {
  BUDGET,
  BUDGET_MIST,
  COIN_MIST,
  expectNothingHeld,
  fundWithKey,
  getFund,
  newUser,
  refused,
  sponsor,
  sponsorshipRows,
} from "../../support/sui-gas.ts";
import { incrementKind, mintKind, pureInput, rawKind, transferKind } from "../../support/sui-transactions.ts";

const SPONSOR = "gas_sponsorTransactionBlock";
const PREPARE = "gas_prepareTransactionBlock";
const sender = newUser().toSuiAddress();

let fund: Awaited<ReturnType<typeof fundWithKey>>;
let mint: string;
beforeAll(async () => {
  fund = await fundWithKey();
  mint = toBase64(await mintKind());
});
afterEach(() => expectNothingHeld(fund));
afterEach(clearFaults);

/** Both methods that lend refuse it alike. The whole error object, but for the details. */
async function expectRefused(params: readonly unknown[], reason: string, details: string | RegExp, more: object = {}) {
  for (const method of [SPONSOR, PREPARE]) {
    const error = await refused(fund.key, method, params);
    expect(error).toEqual({
      code: -32602,
      message: "Invalid params",
      data: { reason, details: expect.stringMatching(details), ...more },
    });
  }
}

shortTest("the fund itself is refused as sender, however its address is written", async () => {
  for (const address of [fund.depositAddress, fund.depositAddress.replace(/[a-f]/g, (digit) => digit.toUpperCase())])
    await expectRefused([mint, address, BUDGET], "sender_is_fund", /the fund itself/);
});

describe("what is no programmable transaction kind of a size that fits is unsupported", () => {
  const systemTransaction = Uint8Array.of(1, ...new Uint8Array(64));

  shortCases.each([
    ["garbage", Uint8Array.of(255, 254, 253)],
    ["a kind that is cut off", rawKind([]).slice(0, -1)],
    ["a system transaction", systemTransaction],
  ])("%s", async (_what, bytes) => {
    await expectRefused([toBase64(bytes), sender, BUDGET], "unsupported_transaction", /programmable transaction kind/);
  });

  shortTest("a kind that is too long only with its gas data around it", async () => {
    const kind = rawKind([], [pureInput(new Uint8Array(130_950))]);
    expect(kind.length).toBeLessThan(131_072);
    await expectRefused([toBase64(kind), sender, BUDGET], "unsupported_transaction", /exceeds 131072 bytes/);
  });
});

shortTest("a gas price below the reference price or above five times it is refused", async () => {
  for (const price of ["999", 0, "5001", "18446744073709551615"])
    await expectRefused([mint, sender, BUDGET, price], "gas_price_out_of_range", /1000 and 5 times/, {
      referenceGasPrice: "1000",
    });
});

longTest("a gas budget that no validator accepts is refused", async () => {
  for (const budget of ["999999", 0, "50000000000001"])
    await expectRefused([mint, sender, budget], "gas_budget_out_of_range", /between 1000000 and 50000000000000 MIST/);
  // The least budget grows with the price.
  await expectRefused([mint, sender, "1999999", "2000"], "gas_budget_out_of_range", /between 2000000/);
});

describe("without a budget an invalid transaction is refused with the errors of a direct dry run", () => {
  async function dryRun(kind: Uint8Array) {
    const transaction = Transaction.fromKind(kind);
    transaction.setSender(sender);
    transaction.setGasOwner(fund.depositAddress);
    transaction.setGasPayment([]);
    transaction.setGasPrice(1_000);
    transaction.setGasBudget(50_000_000_000);
    transaction.setExpiration({ None: true });
    const bytes = await transaction.build();
    return sui.transactionExecutionService.simulateTransaction({
      transaction: { bcs: { value: bytes } },
      doGasSelection: false,
      readMask: { paths: ["transaction.effects.status"] },
    });
  }

  shortTest("one that aborts", async () => {
    const kind = await incrementKind(0n);
    const { error } = (await dryRun(kind)).response.transaction?.effects?.status ?? {};
    const details = error?.errorDetails.oneofKind === "abort" ? error.errorDetails.abort : {};
    const { package: id = "", module, functionName, function: index, instruction } = details.location ?? {};
    const abort = { package: id, module, function: functionName, abortCode: "1", command: Number(error?.command) };
    const place = `ModuleId { address: ${id.slice(2)}, name: Identifier("${module}") }`;
    const name = `function: ${index}, instruction: ${instruction}, function_name: Some("${functionName}")`;
    const text = `MoveAbort(MoveLocation { module: ${place}, ${name} }, 1) in command ${error?.command}`;
    for (const method of [SPONSOR, PREPARE]) {
      const { code, message, data } = await refused(fund.key, method, [toBase64(kind), sender]);
      expect({ code, message, reason: data.reason }).toEqual({
        code: -32602,
        message: "Invalid params",
        reason: "dry_run_failed",
      });
      expect(data).toMatchObject({ details: text, node: { status: "failure", text }, abort });
    }
  });

  shortTest("one whose object does not exist", async () => {
    const objectId = `0x${"ab".repeat(32)}`;
    const kind = await transferKind({ objectId, version: "7", digest: "11111111111111111111111111111111" }, sender);
    const fault = await dryRun(kind).then(
      () => ({ message: "" }),
      (error: Error) => ({ message: error.message }),
    );
    expect(fault.message).toContain(objectId);
    for (const method of [SPONSOR, PREPARE]) {
      const { data } = await refused(fund.key, method, [toBase64(kind), sender]);
      expect(data).toEqual({
        reason: "dry_run_failed",
        details: fault.message,
        node: { status: "INTERNAL", text: fault.message },
      });
    }
  });
});

longTest("a paused fund sponsors nothing, and sponsors again once it is resumed", async () => {
  const paused = await fundWithKey();
  await admin("PATCH", `/funds/${paused.fundId}`, { paused: true });
  for (const method of [SPONSOR, PREPARE])
    expect(await refused(paused.key, method, [mint, sender, BUDGET])).toEqual({
      code: -32602,
      message: "Invalid params",
      data: {
        reason: "fund_paused",
        details: "the fund is paused: operator; the operator has to resume it",
        cause: "operator",
      },
    });
  await expectNothingHeld(paused);
  await admin("PATCH", `/funds/${paused.fundId}`, { paused: false });
  await sponsor(paused.key, await mintKind(), sender, BUDGET);
});

shortTest("a budget above what the fund has available is -2, and says how much there is", async () => {
  const error = { code: -2, message: "Fund balance too low" };
  for (const method of [SPONSOR, PREPARE])
    expect(await refused(fund.key, method, [mint, sender, (COIN_MIST + 1n).toString()])).toEqual({
      ...error,
      data: { reason: "balance_too_low", details: expect.stringContaining(`${COIN_MIST} MIST available`) },
    });
});

longTest("what is withheld is not available: the balance alone does not cover a budget", async () => {
  const lending = await fundWithKey();
  const mostMist = COIN_MIST - 2_000_000n;
  await sponsor(lending.key, await mintKind(), sender, mostMist.toString());
  expect(await refused(lending.key, SPONSOR, [mint, sender, BUDGET])).toMatchObject({
    code: -2,
    data: { reason: "balance_too_low", details: expect.stringContaining("2000000 MIST available") },
  });
  expect((await getFund(lending.key)).inFlight).toBe(mostMist);
  expect(await sponsorshipRows(lending.fundId)).toHaveLength(1);
});

longTest("when every coin is lent, a call waits five seconds for one before it is -1", async () => {
  const lending = await fundWithKey();
  await sponsor(lending.key, await mintKind(), sender, BUDGET);
  const startedAt = performance.now();
  const [first, second] = await Promise.all([
    refused(lending.key, SPONSOR, [mint, newUser().toSuiAddress(), BUDGET]),
    refused(lending.key, PREPARE, [mint, newUser().toSuiAddress(), BUDGET]),
  ]);
  const waitedMs = performance.now() - startedAt;
  expect(first).toEqual({
    code: -1,
    message: "No gas object available",
    data: { reason: "no_gas_object", details: expect.stringContaining("retry") },
  });
  expect(second).toEqual(first);
  expect(waitedMs).toBeGreaterThan(4_900);
  expect((await getFund(lending.key)).inFlight).toBe(BUDGET_MIST);
  expect(await sponsorshipRows(lending.fundId)).toHaveLength(1);
});

longTest(
  "without a budget a node that does not answer makes the call -32016, and with one it is not asked",
  async () => {
    const independent = await fundWithKey(2);
    await orderFault(SIMULATE, "unavailable", 1_000);
    for (const method of [SPONSOR, PREPARE])
      expect(await refused(independent.key, method, [mint, sender])).toEqual({
        code: -32016,
        message: "Temporarily unavailable",
        data: { reason: "node_unavailable", details: expect.stringContaining("no Sui node answered") },
      });
    await expectNothingHeld(independent);
    await sponsor(independent.key, await mintKind(), sender, BUDGET);
  },
);
