import { describe, expect, test } from "vitest";
import type { Fund } from "../../functions/dashboard/answers.ts";
import {
  isWholeAddress,
  ReviewPage,
  WithdrawnPage,
  withdrawalOfForm,
} from "../../functions/dashboard/fund/withdraw-page.tsx";
import { hiddenFields } from "../support/hidden-fields.ts";

const TO = `0x${"a".repeat(64)}`;
const withdrawal = { to: TO, amount: "1500000000", from: "available" } as const;
const visit = { csrf: "c", form: new URLSearchParams(), newKey: () => "once" };
const STARTED_AT = "2026-11-23T10:00:00.000Z";

/** Only the fields that the pages of a withdrawal read. */
const fund = {
  id: "fund_1",
  name: "game",
  network: "SUI_MAINNET",
  mode: "coin",
  available: "10000000000",
  accruedFees: "0",
  runwayDays: null,
  recovery: null,
} as unknown as Fund;

function recovered(withdrawals: "unconfirmed" | "confirmed", startedAt = STARTED_AT): Fund {
  const forgotten = {
    forgottenPayments: ["OLD", "OLDER"],
    forgottenTransactions: [{ digest: "OLD", amount: "1500000000", to: TO }],
    forgottenComplete: false,
  };
  return { ...fund, recovery: { withdrawals, startedAt, ...forgotten } as unknown as Fund["recovery"] };
}

/** Sends the form of a review, to a fund that may have been recovered since. */
function sent(reviewed: Fund, now: Fund) {
  const html = String(ReviewPage({ visit, fund: reviewed, withdrawal, problem: null }));
  return withdrawalOfForm(new URLSearchParams(hiddenFields(html, "/dashboard/funds/fund_1/withdraw")), now);
}

describe("a withdrawal", () => {
  test("is confirmed only by a review that has shown the payments forgotten by this very recovery", () => {
    const unconfirmed = recovered("unconfirmed");
    expect(sent(fund, fund)).toEqual(withdrawal);
    expect(sent(fund, unconfirmed)).toEqual(withdrawal);
    expect(sent(recovered("confirmed"), unconfirmed)).toEqual(withdrawal);
    expect(sent(unconfirmed, recovered("unconfirmed", "2026-11-23T11:00:00.000Z"))).toEqual(withdrawal);
    const confirm = { to: TO, amount: "1500000000" };
    expect(sent(unconfirmed, unconfirmed)).toEqual({ ...withdrawal, confirm });
  });

  test("is reviewed beside every payment that a recovery has forgotten", () => {
    const html = String(ReviewPage({ visit, fund: recovered("unconfirmed"), withdrawal, problem: null }));
    const text = html.replaceAll(/<[^>]*>/g, "");
    expect(text).toContain(`OLD: 1.5 SUI to ${TO}`);
    expect(text).toContain("OLDER");
    expect(text).toContain("There may be other payments");
  });

  test("is shown with its address once it is sent", () => {
    const html = String(WithdrawnPage({ fund, withdrawal, digest: "D", state: "pending" }));
    expect(html).toContain(TO);
  });
});

test.each([
  ["sui", TO, true],
  ["sui", TO.slice(0, -1), false],
  ["sui", "0x2", false],
  ["aptos", TO, true],
  ["aptos", "0xa", true],
  ["aptos", TO.slice(0, -1), false],
] as const)("on %s the address %s is whole: %s", (chain, text, isWhole) => {
  expect(isWholeAddress(chain, text)).toBe(isWhole);
});
