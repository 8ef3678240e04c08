import { Ed25519Account } from "@aptos-labs/ts-sdk";
import { expect, test } from "vitest";
import { ed25519Authenticator } from "../../../shared/chain/aptos/authenticator.ts";
import { seenIn } from "../../../shared/chain/one-reply.ts";
import { KnownSenders } from "../../../shared/fund/aptos/known-senders.ts";
import type { AptosFundStore } from "../../../shared/fund/aptos/store.ts";

const NOW_MS = 1_900_000_000_000;
const MINUTE_MS = 60_000;
const user = Ed25519Account.generate();
const authenticator = ed25519Authenticator(user.publicKey.toUint8Array(), new Uint8Array(64));
const ownKey = user.accountAddress.toStringLong();

function accountAt(sequenceNumber: bigint, timestampMs = NOW_MS, authenticationKey = ownKey) {
  const ledger = { endpoint: "a", chain: 4, version: 7n, lowestAvailable: 0n, timestampMs };
  return seenIn(ledger, { sequenceNumber, authenticationKey });
}

/** A store in which these sequence numbers have complete sponsorships. */
function storeWith(...complete: readonly bigint[]): AptosFundStore {
  const sponsorshipAtSequence = (_: string, number: bigint) =>
    complete.includes(number) ? { state: "complete" } : null;
  return { sponsorshipAtSequence } as unknown as AptosFundStore;
}

test("a known number is the least that it can be: complete sponsorships have used those after it", () => {
  const senders = new KnownSenders();
  senders.note("0x1", accountAt(4n));
  const next = (...complete: readonly bigint[]) =>
    senders.factsOf("0x1", authenticator, storeWith(...complete), NOW_MS)?.sequenceNumber;
  expect([next(), next(5n), next(4n), next(4n, 5n)]).toEqual([4n, 4n, 5n, 6n]);
});

test("each complete sponsorship is counted once, however many a sender makes in a minute", () => {
  const senders = new KnownSenders();
  senders.note("0x1", accountAt(1n));
  let asked = 0;
  const sponsorshipAtSequence = (_: string, number: bigint) => {
    asked += 1;
    return number < complete ? { state: "complete" } : null;
  };
  const store = { sponsorshipAtSequence } as unknown as AptosFundStore;
  let complete = 1n;
  for (; complete <= 100n; complete += 1n)
    expect(senders.factsOf("0x1", authenticator, store, NOW_MS)?.sequenceNumber).toBe(complete);
  expect(asked).toBeLessThanOrEqual(200);
});

test("an execution counts its number at once, so that no reservation reads its row", () => {
  const senders = new KnownSenders();
  senders.note("0x1", accountAt(1n));
  const authenticators = { sender: authenticator, secondary: [] };
  const executed = (sequenceNumber: bigint, hash = "0xa") =>
    senders.noteExecuted(
      { hash: "0xa", nonce: null, sender: "0x1", sequenceNumber, authenticators, createdAtMs: NOW_MS },
      { hash },
    );
  const asked: bigint[] = [];
  const sponsorshipAtSequence = (_: string, number: bigint) => {
    asked.push(number);
    return null;
  };
  const next = () =>
    senders.factsOf("0x1", authenticator, { sponsorshipAtSequence } as unknown as AptosFundStore, NOW_MS);
  executed(7n, "0xb");
  expect(next()?.sequenceNumber, "another signature").toBe(1n);
  executed(1n);
  expect(next()).toMatchObject({ sequenceNumber: 2n, ledgerTimeMs: NOW_MS });
  executed(0n);
  expect(next()?.sequenceNumber, "it never goes back").toBe(2n);
  expect(asked).toEqual([1n, 2n, 2n]);
});

test("an account is read if it is unknown, new, old, or of another key", () => {
  const senders = new KnownSenders();
  const at = (nowMs: number) => senders.factsOf("0x1", authenticator, storeWith(), nowMs);
  expect(at(NOW_MS)).toBeNull();
  senders.note("0x1", accountAt(0n));
  expect(at(NOW_MS), "it may not exist").toBeNull();
  senders.note("0x1", accountAt(4n, NOW_MS, "0x2"));
  expect(at(NOW_MS)).toBeNull();
  senders.note("0x1", accountAt(4n));
  expect(at(NOW_MS + MINUTE_MS)).toMatchObject({ exists: true, ledgerTimeMs: NOW_MS });
  expect(at(NOW_MS + MINUTE_MS + 1)).toBeNull();
  senders.note("0x1", accountAt(4n, NOW_MS - MINUTE_MS - 1));
  expect(at(NOW_MS), "the node lagged").toBeNull();
});

test("an execution shows its sender's account, by the hash of the row alone", () => {
  const authenticators = { sender: authenticator, secondary: [] };
  const ROW = { hash: "0xa", nonce: null, sender: "0x1", sequenceNumber: 4n, authenticators, createdAtMs: NOW_MS };
  const executed = (row: object, hash = "0xa") => {
    const senders = new KnownSenders();
    senders.noteExecuted({ ...ROW, ...row }, { hash });
    return { senders, facts: senders.factsOf("0x1", authenticator, storeWith(), NOW_MS) };
  };
  const { senders, facts } = executed({});
  expect(facts).toEqual({ sequenceNumber: 5n, exists: true, ledgerTimeMs: NOW_MS, isRemembered: true });
  expect(executed({}, "0xb").facts, "another signature").toBeNull();
  expect(executed({ nonce: 1n }).facts).toBeNull();
  expect(executed({ authenticators: null }).facts).toBeNull();
  expect(executed({ createdAtMs: NOW_MS - MINUTE_MS - 1 }).facts, "it may be from long ago").toBeNull();
  // What a reservation has used is explained by another read, and a later number stays.
  senders.noteExecuted({ ...ROW, sequenceNumber: 3n, createdAtMs: NOW_MS + MINUTE_MS / 2 }, { hash: "0xa" });
  const later = senders.factsOf("0x1", authenticator, storeWith(), NOW_MS + MINUTE_MS);
  expect(later).toMatchObject({ sequenceNumber: 5n, ledgerTimeMs: NOW_MS + MINUTE_MS / 2 });
  expect(senders.forget("0x1")).toBe(true);
});

test("only a reservation that has used what was kept is explained by another read", () => {
  const senders = new KnownSenders();
  senders.note("0x1", accountAt(4n));
  expect(senders.forget("0x1")).toBe(false);
  senders.note("0x1", accountAt(4n));
  senders.factsOf("0x1", authenticator, storeWith(), NOW_MS);
  expect(senders.forget("0x1")).toBe(true);
  expect(senders.forget("0x1")).toBe(false);
});

test("the memory has a bound: the oldest senders leave", () => {
  const senders = new KnownSenders();
  for (let sender = 0; sender <= 10_000; sender += 1) senders.note(String(sender), accountAt(4n));
  const isKnown = (sender: string) => senders.factsOf(sender, authenticator, storeWith(), NOW_MS) !== null;
  expect([isKnown("0"), isKnown("1"), isKnown("10000")]).toEqual([false, true, true]);
});
