import { describe, expect, test } from "vitest";
import type { AptosExecution } from "../../../shared/chain/aptos/node.ts";
import type { TransactionPayload } from "../../../shared/chain/aptos/payload.ts";
import { encodeRawTransaction, type RawTransaction } from "../../../shared/chain/aptos/raw-transaction.ts";
import { noOpPayload } from "../../../shared/chain/aptos/treasury-payloads.ts";
import { type AptosFundContext, type AptosSponsorRequest, precheck } from "../../../shared/fund/aptos/checks.ts";
import { findByIdempotencyKey, findSameRequest, reserve } from "../../../shared/fund/aptos/reserve.ts";
import { closeByEvidence, closeUnresolvable, recordNotFound, settle } from "../../../shared/fund/aptos/settle.ts";
import { sponsorshipViewOf } from "../../../shared/fund/aptos/sponsorship-rows.ts";
import {
  isSignedAs,
  recordHandedOut,
  recordHash,
  recordSubmitted,
  revoke,
  undoSubmitted,
} from "../../../shared/fund/aptos/sponsorships.ts";
import { WHOLE_FUND } from "../../../shared/fund/ledger/books.ts";
import { usageToday, utcDay } from "../../../shared/fund/ledger/usage.ts";
import { IDEMPOTENCY_TTL_MS } from "../../../shared/idempotency.ts";
import { compilePolicy } from "../../../shared/policy/compile-fund-policy.ts";
import type { FundPolicy } from "../../../shared/policy/fund-policy.ts";
import { NO_LIMITS } from "../../../shared/policy/fund-policy-defaults.ts";
import { MemoryAptosFundStore } from "../../support/fund/memory-aptos-store.ts";
import { sequenceSeen } from "../../support/seen.ts";
import { addressOf, FUND, rawOf, SENDERS } from "../simulation/aptos-world.ts";
import { EMPTY_STORAGE, FULL_STORAGE } from "../simulation/storage.ts";

const [SENDER] = SENDERS;
const NOW_MS = 1_800_000_000_000;
const EXPIRATION_SECS = BigInt(NOW_MS / 1_000 + 60);
const EXPIRES_AT_MS = NOW_MS + 60_000;
const BUDGET_OCTAS = 600_000n;
const TARGET = `${addressOf("d")}::game::play`;
const entry = rawOf({
  sender: SENDER,
  sequenceNumber: 0n,
  label: 1,
  maxGasUnits: 6_000n,
  expirationSecs: EXPIRATION_SECS,
}).raw;

function storeWith(octas: bigint): MemoryAptosFundStore {
  const store = new MemoryAptosFundStore();
  const nothing = { addressBalanceAtoms: 0n, inFlightAtoms: 0n, accruedFeesAtoms: 0n };
  store.addLedger({ atMs: 0, kind: "deposit", reference: "", keyId: null, balanceAtoms: octas, ...nothing });
  return store;
}

function policyOf(change: Partial<FundPolicy> = {}) {
  return compilePolicy({ ...NO_LIMITS, ...change }, "aptos");
}

function context(change: Partial<AptosFundContext> = {}): AptosFundContext {
  const facts = { ledger: { chain: 4, version: 9n, timestampMs: NOW_MS - 500 }, gasPriceOctas: 100n };
  const base = { address: FUND, policy: policyOf(), feeAtoms: 0n, facts, nowMs: NOW_MS };
  return { ...base, pausedCause: null, storage: EMPTY_STORAGE, ...change };
}

function request(raw: Partial<RawTransaction> = {}, change: Partial<AptosSponsorRequest> = {}): AptosSponsorRequest {
  const rawTransaction = { ...entry, ...raw };
  return {
    rawTransaction,
    rawTransactionBytes: encodeRawTransaction(rawTransaction),
    secondaryAddresses: [],
    keyPolicy: policyOf(),
    keyId: "key",
    authenticators: null,
    idempotency: null,
    account: { sequenceNumber: rawTransaction.sequenceNumber, exists: true, ledgerTimeMs: NOW_MS, isRemembered: false },
    ...change,
  };
}

function promised(asked = request(), store = storeWith(10_000_000n)) {
  const reserved = reserve(store, asked, context());
  if (!reserved.ok) throw new Error(reserved.error.details);
  return { store, id: reserved.value.id, row: reserved.value };
}

