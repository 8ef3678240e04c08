import { expect, test } from "vitest";
import type { Fund, Key, Spend } from "../../functions/dashboard/answers.ts";
import { KeysPage } from "../../functions/dashboard/keys/list-page.tsx";
import { NO_USE, useByKey } from "../../functions/dashboard/keys/use.ts";
import { seriesOf } from "../../functions/dashboard/overview/days.ts";
import { Spenders } from "../../functions/dashboard/overview/spenders.tsx";
import { spendResultSchema } from "../../functions/service/admin/funds/spend.ts";
import { spentOf } from "../../shared/fund/ledger/spend.ts";
import { sumOfSponsorship } from "../../shared/fund/lists/sums.ts";
import { defaultKeyPolicy } from "../../shared/policy/fund-policy-defaults.ts";
import { showPolicy } from "../../shared/policy/policy-schema.ts";

const NOW_MS = Date.UTC(2026, 10, 23, 12);
const KEY_ID = `key_${"a".repeat(20)}`;
const parts = { chargedAtoms: 1_000_000_000n, feeAtoms: 200_000_000n, maintenanceAtoms: 30_000_000n };
const spent = "1230000000";

/** Only the fields that these pages read. */
const fund = { id: "fund_1", projectId: "prj_1", name: "game", network: "SUI_MAINNET" } as unknown as Fund;
const key: Key = {
  id: KEY_ID,
  projectId: "prj_1",
  name: "app",
  network: "SUI_MAINNET",
  rights: ["gas"],
  fundId: "fund_1",
  limits: { qps: 1, cups: 1, sessionsPerSecond: 1 },
  policy: showPolicy(defaultKeyPolicy("sui")),
  status: "active",
  refusals: null,
  createdAt: "2026-11-22T00:00:00.000Z",
};
const row: Spend["items"][number] = {
  name: KEY_ID,
  sponsored: 3,
  executed: 2,
  failed: 0,
  abandoned: 1,
  unresolvable: 0,
  charged: String(parts.chargedAtoms),
  fees: String(parts.feeAtoms),
  rebate: "0",
  maintenance: String(parts.maintenanceAtoms),
  spent,
};

/** Returns the amounts of a page in base units. */
function amounts(markup: unknown): readonly string[] {
  return [...String(markup).matchAll(/(\d+) MIST/g)].map(([, atoms = ""]) => atoms);
}

test("what was spent is one sum for the API, the sums of sponsorships, the overview, its plot and the keys", () => {
  expect(spentOf(parts).toString()).toBe(spent);
  const whole = { ...parts, gasBudgetAtoms: 0n, rebateAtoms: 0n, state: "complete" };
  expect(sumOfSponsorship(whole as Parameters<typeof sumOfSponsorship>[0]).atoms.total).toBe(BigInt(spent));

  const spenders = Spenders({ spenders: [{ fund, keyId: KEY_ID, name: "app", project: "p", row }] });
  expect(new Set(amounts(spenders))).toEqual(new Set([spent]));

  const use = useByKey([row], []).get(KEY_ID) ?? NO_USE;
  const listed = { key, projectName: "p", fund, week: use, month: use };
  const all = { keys: [listed], projects: [], unreadable: [], isWhole: true };
  expect(new Set(amounts(KeysPage({ all, nowMs: NOW_MS, mayCreate: false })))).toEqual(new Set([spent]));

  const days = { since: null, by: "day", from: "", to: "", total: 1, nextCursor: null } as const;
  const byDay = spendResultSchema.parse({
    ...days,
    from: "2026-11-23",
    to: "2026-11-23",
    items: [{ ...row, name: "2026-11-23" }],
  });
  expect(seriesOf([{ fund, spend: byDay, refusals: null }], NOW_MS).spentSui.at(-1)).toBe(1.23);
});

test("each page that says spent says what is in it", () => {
  const said = /what the chain charged after its rebates, plus your fees, plus the gas of taking back/;
  expect(String(Spenders({ spenders: [] }))).toMatch(said);
  const use = { ...NO_USE, spentAtoms: 1n };
  const listed = { key, projectName: "p", fund, week: use, month: use };
  const all = { keys: [listed], projects: [], unreadable: [], isWhole: true };
  expect(String(KeysPage({ all, nowMs: NOW_MS, mayCreate: false }))).toMatch(said);
});
