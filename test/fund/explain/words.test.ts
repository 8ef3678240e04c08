import { describe, expect, expectTypeOf, test } from "vitest";
import type { Explained } from "../../../functions/service/admin/transactions/routes.ts";
import { reasons } from "../../../shared/errors.ts";
import { type Ending, endingNames, endings } from "../../../shared/fund/endings.ts";
import { causeOfRefusal, causeOfSponsorship } from "../../../shared/fund/explain/cause.ts";
import { openingOfRefusal, REFUSAL_OPENINGS } from "../../../shared/fund/explain/refusal-openings.ts";
import type { ExplainedSponsorship } from "../../../shared/fund/explain/story.ts";
import { NO_TRACE } from "../../../shared/fund/explain/trace.ts";
import type {
  AnsweredExecution,
  AnsweredSponsorship,
  AnsweredStory,
  ExplainedAnswer,
} from "../../../shared/fund/explain/words/answer.ts";
import { EXECUTION_WORDS, executionKind, executionKinds } from "../../../shared/fund/explain/words/execution.ts";
import { explainInWords } from "../../../shared/fund/explain/words/explain.ts";
import { readable, shortened, shortTarget } from "../../../shared/fund/explain/words/readable.ts";
import { adviceOnRefusal, REFUSAL_ADVICE } from "../../../shared/fund/explain/words/refusal-advice.ts";
import { ENDING_WORDS } from "../../../shared/fund/explain/words/sponsorship-endings.ts";
import { STATE_WORDS } from "../../../shared/fund/explain/words/sponsorship-states.ts";
import { LEDGER_WORDS } from "../../../shared/fund/explain/words/steps.ts";
import { ledgerKinds } from "../../../shared/fund/ledger/books.ts";
import { sponsorshipStates, UNRESOLVABLE } from "../../../shared/fund/views.ts";

const SENDER = `0x${"71".repeat(32)}`;
const PACKAGE = `0x${"9f".repeat(32)}`;
const DIGEST = "9xKpV1d2QmZr7tYw3nB5cH8fJ4kL6pSa1eGdRuTx2vWm";
const SENTENCES = /^[A-Z].*\.$/;

const execution: AnsweredExecution = {
  success: true,
  failure: null,
  abort: null,
  gas: {
    computationCost: "1000000",
    storageCost: "2000000",
    storageRebate: "900000",
    nonRefundableStorageFee: "10000",
  },
  ledgerPlace: "201884310",
  at: "2026-11-22T14:02:14.123Z",
};

const aborted: AnsweredExecution = {
  ...execution,
  success: false,
  failure: "MoveAbort",
  abort: { package: PACKAGE, module: "game", function: "play", code: "3", constant: "E_NOT_YOUR_TURN" },
};

const sponsorship: AnsweredSponsorship = {
  digest: DIGEST,
  state: "complete",
  sender: SENDER,
  keyId: `key_${"a".repeat(20)}`,
  gasBudget: "10000000",
  fee: "0",
  charged: "2100000",
  rebate: "900000",
  gasPaidBy: "fund",
  maintenance: null,
  createdAt: "2026-11-22T14:02:11.204Z",
  signedAt: "2026-11-22T14:02:13.870Z",
  expiresAt: "2026-11-22T15:02:11.204Z",
  gasObjectId: `0x${"5f".repeat(32)}`,
  targets: [`${PACKAGE}::game::play`],
  outcome: null,
  requestId: "request-1",
  endpoint: null,
  ledgerPlace: null,
  executedAt: null,
  failure: null,
  abort: null,
};

const explainedRow: ExplainedSponsorship = {
  digest: DIGEST,
  reference: DIGEST,
  state: "complete",
  sender: SENDER,
  keyId: sponsorship.keyId,
  gasBudgetAtoms: 10_000_000n,
  feeAtoms: 0n,
  chargedAtoms: null,
  rebateAtoms: null,
  maintenanceAtoms: null,
  createdAtMs: 0,
  signedAtMs: 1,
  expiresAtMs: 2,
  gasObjectId: null,
  targets: null,
  ledgerPlace: "7",
};