function execution(change: Partial<AptosExecution> = {}): AptosExecution {
  return {
    hash: addressOf("7"),
    version: 12n,
    success: true,
    vmStatus: "Executed successfully",
    sender: SENDER,
    sequenceNumber: 0n,
    nonce: null,
    maxGasUnits: 6_000n,
    gasUnitPriceOctas: 100n,
    expirationSecs: EXPIRATION_SECS,
    feePayer: FUND,
    secondarySigners: [],
    gasUsedUnits: 5_000n,
    storageRefundOctas: 100_000n,
    timestampMs: NOW_MS + 5_000,
    ...change,
  };
}

function unusedAt(timestampMs: number) {
  return sequenceSeen({ kind: "unused" }, { timestampMs });
}

function shownAt(timestampMs: number, shown = execution()) {
  return sequenceSeen({ kind: "shown", execution: shown }, { timestampMs });
}

describe("what is refused before the chain is asked for the sender", () => {
  const orderless: RawTransaction["payload"] = {
    $kind: "Payload",
    Payload: {
      $kind: "V1",
      V1: {
        executable: { $kind: "EntryFunction", EntryFunction: entryOf(entry) },
        extraConfig: { $kind: "V1", V1: { multisigAddress: null, replayProtectionNonce: 1n } },
      },
    },
  };
  const higherLimits: RawTransaction["payload"] = {
    $kind: "Payload",
    Payload: {
      $kind: "V1",
      V1: {
        executable: { $kind: "EntryFunction", EntryFunction: entryOf(entry) },
        extraConfig: {
          $kind: "V2",
          V2: {
            multisigAddress: null,
            replayProtectionNonce: null,
            limitsRequest: {
              $kind: "StakePoolOwner",
              StakePoolOwner: { multipliers: { $kind: "V1", V1: { execution: 2n, io: 2n } } },
            },
          },
        },
      },
    },
  };
  const multisig: RawTransaction["payload"] = {
    $kind: "Multisig",
    Multisig: { multisigAddress: addressOf("e"), payload: null },
  };
  const script: RawTransaction["payload"] = {
    $kind: "Script",
    Script: { code: Uint8Array.of(1), typeArguments: [], arguments: [] },
  };
  const far = BigInt(NOW_MS / 1_000 + 3_601);
  const near = { expirationTimestampSeconds: BigInt(NOW_MS / 1_000 + 60) };

  test.each([
    ["fund_paused", {}, {}, { pausedCause: "operator" }],
    ["storage_budget", {}, {}, { storage: FULL_STORAGE }],
    ["sender_is_fund", { sender: FUND }, {}, {}],
    ["sender_is_fund", {}, { secondaryAddresses: [addressOf("c"), FUND] }, {}],
    ["duplicate_signer", {}, { secondaryAddresses: [SENDER] }, {}],
    ["duplicate_signer", {}, { secondaryAddresses: [addressOf("c"), addressOf("c")] }, {}],
    ["unsupported_transaction", { payload: orderless, ...near }, { keyPolicy: policyOf({ orderless: false }) }, {}],
    ["unsupported_transaction", { payload: orderless, ...near }, {}, { policy: policyOf({ orderless: false }) }],
    ["expiration_too_far", { payload: orderless, expirationTimestampSeconds: BigInt(NOW_MS / 1_000 + 61) }, {}, {}],
    ["unsupported_transaction", { payload: higherLimits }, {}, {}],
    ["unsupported_transaction", { payload: multisig }, {}, {}],
    ["unsupported_transaction", { sequenceNumber: 2n ** 64n - 1n }, {}, {}],
    ["wrong_chain_id", { chainId: 2 }, {}, {}],
    ["expired", { expirationTimestampSeconds: BigInt(NOW_MS / 1_000) }, {}, {}],
    [
      "expired",
      {},
      {},
      { facts: { ledger: { chain: 4, version: 9n, timestampMs: EXPIRES_AT_MS }, gasPriceOctas: 100n } },
    ],
    ["expiration_too_far", { expirationTimestampSeconds: far }, {}, {}],
    ["expiration_too_far", { expirationTimestampSeconds: 2n ** 64n - 1n }, {}, {}],
    ["gas_price_out_of_range", { gasUnitPriceOctas: 99n }, {}, {}],
    ["gas_price_out_of_range", { gasUnitPriceOctas: 501n }, {}, {}],
    ["gas_budget_out_of_range", { maxGasAmount: 27n }, {}, {}],
    ["gas_budget_out_of_range", { maxGasAmount: 20_000_001n }, {}, {}],
    ["policy_refused", {}, {}, { policy: policyOf({ maxGasBudgetAtoms: BUDGET_OCTAS - 1n }) }],
    ["policy_refused", {}, { keyPolicy: policyOf({ moveTargets: { allow: null, deny: [TARGET] } }) }, {}],
    [
      "policy_refused",
      { payload: script },
      { keyPolicy: policyOf({ moveTargets: { allow: [TARGET], deny: null } }) },
      {},
    ],
    ["balance_too_low", { maxGasAmount: 80_001n }, {}, {}],
    ["balance_too_low", { maxGasAmount: 80_000n }, {}, { feeAtoms: 1n }],
  ] as const)("%s", (reason, raw, change, terms) => {
    const store = storeWith(10_000_000n);
    const asked = request(raw, change);
    expect(precheck(store, asked, context(terms))).toMatchObject({ error: { reason } });
    expect(reserve(store, asked, context(terms))).toMatchObject({ error: { reason } });
    expect(store.ledger).toHaveLength(1);
    expect(store.due.size).toBe(0);
  });

  test("and what is not: the bounds themselves, and a script where no list speaks of calls", () => {
    const store = storeWith(10_000_000n);
    for (const raw of [
      { expirationTimestampSeconds: far - 1n },
      { expirationTimestampSeconds: BigInt(NOW_MS / 1_000) + 1n },
      { gasUnitPriceOctas: 500n },
      { maxGasAmount: 28n },
      { maxGasAmount: 80_000n },
      { payload: script },
      { payload: orderless, ...near, sequenceNumber: 2n ** 64n - 1n },
    ])
      expect(precheck(store, request(raw), context())).toMatchObject({ ok: true });
    const allowed = { keyPolicy: policyOf({ moveTargets: { allow: [TARGET], deny: null } }) };
    expect(precheck(store, request({}, allowed), context())).toMatchObject({ ok: true });
  });

  test("a list of calls lets the transaction pass that makes a wallet's account, and no other one of its function", () => {
    const allowed = { keyPolicy: policyOf({ moveTargets: { allow: [TARGET], deny: null } }) };
    const store = storeWith(10_000_000n);
    expect(precheck(store, request({ payload: noOpPayload() }, allowed), context())).toMatchObject({ ok: true });
    const { EntryFunction: call } = noOpPayload();
    if (call === undefined) throw new Error("it is a call");
    const toSomebody = { ...call, arguments: [Uint8Array.of(0), Uint8Array.of(1)] };
    const paying: TransactionPayload = { $kind: "EntryFunction", EntryFunction: toSomebody };
    expect(precheck(store, request({ payload: paying }, allowed), context())).toMatchObject({
      error: { reason: "policy_refused" },
    });
  });

  test("what makes an account passes a list for a sender without one alone, and what is denied is refused before", () => {
    const store = () => storeWith(100_000_000n);
    const ask = (sequenceNumber: bigint, exists: boolean, deny: readonly string[] | null = null) => {
      const keyPolicy = policyOf({ moveTargets: { allow: [TARGET], deny } });
      const raw = { payload: noOpPayload(), sequenceNumber, maxGasAmount: 40_000n };
      return reserve(
        store(),
        request(raw, { keyPolicy, account: { sequenceNumber, exists, ledgerTimeMs: NOW_MS, isRemembered: false } }),
        context(),
      );
    };
    const refused = { error: { reason: "policy_refused", data: { rule: "moveTargets" } } };
    expect(ask(0n, false)).toMatchObject({ ok: true });
    expect(ask(0n, true)).toMatchObject(refused);
    expect(ask(5n, true)).toMatchObject(refused);
    expect(ask(0n, false, [`0x${"1".padStart(64, "0")}::aptos_account::*`])).toMatchObject(refused);
  });

  test("refusals tell amounts in APT", () => {
    const policy = policyOf({ maxGasBudgetAtoms: 50_000n });
    expect(precheck(storeWith(10_000_000n), request(), context({ policy }))).toMatchObject({
      error: { details: "maxGasBudget: the gas budget is above 0.0005 APT: lower it" },
    });
  });
});

