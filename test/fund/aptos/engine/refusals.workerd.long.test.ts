import { U64 } from "@aptos-labs/ts-sdk";
import { describe, expect, test } from "vitest";
import type { FundPolicy } from "../../../../shared/policy/fund-policy.ts";
import { defaultKeyPolicy, NO_LIMITS } from "../../../../shared/policy/fund-policy-defaults.ts";
import { onceAt } from "../../../byzantine-node/altered-aptos-node.ts";
import { APTOS_DEMO_MODULE } from "../../../devchain/demo.ts";
import { APT_OCTAS, type Draft, type DraftTerms, draftOf, newUser, PRICE_OCTAS } from "../../../support/aptos-chain.ts";
import {
  alsoAlter,
  aptosExecute,
  aptosSponsor,
  aptosStatesOf,
  executed,
  expectExactAptosBooks,
  expectQuiet,
  granted,
  landed,
  newAptosFund,
  reasonOf,
  sponsored,
  sponsorshipsOf,
  useStoppedAptosClock,
  whenCommitted,
} from "../../../support/aptos-fund.ts";
import {
  crash,
  HOUR_MS,
  KEY_ID,
  liveFor,
  MINUTE_MS,
  pass,
  SECOND_MS,
  stub,
  type TestFund,
} from "../../../support/sui-fund.ts";

const OTHER_KEY = "key_000000000000000000d2";
const DAY_MS = 24 * HOUR_MS;

useStoppedAptosClock();

/** Neither asks nor holds anything. */
async function expectRefused(fund: TestFund, draft: Draft, reason: string): Promise<void> {
  for (const outcome of [await aptosSponsor(fund, draft), await aptosExecute(fund, draft)])
    expect(reasonOf(outcome)).toBe(reason);
  const { keyId, keyPolicy } = { keyId: KEY_ID, keyPolicy: defaultKeyPolicy("aptos") };
  const { rawTransaction } = draft;
  const secondaryAddresses = draft.secondaries.map(({ address }) => address);
  const screened = await stub(fund).aptosScreen({ keyId, keyPolicy, rawTransaction, secondaryAddresses });
  expect(reasonOf(screened)).toBe(reason);
  expect(await sponsorshipsOf(fund)).toEqual([]);
  await expectQuiet(fund);
}

describe("nothing is held where the fund refuses", () => {
  const inSeconds = (seconds: number) => BigInt(Math.floor(Date.now() / 1_000) + seconds);
  const cases: Readonly<Record<string, readonly [string, () => Partial<DraftTerms>]>> = {
    "another chain's transaction": ["wrong_chain_id", () => ({ chainId: 2 })],
    "an expired one": ["expired", () => ({ expirationSecs: inSeconds(0) })],
    "one of more than an hour": ["expiration_too_far", () => ({ expirationSecs: inSeconds(3_602) })],
    "a price below the chain's": ["gas_price_out_of_range", () => ({ priceOctas: PRICE_OCTAS - 1n })],
    "a price above five times the estimate": ["gas_price_out_of_range", () => ({ priceOctas: 5n * PRICE_OCTAS + 1n })],
    "less gas than the chain allows": ["gas_budget_out_of_range", () => ({ maxGasUnits: 27n })],
    "more gas than the chain allows": ["gas_budget_out_of_range", () => ({ maxGasUnits: 20_000_001n })],
    "more gas than the policy allows": ["policy_refused", () => ({ maxGasUnits: 2_000_001n })],
    "more gas than there is": ["balance_too_low", () => ({ maxGasUnits: 980_001n })],
  };
  test.each(Object.entries(cases))("%s", async (_, [reason, terms]) => {
    await expectRefused(await newAptosFund(), draftOf(newUser(), terms()), reason);
  });

  test("itself as a secondary signer, and a signer who signs twice", async () => {
    const fund = await newAptosFund();
    const user = newUser();
    const itself = { ...newUser(), address: fund.address };
    await expectRefused(fund, draftOf(user, { secondaries: [user] }), "duplicate_signer");
    const draft = draftOf(user, { secondaries: [newUser()] });
    const outcome = await aptosSponsor(fund, draft, { secondaryAddresses: [itself.address] });
    expect(reasonOf(outcome)).toBe("sender_is_fund");
    expect(await sponsorshipsOf(fund)).toEqual([]);
  });

  test("bytes that are no raw transaction", async () => {
    const fund = await newAptosFund();
    const draft = draftOf(newUser());
    const rawTransaction = Uint8Array.of(...draft.rawTransaction, 0);
    expect(reasonOf(await aptosSponsor(fund, draft, { rawTransaction }))).toBe("non_canonical_bytes");
    expect(await sponsorshipsOf(fund)).toEqual([]);
  });

  test("anything while it has nothing, and says what there is and what it would take", async () => {
    const fund = await newAptosFund(0n);
    expect(await aptosSponsor(fund, draftOf(newUser()))).toMatchObject({
      error: {
        reason: "balance_too_low",
        details: expect.stringMatching(/has 0 octas available, the transaction may cost 1200000 octas/),
      },
    });
  });

  test("anything while it is paused, from the next call on; what was promised goes on", async () => {
    const fund = await newAptosFund();
    const promised = draftOf(newUser());
    await sponsored(fund, promised);
    await stub(fund).update({ paused: true });
    const refused = await aptosExecute(fund, draftOf(newUser()));
    expect(refused).toMatchObject({ error: { reason: "fund_paused", data: { cause: "operator" } } });
    await landed(fund, promised);
    await stub(fund).update({ paused: false });
    await landed(fund, draftOf(newUser()));
    await liveFor(fund, 5 * SECOND_MS);
    await expectQuiet(fund);
  });

  test("what is paused while the node is asked for the sender", async () => {
    const fund = await newAptosFund();
    const draft = draftOf(newUser());
    const pause = () => stub(fund).update({ paused: true });
    alsoAlter(onceAt(`GET /accounts/${draft.sender.address}`, { after: pause }));
    expect(reasonOf(await aptosExecute(fund, draft))).toBe("fund_paused");
    expect(await sponsorshipsOf(fund)).toEqual([]);
    await expectQuiet(fund);
  });
});