const row = { reference: DIGEST, keyId: null, balance: "0", inFlight: "0", accruedFees: "0" };

const story: AnsweredStory = {
  fundId: `fund_${"b".repeat(20)}`,
  network: "SUI_MAINNET",
  causes: ["It was executed and aborted."],
  sponsorships: [sponsorship],
  refusals: [],
  ledger: [
    { ...row, at: "2026-11-22T14:02:11.204Z", kind: "reserve", inFlight: "10000000" },
    { ...row, at: "2026-11-22T14:02:14.500Z", kind: "charge", balance: "-2100000", inFlight: "-10000000" },
  ],
  revocations: [],
  isWhole: true,
  chain: { endpoint: "sui-1.example", execution: aborted },
};

const answer = (...stories: readonly AnsweredStory[]): ExplainedAnswer => ({
  cause: stories[0]?.causes[0] ?? "No fund of this service knows it, and the node does not show it.",
  isOnlyOnChain: false,
  stories,
  fundsSearched: 3,
  isComplete: true,
  unreadable: [],
});

const first = (...stories: readonly AnsweredStory[]) => {
  const [explanation] = explainInWords(answer(...stories)).explanations;
  if (explanation === undefined) throw new Error("nothing is explained");
  return explanation;
};

test("the words take what the route answers", () => {
  expectTypeOf<Explained>().toExtend<ExplainedAnswer>();
});

describe("everything that can be answered has words", () => {
  test.each(reasons)("the refusal %s", (reason) => {
    expect(Object.hasOwn(REFUSAL_OPENINGS, reason) && Object.hasOwn(REFUSAL_ADVICE, reason)).toBe(true);
    expect(openingOfRefusal(reason)).toMatch(/^[A-Z].*[^.]$/);
    expect(adviceOnRefusal({ reason, rule: null, policy: null })).toMatch(SENTENCES);
  });

  test.each([...sponsorshipStates, UNRESOLVABLE] as const)("the state %s", (state) => {
    const { status, advice } = STATE_WORDS[state];
    expect(status).toMatch(/^[A-Z]/);
    if (advice !== null) expect(advice).toMatch(SENTENCES);
    const explained = first({ ...story, sponsorships: [{ ...sponsorship, state }], chain: null });
    expect(explained).toMatchObject({ status, advice });
  });

  test.each(ledgerKinds)("the change of money %s", (kind) => {
    expect(LEDGER_WORDS[kind].what).toMatch(/^[A-Z].*[^.]$/);
  });

  test.each(executionKinds)("the end on chain %s", (kind) => {
    expect(EXECUTION_WORDS[kind].status).toMatch(/^[A-Z]/);
  });
});

