import fc from "fast-check";
import { describe, expect, test } from "vitest";
import type { FundPolicy } from "../../shared/policy/fund-policy.ts";
import { defaultFundPolicy, defaultKeyPolicy, NO_LIMITS } from "../../shared/policy/fund-policy-defaults.ts";
import {
  decodePolicy,
  encodePolicy,
  MAX_LIST_ENTRIES,
  newPolicySchema,
  patchPolicy,
  policyPatchSchema,
  policyViewSchema,
  showPolicy,
} from "../../shared/policy/policy-schema.ts";

const PACKAGE = `0x${"ab".repeat(32)}`;
const FRAMEWORK = `0x${"2".padStart(64, "0")}`;
const MAX_U64 = 2n ** 64n - 1n;

const hex = fc.string({ unit: fc.constantFrom(..."0123456789abcdefABCDEF"), minLength: 1, maxLength: 64 });
const name = fc.stringMatching(/^[A-Za-z_][A-Za-z0-9_]{0,9}$/);
const target = fc
  .tuple(
    hex,
    fc.oneof(
      fc.constant("*"),
      name.map((module) => `${module}::*`),
      fc.tuple(name, name).map((path) => path.join("::")),
    ),
  )
  .map(([packageId, path]) => `0x${packageId}::${path}`);
const address = hex.map((digits) => `0x${digits}`);
const amount = fc.option(fc.bigInt({ min: 0n, max: MAX_U64 }).map(String));
const list = (entry: fc.Arbitrary<string>) => fc.option(fc.array(entry, { maxLength: 4 }));
const lists = (entry: fc.Arbitrary<string>) => fc.record({ allow: list(entry), deny: list(entry) });
const someLists = (entry: fc.Arbitrary<string>) =>
  fc.option(fc.record({ allow: list(entry), deny: list(entry) }, { requiredKeys: [] }));
const limits = {
  maxGasBudget: amount,
  maxStorageCost: amount,
  maxInFlightCount: fc.option(fc.nat()),
  maxInFlightAmount: amount,
  maxSpendPerDay: amount,
  maxSpendPerSenderPerDay: amount,
  maxAbandonCostPerDay: amount,
};
/** As an operator may send them. */
const wholeOnWire = fc.record({
  moveTargets: lists(target),
  senders: lists(address),
  orderless: fc.boolean(),
  ...limits,
});
const patchOnWire = fc.record(
  { moveTargets: someLists(target), senders: someLists(address), orderless: fc.boolean(), ...limits },
  { requiredKeys: [] },
);
const policy: fc.Arbitrary<FundPolicy> = wholeOnWire.map((sent) => patchPolicy(NO_LIMITS, newPolicySchema.parse(sent)));

/** What the API shows of a text that was sent: packages and addresses in full length and lower case. */
function inFull(entry: string): string {
  const [packageId = "", ...path] = entry.split("::");
  return [`0x${packageId.slice(2).toLowerCase().padStart(64, "0")}`, ...path].join("::");
}

const listsInFull = (given: { allow?: string[] | null; deny?: string[] | null }) =>
  Object.fromEntries(Object.entries(given).map(([which, entries]) => [which, entries?.map(inFull) ?? null]));