describe("each limit refuses with its rule, of the fund and of the key alike", () => {
  const budgetOctas = draftOf(newUser()).budgetOctas;
  const limits: Readonly<Record<string, Partial<FundPolicy>>> = {
    moveTargets: { moveTargets: { allow: null, deny: [`${APTOS_DEMO_MODULE}::*`] } },
    maxGasBudget: { maxGasBudgetAtoms: budgetOctas - 1n },
    maxInFlightCount: { maxInFlightCount: 1 },
    maxInFlightAmount: { maxInFlightAmountAtoms: 2n * budgetOctas - 1n },
    maxSpendPerDay: { maxSpendPerDayAtoms: 2n * budgetOctas - 1n },
  };
  test.each(Object.entries(limits))("%s", async (rule, limit) => {
    const policy = { ...NO_LIMITS, ...limit };
    for (const ofFund of [true, false]) {
      const fund = await newAptosFund(APT_OCTAS, { policy: ofFund ? policy : NO_LIMITS });
      const input = { keyPolicy: ofFund ? NO_LIMITS : policy };
      // Those that count allow the first.
      await aptosSponsor(fund, draftOf(newUser()), input);
      const held = await sponsorshipsOf(fund);
      expect(await aptosSponsor(fund, draftOf(newUser()), input)).toMatchObject({
        error: { reason: "policy_refused", data: { rule } },
      });
      expect(await sponsorshipsOf(fund)).toEqual(held);
      await expectExactAptosBooks(fund);
    }
  });

  test("senders, and what one of them has spent today, until the next day", async () => {
    pass(DAY_MS - (Date.now() % DAY_MS));
    const [user, other] = [newUser(), newUser()];
    const policy = { ...NO_LIMITS, maxSpendPerSenderPerDayAtoms: 2_000_000n };
    const fund = await newAptosFund(APT_OCTAS, { policy });
    const keyPolicy = { ...NO_LIMITS, senders: { allow: null, deny: [other.address] } };
    expect(await aptosSponsor(fund, draftOf(other), { keyPolicy })).toMatchObject({
      error: { data: { rule: "senders" } },
    });
    const { chargedOctas } = await landed(fund, draftOf(user));
    await liveFor(fund, 5 * SECOND_MS);
    const maxGasUnits = (2_000_000n - chargedOctas) / PRICE_OCTAS;
    const next = (units: bigint) => draftOf(user, { sequenceNumber: 1n, maxGasUnits: units });
    expect(await aptosSponsor(fund, next(maxGasUnits + 1n))).toMatchObject({
      error: { data: { rule: "maxSpendPerSenderPerDay" } },
    });
    pass(DAY_MS);
    await sponsored(fund, next(maxGasUnits + 1n));
  });
});

