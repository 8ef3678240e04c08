import { describe, expect, test } from "vitest";
import type { Fund } from "../../functions/dashboard/answers.ts";
import { type Places, receiverOf } from "../../functions/dashboard/fund/receiver.ts";
import { amountProblem } from "../../functions/dashboard/fund/withdraw.tsx";
import {
  isWholeAddress,
  ReviewPage,
  WithdrawnPage,
  withdrawalOfForm,
} from "../../functions/dashboard/fund/withdraw-page.tsx";
import { hiddenFields } from "../support/hidden-fields.ts";

const TO = `0x${"a".repeat(64)}`;
const withdrawal = { to: TO, amount: "1500000000", from: "available" } as const;
const receiver = { text: "It is new.", isKnown: false };
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
  maintenanceReserve: "10000000",
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
  const html = String(ReviewPage({ visit, fund: reviewed, withdrawal, receiver, problem: null }));
  return withdrawalOfForm(new URLSearchParams(hiddenFields(html, "/dashboard/funds/fund_1/withdraw")), now);
}

describe("the receiver of a withdrawal", () => {
  const row = (seq: number, action: string, detail: object) => ({
    seq,
    action,
    detail,
    at: "2026-11-20T10:00:00.000Z",
  });
  const none = { allowed: null, funds: [], rows: [] };
  const known = (places: Partial<Places>) => receiverOf(TO, "SUI_MAINNET", { ...none, ...places });

  test("is known as a fund's address on this network, as that of an earlier withdrawal, or by the configuration", () => {
    const own = { name: "game", network: "SUI_MAINNET", depositAddress: TO.toUpperCase().replace("X", "x") } as const;
    expect(known({ funds: [own] })).toMatchObject({ isKnown: true, text: expect.stringContaining("fund “game”") });
    expect(known({ funds: [{ ...own, network: "SUI_TESTNET" }] }).isKnown).toBe(false);
    const paid = row(1, "fund.withdraw", { to: TO, request: "a" });
    expect(known({ rows: [paid] })).toMatchObject({ isKnown: true, text: expect.stringContaining("2026-11-20") });
    expect(known({ allowed: [TO] })).toMatchObject({
      isKnown: true,
      text: expect.stringContaining("WITHDRAW_ADDRESSES"),
    });
  });

  test("is new if its withdrawals were refused, and unknown if a list does not answer", () => {
    const asked = row(1, "fund.withdraw", { to: TO, request: "a" });
    const refused = row(2, "fund.withdraw.refused", { to: TO, request: "a" });
    expect(known({ rows: [asked, refused] })).toMatchObject({ isKnown: false, text: expect.stringContaining("new") });
    const again = row(3, "fund.withdraw", { to: TO, request: "a" });
    expect(known({ rows: [again, asked, refused] }).isKnown).toBe(true);
    expect(known({ rows: null })).toEqual({ isKnown: false, text: expect.stringContaining("could not be compared") });
  });
});

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
    const html = String(ReviewPage({ visit, fund: recovered("unconfirmed"), withdrawal, receiver, problem: null }));
    const text = html.replaceAll(/<[^>]*>/g, "");
    expect(text).toContain(`OLD: 1.5 SUI to ${TO}`);
    expect(text).toContain("OLDER");
    expect(text).toContain("There may be other payments");
  });

  test("is reviewed with its gas, which is not left after it", () => {
    const html = String(ReviewPage({ visit, fund, withdrawal, receiver, problem: null }));
    const text = html.replaceAll(/<[^>]*>/g, "");
    expect(text).toContain("Gas, about0.005 SUI");
    expect(text).toContain("Left after it8.495 SUI");
  });

  test.each([
    ["pending", /settles it by itself/],
    ["complete", /was paid/],
    ["dead", /Nothing was paid/],
    ["failed", /Nothing was paid/],
    ["unresolvable", /No node shows if it was paid/],
  ])("that is %s is described by that outcome alone", (state, words) => {
    const html = String(WithdrawnPage({ fund, withdrawal, digest: "D", state }));
    expect(html).toMatch(words);
    expect(html).not.toContain("If it is failed or dead");
  });

  test("is shown with its address once it is sent", () => {
    const html = String(WithdrawnPage({ fund, withdrawal, digest: "D", state: "pending" }));
    expect(html).toContain(TO);
  });
});

test.each([
  ["all of it", "available", 10_000_000_000n, null],
  ["more than is available", "available", 10_000_000_001n, /at most 10 SUI.*A new deposit/],
  ["more than the fees", "fees", 8n, /at most 0\.000000007 SUI, which is all that can be sent now$/],
  ["nothing", "available", 0n, /must be an amount of SUI/],
  ["no amount", "available", null, /must be an amount of SUI/],
] as const)("%s is refused before it is sent, with the number that can be", (_, from, atoms, fault) => {
  const found = amountProblem({ ...fund, accruedFees: "7" }, from, atoms);
  if (fault === null) expect(found).toBeNull();
  else expect(found).toMatch(fault);
});

const SMALL = { ...fund, available: "81000000", maintenanceReserve: "0" };
test.each([
  ["all of it, without a reserve for the gas", SMALL, "available", 81_000_000n, /at most 0\.076 SUI/],
  ["all but the gas", SMALL, "available", 76_000_000n, null],
  [
    "less than the gas",
    { ...SMALL, available: "3000000" },
    "available",
    1n,
    /the gas, about 0\.005 SUI, would take all/,
  ],
  ["all of it beside fees that cover the gas", { ...SMALL, accruedFees: "5000000" }, "available", 81_000_000n, null],
  ["fees alone", { ...SMALL, available: "0", accruedFees: "6000000" }, "fees", 6_000_000n, /at most 0\.001 SUI/],
] as const)("the gas counts for %s", (_, of, from, atoms, fault) => {
  const found = amountProblem(of as Fund, from, atoms);
  if (fault === null) expect(found).toBeNull();
  else expect(found).toMatch(fault);
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
