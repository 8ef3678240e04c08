import { expect, test } from "vitest";
import { withdrawals } from "../../../functions/service/admin/transactions/withdrawals.ts";

const row = (action: string, atMs: number, detail: object = { outstanding: true }, target = "fund_1") => ({
  action,
  target,
  atMs,
  detailJson: JSON.stringify(detail),
});

test("only a revocation that withdraws signatures and was not refused counts", () => {
  const changes = [
    row("fund.revoke.refused", 60, { detail: "no" }),
    row("key.revoke", 55, { outstanding: true }, "key_1"),
    row("fund.revoke", 50),
    row("fund.revoke", 40),
    row("fund.revoke", 30, { outstanding: false }),
    row("key.revoke", 20, { outstanding: false }, "key_1"),
    row("webhook.revoke", 10),
  ];
  expect(withdrawals(changes).map(({ atMs }) => atMs)).toEqual([55, 40]);
});
