import { AccountAddress, U64 } from "@aptos-labs/ts-sdk";
import { describe, expect, vi } from "vitest";
import { defaultKeyPolicy } from "../../../../shared/policy/fund-policy-defaults.ts";
import { alterAptos, ledgerAt, withHeaders } from "../../../byzantine-node/altered-aptos-node.ts";
import { displayAddress } from "../../../devchain/aptos/address.ts";
import {
  APT_OCTAS,
  committedAt,
  draftFrom,
  draftOf,
  giveOctas,
  hasAccount,
  newUser,
  octasOnChain,
  SUBMIT,
  signDraft,
  submitAlone,
  submitDraft,
} from "../../../support/aptos-chain.ts";
import {
  alsoAlter,
  aptosExecute,
  aptosLedgerOf,
  aptosSponsor,
  aptosStatesOf,
  executed,
  expectExactAptosBooks,
  expectQuiet,
  landed,
  newAptosFund,
  reasonOf,
  sponsored,
  sponsorshipsOf,
  useStoppedAptosClock,
  whenCommitted,
} from "../../../support/aptos-fund.ts";
import { longTest, shortTest } from "../../../support/rounds.ts";
import { holdConsensus } from "../../../support/sui-chain.ts";
import { crash, HOUR_MS, KEY_ID, liveFor, MINUTE_MS, pass, SECOND_MS, stub, until } from "../../../support/sui-fund.ts";

const ZERO = `0x${"0".repeat(64)}`;

useStoppedAptosClock();

describe("a signature that is handed out", () => {
  shortTest("pays for what the stock SDK signs and submits: exactly gas used × price less the refund", async () => {
    const fund = await newAptosFund();
    const draft = draftOf(newUser());
    const authenticator = await sponsored(fund, draft);
    expect(await stub(fund).view()).toMatchObject({ inFlightAtoms: draft.budgetOctas, balanceAtoms: APT_OCTAS });
    expect(await submitDraft(draft, fund.address, authenticator)).toBe("accepted");
    const { chargedOctas, hash, success } = await whenCommitted(draft);
    expect(success).toBe(true);
    expect(await octasOnChain(fund.address)).toBe(APT_OCTAS - chargedOctas);
    await liveFor(fund, 5 * SECOND_MS);
    expect(await sponsorshipsOf(fund)).toMatchObject([{ state: "complete", chargedAtoms: chargedOctas, hash }]);
    await expectQuiet(fund);
  });

  shortTest("is the same for the same bytes, and withholds once", async () => {
    const fund = await newAptosFund();
    const draft = draftOf(newUser());
    const first = await sponsored(fund, draft);
    const [second, third] = await Promise.all([sponsored(fund, draft), sponsored(fund, draft)]);
    await crash();
    for (const again of [second, third, await sponsored(fund, draft)]) expect(again).toEqual(first);
    expect(await stub(fund).view()).toMatchObject({ inFlightAtoms: draft.budgetOctas });
    expect(await sponsorshipsOf(fund)).toHaveLength(1);
  });

  longTest("pays for a sender and a secondary signer", async () => {
    const fund = await newAptosFund();
    const [sender, second] = [newUser(), newUser()];
    for (const { address } of [sender, second]) await giveOctas(address, 1_000n);
    const to = newUser();
    const call = ["pay_together", AccountAddress.from(to.address), new U64(3n), new U64(4n)] as const;
    const draft = draftOf(sender, { call, secondaries: [second], maxGasUnits: 20_000n });
    await submitDraft(draft, fund.address, await sponsored(fund, draft));
    expect(await whenCommitted(draft)).toMatchObject({ success: true });
    expect(await octasOnChain(to.address)).toBe(7n);
    await liveFor(fund, 5 * SECOND_MS);
    await expectQuiet(fund);
  });

  shortTest("and is abandoned is freed once a ledger is past its expiration, and never by our clock", async () => {
    const fund = await newAptosFund();
    const draft = draftOf(newUser());
    await sponsored(fund, draft);
    alterAptos(ledgerAt(() => draft.expiresAtMs - 1));
    await liveFor(fund, 10 * MINUTE_MS);
    expect(await aptosStatesOf(fund)).toEqual(["signed"]);
    alterAptos(ledgerAt(() => draft.expiresAtMs));
    await liveFor(fund, MINUTE_MS);
    expect(await aptosStatesOf(fund)).toEqual(["dead"]);
    await expectQuiet(fund);
    expect(await aptosSponsor(fund, draft)).toMatchObject({ error: { reason: "expired" } });
  });

  longTest("is freed as soon as the sender has used the sequence number without it", async () => {
    const fund = await newAptosFund();
    const sender = newUser();
    await giveOctas(sender.address, APT_OCTAS);
    const draft = draftOf(sender);
    await sponsored(fund, draft);
    expect(await submitAlone(draft)).toBe("accepted");
    await whenCommitted(draft);
    await liveFor(fund, 5 * SECOND_MS);
    expect(await aptosStatesOf(fund)).toEqual(["dead"]);
    await expectQuiet(fund);
    expect(await aptosSponsor(fund, draft)).toMatchObject({ error: { reason: "sequence_conflict" } });
  });

  longTest("and is then executed here pays once", async () => {
    const fund = await newAptosFund();
    const draft = draftOf(newUser());
    await sponsored(fund, draft);
    const hash = await executed(fund, draft);
    expect(await whenCommitted(draft)).toMatchObject({ hash });
    await liveFor(fund, 5 * SECOND_MS);
    expect(await sponsorshipsOf(fund)).toMatchObject([{ state: "complete", hash }]);
    await expectQuiet(fund);
  });
});