describe("the sender's account and its sequence number", () => {
  test("guarantee 1: another transaction at a promised sequence number is refused until the first is dead", () => {
    const { store, id } = promised();
    const other = request({ maxGasAmount: 6_001n });
    expect(reserve(store, other, context())).toMatchObject({
      error: { reason: "sequence_conflict", data: { expiresAtMs: EXPIRES_AT_MS } },
    });
    expect(closeByEvidence(store, id, unusedAt(EXPIRES_AT_MS), FUND, NOW_MS)).toBe("dead");
    expect(reserve(store, other, context())).toMatchObject({ ok: true });
  });

  test("numbers from the next one on, as many ahead as promises are live", () => {
    const account = { sequenceNumber: 5n, exists: true, ledgerTimeMs: NOW_MS, isRemembered: false };
    const at = (sequenceNumber: bigint) => request({ sequenceNumber }, { account });
    const store = storeWith(10_000_000n);
    const refused = { error: { reason: "sequence_conflict" } };
    expect(reserve(store, at(4n), context())).toMatchObject(refused);
    expect(reserve(store, at(6n), context())).toMatchObject(refused);
    expect(reserve(store, at(5n), context()).ok).toBe(true);
    expect(reserve(store, at(7n), context())).toMatchObject(refused);
    expect(reserve(store, at(6n), context()).ok).toBe(true);
  });

  test("a number that has completed is used, whatever an endpoint says that lags behind", () => {
    const { store, id } = promised();
    settle(store, id, execution(), FUND, NOW_MS);
    expect(reserve(store, request({ maxGasAmount: 6_001n }), context())).toMatchObject({
      error: { reason: "sequence_conflict" },
    });
  });

  test("no account: only sequence number 0, with the gas that creates it, and the text says how much", () => {
    const account = { sequenceNumber: 0n, exists: false, ledgerTimeMs: NOW_MS, isRemembered: false };
    const store = storeWith(10_000_000n);
    expect(reserve(store, request({ sequenceNumber: 1n }, { account }), context())).toMatchObject({
      error: { reason: "account_not_found" },
    });
    const poor = reserve(store, request({ maxGasAmount: 5_209n }, { account }), context());
    expect(poor).toMatchObject({
      error: { reason: "gas_budget_out_of_range", data: { minMaxGasAmount: "5210" } },
    });
    expect(!poor.ok && poor.error.details).toContain("at least 5210 units");
    const dear = request({ maxGasAmount: 3_476n, gasUnitPriceOctas: 150n }, { account });
    expect(reserve(store, dear, context())).toMatchObject({ error: { data: { minMaxGasAmount: "3477" } } });
    expect(reserve(store, request({ maxGasAmount: 5_210n }, { account }), context()).ok).toBe(true);
  });
});

