import { bcs } from "@mysten/sui/bcs";
import { describe, expect, test } from "vitest";
import { inspectKind } from "../../../shared/chain/sui/kind.ts";
import { MAX_TRANSACTION_BYTES } from "../../../shared/chain/sui/limits.ts";
import type { SuiFundContext, SuiSponsorRequest } from "../../../shared/fund/sui/checks.ts";
import { PREPARED_TTL_MS } from "../../../shared/fund/sui/limits.ts";
import { findByIdempotencyKey, findUnexpiredByIdempotencyKey, reserve } from "../../../shared/fund/sui/reserve.ts";
import { settle } from "../../../shared/fund/sui/settle.ts";
import { expirePrepared, markSigned } from "../../../shared/fund/sui/sponsorships.ts";
import type { FundMode } from "../../../shared/fund/views.ts";
import { IDEMPOTENCY_TTL_MS, type IdempotencyClaim } from "../../../shared/idempotency.ts";
import { compilePolicy } from "../../../shared/policy/compile-fund-policy.ts";
import { NO_LIMITS } from "../../../shared/policy/fund-policy-defaults.ts";
import {
  coin,
  deposit,
  digestOf,
  execution,
  FUND_ADDRESS,
  objectId,
  sponsorship,
  storeOf,
  written,
} from "../simulation/rows.ts";
import { EMPTY_STORAGE, FULL_STORAGE } from "../simulation/storage.ts";

const POLICY = compilePolicy(NO_LIMITS, "sui");
const OPEN = { pausedCause: null, storage: EMPTY_STORAGE };
const HOUR_MS = 3_600_000;
const EPOCH_MS = 24 * HOUR_MS;

function context(mode: FundMode, nowMs = 0): SuiFundContext {
  const facts = {
    chainIdentifier: digestOf("c"),
    epoch: 5n,
    epochStartMs: 0,
    epochDurationMs: EPOCH_MS,
    referenceGasPriceMist: 1_000n,
    checkpoint: 7n,
    timestampMs: nowMs,
    endpoint: "node.test",
    fetchedAtMs: nowMs,
  };
  return { address: FUND_ADDRESS, mode, policy: POLICY, feeAtoms: 0n, facts, ...OPEN, nowMs };
}

/** @param padding bytes that the kind carries along. */
function request(padding = 0, change: Partial<SuiSponsorRequest> = {}): SuiSponsorRequest {
  const kind = inspectKind(
    bcs.TransactionKind.serialize({
      ProgrammableTransaction: { inputs: [{ Pure: { bytes: new Uint8Array(padding) } }], commands: [] },
    }).toBytes(),
  );
  if (!kind.ok) throw new Error(kind.error.details);
  const terms = { keyId: "key", kind: kind.value, sender: objectId(99), keyPolicy: POLICY, gasPriceMist: 1_000n };
  return {
    ...terms,
    isGasless: false,
    gasBudgetAtoms: 3_000_000n,
    lastEpoch: null,
    storageCostAtoms: null,
    idempotency: null,
    ...change,
  };
}

function balanceFund() {
  const store = storeOf();
  deposit(store, 1_000_000_000n, 1_000_000_000n);
  return store;
}

describe("guarantee 7: a transaction that is too long with its gas data", () => {
  test("is refused before a nonce is taken, to the byte", () => {
    const lengthOf = (padding: number) => {
      const reserved = reserve(balanceFund(), request(padding), context("address_balance"), "at_once");
      return reserved.ok ? reserved.value.transactionBytes.length : null;
    };
    const roughly = MAX_TRANSACTION_BYTES - 1_000;
    const most = roughly + MAX_TRANSACTION_BYTES - (lengthOf(roughly) ?? 0);
    expect(lengthOf(most)).toBe(MAX_TRANSACTION_BYTES);

    const store = balanceFund();
    const refused = reserve(store, request(most + 1), context("address_balance"), "at_once");
    expect(refused).toMatchObject({ error: { reason: "unsupported_transaction" } });
    expect(store.takeNonce()).toBe(0);
  });
});