describe("what is executed", () => {
  shortTest("is answered as it waits, and charged exactly", async () => {
    const fund = await newAptosFund();
    const draft = draftOf(newUser());
    const outcome = await aptosExecute(fund, draft);
    expect(outcome).toMatchObject({
      value: {
        pendingTransaction: {
          sender: displayAddress(draft.sender.address),
          sequence_number: "0",
          signature: { type: "fee_payer_signature", fee_payer_address: displayAddress(fund.address) },
        },
      },
    });
    const { hash, chargedOctas } = await whenCommitted(draft);
    expect(outcome).toMatchObject({ value: { pendingTransaction: { hash } } });
    await liveFor(fund, 5 * SECOND_MS);
    expect(await sponsorshipsOf(fund)).toMatchObject([{ state: "complete", chargedAtoms: chargedOctas, hash }]);
    expect(await octasOnChain(fund.address)).toBe(APT_OCTAS - chargedOctas);
    await expectQuiet(fund);
  });

  longTest("may be signed over the zero address in place of the fee payer", async () => {
    const fund = await newAptosFund();
    const draft = draftOf(newUser());
    await executed(fund, draft, signDraft(draft, ZERO));
    expect(await whenCommitted(draft)).toMatchObject({ success: true });
  });

  shortTest("is refused where a signature is not the sender's over it, and nothing is held", async () => {
    const fund = await newAptosFund();
    const [draft, other] = [draftOf(newUser()), draftOf(newUser())];
    for (const signatures of [signDraft(other, fund.address), signDraft(draft, other.sender.address)])
      expect(reasonOf(await aptosExecute(fund, draft, signatures))).toBe("bad_signature");
    expect(reasonOf(await aptosExecute(fund, draft, { secondaryAuthenticators: [new Uint8Array()] }))).toBe(
      "bad_signature",
    );
    expect(await sponsorshipsOf(fund)).toEqual([]);
  });

  shortTest(
    "has one hash and one charge, however often it is repeated: at once, while it waits, and committed",
    async () => {
      const fund = await newAptosFund();
      const draft = draftOf(newUser());
      await holdConsensus(true);
      const hashes = await Promise.all([executed(fund, draft), executed(fund, draft)]);
      hashes.push(await executed(fund, draft));
      await holdConsensus(false);
      const { hash, chargedOctas } = await whenCommitted(draft);
      hashes.push(await executed(fund, draft));
      await liveFor(fund, 5 * SECOND_MS);
      hashes.push(await executed(fund, draft));
      await crash();
      hashes.push(await executed(fund, draft));
      expect(new Set(hashes)).toEqual(new Set([hash]));
      expect(await octasOnChain(fund.address)).toBe(APT_OCTAS - chargedOctas);
      expect((await aptosLedgerOf(fund)).filter(({ kind }) => kind === "charge")).toHaveLength(1);
      await expectQuiet(fund);
    },
  );

  longTest("and is committed while a repeat of it is signed is answered as committed, and sent no more", async () => {
    const fund = await newAptosFund();
    const draft = draftOf(newUser());
    await holdConsensus(true);
    const hash = await executed(fund, draft);
    let [isReached, isReleased] = [false, false];
    const { subtle } = crypto;
    const honest = subtle.sign.bind(subtle);
    vi.spyOn(subtle, "sign").mockImplementationOnce(async (...args) => {
      isReached = true;
      await until(async () => isReleased);
      return honest(...args);
    });
    let submissions = 0;
    const count = async () => {
      submissions += 1;
    };
    alsoAlter({ method: SUBMIT, before: count });
    const slow = aptosExecute(fund, draft);
    await until(async () => isReached);
    await holdConsensus(false);
    await whenCommitted(draft);
    await liveFor(fund, 5 * SECOND_MS);
    expect(await aptosStatesOf(fund)).toEqual(["complete"]);
    isReleased = true;
    expect(await slow).toMatchObject({ value: { pendingTransaction: { hash } } });
    expect(submissions).toBe(0);
    await expectQuiet(fund);
  });

  shortTest(
    "keeps its sequence number until it is dead: another transaction there is refused, then sponsored",
    async () => {
      const fund = await newAptosFund();
      const sender = newUser();
      const first = draftOf(sender);
      await sponsored(fund, first);
      const second = () => draftOf(sender, { call: ["abort_with", new U64(1n)] });
      const expected = { reason: "sequence_conflict", data: { expiresAtMs: first.expiresAtMs } };
      expect(await aptosExecute(fund, second())).toMatchObject({ error: expected });
      expect(await aptosSponsor(fund, second())).toMatchObject({ error: expected });
      expect(await sponsorshipsOf(fund)).toHaveLength(1);
      await liveFor(fund, 2 * MINUTE_MS);
      expect(await aptosStatesOf(fund)).toEqual(["dead"]);
      await landed(fund, second());
      await liveFor(fund, 5 * SECOND_MS);
      expect(await aptosStatesOf(fund)).toEqual(["dead", "complete"]);
      await expectQuiet(fund);
    },
  );

  longTest("lands with its successor, sent before it is committed; a gap after that is refused", async () => {
    const fund = await newAptosFund();
    const sender = newUser();
    const at = (sequenceNumber: bigint) => draftOf(sender, { sequenceNumber, maxGasUnits: 20_000n });
    await landed(fund, at(0n));
    await holdConsensus(true);
    await executed(fund, at(1n));
    await executed(fund, at(2n));
    expect(reasonOf(await aptosExecute(fund, at(4n)))).toBe("sequence_conflict");
    await holdConsensus(false);
    await whenCommitted(at(2n));
    await liveFor(fund, 10 * SECOND_MS);
    expect(await aptosStatesOf(fund)).toEqual(["complete", "complete", "complete"]);
    expect(reasonOf(await aptosExecute(fund, draftOf(sender, { sequenceNumber: 2n, maxGasUnits: 100n })))).toBe(
      "sequence_conflict",
    );
    await expectQuiet(fund);
  });

  shortTest("makes the account of its sender", async () => {
    const fund = await newAptosFund();
    const draft = draftOf(newUser());
    expect(await hasAccount(draft.sender.address)).toBe(false);
    await landed(fund, draft);
    expect(await hasAccount(draft.sender.address)).toBe(true);
  });

  longTest("of a sender without an account needs the sequence number 0 and gas for that account", async () => {
    const fund = await newAptosFund();
    const sender = newUser();
    expect(reasonOf(await aptosExecute(fund, draftOf(sender, { sequenceNumber: 1n })))).toBe("account_not_found");
    expect(await aptosExecute(fund, draftOf(sender, { maxGasUnits: 5_209n }))).toMatchObject({
      error: { reason: "gas_budget_out_of_range", data: { minMaxGasAmount: "5210" } },
    });
    expect(await sponsorshipsOf(fund)).toEqual([]);
    await executed(fund, draftOf(sender, { maxGasUnits: 5_210n, call: ["abort_with", new U64(1n)] }));
  });

  shortTest("and aborts is charged", async () => {
    const fund = await newAptosFund();
    const draft = draftOf(newUser(), { call: ["abort_with", new U64(7n)] });
    const { success, chargedOctas } = await landed(fund, draft);
    expect(success).toBe(false);
    await liveFor(fund, 5 * SECOND_MS);
    expect(await sponsorshipsOf(fund)).toMatchObject([{ state: "complete", chargedAtoms: chargedOctas }]);
    await expectQuiet(fund);
  });

  longTest("and frees more storage than it costs gives the fund the difference", async () => {
    const fund = await newAptosFund();
    const sender = newUser();
    await landed(fund, draftOf(sender));
    const { chargedOctas } = await landed(fund, draftOf(sender, { sequenceNumber: 1n, call: ["close"] }));
    expect(chargedOctas).toBeLessThan(0n);
    await liveFor(fund, 5 * SECOND_MS);
    expect((await sponsorshipsOf(fund))[1]).toMatchObject({ state: "complete", chargedAtoms: chargedOctas });
    await expectQuiet(fund);
  });
});