describe("the same request again", () => {
  const ours = { sender: Uint8Array.of(1), secondary: [] };

  test("guarantee 1: is the same row, withheld once, also while the fund is paused", () => {
    const { store, id } = promised();
    const again = reserve(store, request(), context({ pausedCause: "operator", nowMs: NOW_MS + 1 }));
    expect(again).toMatchObject({ value: { id, createdAtMs: NOW_MS } });
    expect(store.totals().inFlightAtoms).toBe(BUDGET_OCTAS);
  });

  test("with signatures takes them where none were kept, and those that came first stay", () => {
    const { store } = promised();
    const signed = request({}, { authenticators: ours });
    expect(reserve(store, signed, context())).toMatchObject({ value: { authenticators: ours } });
    const others = { sender: Uint8Array.of(2), secondary: [] };
    expect(reserve(store, request({}, { authenticators: others }), context())).toMatchObject({
      value: { authenticators: ours },
    });
    expect(reserve(store, request(), context())).toMatchObject({ value: { authenticators: ours } });
  });

  test("with other secondary signers is another promise, and refused", () => {
    const { store } = promised();
    expect(reserve(store, request({}, { secondaryAddresses: [addressOf("c")] }), context())).toMatchObject({
      error: { reason: "sequence_conflict" },
    });
  });

  test("is never promised again once it is dead", () => {
    const { store, id } = promised();
    const theirs = execution({ feePayer: null });
    expect(closeByEvidence(store, id, shownAt(NOW_MS, theirs), FUND, NOW_MS)).toBe("dead");
    expect(reserve(store, request(), context())).toMatchObject({ error: { reason: "sequence_conflict" } });
    const late = context({ nowMs: EXPIRES_AT_MS });
    expect(findSameRequest(store, request(), late)).toMatchObject({ error: { reason: "expired" } });
  });

  test("is never promised again once nobody can tell what has used its number", () => {
    const { store, id } = promised();
    closeUnresolvable(store, id, NOW_MS);
    const before = store.ledger.length;
    expect(reserve(store, request(), context())).toMatchObject({ error: { reason: "sequence_conflict" } });
    const execute = request({}, { authenticators: ours });
    expect(reserve(store, execute, context())).toMatchObject({ error: { reason: "outcome_unknown" } });
    const used = { sequenceNumber: 1n, exists: true, ledgerTimeMs: EXPIRES_AT_MS, isRemembered: false };
    const lagging = { sequenceNumber: 0n, exists: true, ledgerTimeMs: EXPIRES_AT_MS - 1, isRemembered: false };
    for (const account of [used, lagging])
      expect(reserve(store, request({ maxGasAmount: 7_000n }, { account }), context())).toMatchObject({
        error: { reason: "sequence_conflict" },
      });
    expect([store.sponsorship(id)?.state, store.ledger.length]).toEqual(["unresolvable", before]);
    expect(
      store.events.filter(({ type }) => type === "fund.unresolvable"),
      "once a row",
    ).toHaveLength(1);
  });

  test("gives its number up, once unresolvable, where a ledger past its expiration has that number unused", () => {
    const { store, id } = promised();
    closeUnresolvable(store, id, NOW_MS);
    const withheldOctas = store.totals().inFlightAtoms;
    const account = { sequenceNumber: 0n, exists: true, ledgerTimeMs: EXPIRES_AT_MS, isRemembered: false };
    const later = { expirationTimestampSeconds: EXPIRATION_SECS + 10n };
    const alike = request({}, { secondaryAddresses: [addressOf("c")], account });
    expect(reserve(store, alike, context())).toMatchObject({ error: { reason: "sequence_conflict" } });
    expect(reserve(store, request(later, { account }), context())).toMatchObject({ value: { sequenceNumber: 0n } });
    expect([withheldOctas, store.totals().inFlightAtoms]).toEqual([0n, BUDGET_OCTAS]);
    expect(store.sponsorship(id)?.state).toBe("dead");
    const next = request({ ...later, sequenceNumber: 1n }, { account });
    expect(reserve(store, next, context()), "no gap").toMatchObject({ ok: true });
  });

  test("of a revoked key is refused, as everything of it is", () => {
    const { store } = promised();
    store.setRevoked("key", true);
    expect(reserve(store, request(), context())).toMatchObject({ error: { reason: "bad_key" } });
  });

  test("one Idempotency-Key, one request, for a day", () => {
    const idempotency = { scope: "key k", fingerprint: "f" };
    const { store, id } = promised(request({}, { idempotency }));
    expect(findByIdempotencyKey(store, idempotency, NOW_MS)).toMatchObject({ value: { id } });
    expect(findByIdempotencyKey(store, idempotency, NOW_MS + IDEMPOTENCY_TTL_MS)).toBe(null);
    const other = { ...idempotency, fingerprint: "g" };
    expect(findByIdempotencyKey(store, other, NOW_MS)).toMatchObject({ error: { reason: "idempotency_conflict" } });
    closeByEvidence(store, id, unusedAt(EXPIRES_AT_MS), FUND, NOW_MS);
    expect(findByIdempotencyKey(store, idempotency, NOW_MS)).toMatchObject({
      error: { reason: "idempotency_conflict" },
    });
  });

  test("a repeat under a new Idempotency-Key is remembered too", () => {
    const { store, id } = promised();
    const idempotency = { scope: "key late", fingerprint: "f" };
    reserve(store, request({}, { idempotency }), context());
    expect(findByIdempotencyKey(store, idempotency, NOW_MS)).toMatchObject({ value: { id } });
  });
});