describe("from the address balance", () => {
  test("equal requests are different transactions: each has a nonce of its own", () => {
    const store = balanceFund();
    const [one, two] = [1, 2].map(() => reserve(store, request(), context("address_balance"), "at_once"));
    expect(one?.ok && two?.ok && one.value.digest !== two.value.digest).toBe(true);
  });

  test.each([
    ["that epoch, where its end is more than an hour away", EPOCH_MS - HOUR_MS, 5n],
    ["the next one too, where the epoch ends within the hour", EPOCH_MS - HOUR_MS + 1, 6n],
  ])("a signature is valid in %s", (_, nowMs, lastEpoch) => {
    const reserved = reserve(balanceFund(), request(), context("address_balance", nowMs), "at_once");
    expect(reserved).toMatchObject({ value: { expirationEpoch: lastEpoch, gasObjectId: null } });
  });
});

describe("an Idempotency-Key", () => {
  test("of a sponsorship whose hour is over is not answered with it, although nobody has looked yet", () => {
    const claim = { scope: "key sponsor 1", fingerprint: "same" };
    const store = storeOf(coin(1, { state: "held", heldByDigest: digestOf("s") }));
    const row = sponsorship("s");
    store.putSponsorship(row);
    store.putIdempotency({ ...claim, reference: row.digest, expiresAtMs: row.expiresAtMs + 1 });
    expect(findUnexpiredByIdempotencyKey(store, claim, row.expiresAtMs - 1)).toMatchObject({
      value: { digest: row.digest },
    });
    const conflict = { error: { reason: "idempotency_conflict", data: { digest: row.digest } } };
    expect(findUnexpiredByIdempotencyKey(store, claim, row.expiresAtMs)).toMatchObject(conflict);
  });

  test.each([
    ["signed", null],
    ["expired", null],
    ["complete", null],
    ["dead", "idempotency_conflict"],
  ] as const)(
    "of an execution that is %s, past its hour, is refused only where it can never execute",
    (state, reason) => {
      const store = storeOf(coin(1, { state: "held", heldByDigest: digestOf("s") }));
      const row = sponsorship("s", { state });
      store.putSponsorship(row);
      store.putIdempotency({ ...claim, reference: row.digest, expiresAtMs: row.expiresAtMs + 1 });
      const replayed = findByIdempotencyKey(store, claim, row.expiresAtMs);
      expect(replayed).toMatchObject(reason === null ? { value: { digest: row.digest } } : { error: { reason } });
    },
  );

  const claim = { scope: "key execute 1", fingerprint: "same" };

  test("of an execution is remembered for a day, and then taken anew", () => {
    const store = storeOf(coin(1, { state: "held", heldByDigest: digestOf("s") }));
    store.putSponsorship(sponsorship("s", { state: "complete" }));
    for (const nowMs of [0, IDEMPOTENCY_TTL_MS]) {
      expect(findByIdempotencyKey(store, claim, nowMs)).toBe(null);
      markSigned(store, digestOf("s"), { ...OPEN, nowMs }, claim);
      expect(findByIdempotencyKey(store, claim, nowMs + IDEMPOTENCY_TTL_MS - 1)).toMatchObject({
        value: { digest: digestOf("s") },
      });
      const other = { ...claim, fingerprint: "other" };
      expect(findByIdempotencyKey(store, other, nowMs)).toMatchObject({ error: { reason: "idempotency_conflict" } });
    }
  });
});

describe("the bytes of a sponsorship that has executed", () => {
  const claim = { scope: "key sponsor 1", fingerprint: "same" };

  function executed(idempotency: IdempotencyClaim | null) {
    const store = storeOf(coin(1));
    const reserved = reserve(store, request(0, { idempotency }), context("coin"), "at_once");
    if (!reserved.ok) throw new Error(reserved.error.details);
    const { digest, gasObjectId, transactionBytes } = reserved.value;
    const output = { version: 9n, digest: digestOf("o"), owner: { kind: "address", address: FUND_ADDRESS } } as const;
    const gas = { objectId: gasObjectId ?? "", objectType: null, operation: "none", input: null, output } as const;
    expect(settle(store, { ...execution(digest), gasObjectId, changedObjects: [gas] }, 0)).toBe(true);
    return { store, digest, transactionBytes };
  }

  test("are empty at once where no Idempotency-Key refers to them", () => {
    const { store, digest } = executed(null);
    expect(store.sponsorship(digest)).toMatchObject({ state: "complete", transactionBytes: new Uint8Array() });
  });

  test("stay while one does, and a repeat is answered with them", () => {
    const { store, transactionBytes } = executed(claim);
    const again = findUnexpiredByIdempotencyKey(store, claim, IDEMPOTENCY_TTL_MS - 1);
    expect(again).toMatchObject({ value: { state: "complete", transactionBytes } });
  });
});

