import { Account, MoveVector } from "@aptos-labs/ts-sdk";
import { describe, expect } from "vitest";
import {
  APT_OCTAS,
  AT_SEQUENCE,
  type Draft,
  draftOf,
  GET_ACCOUNT,
  giveOctas,
  newUser,
  SUBMIT,
  submitAlone,
} from "../../../support/aptos-chain.ts";
import {
  alsoAlter,
  aptosExecute,
  aptosSponsor,
  aptosStatesOf,
  executed,
  expectExactAptosBooks,
  expectQuiet,
  landed,
  newAptosFund,
  reasonOf,
  useStoppedAptosClock,
  whenCommitted,
} from "../../../support/aptos-fund.ts";
import { longTest, shortTest } from "../../../support/rounds.ts";
import { callsOf, holdConsensus } from "../../../support/sui-chain.ts";
import { crash, liveFor, MINUTE_MS, SECOND_MS, type TestFund } from "../../../support/sui-fund.ts";

useStoppedAptosClock();

const METHODS = [GET_ACCOUNT, SUBMIT, AT_SEQUENCE] as const;
const counts = () => Promise.all(METHODS.map(callsOf));

/** Counts the reads of accounts, the submissions and the look-ups that work causes. */
async function callsDuring(work: () => Promise<unknown>): Promise<readonly number[]> {
  const before = await counts();
  await work();
  return (await counts()).map((count, index) => count - (before[index] ?? 0));
}

/** A sender whose account the fund has read. Its first transactions, 0 and 1, are complete. */
async function knownSender(fund: TestFund) {
  const sender = newUser();
  await giveOctas(sender.address, APT_OCTAS);
  const at = (sequenceNumber: bigint, terms = {}) =>
    draftOf(sender, { sequenceNumber, maxGasUnits: 20_000n, ...terms });
  for (const number of [0n, 1n]) {
    await landed(fund, at(number));
    await liveFor(fund, 5 * SECOND_MS);
  }
  return { sender, at };
}

async function landedElsewhere(draft: Draft): Promise<void> {
  expect(await submitAlone(draft)).toBe("accepted");
  await whenCommitted(draft);
}

describe("a sender whose account was read a moment ago", () => {
  shortTest("executes with two calls to the node: its submission, and later the look-up", async () => {
    const fund = await newAptosFund();
    const { at } = await knownSender(fund);
    expect(await callsDuring(() => executed(fund, at(2n)))).toEqual([0, 1, 0]);
    await whenCommitted(at(2n));
    expect(await callsDuring(() => liveFor(fund, 5 * SECOND_MS))).toEqual([0, 0, 1]);
    expect(await aptosStatesOf(fund)).toEqual(["complete", "complete", "complete"]);
    await expectQuiet(fund);
  });

  shortTest("is known by its first transaction, too", async () => {
    const fund = await newAptosFund();
    const sender = newUser();
    await giveOctas(sender.address, APT_OCTAS);
    const at = (sequenceNumber: bigint) => draftOf(sender, { sequenceNumber, maxGasUnits: 20_000n });
    await landed(fund, at(0n));
    await liveFor(fund, 5 * SECOND_MS);
    expect(await callsDuring(() => executed(fund, at(1n)))).toEqual([0, 1, 0]);
  });

  longTest("may run ahead of the chain without another read, and never leave a gap", async () => {
    const fund = await newAptosFund();
    const { at } = await knownSender(fund);
    expect(
      await callsDuring(async () => {
        await executed(fund, at(2n));
        await executed(fund, at(3n));
      }),
    ).toEqual([0, 2, 0]);
    expect(reasonOf(await aptosExecute(fund, at(5n)))).toBe("sequence_conflict");
    await whenCommitted(at(3n));
    await liveFor(fund, 5 * SECOND_MS);
    await expectQuiet(fund);
  });

  longTest.each([
    ["its signature is handed out", aptosSponsor, async () => {}],
    ["a minute has passed", aptosExecute, (fund: TestFund) => liveFor(fund, MINUTE_MS + SECOND_MS)],
    ["the fund starts anew", aptosExecute, crash],
  ])("is read again if %s", async (_what, call, happen) => {
    const fund = await newAptosFund();
    const { at } = await knownSender(fund);
    await happen(fund);
    const [reads] = await callsDuring(async () => expect(reasonOf(await call(fund, at(2n)))).toBeNull());
    expect(reads).toBe(1);
  });
});