describe("what becomes of it", () => {
  test("guarantee 5: charged is gas used x price less the refund, and the rest is withheld no more", () => {
    const { store, id } = promised();
    expect(settle(store, id, execution(), FUND, NOW_MS)).toBe(true);
    expect(store.sponsorship(id)).toMatchObject({
      state: "complete",
      hash: addressOf("7"),
      chargedAtoms: 400_000n,
      rebateAtoms: 100_000n,
      committedVersion: 12n,
    });
    expect(store.sponsorship(id)).toMatchObject({ rawTransaction: new Uint8Array(), authenticators: null });
    expect(store.totals()).toMatchObject({ balanceAtoms: 9_600_000n, inFlightAtoms: 0n });
    expect(settle(store, id, execution(), FUND, NOW_MS)).toBe(true);
    expect(store.totals().balanceAtoms).toBe(9_600_000n);
  });

  test("guarantee 3: a refund above the cost is the fund's gain", () => {
    const { store, id } = promised();
    settle(store, id, execution({ storageRefundOctas: 700_000n, success: false }), FUND, NOW_MS);
    expect(store.totals().balanceAtoms).toBe(10_200_000n);
  });

  test("guarantee 4: nothing is dead by our clock, nor by a ledger that is behind the expiration", () => {
    const { store, id } = promised();
    const close = (timeMs: number) => closeByEvidence(store, id, unusedAt(timeMs), FUND, EXPIRES_AT_MS + 86_400_000);
    expect(close(EXPIRES_AT_MS - 1)).toBe("signed");
    expect(store.totals().inFlightAtoms).toBe(BUDGET_OCTAS);
    expect(close(EXPIRES_AT_MS)).toBe("dead");
    expect(store.totals().inFlightAtoms).toBe(0n);
    expect(store.sponsorship(id)?.rawTransaction).toHaveLength(0);
    expect(store.due.size).toBe(0);
  });

  test("guarantee 4: a sender who signs once more makes another hash, and the fund pays for that all the same", () => {
    const { store, id } = promised(request({}, { authenticators: { sender: Uint8Array.of(1), secondary: [] } }));
    recordHash(store, id, addressOf("8"));
    const evidence = shownAt(EXPIRES_AT_MS + 1);
    expect(closeByEvidence(store, id, evidence, FUND, NOW_MS)).toBe("complete");
    expect(store.sponsorship(id)).toMatchObject({ hash: addressOf("7"), chargedAtoms: 400_000n });
  });

  test("what an endpoint shows of another sequence number proves nothing", () => {
    const { store, id } = promised();
    for (const change of [{ sequenceNumber: 1n }, { sender: addressOf("b") }]) {
      const evidence = shownAt(EXPIRES_AT_MS, execution({ ...change, feePayer: null }));
      expect(closeByEvidence(store, id, evidence, FUND, NOW_MS)).toBe("signed");
    }
  });

  test("what has been signed cannot be taken back", () => {
    const { store, id } = promised();
    expect(revoke(store, id)).toBe("irrevocable");
    settle(store, id, execution(), FUND, NOW_MS);
    expect(revoke(store, id)).toBe("ended");
  });
});