describe("with all nodes down, what the fund has stored explains how a sponsorship ended", () => {
  const stored = {
    endpoint: "sui-1.example",
    ledgerPlace: "201884310",
    executedAt: "2026-11-22T14:02:14.123Z",
  };
  const failures: Partial<Record<Ending, Pick<AnsweredSponsorship, "failure" | "abort">>> = {
    aborted: { failure: null, abort: aborted.abort },
    out_of_gas: { failure: "InsufficientGas", abort: null },
    failed: { failure: "ObjectVersionMismatch", abort: null },
  };
  const explainedAs = (outcome: Ending | null) => {
    const state = outcome === null ? "complete" : endings[outcome];
    const executed = state === "complete" && outcome !== null;
    const ended = { ...sponsorship, state, outcome, ...(executed && stored), ...(outcome && failures[outcome]) };
    return first({ ...story, sponsorships: [ended], chain: { endpoint: null, execution: null } });
  };

  test.each(endingNames)("%s", (ending) => {
    const { status, tone, advice } = ENDING_WORDS[ending];
    expect(status).toMatch(/^[A-Z]/);
    if (advice !== null) expect(advice).toMatch(SENTENCES);
    const explained = explainedAs(ending);
    expect(explained).toMatchObject({ status, tone, advice });
    const step = explained.steps.find(({ title }) => title === status);
    if (endings[ending] !== "complete") expect(step).toBeUndefined();
    else expect(step?.text).toMatch(/^[^ ].*, at checkpoint 201884310\. Seen at sui-1\.example\.$/);
  });

  test("no two endings have the same status", () => {
    expect(new Set(endingNames.map((ending) => ENDING_WORDS[ending].status)).size).toBe(endingNames.length);
  });

  test("no ending is said to be unknown to the nodes but the one that is", () => {
    for (const ending of endingNames) {
      const { failure = null, abort = null } = failures[ending] ?? {};
      const known = abort && { ...abort, command: null };
      const trace = { ...NO_TRACE, ending, failure, abort: known };
      const cause = causeOfSponsorship({ ...explainedRow, state: endings[ending], trace }, "sui", null, []);
      expect(cause).toMatch(SENTENCES);
      expect(/no node shows/i.test(cause), cause).toBe(ending === "unresolvable");
    }
  });

  test("an open sponsorship says why its look-ups fail, while those of others are fine", () => {
    const chain = { endpoint: null, execution: null, failures: { inARow: 3, why: "no node answered about it" } };
    const cause = causeOfSponsorship({ ...explainedRow, state: "signed", trace: NO_TRACE }, "sui", chain, []);
    expect(cause).toMatch(SENTENCES);
    expect(cause).toContain("(3 in a row): no node answered about it. The next one waits longer.");
    const ended = causeOfSponsorship({ ...explainedRow, state: "dead", trace: NO_TRACE }, "sui", chain, []);
    expect(ended).not.toContain("look-up");
  });

  test("an abort has its constant, and the request that asked for it", () => {
    const explained = explainedAs("aborted");
    expect(explained.steps.find(({ title }) => title === "Aborted on chain")?.text).toContain(
      "::game::play aborted with E_NOT_YOUR_TURN (code 3)",
    );
    expect(explained.steps[0]?.text).toContain("0x9f9f…9f9f::game::play");
    expect(explained.subject.requestId).toBe("request-1");
  });

  test("each of several has its own end", () => {
    const rows = (["succeeded", "revoked"] as const).map((outcome) => ({ ...sponsorship, digest: outcome, outcome }));
    const { explanations } = explainInWords(answer({ ...story, causes: ["One.", "Two."], sponsorships: rows }));
    expect(explanations.map(({ status }) => status)).toEqual(["Succeeded", "Revoked"]);
  });

  test("a live sponsorship, or one without a stored end, has the words of its state", () => {
    expect(explainedAs(null).status).toBe("Executed");
  });

  test("what a node shows now comes first", () => {
    const ended = { ...sponsorship, outcome: "succeeded" };
    expect(first({ ...story, sponsorships: [ended] }).status).toBe("Aborted on chain");
  });
});

describe("what the chain shows decides how a transaction ended", () => {
  test.each([
    ["succeeded", execution],
    ["aborted", aborted],
    ["aborted", { ...execution, success: false, failure: "Move abort in 0x1::coin: EINSUFFICIENT_BALANCE(0x10006)" }],
    ["out_of_gas", { ...execution, success: false, failure: "InsufficientGas" }],
    ["out_of_gas", { ...execution, success: false, failure: "Out of gas" }],
    ["failed", { ...execution, success: false, failure: "ObjectVersionMismatch" }],
    ["failed", { ...execution, success: false }],
  ] as const)("%s", (kind, shown) => {
    expect(executionKind(shown)).toBe(kind);
    expect(first({ ...story, chain: { endpoint: "node", execution: shown } }).status).toBe(
      EXECUTION_WORDS[kind].status,
    );
  });
});

describe("an aborted transaction", () => {
  const explained = first(story);

  test("its time line is in order, and its last step but the booking is the abort", () => {
    expect(explained.steps.map(({ title }) => title)).toEqual([
      "Prepared",
      "Withheld",
      "Signed",
      "Aborted on chain",
      "Charged",
    ]);
    expect(explained.steps[3]?.text).toBe(
      "0x9f9f…9f9f::game::play aborted with E_NOT_YOUR_TURN (code 3), at checkpoint 201884310. Seen at sui-1.example.",
    );
  });

  test("its cost names the parts of the gas, exact to the last MIST", () => {
    expect(explained.costs.map(({ label, atoms }) => [label, atoms])).toEqual([
      ["Charged", 2_100_000n],
      ["Computation", 1_000_000n],
      ["Storage", 2_000_000n],
      ["Storage rebate", 900_000n],
      ["Kept of the rebate", 10_000n],
      ["Your fee", 0n],
      ["Gas budget", 10_000_000n],
    ]);
  });
});