describe("a patch", () => {
  test("sets exactly what it sends, replaces lists whole, and leaves everything else as it was", () => {
    fc.assert(
      fc.property(policy, patchOnWire, (before, { moveTargets, senders, ...sent }) => {
        const patch = policyPatchSchema.parse({
          ...sent,
          ...(moveTargets === undefined ? {} : { moveTargets }),
          ...(senders === undefined ? {} : { senders }),
        });
        const shown = showPolicy(before);
        const none = { allow: null, deny: null };
        expect(showPolicy(patchPolicy(before, patch))).toEqual({
          ...shown,
          ...sent,
          moveTargets: { ...shown.moveTargets, ...listsInFull(moveTargets === null ? none : (moveTargets ?? {})) },
          senders: { ...shown.senders, ...listsInFull(senders === null ? none : (senders ?? {})) },
        });
      }),
    );
  });

  test("sent twice does what it does once, and an empty one nothing", () => {
    fc.assert(
      fc.property(policy, patchOnWire, (before, sent) => {
        const patch = policyPatchSchema.parse(sent);
        const once = patchPolicy(before, patch);
        expect(patchPolicy(once, patch)).toEqual(once);
        expect(patchPolicy(before, {})).toEqual(before);
      }),
    );
  });

  test("changes no other policy: the defaults stay as they are", () => {
    const before = structuredClone(defaultKeyPolicy("sui"));
    patchPolicy(
      defaultKeyPolicy("sui"),
      newPolicySchema.parse({ moveTargets: { deny: ["0x2::*"] }, maxInFlightCount: 1 }),
    );
    expect(defaultKeyPolicy("sui")).toEqual(before);
  });
});

test("a new policy takes its defaults where a field is not sent, and no limit where null is", () => {
  const newPolicy = (defaults: FundPolicy, sent: unknown) => patchPolicy(defaults, newPolicySchema.parse(sent));
  expect(newPolicy(defaultKeyPolicy("sui"), {})).toEqual(defaultKeyPolicy("sui"));
  expect(newPolicy(defaultKeyPolicy("sui"), undefined)).toEqual(defaultKeyPolicy("sui"));
  expect(newPolicy(defaultFundPolicy("sui"), { maxSpendPerDay: null, maxStorageCost: "7" })).toEqual({
    ...defaultFundPolicy("sui"),
    maxSpendPerDayAtoms: null,
    maxStorageCostAtoms: 7n,
  });
  const noLimits = { orderless: true, maxInFlightCount: null, maxInFlightAmount: null, maxAbandonCostPerDay: null };
  expect(newPolicy(defaultKeyPolicy("sui"), noLimits)).toEqual(NO_LIMITS);
});

test("the defaults are finite: 0.5 SUI a budget and 100 SUI a day for a fund; 1,000 and 50 SUI in flight for a key, and 0.5 SUI of abandoned ones a day", () => {
  const none = showPolicy(NO_LIMITS);
  expect(showPolicy(defaultFundPolicy("sui"))).toEqual({
    ...none,
    maxGasBudget: "500000000",
    maxSpendPerDay: "100000000000",
  });
  expect(showPolicy(defaultKeyPolicy("sui"))).toEqual({
    ...none,
    orderless: false,
    maxInFlightCount: 1000,
    maxInFlightAmount: "50000000000",
    maxAbandonCostPerDay: "500000000",
  });
});

test("on Aptos they are 2 APT a budget and 100 APT a day for a fund; 1,000 and 20 APT in flight for a key", () => {
  const none = showPolicy(NO_LIMITS);
  const ofFund = { ...none, maxGasBudget: "200000000", maxSpendPerDay: "10000000000" };
  expect(showPolicy(defaultFundPolicy("aptos"))).toEqual(ofFund);
  const ofKey = { ...none, orderless: false, maxInFlightCount: 1000, maxInFlightAmount: "2000000000" };
  expect(showPolicy(defaultKeyPolicy("aptos"))).toEqual(ofKey);
});

