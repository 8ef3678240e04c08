import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { Amount } from "../../functions/dashboard/parts/amount.tsx";
import { amountText, atomsOfText } from "../../functions/dashboard/parts/amount-text.ts";
import { Explained } from "../../functions/dashboard/parts/explanation.tsx";
import { faultWords, formFault } from "../../functions/dashboard/parts/fault-words.ts";
import { Id, Targets } from "../../functions/dashboard/parts/id.tsx";
import { Plot, plotSentence } from "../../functions/dashboard/parts/plot.tsx";
import { niceTop, plotGeometry } from "../../functions/dashboard/parts/plot-geometry.ts";
import { PolicyInWords } from "../../functions/dashboard/parts/policy.tsx";
import { QrCode } from "../../functions/dashboard/parts/qr.tsx";
import { Ago, AgoAt } from "../../functions/dashboard/parts/time.tsx";
import {
  emptyOn,
  lastsText,
  noEstimateText,
  relativeText,
  runwayText,
} from "../../functions/dashboard/parts/time-text.ts";
import { secretsVerdict } from "../../functions/dashboard/settings/page.tsx";
import { faucetCall } from "../../functions/dashboard/start/example.ts";
import { COINS, formatCoin } from "../../shared/coin-text.ts";
import { NO_SUBJECT } from "../../shared/fund/explain/words/explanation.ts";
import { shortened } from "../../shared/fund/explain/words/readable.ts";
import { defaultKeyPolicy } from "../../shared/policy/fund-policy-defaults.ts";
import { showPolicy } from "../../shared/policy/policy-schema.ts";

const HOSTILE = `"><script>alert(1)</script><img src=x onerror='alert(1)'>`;
const NOW_MS = Date.parse("2026-11-22T14:05:00Z");
const DAY_MS = 86_400_000;

/** Markup that a browser would read as an element or attribute of the hostile text. */
const LIVE = /<script|<img|onerror='/i;

test.each([
  ["2026-11-22T01:22:00Z", "An estimate shows from 23 Nov 01:22 UTC, if the fund has spent something."],
  ["2026-11-20T01:22:00Z", "An estimate shows once the fund has spent something in a week."],
])("a fund made at %s says from when on an estimate shows", (createdAt, text) => {
  expect(noEstimateText(createdAt, NOW_MS)).toBe(text);
});

test.each([
  ["SUI_LOCALNET", "http://127.0.0.1:8788/sui", /^curl -s http:\/\/127\.0\.0\.1:8788\/faucet .*"amount":"100000000"/s],
  ["APTOS_LOCALNET", "http://127.0.0.1:8788/aptos/v1", /"amount":"10000000"/],
  ["SUI_LOCALNET", "http://127.0.0.1:9000", null],
  ["SUI_LOCALNET", undefined, null],
  ["SUI_TESTNET", "http://127.0.0.1:8788/sui", null],
] as const)("the faucet of %s at %s is offered if it is a development chain's", (network, node, call) => {
  const found = faucetCall(network, node, "0x1");
  if (call === null) expect(found).toBeNull();
  else expect(found).toMatch(call);
});

test("the time line names a key, and an unknown subject has no panel", () => {
  const keyId = `key_${"a".repeat(20)}`;
  const step = { at: "2026-11-22T14:05:00Z", title: "Asked", text: `Key ${shortened(keyId)} asked.`, tone: "ok" };
  const explanation = { tone: "ok", status: "Known", sentence: "It is.", advice: null, steps: [step], costs: [] };
  const shown = { ...explanation, subject: NO_SUBJECT } as unknown as Parameters<typeof Explained>[0]["explanation"];
  const html = String(Explained({ explanation: shown, names: new Map([[keyId, "game back end"]]) }));
  expect(html).toContain("Key game back end asked.");
  expect(html).not.toContain("What it was");
});

