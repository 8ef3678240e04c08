import { GrpcTypes } from "@mysten/sui/grpc";
import { expect, vi } from "vitest";
import { alteration, alterReplies, asChain, pruned } from "../../byzantine-node/altered-sui-node.ts";
import { leaveRoom } from "../../support/storage-budget.ts";
import { DRY_RUN, give, nextEpoch } from "../../support/sui-chain.ts";
import {
  BUDGET_MIST,
  executeOnChain,
  HOUR_MS,
  liveFor,
  MINUTE_MS,
  pass,
  refusalOf,
  SECOND_MS,
  SUI_MIST,
  sponsor,
  stub,
  type TestFund,
  withOurTime,
} from "../../support/sui-fund.ts";
import { type Cause, deposit, handOver, newListedFund, RESERVE_MIST } from "./cause.ts";

const LOW_MIST = 100_000_000n;
const LARGE_BUDGET_BYTES = 16_777_216;

const common = (fund: TestFund) => ({ fundId: fund.id, network: "SUI_LOCALNET" });

/** The events that a fund raises. */
export const FUND_CAUSES: readonly Cause[] = [
  {
    types: ["fund.low_balance", "fund.balance_recovered"],
    async happen(listen) {
      const [projectId, fund] = await newListedFund(LOW_MIST, LOW_MIST);
      await listen(projectId);
      await sponsor(fund, "in flight");
      for (let times = 0; times < 2; times++) await stub(fund).check();
      await deposit(fund, BUDGET_MIST + LOW_MIST / 10n);
      for (let times = 0; times < 2; times++) await stub(fund).check();
      await handOver(fund);
      const fields = { ...common(fund), lowBalance: `${LOW_MIST}` };
      return [
        { type: "fund.low_balance", data: { ...fields, available: `${LOW_MIST - BUDGET_MIST}` } },
        { type: "fund.balance_recovered", data: { ...fields, available: `${LOW_MIST + LOW_MIST / 10n}` } },
      ];
    },
  },
  {
    types: ["fund.deposit", "sponsorship.completed", "sponsorship.expired"],
    async happen(listen) {
      const [projectId, fund] = await newListedFund(SUI_MIST);
      await listen(projectId);
      await deposit(fund, 7n);
      const executed = await sponsor(fund, "executed");
      const abandoned = await sponsor(fund, "abandoned");
      await executeOnChain(executed);
      pass(HOUR_MS);
      await liveFor(fund, MINUTE_MS);
      const paid = { amount: "7", balance: `${RESERVE_MIST + SUI_MIST + 7n}` };
      return [
        { type: "fund.deposit", data: { ...common(fund), ...paid } },
        { type: "sponsorship.completed", data: { ...common(fund), digest: executed.digest, fee: "0" } },
        { type: "sponsorship.expired", data: { ...common(fund), digest: abandoned.digest } },
      ];
    },
  },
  {
    types: ["fund.storage_high", "fund.storage_recovered"],
    async happen(listen) {
      const [projectId, fund] = await newListedFund(SUI_MIST);
      await listen(projectId);
      await leaveRoom(fund, 0);
      for (let times = 0; times < 2; times++) await stub(fund).check();
      await stub(fund).update({ limits: { fundBytes: LARGE_BUDGET_BYTES } });
      for (let times = 0; times < 2; times++) await stub(fund).check();
      await handOver(fund);
      return [
        { type: "fund.storage_high", data: { ...common(fund), usedBytes: expect.any(Number) } },
        { type: "fund.storage_recovered", data: { ...common(fund), budgetBytes: LARGE_BUDGET_BYTES } },
      ];
    },
  },
  {
    types: ["fund.paused"],
    async happen(listen) {
      const [projectId, fund] = await newListedFund(SUI_MIST);
      await listen(projectId);
      const log = vi.spyOn(console, "log");
      pass(6 * MINUTE_MS);
      await refusalOf(fund, "a second look at its own chain");
      alterReplies(...asChain("1".repeat(32)));
      pass(6 * MINUTE_MS);
      expect(await refusalOf(fund, "one reply")).toBe("node_unavailable");
      pass(3 * SECOND_MS);
      for (let time = 0; time < 3; time++) {
        expect(await refusalOf(fund, `number ${time}`)).toBe("fund_paused");
        pass(SECOND_MS);
      }
      alterReplies(withOurTime);
      await handOver(fund);
      expect(log.mock.calls.filter(([line]) => String(line).includes("fund.chain_reset"))).toHaveLength(1);
      return [{ type: "fund.paused", data: { ...common(fund), cause: "chain_reset" } }];
    },
  },
  {
    types: ["fund.unresolvable"],
    async happen(listen) {
      const [projectId, fund] = await newListedFund(SUI_MIST);
      await listen(projectId);
      const lost = await sponsor(fund, "lost");
      await executeOnChain(lost);
      for (let epochs = 0; epochs < 2; epochs++) await nextEpoch();
      pass(2 * HOUR_MS);
      alterReplies(withOurTime, ...pruned());
      for (let orders = 0; orders < 4; orders++) {
        await stub(fund).forceClose(lost.digest);
        pass(6 * MINUTE_MS);
      }
      await handOver(fund);
      return [{ type: "fund.unresolvable", data: { ...common(fund), digest: lost.digest } }];
    },
  },
  {
    types: ["fund.conversion_refused"],
    async happen(listen) {
      const [projectId, fund] = await newListedFund(SUI_MIST);
      await listen(projectId);
      const refusal = alteration(DRY_RUN, GrpcTypes.SimulateTransactionResponse, ({ transaction }) => {
        const status = transaction?.effects?.status;
        if (status === undefined) return;
        status.success = false;
        status.error = GrpcTypes.ExecutionError.create({ description: "no rule allows it" });
      });
      alterReplies(withOurTime, refusal);
      await give(fund.address, SUI_MIST);
      for (let times = 0; times < 5; times++) await stub(fund).refresh();
      await handOver(fund);
      const cause = "the treasury transaction would fail: no rule allows it";
      return [{ type: "fund.conversion_refused", data: { ...common(fund), unconverted: `${SUI_MIST}`, cause } }];
    },
  },
];