test("an expired sponsorship gives its coin back, or may still execute", () => {
  const cause = (gasObjectId: string | null) =>
    causeOfSponsorship({ ...explainedRow, state: "expired", trace: NO_TRACE, gasObjectId }, "sui", null, []);
  expect(cause("0x1")).toMatch(/takes its coin back\.$/);
  expect(cause(null)).toMatch(/may still execute until its last epoch is over\.$/);
  expect(STATE_WORDS.expired.advice).toMatch(/may still execute/);
});

test("the place of an execution has the name that its chain gives it", () => {
  const texts = (network: string) =>
    first({ ...story, network }).steps.map(({ text }) => / at (\w+ \d+)\./.exec(text)?.[1] ?? "");
  expect(texts("SUI_MAINNET")).toContain("checkpoint 201884310");
  expect(texts("APTOS_MAINNET")).toContain("version 201884310");
  const trace = { ...NO_TRACE, ending: "succeeded" } as const;
  const cause = (chain: "sui" | "aptos") => causeOfSponsorship({ ...explainedRow, trace }, chain, null, []);
  expect([cause("sui"), cause("aptos")]).toEqual([
    "It was executed with success (checkpoint 7).",
    "It was executed with success (version 7).",
  ]);
});

describe("a revocation", () => {
  const ended = { ...row, at: "2026-11-22T14:03:00.000Z", kind: "release", inFlight: "-10000000" };
  const titles = (at: string) =>
    first({
      ...story,
      sponsorships: [{ ...sponsorship, state: "dead", outcome: "revoked" }],
      ledger: [...story.ledger.slice(0, 1), ended],
      revocations: [{ at, action: "fund.revoke", target: story.fundId }],
      chain: null,
    }).steps.map(({ title }) => title);

  test.each([
    ["before the end", "2026-11-22T14:02:59.000Z"],
    ["at the same time", "2026-11-22T14:03:00.000Z"],
    ["a second later, by another clock", "2026-11-22T14:03:01.000Z"],
  ])("%s stands before the end that it caused", (_, at) => {
    expect(titles(at)).toEqual(["Prepared", "Withheld", "Signed", "Revoked", "Freed"]);
  });

  test("long after the end has not ended it, and is left out", () => {
    expect(titles("2026-11-22T15:03:00.000Z")).toEqual(["Prepared", "Withheld", "Signed", "Freed"]);
  });
});

test("the units of Aptos are no amount", () => {
  const gas = { gasUsedUnits: "7", gasUnitPrice: "100", storageRefund: "0" };
  const chain = { endpoint: "node", execution: { ...execution, gas } };
  const costs = first({ ...story, network: "APTOS_MAINNET", chain }).costs;
  expect(costs).toContainEqual({ label: "Gas used", atoms: null, note: "7 units" });
  expect(costs).toContainEqual({ label: "Price of a unit", atoms: 100n, note: "" });
});

test("a fund that withholds and signs at the same time is shown to withhold first", () => {
  const titles = first({ ...story, sponsorships: [{ ...sponsorship, signedAt: sponsorship.createdAt }] }).steps;
  expect(titles.slice(0, 3).map(({ title }) => title)).toEqual(["Prepared", "Withheld", "Signed"]);
});

test("a step of one sponsorship is not told of another one", () => {
  const other = { ...sponsorship, digest: "other" };
  const { explanations } = explainInWords(
    answer({ ...story, causes: ["One.", "Two."], sponsorships: [sponsorship, other], chain: null }),
  );
  expect(explanations.map(({ sentence }) => sentence)).toEqual(["One.", "Two."]);
  expect(explanations[0]?.steps.some(({ title }) => title === "Charged")).toBe(true);
  expect(explanations[1]?.steps.some(({ title }) => title === "Charged")).toBe(false);
});