describe("older master keys", () => {
  const checks = (...versions: number[]) =>
    versions.map((version) => ({ secret: "MASTER_KEYS" as const, version, value: "v" }));
  const none = { remaining: 0, failing: 0, wrong: [], undecided: [], unopenable: 0 };
  test.each([
    [1, checks(1), false],
    [2, checks(1, 2), true],
  ])("under version %s they can go only if there is one", (current, known, isTold) => {
    expect(secretsVerdict({ ...none, current, checks: known }).text.includes("remove older versions")).toBe(isTold);
  });
});

test("only Aptos has a rule for orderless transactions", () => {
  const shown = (chain: "sui" | "aptos") =>
    String(PolicyInWords({ policy: showPolicy(defaultKeyPolicy(chain)), owner: { kind: "key", chain } }));
  expect(shown("sui")).not.toContain("orderless");
  expect(shown("aptos")).toContain("orderless");
});

describe("an amount", () => {
  test.each([
    ["sui", 0n, "0 SUI"],
    ["sui", 1n, "0.000000001 SUI"],
    ["sui", 2_100_000n, "0.0021 SUI"],
    ["sui", 1_997_880n, "0.002 SUI"],
    ["sui", 41_200_000_000n, "41.2 SUI"],
    ["sui", 1_234_567_891_234_567n, "1,234,567.8912 SUI"],
    ["sui", 999_999_999_999n, "1,000 SUI"],
    ["sui", 18_446_744_073_709_551_615n, "18,446,744,073.7096 SUI"],
    ["sui", -2_100_000n, "−0.0021 SUI"],
    ["aptos", 100_000_000n, "1 APT"],
    ["aptos", 12_345n, "0.000123 APT"],
  ] as const)("on %s of %s base units is shown as %s", (chain, atoms, shown) => {
    expect(amountText(chain, atoms).shown).toBe(shown);
  });

  test("is shown with an error of at most a hundredth, and never as zero", () => {
    fc.assert(
      fc.property(fc.constantFrom("sui", "aptos"), fc.bigInt({ min: 1n, max: 2n ** 64n - 1n }), (chain, atoms) => {
        const { shown, isExact } = amountText(chain, atoms);
        const read = atomsOfText(chain, (shown.split(" ")[0] ?? "").replaceAll(",", "")) ?? -1n;
        const error = read > atoms ? read - atoms : atoms - read;
        expect(read).toBeGreaterThan(0n);
        expect(error * 100n).toBeLessThanOrEqual(atoms);
        expect(isExact).toBe(error === 0n);
      }),
    );
  });

  test("that a person has typed is read exactly, or not at all", () => {
    fc.assert(
      fc.property(fc.constantFrom("sui", "aptos"), fc.bigInt({ min: 0n, max: 2n ** 64n - 1n }), (chain, atoms) => {
        expect(atomsOfText(chain, formatCoin(chain, atoms).replace(` ${COINS[chain].coin}`, ""))).toBe(atoms);
      }),
    );
    for (const text of ["", "-1", "1e3", "0x1", "1.0000000001", ".5", "1.", "NaN", "0,5", "1,234", "1,234.5"])
      expect(atomsOfText("sui", text)).toBeNull();
  });

  test("carries its exact base units, to be seen and copied", () => {
    const markup = String(Amount({ chain: "sui", atoms: "1997880" }));
    expect(markup).toBe(
      '<data class="amount" value="1997880" title="1997880 MIST" data-copy="1997880">0.002 SUI</data>',
    );
  });
});