describe("the initialisation of an account", () => {
  shortTest("is a transaction that its owner signs and the fund pays, and leaves the account", async () => {
    const fund = await newAptosFund();
    const user = newUser();
    const caller = { keyId: KEY_ID, keyPolicy: defaultKeyPolicy("aptos") };
    const ask = () => stub(fund).aptosInitialization({ ...caller, sender: user.address });
    const asked = await ask();
    if (!asked.ok || asked.value.state !== "absent") throw new Error(JSON.stringify(asked));
    expect(asked.value.feePayerAddress).toBe(fund.address);
    const draft = draftFrom(user, asked.value.rawTransaction);
    await holdConsensus(true);
    await executed(fund, draft);
    expect(await ask()).toEqual({ ok: true, value: { state: "pending" } });
    await holdConsensus(false);
    expect(await whenCommitted(draft)).toMatchObject({ success: true });
    expect(await ask()).toEqual({ ok: true, value: { state: "initialized" } });
    expect(await committedAt(user.address, 0n)).not.toBeNull();
    await liveFor(fund, 5 * SECOND_MS);
    await expectQuiet(fund);
  });

  longTest("is refused by a fund that cannot pay for it", async () => {
    const fund = await newAptosFund(0n);
    expect(reasonOf(await stub(fund).aptosScreenInitialization())).toBe("balance_too_low");
    await expectExactAptosBooks(fund);
  });
});