describe("what we submit", () => {
  const authenticators = { sender: Uint8Array.of(1), secondary: [] };

  test("guarantee 6: is signed again after a crash, to the same hash or not at all", () => {
    const { store, id } = promised(request({}, { authenticators }));
    recordHash(store, id, addressOf("8"));
    recordHash(store, id, addressOf("8"));
    expect(() => recordHash(store, id, addressOf("9"))).toThrow("signed twice");
    expect(sponsorshipViewOf(store.sponsorship(id) ?? promised().row)).toMatchObject({ digest: addressOf("8") });
  });

  test("and is committed meanwhile keeps the hash that the chain shows: there is nothing left to send", () => {
    const { store, id } = promised(request({}, { authenticators }));
    settle(store, id, execution(), FUND, NOW_MS);
    expect(store.sponsorship(id)).toMatchObject({ state: "complete", authenticators: null });
    recordHash(store, id, addressOf("8"));
    expect(store.sponsorship(id)).toMatchObject({ state: "complete", hash: addressOf("7") });
  });

  test("nothing that is only handed out has a hash of ours", () => {
    const { store, id, row } = promised();
    expect(() => recordHash(store, id, addressOf("8"))).toThrow("not for us to submit");
    expect(sponsorshipViewOf(row)).toMatchObject({ digest: id, state: "signed", chargedAtoms: null });
  });

  test("is looked for soon after it was sent, then less and less often, and when it has expired", () => {
    const { store, id } = promised(request({}, { authenticators }));
    const dueAtMs = () => (store.due.get(`settle ${id}`) ?? 0) - NOW_MS;
    expect(dueAtMs()).toBe(2_000);
    recordSubmitted(store, id, NOW_MS + 1_000);
    expect(dueAtMs()).toBe(3_000);
    expect(store.sponsorship(id)?.submitCount).toBe(1);
    recordNotFound(store, id, NOW_MS + 3_000);
    expect(dueAtMs()).toBe(5_000);
    recordNotFound(store, id, NOW_MS + 20_000);
    expect(dueAtMs()).toBe(60_000);
    recordNotFound(store, id, NOW_MS + 60_000);
    expect(dueAtMs()).toBe(62_000);
  });
});