describe("a time", () => {
  test.each([
    [0, "now"],
    [-1_000, "1 second ago"],
    [-90_000, "1 minute ago"],
    [-3 * DAY_MS, "3 days ago"],
    [2 * 3_600_000, "in 2 hours"],
    [-800 * DAY_MS, "2 years ago"],
    [90 * DAY_MS - 1_000, "in 89 days"],
  ])("%i ms from now is %s", (span, text) => {
    expect(relativeText(NOW_MS + span, NOW_MS)).toBe(text);
  });

  test("is shown with its instant in UTC", () => {
    expect(String(Ago({ at: "2026-11-22T14:04:00.000Z", nowMs: NOW_MS }))).toBe(
      '<time datetime="2026-11-22T14:04:00.000Z" title="2026-11-22 14:04:00 UTC">1 minute ago</time>',
    );
    // A phone shows no title.
    expect(String(AgoAt({ at: "2026-11-22T14:04:00.000Z", nowMs: NOW_MS }))).toBe(
      '<time datetime="2026-11-22T14:04:00.000Z">1 minute ago <span class="nowrap">2026-11-22 14:04:00 UTC</span></time>',
    );
  });

  test("a runway is days, and names the day on which the fund is empty", () => {
    expect([null, 0.4, 1.9, 4.2, 400].map(runwayText)).toEqual([
      "not known yet",
      "less than a day",
      "1 day",
      "4 days",
      "over a year",
    ]);
    const createdAt = new Date(NOW_MS - DAY_MS).toISOString();
    expect([null, 4.2, 400].map((runwayDays) => lastsText({ runwayDays, createdAt }, NOW_MS))).toEqual([
      "An estimate shows once the fund has spent something in a week.",
      "Empty on Thursday, 26 November at this week's rate: 4 days.",
      "It lasts over a year at this week's rate.",
    ]);
    expect(emptyOn(4.2, NOW_MS)).toBe("Thursday, 26 November");
    expect([null, 400].map((days) => emptyOn(days, NOW_MS))).toEqual([null, null]);
  });
});

describe("a plot", () => {
  const days = ["2026-11-20", "2026-11-21", "2026-11-22"];
  const series = [
    { name: "executed", values: [10, 20, 5] },
    { name: "failed", values: [0, 1, 0] },
  ];
  const format = (value: number) => String(Math.round(value));
  const empty = "Nothing was sponsored";

  test("its bars are stacked, within the drawing, and as high as their values", () => {
    const { bars, width, height } = plotGeometry(3, series);
    expect(bars.map(({ day, series: index }) => [day, index])).toEqual([
      [0, 0],
      [1, 0],
      [1, 1],
      [2, 0],
    ]);
    for (const bar of bars) {
      expect(bar.x).toBeGreaterThanOrEqual(0);
      expect(bar.x + bar.width).toBeLessThanOrEqual(width);
      expect(bar.y).toBeGreaterThanOrEqual(0);
      expect(bar.y + bar.height).toBeLessThanOrEqual(height);
    }
    const [ten, twenty, one] = bars;
    expect((twenty?.height ?? 0) / (ten?.height ?? 1)).toBeCloseTo(2, 1);
    expect((one?.y ?? 0) + (one?.height ?? 0)).toBeCloseTo(twenty?.y ?? 0, 0);
  });

  test("its axis ends above the highest sum, and not far above", () => {
    fc.assert(
      fc.property(fc.double({ min: 1e-9, max: 1e18, noNaN: true }), (value) => {
        expect(niceTop(value)).toBeGreaterThanOrEqual(value * 0.999);
        expect(niceTop(value)).toBeLessThanOrEqual(value * 2);
      }),
    );
  });

  test("the labels of its axis are round, and whole for whole numbers", () => {
    const labelsOf = (...values: readonly number[]) =>
      plotGeometry(values.length, [{ name: "a", values }]).grid.map(({ value }) => Number(value.toPrecision(12)));
    expect(labelsOf(1)).toEqual([0, 1, 2, 3]);
    expect(labelsOf(7, 4)).toEqual([0, 3, 6, 9]);
    expect(labelsOf(0.00463)).toEqual([0, 0.002, 0.004, 0.006]);
  });

  test("a plot of nothing is its sentence alone", () => {
    const markup = String(Plot({ title: "Spent", days, series: [{ name: "a", values: [0, 0, 0] }], format, empty }));
    expect(markup).toContain("Nothing was sponsored from 20 Nov to 22 Nov.");
    expect(markup).not.toMatch(/<svg|<table/);
  });

  test("a sentence says the same in words", () => {
    expect(plotSentence({ days, series, format, empty })).toBe(
      "20 Nov to 22 Nov: 35 executed, 1 failed. The highest day is 21 Nov with 21; the last day has 5.",
    );
    expect(plotSentence({ days, series: [{ name: "executed", values: [0, 0, 0] }], format, empty })).toBe(
      "Nothing was sponsored from 20 Nov to 22 Nov.",
    );
  });

  test("its markup has a label and a table of all values, and neither a style nor a script", () => {
    const markup = String(Plot({ title: "Sponsorships", days, series, format, empty }));
    expect(markup).toContain('role="img" aria-label="Sponsorships. 20 Nov to 22 Nov: 35 executed');
    expect(markup).toMatch(/<th scope="row">2026-11-21<\/th><td class="n">20<\/td><td class="n">1<\/td>/);
    expect(markup).toContain("<title>21 Nov: 20 executed, 1 failed</title>");
    expect(markup).not.toMatch(/style=|<style|<script| on[a-z]+=/i);
  });

  test("no day, and days without a value, are drawn", () => {
    expect(plotGeometry(0, []).bars).toEqual([]);
    expect(plotGeometry(3, [{ name: "a", values: [] }]).bars).toEqual([]);
  });
});