test("a revocation of the key, and of no other one, is a step", () => {
  const revocations = [
    { at: "2026-11-22T14:03:00.000Z", action: "key.revoke", target: sponsorship.keyId },
    { at: "2026-11-22T14:03:01.000Z", action: "key.revoke", target: `key_${"c".repeat(20)}` },
  ];
  const steps = first({ ...story, revocations }).steps.filter(({ title }) => title === "Revoked");
  expect(steps.map(({ at }) => at)).toEqual(["2026-11-22T14:03:00.000Z"]);
});

describe("a refused call", () => {
  const call = {
    at: "2026-11-22T14:02:11.204Z",
    requestId: "request-1",
    keyId: "",
    sender: null,
    method: "sponsor",
    reason: "policy_refused",
    rule: "maxGasBudget",
    policy: "fund",
    targets: [],
    gasBudget: "200000000",
    digest: null,
    details: "maxGasBudget: the gas budget is above 0.05 SUI: lower it",
  } as const;

  test("it says why, which rule to change, and that nothing was charged", () => {
    const cause = causeOfRefusal({ ...call, atMs: 0, scope: "fund", gasBudgetAtoms: null });
    const explained = first({ ...story, sponsorships: [], ledger: [], chain: null, causes: [cause], refusals: [call] });
    expect(explained.sentence).toBe(
      "The fund's policy refused it by its rule maxGasBudget: the gas budget is above 0.05 SUI: lower it.",
    );
    expect(explained.advice).toBe(
      "If you want to pay for it, change maxGasBudget in the policy of the fund. Otherwise the rule did its work.",
    );
    expect(explained.costs[0]).toMatchObject({ atoms: 0n });
    expect(explained.subject).toMatchObject({ keyId: null, requestId: "request-1" });
  });
});

test("a word that this build does not know is shown, and breaks nothing", () => {
  const unknown = { ...row, at: "2026-11-22T14:02:12.000Z", kind: "constructor" };
  const explained = first({
    ...story,
    sponsorships: [{ ...sponsorship, state: "constructor", outcome: "toString" }],
    ledger: [unknown],
    chain: null,
  });
  expect(explained.status).toBe("In a newer state");
  expect(explained.steps.map(({ title }) => title)).toContain("constructor");
  expect(adviceOnRefusal({ reason: "toString", rule: null, policy: null })).toMatch(SENTENCES);
});

test("a transaction of the fund itself is said to be one", () => {
  const ledger = [{ ...row, at: "2026-11-22T14:02:12.000Z", kind: "withdraw", balance: "-5000000000" }];
  const explained = first({ ...story, causes: [], sponsorships: [], ledger, chain: null });
  expect(explained.sentence).toBe(
    "It is a transaction of the fund itself. The fund paid out to the address that an owner named (2026-11-22 14:02:12 UTC).",
  );
});

test("an unknown digest says what to compare, and a cut search says what was left out", () => {
  const { explanations, notes } = explainInWords({ ...answer(), isComplete: false, unreadable: ["fund_x"] });
  expect(explanations).toHaveLength(1);
  expect(explanations[0]).toMatchObject({ tone: "unknown", status: "Not known here" });
  expect(notes).toEqual([
    "Only 3 funds were searched, and there are more. Name a project or a fund to search all of it.",
    "These did not answer, and were not searched: fund_x.",
  ]);
});

describe("texts for people", () => {
  test("times, long addresses and base units are written short", () => {
    expect(readable(`${PACKAGE} cost 2100000 MIST at 2026-11-22T14:02:14.123Z.`, "sui")).toBe(
      "0x9f9f…9f9f cost 0.0021 SUI at 2026-11-22 14:02:14 UTC.",
    );
  });

  test("a short id stays whole", () => {
    expect(shortened("0x2")).toBe("0x2");
    expect(shortened(`key_${"ab".repeat(10)}`)).toBe("key_abab…abab");
    expect(shortTarget("0x2::coin::zero")).toBe("0x2::coin::zero");
  });
});