function entryOf({ payload }: RawTransaction) {
  if (payload.$kind !== "EntryFunction") throw new Error("not an entry function");
  return payload.EntryFunction;
}

test("a refusal takes back the call that it answers, and says how many others may have reached a node", () => {
  const { store, id } = promised(request());
  recordSubmitted(store, id, NOW_MS);
  expect(undoSubmitted(store, id)).toBe(0);
  for (let times = 0; times < 2; times++) recordSubmitted(store, id, NOW_MS);
  expect(undoSubmitted(store, id)).toBe(1);
  expect(undoSubmitted(store, id)).toBe(0);
  closeByEvidence(store, id, unusedAt(EXPIRES_AT_MS), FUND, NOW_MS);
  expect(undoSubmitted(store, id), "it is over").toBe(0);
});

describe("what every node has refused for certain", () => {
  const signed = (byte: number) => ({ sender: Uint8Array.of(byte), secondary: [] });

  function refusedByNodes() {
    const { store, id } = promised(request({}, { authenticators: signed(1) }));
    recordHash(store, id, addressOf("8"));
    recordSubmitted(store, id, NOW_MS);
    undoSubmitted(store, id);
    return { store, id };
  }

  const { payload: otherPayload } = rawOf({
    sender: SENDER,
    sequenceNumber: 0n,
    label: 2,
    maxGasUnits: 6_000n,
    expirationSecs: EXPIRATION_SECS,
  }).raw;
  /** Another transaction, with the same gas, which expires so many seconds later. */
  const at = (laterSecs: bigint, change: Partial<AptosSponsorRequest> = {}) =>
    request({ payload: otherPayload, expirationTimestampSeconds: EXPIRATION_SECS + laterSecs }, change);

  test("takes other signatures over the same bytes, and has their hash", () => {
    const { store, id } = refusedByNodes();
    expect(findSameRequest(store, request({}, { authenticators: signed(2) }), context())).toMatchObject({
      value: { id, authenticators: signed(2), hash: null },
    });
    recordHash(store, id, addressOf("9"));
    recordSubmitted(store, id, NOW_MS);
    expect(findSameRequest(store, request({}, { authenticators: signed(3) }), context())).toMatchObject({
      value: { authenticators: signed(2), hash: addressOf("9") },
    });
  });

  test("gets no hash of signatures that it no longer has, of whichever signer", () => {
    const { store, id } = refusedByNodes();
    const row = (sender: number, ...secondary: number[]) => ({
      sender: Uint8Array.of(sender),
      secondary: secondary.map((byte) => Uint8Array.of(byte)),
    });
    const replaced = row(1, 2, 4);
    findSameRequest(store, request({}, { authenticators: replaced }), context());
    const now = store.sponsorship(id);
    if (now === null) throw new Error("the row is gone");
    expect(isSignedAs(now, row(1, 2, 4))).toBe(true);
    for (const before of [row(1, 2, 3), row(1, 3, 4), row(1, 2), row(1, 2, 4, 5), row(1), row(2, 2, 4)])
      expect(isSignedAs(now, before)).toBe(false);
  });

  test("gives way to whatever is asked for next at its sequence number, signed or to be handed out", () => {
    for (const next of [{}, { authenticators: signed(2) }]) {
      const { store, id } = refusedByNodes();
      expect(reserve(store, request({ maxGasAmount: 6_001n }, next), context())).toMatchObject({ ok: true });
      expect(store.sponsorship(id)?.state).toBe("dead");
      expect(store.totals().inFlightAtoms).toBe(600_100n);
    }
  });

  test("gives way by no remembered account, since a node may have executed it since then", () => {
    const { store, id } = refusedByNodes();
    const account = { sequenceNumber: 0n, exists: true, ledgerTimeMs: EXPIRES_AT_MS, isRemembered: true };
    const other = () => reserve(store, request({ maxGasAmount: 6_001n }, { account }), context());
    expect(other()).toMatchObject({ error: { reason: "sequence_conflict" } });
    expect(store.sponsorship(id)?.state).toBe("signed");
    closeUnresolvable(store, id, NOW_MS);
    expect(other()).toMatchObject({ error: { reason: "sequence_conflict" } });
    expect(store.sponsorship(id)?.state).toBe("unresolvable");
  });

  test("stops counting as spent once an unused number past its expiration proves an unresolvable one dead", () => {
    const { store, id } = refusedByNodes();
    closeUnresolvable(store, id, NOW_MS);
    const spent = () => [
      usageToday(store, WHOLE_FUND, NOW_MS).spentTodayAtoms,
      store.senderUsage(SENDER, null, utcDay(NOW_MS)).spentAtoms,
    ];
    expect(spent()).toEqual([BUDGET_OCTAS, BUDGET_OCTAS]);
    const account = { sequenceNumber: 0n, exists: true, ledgerTimeMs: EXPIRES_AT_MS, isRemembered: false };
    expect(reserve(store, request({ maxGasAmount: 6_001n }, { account }), context())).toMatchObject({ ok: true });
    expect(store.sponsorship(id)).toMatchObject({ state: "dead", trace: { ending: "expired" } });
    expect(spent()).toEqual([600_100n, 600_100n]);
  });

  test("gives way to no other that the chain would show alike, also after a third: a node may execute it yet", () => {
    const { store, id } = refusedByNodes();
    const conflict = { error: { reason: "sequence_conflict", details: expect.stringContaining("expiration") } };
    expect(reserve(store, at(0n), context())).toMatchObject(conflict);
    expect(store.sponsorship(id)?.state).toBe("signed");
    const third = reserve(store, at(1n, { authenticators: signed(2) }), context());
    if (!third.ok) throw new Error(third.error.details);
    recordHash(store, third.value.id, addressOf("9"));
    recordSubmitted(store, third.value.id, NOW_MS);
    undoSubmitted(store, third.value.id);
    expect(reserve(store, at(0n), context()), "the first one is dead by now").toMatchObject(conflict);
    const shown = shownAt(NOW_MS);
    expect(closeByEvidence(store, third.value.id, shown, FUND, NOW_MS), "the first one was executed").toBe("signed");
  });

  test("keeps its place once our signature is handed out, and where another call may have brought it to a node", () => {
    for (const spread of [
      recordHandedOut,
      (store: MemoryAptosFundStore, id: string) => recordSubmitted(store, id, 0),
    ]) {
      const { store, id } = refusedByNodes();
      spread(store, id);
      const taken = reserve(store, request({ maxGasAmount: 6_001n }), context());
      expect(taken).toMatchObject({ error: { reason: "sequence_conflict" } });
      expect(findSameRequest(store, request({}, { authenticators: signed(2) }), context())).toMatchObject({
        value: { authenticators: signed(1) },
      });
    }
  });

  test("is not what was handed out before it was ours to submit", () => {
    const { store, id } = promised();
    findSameRequest(store, request({}, { authenticators: signed(1) }), context());
    recordHash(store, id, addressOf("8"));
    recordSubmitted(store, id, NOW_MS);
    expect(undoSubmitted(store, id)).toBe(1);
    const taken = reserve(store, request({ maxGasAmount: 6_001n }), context());
    expect(taken).toMatchObject({ error: { reason: "sequence_conflict" } });
  });
});