test("a field says in words what a schema says of it", () => {
  expect(faultWords("Invalid input: expected number, received string")).toBe("must be a number");
  expect(faultWords("Too big: expected string to have <=100 characters")).toBe("must have at most 100 characters");
  expect(faultWords("Too small: expected number to be >=1")).toBe("must be at least 1");
  expect(faultWords("must be a u64 as a decimal string")).toBe("must be an amount in coins, such as 0.5");
  expect(faultWords("must begin with https://")).toBe("must begin with https://");
  expect(formFault("the body has invalid fields: see errors")).toBe("Nothing is saved. Mend the fields below");
});

test("the QR code of an address is one small drawing without a style", () => {
  const markup = String(QrCode({ text: `0x${"ab".repeat(32)}`, label: "Deposit address" }));
  expect(markup).toMatch(/^<svg class="qr" viewBox="0 0 (\d+) \1" role="img" aria-label="Deposit address"/);
  expect(markup).not.toMatch(/style=/);
  expect(markup.length).toBeLessThan(12_000);
});

test("a policy is read rule by rule", () => {
  const policy = showPolicy(defaultKeyPolicy("sui"));
  const markup = String(PolicyInWords({ policy, owner: { chain: "sui", kind: "key" } }));
  const fields = Object.keys(policy).filter((field) => field !== "orderless");
  expect(markup.match(/<li/g)).toHaveLength(fields.length);
  expect(markup).toContain("At most 1000 sponsorships are open at once, over this key.");
});

describe("a hostile text is inert in", () => {
  const subject = { ...NO_SUBJECT, digest: HOSTILE, sender: HOSTILE, network: HOSTILE, targets: [HOSTILE] };
  const explanation = {
    tone: "bad",
    status: HOSTILE,
    sentence: HOSTILE,
    advice: HOSTILE,
    steps: [{ at: HOSTILE, title: HOSTILE, text: HOSTILE, tone: "bad" }],
    costs: [{ label: HOSTILE, atoms: null, note: HOSTILE }],
    subject,
  } as const;
  const policy = { ...showPolicy(defaultKeyPolicy("sui")), senders: { allow: [HOSTILE], deny: [HOSTILE] } };
  test.each([
    ["an id", () => Id({ text: HOSTILE })],
    ["a target", () => Targets({ targets: [HOSTILE] })],
    ["a time", () => Ago({ at: HOSTILE, nowMs: NOW_MS })],
    ["an explanation", () => Explained({ explanation })],
    ["a policy", () => PolicyInWords({ policy, owner: { chain: "sui", kind: "fund" } })],
    [
      "a plot",
      () =>
        Plot({
          title: HOSTILE,
          days: [HOSTILE],
          series: [{ name: HOSTILE, values: [1] }],
          format: () => HOSTILE,
          empty: HOSTILE,
        }),
    ],
    ["the label of a QR code", () => QrCode({ text: HOSTILE, label: HOSTILE })],
  ])("%s", (_, render) => {
    expect(String(render())).not.toMatch(LIVE);
  });
});