describe("a stored policy", () => {
  test("reads back as it was, to the last MIST, and as the API showed it", () => {
    fc.assert(
      fc.property(policy, (given) => {
        for (const kind of ["fund", "key"] as const) {
          expect(decodePolicy(encodePolicy(given, kind), kind)).toEqual(given);
          expect({ ...showPolicy(given), ...JSON.parse(encodePolicy(given, kind)) }).toEqual(
            policyViewSchema.parse(showPolicy(given)),
          );
        }
      }),
    );
  });

  test("of an earlier build allows a key no orderless transaction, and leaves a fund's to its keys", () => {
    const { orderless: _, ...earlier } = showPolicy(defaultKeyPolicy("aptos"));
    const text = JSON.stringify(earlier);
    expect(decodePolicy(text, "key")).toEqual(defaultKeyPolicy("aptos"));
    expect(decodePolicy(text, "fund")).toEqual({ ...defaultKeyPolicy("aptos"), orderless: true });
    // An earlier build goes on to read what this one writes, unless the policy says something new.
    expect(JSON.parse(encodePolicy(defaultKeyPolicy("aptos"), "key"))).toEqual(earlier);
    expect(JSON.parse(encodePolicy(defaultFundPolicy("aptos"), "fund"))).not.toHaveProperty("orderless");
  });

  test("is refused where a field is missing, unknown or of another form", () => {
    const { orderless: _, ...whole } = showPolicy(defaultKeyPolicy("sui"));
    for (const field of Object.keys(whole)) {
      const rest = Object.fromEntries(Object.entries(whole).filter(([name]) => name !== field));
      expect(() => decodePolicy(JSON.stringify(rest), "key"), field).toThrow();
    }
    for (const change of [
      { more: null },
      { orderless: null },
      { maxGasBudget: 5 },
      { maxInFlightCount: "5" },
      { maxInFlightCount: 1.5 },
      { senders: null },
      { senders: { allow: null } },
      { moveTargets: { allow: null, deny: ["coin::zero"] } },
    ])
      expect(() => decodePolicy(JSON.stringify({ ...whole, ...change }), "key"), JSON.stringify(change)).toThrow();
    for (const text of ["", "{}", "null", "[]", "{"]) expect(() => decodePolicy(text, "key"), text).toThrow();
  });
});

describe("on the wire", () => {
  const refuses = (patch: unknown) => !policyPatchSchema.safeParse(patch).success;

  test("packages and senders come out in full length and lower case", () => {
    expect(
      policyPatchSchema.parse({
        moveTargets: { allow: ["0x2::coin::zero", `0x${"AB".repeat(32)}::Game::*`, "0x02::*"] },
        senders: { deny: ["0x2"] },
      }),
    ).toEqual({
      moveTargets: { allow: [`${FRAMEWORK}::coin::zero`, `${PACKAGE}::Game::*`, `${FRAMEWORK}::*`] },
      senders: { deny: [FRAMEWORK] },
    });
  });

  test.each([
    "0x2",
    "0x2::",
    "0x2::coin",
    "0x2::coin::",
    "0x2::*::zero",
    "0x2::coin::zer*",
    "0x2::coin::zero::more",
    "0x2::coin::zero ",
    "0x2:coin:zero",
    "0x::coin::zero",
    "2::coin::zero",
    "*",
    "*::coin::zero",
    "sui::coin::zero",
    `0x${"1".repeat(65)}::*`,
    `0x2::${"a".repeat(129)}::*`,
    "0x2::0coin::zero",
    "",
    7,
    null,
  ])("%j is no target", (text) => {
    expect(refuses({ moveTargets: { allow: [text] } })).toBe(true);
  });

  test.each([5, -1, "", "-1", "+1", "01", "1.5", "1e9", "0x5", " 5", "18446744073709551616", true, {}])(
    "%j is no amount",
    (amount) => {
      expect(refuses({ maxGasBudget: amount })).toBe(true);
    },
  );

  test("an amount is any u64", () => {
    for (const maxGasBudget of ["0", "9007199254740993", "18446744073709551615"])
      expect(policyPatchSchema.parse({ maxGasBudget })).toEqual({ maxGasBudget: BigInt(maxGasBudget) });
  });

  test(`a list has at most ${MAX_LIST_ENTRIES} entries, and no field is unknown`, () => {
    const full = Array.from({ length: MAX_LIST_ENTRIES }, (_, index) => `0x${index.toString(16)}`);
    expect(refuses({ senders: { allow: full } })).toBe(false);
    expect(refuses({ senders: { allow: [...full, "0xffff"] } })).toBe(true);
    for (const patch of [{ more: 1 }, { senders: { more: [] } }, { maxGasBudgetAtoms: "1" }, [], null, "x"])
      expect(refuses(patch), JSON.stringify(patch)).toBe(true);
  });
});
