import { describe, expect, test } from "vitest";
import {
  alterAptos,
  atOurTime,
  ledgerAt,
  onceAt,
  refusedByValidation,
} from "../../../byzantine-node/altered-aptos-node.ts";
import {
  APT_OCTAS,
  aptosNodeDown,
  committedAt,
  draftOf,
  giveOctas,
  LOOK_UP,
  newUser,
  octasOnChain,
  orderFault,
  orderLag,
  SUBMIT,
  submitAlone,
} from "../../../support/aptos-chain.ts";
import {
  alsoAlter,
  aptosExecute,
  aptosLedgerOf,
  aptosSponsor,
  aptosStatesOf,
  crashDuringAptos,
  executed,
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
import { clearFaults, holdConsensus } from "../../../support/sui-chain.ts";
import { liveFor, MINUTE_MS, pass, SECOND_MS, stub } from "../../../support/sui-fund.ts";

useStoppedAptosClock();

/** Charged once, what the chain has charged, under this hash. */
async function expectOneCharge(fund: Parameters<typeof sponsorshipsOf>[0], hash: string, octas: bigint): Promise<void> {
  expect(await sponsorshipsOf(fund)).toMatchObject([{ state: "complete", hash, chargedAtoms: octas }]);
  expect((await aptosLedgerOf(fund)).filter(({ kind }) => kind === "charge")).toHaveLength(1);
  expect(await octasOnChain(fund.address)).toBe(APT_OCTAS - octas);
  await expectQuiet(fund);
}

describe("a submission without an answer", () => {
  test("that a node has taken is found by its hash", async () => {
    const fund = await newAptosFund();
    const draft = draftOf(newUser());
    await orderFault(SUBMIT, "drop_after_commit");
    const hash = await executed(fund, draft);
    const { chargedOctas } = await whenCommitted(draft);
    await liveFor(fund, 5 * SECOND_MS);
    await expectOneCharge(fund, hash, chargedOctas);
  });

  test("is an unknown outcome with its hash; the repeat has the same hash and lands once", async () => {
    const fund = await newAptosFund();
    const draft = draftOf(newUser());
    await orderFault(SUBMIT, "unavailable_before_commit");
    const outcome = await aptosExecute(fund, draft);
    const [row] = await sponsorshipsOf(fund);
    expect(outcome).toMatchObject({ error: { reason: "outcome_unknown", data: { hash: row?.hash } } });
    expect(await stub(fund).view()).toMatchObject({ inFlightAtoms: draft.budgetOctas });
    const hash = await executed(fund, draft);
    expect(hash).toBe(row?.hash);
    const { chargedOctas } = await whenCommitted(draft);
    await liveFor(fund, 5 * SECOND_MS);
    await expectOneCharge(fund, hash, chargedOctas);
  });

  test("is no other outcome while no node answers: a repeat is never told that nothing was sent", async () => {
    const fund = await newAptosFund();
    const draft = draftOf(newUser());
    await orderFault(SUBMIT, "drop_after_commit");
    await orderFault(LOOK_UP, "unavailable", 100);
    expect(reasonOf(await aptosExecute(fund, draft))).toBe("outcome_unknown");
    await aptosNodeDown();
    pass(2 * MINUTE_MS);
    expect(reasonOf(await aptosExecute(fund, draft)), "the facts are stale, too").toBe("outcome_unknown");
    await clearFaults();
    await whenCommitted(draft);
    await liveFor(fund, 5 * MINUTE_MS);
    await orderFault(LOOK_UP, "unavailable", 100);
    expect(reasonOf(await aptosExecute(fund, draft)), "committed").toBe("outcome_unknown");
    await expectQuiet(fund);
  });

  test("and refused when repeated, since it is committed, is not taken for refused by an endpoint that lags", async () => {
    const fund = await newAptosFund();
    const draft = draftOf(newUser());
    await orderFault(SUBMIT, "drop_after_commit");
    await orderFault(LOOK_UP, "unavailable", 100);
    expect(reasonOf(await aptosExecute(fund, draft))).toBe("outcome_unknown");
    const { hash } = await whenCommitted(draft);
    await clearFaults();
    await orderLag(MINUTE_MS);
    expect(await aptosExecute(fund, draft)).toMatchObject({ error: { reason: "outcome_unknown", data: { hash } } });
    await orderLag(0);
    expect(await executed(fund, draft)).toBe(hash);
    await liveFor(fund, 5 * SECOND_MS);
    await expectQuiet(fund);
  });
});

describe("a submission that the node refuses", () => {
  test("is answered in its words, again when repeated, and withholds until it is dead", async () => {
    const fund = await newAptosFund();
    const sender = newUser();
    await giveOctas(sender.address, APT_OCTAS);
    const draft = draftOf(sender);
    // The sender spends the number just before the node sees ours.
    alsoAlter(
      onceAt("POST /transactions", {
        before: async () => {
          await submitAlone(draft);
          await whenCommitted(draft);
        },
      }),
    );
    expect(await aptosExecute(fund, draft)).toMatchObject({
      error: {
        reason: "node_refused",
        details: expect.stringContaining("SEQUENCE_NUMBER_TOO_OLD"),
        data: { node: { vmErrorCode: 3 }, hash: expect.stringMatching(/^0x[0-9a-f]{64}$/) },
      },
    });
    expect(await aptosStatesOf(fund)).toEqual(["dead"]);
    expect(reasonOf(await aptosExecute(fund, draft))).toBe("sequence_conflict");
    await expectQuiet(fund);
  });

  test("for a reason of its own stays refused, and is freed by its expiration", async () => {
    const fund = await newAptosFund();
    const draft = draftOf(newUser());
    alsoAlter(refusedByValidation("INVALID_AUTH_KEY", 2));
    for (let times = 0; times < 2; times++)
      expect(await aptosExecute(fund, draft)).toMatchObject({
        error: { reason: "node_refused", data: { node: { status: "vm_error", vmErrorCode: 2 } } },
      });
    expect(await aptosStatesOf(fund)).toEqual(["signed"]);
    await liveFor(fund, 2 * MINUTE_MS);
    expect(await aptosStatesOf(fund)).toEqual(["dead"]);
    await expectQuiet(fund);
  });
});

describe("nothing stays withheld", () => {
  test("of what waits for a sequence number that nobody uses", async () => {
    const fund = await newAptosFund();
    const sender = newUser();
    await landed(fund, draftOf(sender));
    await sponsored(fund, draftOf(sender, { sequenceNumber: 1n }));
    await executed(fund, draftOf(sender, { sequenceNumber: 2n }));
    await liveFor(fund, 2 * MINUTE_MS);
    expect(await aptosStatesOf(fund)).toEqual(["complete", "dead", "dead"]);
    await expectQuiet(fund);
  });

  test("after ten minutes without a node, in which it asks now and then and decides nothing", async () => {
    const fund = await newAptosFund();
    const [done, abandoned] = [draftOf(newUser()), draftOf(newUser())];
    await sponsored(fund, abandoned);
    await executed(fund, done);
    const { hash, chargedOctas } = await whenCommitted(done);
    await aptosNodeDown();
    await liveFor(fund, 10 * MINUTE_MS);
    expect(await aptosStatesOf(fund)).toEqual(["signed", "signed"]);
    expect(reasonOf(await aptosSponsor(fund, draftOf(newUser())))).toBe("node_unavailable");
    await clearFaults();
    await liveFor(fund, MINUTE_MS);
    expect(await sponsorshipsOf(fund)).toMatchObject([
      { state: "dead" },
      { state: "complete", hash, chargedAtoms: chargedOctas },
    ]);
    await expectQuiet(fund);
  });

  test("where the node answers for one sender and not for the other", async () => {
    const fund = await newAptosFund();
    const [deaf, heard] = [draftOf(newUser()), draftOf(newUser())];
    for (const draft of [deaf, heard]) await executed(fund, draft);
    for (const draft of [deaf, heard]) await whenCommitted(draft);
    alsoAlter({
      method: `GET /accounts/${deaf.sender.address}/transactions`,
      alter: () => new Response("no", { status: 500 }),
    });
    await liveFor(fund, 5 * MINUTE_MS);
    expect(await aptosStatesOf(fund)).toEqual(["signed", "complete"]);
    alsoAlter();
    await liveFor(fund, MINUTE_MS);
    await expectQuiet(fund);
  });

  test("by an endpoint that is behind: it decides nothing before it has caught up", async () => {
    const fund = await newAptosFund();
    const draft = draftOf(newUser());
    await executed(fund, draft);
    await whenCommitted(draft);
    const behindMs = Date.now() - MINUTE_MS;
    await orderLag(MINUTE_MS);
    alterAptos(ledgerAt(() => behindMs));
    await liveFor(fund, 10 * MINUTE_MS);
    expect(await aptosStatesOf(fund)).toEqual(["signed"]);
    await orderLag(0);
    alterAptos(atOurTime);
    await liveFor(fund, 5 * MINUTE_MS);
    expect(await aptosStatesOf(fund)).toEqual(["complete"]);
    await expectQuiet(fund);
  });
});

describe("killed", () => {
  test("before anything was promised: nothing is", async () => {
    const fund = await newAptosFund();
    const draft = draftOf(newUser());
    await crashDuringAptos(() => aptosExecute(fund, draft), "after", `GET /accounts/${draft.sender.address}`);
    expect(await sponsorshipsOf(fund)).toEqual([]);
    await landed(fund, draft);
  });

  test.each(["before", "after"] as const)(
    "%s the node had the transaction, and repeated: it lands once",
    async (when) => {
      const fund = await newAptosFund();
      const draft = draftOf(newUser());
      await crashDuringAptos(() => aptosExecute(fund, draft), when, "POST /transactions");
      const [row] = await sponsorshipsOf(fund);
      expect(row).toMatchObject({ state: "signed", hash: expect.any(String) });
      expect(await executed(fund, draft)).toBe(row?.hash);
      const { hash, chargedOctas } = await whenCommitted(draft);
      expect(hash).toBe(row?.hash);
      await liveFor(fund, 5 * SECOND_MS);
      await expectOneCharge(fund, hash, chargedOctas);
    },
  );

  test.each(["before", "after"] as const)("%s the node had it, and never repeated: booked, or freed", async (when) => {
    const fund = await newAptosFund();
    const draft = draftOf(newUser());
    await crashDuringAptos(() => aptosExecute(fund, draft), when, "POST /transactions");
    if (when === "after") await whenCommitted(draft);
    await liveFor(fund, 2 * MINUTE_MS);
    expect(await aptosStatesOf(fund)).toEqual([when === "after" ? "complete" : "dead"]);
    expect((await committedAt(draft.sender.address, 0n)) === null).toBe(when === "before");
    await expectQuiet(fund);
  });

  test("while it settles: it settles again, and books once", async () => {
    const fund = await newAptosFund();
    const draft = draftOf(newUser());
    const { hash, chargedOctas } = await landed(fund, draft);
    pass(2 * SECOND_MS);
    await crashDuringAptos(() => stub(fund).reconcile(), "after", `GET /accounts/${draft.sender.address}/transactions`);
    await liveFor(fund, 5 * SECOND_MS);
    await expectOneCharge(fund, hash, chargedOctas);
  });
});

test("what is held back by consensus is told apart from what is dead only by its time", async () => {
  const fund = await newAptosFund();
  const draft = draftOf(newUser());
  await holdConsensus(true);
  const outcome = granted(await aptosExecute(fund, draft));
  await liveFor(fund, 30 * SECOND_MS);
  expect(await aptosStatesOf(fund)).toEqual(["signed"]);
  await holdConsensus(false);
  expect(await whenCommitted(draft)).toMatchObject({ hash: outcome.pendingTransaction.hash });
  await liveFor(fund, 30 * SECOND_MS);
  await expectQuiet(fund);
});

test("an alarm while another call settles the same row leaves nothing due", async () => {
  const fund = await newAptosFund();
  const draft = draftOf(newUser());
  await landed(fund, draft);
  pass(2 * SECOND_MS);
  // The first of two questions about the row gets no answer, and comes back after the second one has closed it.
  let questions = 0;
  alsoAlter({
    method: `GET /accounts/${draft.sender.address}/transactions`,
    alter: async (response) => {
      questions += 1;
      if (questions > 1) return response;
      await stub(fund).reconcile();
      return new Response("no", { status: 500 });
    },
  });
  await liveFor(fund, MINUTE_MS);
  expect(questions).toBeGreaterThan(1);
  await expectQuiet(fund);
});