describe("a sponsorship that a node has refused and executed all the same", () => {
  const NOT_FOUND = { message: "Transaction not found", error_code: "transaction_not_found", vm_error_code: null };
  const REFUSED = {
    message: "Invalid transaction: Type: Validation Code: INVALID_AUTH_KEY",
    error_code: "vm_error",
    vm_error_code: 2,
  };
  const altered = (status: number, body: object) => (reply: Response) => {
    const headers = new Headers(reply.headers);
    headers.delete("content-length");
    return Response.json(body, { status, headers });
  };

  longTest("is complete, and gives its number to no other transaction by a remembered account", async () => {
    const fund = await newAptosFund();
    const { at } = await knownSender(fund);
    await holdConsensus(true);
    alsoAlter(
      { method: SUBMIT, alter: altered(400, REFUSED) },
      { method: "GET /transactions/by_hash", alter: altered(404, NOT_FOUND) },
    );
    await aptosExecute(fund, at(2n));
    alsoAlter();
    await holdConsensus(false);
    await whenCommitted(at(2n));
    const other = at(2n, { maxGasUnits: 19_000n });
    const [reads] = await callsDuring(async () =>
      expect(await aptosExecute(fund, other)).toMatchObject({
        error: { reason: "sequence_conflict", data: { nextSequenceNumber: "3" } },
      }),
    );
    expect(reads).toBe(1);
    await liveFor(fund, 3 * MINUTE_MS);
    expect(await aptosStatesOf(fund)).toEqual(["complete", "complete", "complete"]);
    await expectExactAptosBooks(fund);
  });
});

describe("a sender who has moved on elsewhere", () => {
  shortTest("is refused its used number, and told the next one; nothing stays withheld", async () => {
    const fund = await newAptosFund();
    const { at } = await knownSender(fund);
    await landedElsewhere(at(2n, { maxGasUnits: 19_000n }));
    expect(await aptosExecute(fund, at(2n))).toMatchObject({
      error: { reason: "sequence_conflict", data: { nextSequenceNumber: "3" } },
    });
    expect(await aptosSponsor(fund, at(2n, { maxGasUnits: 18_000n }))).toMatchObject({
      error: { reason: "sequence_conflict" },
    });
    await executed(fund, at(3n));
    await whenCommitted(at(3n));
    await liveFor(fund, 5 * SECOND_MS);
    expect(await aptosStatesOf(fund)).toEqual(["complete", "complete", "dead", "complete"]);
    await expectQuiet(fund);
  });

  shortTest("executes its next number under the same Idempotency-Key", async () => {
    const fund = await newAptosFund();
    const { at } = await knownSender(fund);
    await landedElsewhere(at(2n, { maxGasUnits: 19_000n }));
    const underKey = (fingerprint: string) => ({ idempotency: { scope: "key/method/once", fingerprint } });
    expect(reasonOf(await aptosExecute(fund, at(2n), underKey("at 2")))).toBe("sequence_conflict");
    const next = await aptosExecute(fund, at(3n), underKey("at 3"));
    expect(reasonOf(next)).toBeNull();
    expect(reasonOf(await aptosExecute(fund, at(4n), underKey("at 4")))).toBe("idempotency_conflict");
    await whenCommitted(at(3n));
    await liveFor(fund, 5 * SECOND_MS);
    expect(await aptosStatesOf(fund)).toEqual(["complete", "complete", "dead", "complete"]);
    await expectQuiet(fund);
  });

  longTest("executes its next number at once", async () => {
    const fund = await newAptosFund();
    const { at } = await knownSender(fund);
    await landedElsewhere(at(2n));
    expect(await callsDuring(() => executed(fund, at(3n)))).toEqual([1, 1, 0]);
    await whenCommitted(at(3n));
    await liveFor(fund, 5 * SECOND_MS);
    await expectQuiet(fund);
  });

  longTest("signs with its new key only", async () => {
    const fund = await newAptosFund();
    const { sender, at } = await knownSender(fund);
    const next = newUser();
    const rotate = MoveVector.U8(next.account.accountAddress.toUint8Array());
    await landedElsewhere(at(2n, { module: "0x1::account", call: ["rotate_authentication_key_call", rotate] }));
    const account = Account.fromPrivateKey({
      privateKey: next.account.privateKey,
      address: sender.account.accountAddress,
    });
    expect(reasonOf(await aptosExecute(fund, at(3n)))).toBe("bad_signature");
    const rotated = draftOf({ account, address: sender.address }, { sequenceNumber: 3n, maxGasUnits: 20_000n });
    await executed(fund, rotated);
    await whenCommitted(rotated);
    await liveFor(fund, 5 * SECOND_MS);
    expect((await aptosStatesOf(fund)).filter((state) => state !== "dead")).toEqual([
      "complete",
      "complete",
      "complete",
    ]);
    await expectQuiet(fund);
  });
});