longTest("a node that lies for two seconds about how far its ledger is kills no row and stops no fund", async () => {
  const fund = await newAptosFund();
  await liveFor(fund, MINUTE_MS);
  const draft = draftOf(newUser());
  const authenticator = await sponsored(fund, draft);
  const twoHoursOnMs = Date.now() + 2 * HOUR_MS;
  alsoAlter(
    withHeaders((headers) => {
      headers.set("x-aptos-ledger-version", `${10n ** 15n}`);
      headers.set("x-aptos-ledger-timestampusec", `${twoHoursOnMs}000`);
    }),
  );
  await liveFor(fund, 2 * SECOND_MS);
  await stub(fund).refresh();
  expect(await aptosStatesOf(fund)).toEqual(["signed"]);
  alsoAlter();
  await liveFor(fund, 2 * SECOND_MS);
  expect(await submitDraft(draft, fund.address, authenticator)).toBe("accepted");
  await whenCommitted(draft);
  await giveOctas(fund.address, 7n);
  pass(MINUTE_MS);
  await stub(fund).refresh();
  await liveFor(fund, 15 * MINUTE_MS);
  expect(await stub(fund).view()).toMatchObject({ pausedCause: null });
  expect(await aptosStatesOf(fund)).toEqual(["complete"]);
  expect((await aptosLedgerOf(fund)).filter(({ kind }) => kind === "deposit")).toHaveLength(2);
  await sponsored(fund, draftOf(newUser()));
  await expectExactAptosBooks(fund);
});