describe("a sponsorship that waits for its sender", () => {
  function prepared() {
    const store = storeOf(coin(1));
    const reserved = reserve(store, request(), context("coin"), "after_sender");
    if (!reserved.ok) throw new Error(reserved.error.details);
    return { store, digest: reserved.value.digest };
  }

  test("is not signed while the storage is full, and one that is signed goes on", () => {
    const { store, digest } = prepared();
    const full = { pausedCause: null, storage: FULL_STORAGE, nowMs: 0 };
    expect(markSigned(store, digest, full, null)).toMatchObject({ error: { reason: "storage_budget" } });
    expect(store.sponsorship(digest)?.state).toBe("prepared");
    expect(markSigned(store, digest, { ...OPEN, nowMs: 0 }, null)).toMatchObject({ value: { state: "signed" } });
    expect(markSigned(store, digest, full, null)).toMatchObject({ value: { state: "signed" } });
  });

  test("is freed after ten minutes at no cost, and its bytes with it", () => {
    const { store, digest } = prepared();
    expirePrepared(store, digest, PREPARED_TTL_MS - 1);
    expect(store.sponsorship(digest)?.state).toBe("prepared");
    expirePrepared(store, digest, PREPARED_TTL_MS);
    expect(store.sponsorship(digest)).toMatchObject({ state: "dead", chargedAtoms: null, maintenanceAtoms: null });
    expect(store.sponsorship(digest)?.transactionBytes).toHaveLength(0);
    expect(store.totals()).toMatchObject({ balanceAtoms: 10_000_000n, inFlightAtoms: 0n });
  });

  test("cannot be approved from then on, and can be asked for again: no signature was ever made", () => {
    const { store, digest } = prepared();
    const late = { ...OPEN, nowMs: PREPARED_TTL_MS };
    expect(markSigned(store, digest, late, null)).toMatchObject({ error: { reason: "sponsorship_expired" } });
    expirePrepared(store, digest, PREPARED_TTL_MS);
    const again = reserve(store, request(), context("coin", PREPARED_TTL_MS), "at_once");
    expect(again).toMatchObject({ value: { digest, state: "signed" } });
  });
});

describe("a sender whose transaction has stored more than its dry run said", () => {
  const limited = (maxStorageCostAtoms: bigint | null) => compilePolicy({ ...NO_LIMITS, maxStorageCostAtoms }, "sui");

  test.each([
    ["fund", 400_000n, null],
    ["key", null, 400_000n],
    ["fund, which is lower than the key's", 400_000n, 500_000n],
    ["key, which is lower than the fund's", 500_000n, 400_000n],
  ])("is refused for the rest of the day by the limit of the %s", (_, ofFund, ofKey) => {
    const store = storeOf(coin(1), coin(2));
    const terms = { ...context("coin"), policy: limited(ofFund) };
    const asked = request(0, { keyPolicy: limited(ofKey), storageCostAtoms: 100_000n });
    const reserved = reserve(store, asked, terms, "at_once");
    if (!reserved.ok) throw new Error(reserved.error.details);
    const { digest, gasObjectId } = reserved.value;
    const { gasUsed, ...shown } = execution(digest, {
      gasObjectId,
      changedObjects: [{ ...written(1, 2n), objectId: gasObjectId ?? "" }],
    });
    expect(settle(store, { ...shown, gasUsed: { ...gasUsed, storageCostMist: 450_000n } }, 0)).toBe(true);
    const again = reserve(store, asked, terms, "at_once");
    expect(again).toMatchObject({ ok: false, error: { reason: "policy_refused", data: { rule: "maxStorageCost" } } });
    expect(reserve(store, { ...asked, sender: objectId(98) }, terms, "at_once").ok).toBe(true);
  });
});