describe("a revoked key", () => {
  test("gets nothing more, not even what it has had; the promises that are out are counted", async () => {
    const fund = await newAptosFund();
    const [out, landing, foreign] = [draftOf(newUser()), draftOf(newUser()), draftOf(newUser())];
    await sponsored(fund, out);
    await landed(fund, landing);
    await sponsored(fund, foreign, { keyId: OTHER_KEY });
    expect(await stub(fund).revoke(KEY_ID)).toEqual({ revoked: 0, tooLate: 1, irrevocable: 1, pending: 0 });
    expect(reasonOf(await aptosSponsor(fund, out))).toBe("bad_key");
    expect(reasonOf(await aptosExecute(fund, draftOf(newUser())))).toBe("bad_key");
    await sponsored(fund, foreign, { keyId: OTHER_KEY });
    await crash();
    expect(reasonOf(await aptosSponsor(fund, out))).toBe("bad_key");
    await stub(fund).unrevokeKey(KEY_ID);
    await sponsored(fund, out);
    await liveFor(fund, 2 * MINUTE_MS);
    expect(await aptosStatesOf(fund)).toEqual(["dead", "complete", "dead"]);
    await expectQuiet(fund);
  });

  test("while the node is asked for the sender gets nothing", async () => {
    const fund = await newAptosFund();
    const draft = draftOf(newUser());
    alsoAlter(onceAt(`GET /accounts/${draft.sender.address}`, { after: () => stub(fund).revoke(KEY_ID) }));
    expect(reasonOf(await aptosSponsor(fund, draft))).toBe("bad_key");
    expect(await sponsorshipsOf(fund)).toEqual([]);
  });
});

describe("an Idempotency-Key", () => {
  const claim = (fingerprint = "the same") => ({ scope: `${KEY_ID} gas_sponsorTransaction k`, fingerprint });

  test("answers the same request the same, at once, later and after a crash", async () => {
    const fund = await newAptosFund();
    const draft = draftOf(newUser());
    const input = { idempotency: claim() };
    const answers = await Promise.all([sponsored(fund, draft, input), sponsored(fund, draft, input)]);
    await crash();
    answers.push(await sponsored(fund, draft, input));
    expect(new Set(answers.map(String)).size).toBe(1);
    expect(await sponsorshipsOf(fund)).toHaveLength(1);
  });

  test("of another request is refused, whether sponsored or executed, also at the same time", async () => {
    const fund = await newAptosFund();
    const [first, second] = [draftOf(newUser()), draftOf(newUser())];
    const ask = (draft: Draft, fingerprint: string) => aptosExecute(fund, draft, { idempotency: claim(fingerprint) });
    const outcomes = await Promise.all([ask(first, "first"), ask(second, "second")]);
    expect(outcomes.map(reasonOf)).toEqual([null, "idempotency_conflict"]);
    expect(reasonOf(await aptosSponsor(fund, second, { idempotency: claim("second") }))).toBe("idempotency_conflict");
    expect(await sponsorshipsOf(fund)).toHaveLength(1);
    expect(reasonOf(await ask(first, "first"))).toBeNull();
    await whenCommitted(first);
    expect(granted(await ask(first, "first")).pendingTransaction.hash).toBe((await sponsorshipsOf(fund))[0]?.hash);
  });

  test("whose sponsorship is dead is a conflict, and one that was refused may be used again", async () => {
    const fund = await newAptosFund();
    const draft = draftOf(newUser());
    const input = { idempotency: claim() };
    await stub(fund).update({ paused: true });
    expect(reasonOf(await aptosSponsor(fund, draft, input))).toBe("fund_paused");
    await stub(fund).update({ paused: false });
    await sponsored(fund, draft, input);
    await liveFor(fund, 2 * MINUTE_MS);
    expect(await aptosStatesOf(fund)).toEqual(["dead"]);
    expect(reasonOf(await aptosSponsor(fund, draft, input))).toBe("idempotency_conflict");
    await executed(fund, draftOf(draft.sender, { call: ["abort_with", new U64(1n)] }));
  });
});
