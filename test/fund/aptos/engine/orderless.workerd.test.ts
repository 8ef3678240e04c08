import { beforeEach, describe, expect, vi } from "vitest";
import { transactionHash } from "../../../../shared/chain/aptos/transaction.ts";
import { defaultKeyPolicy } from "../../../../shared/policy/fund-policy-defaults.ts";
import {
  alterAptos,
  atOurTime,
  ledgerAt,
  type Moment,
  withHeaders,
} from "../../../byzantine-node/altered-aptos-node.ts";
import {
  APT_OCTAS,
  assembleDraft,
  committedAs,
  type Draft,
  draftOf,
  giveOctas,
  hasAccount,
  newUser,
  sequenceOnChain,
  signDraft,
  submitAlone,
  submitDraft,
  submitToAptos,
} from "../../../support/aptos-chain.ts";
import {
  aptosExecute,
  aptosSponsor,
  aptosStatesOf,
  executed,
  expectQuiet,
  newAptosFund,
  sponsored,
  sponsorshipsOf,
  useStoppedAptosClock,
} from "../../../support/aptos-fund.ts";
import { longTest, shortTest } from "../../../support/rounds.ts";
import {
  crash,
  liveFor,
  MINUTE_MS,
  SECOND_MS,
  stopClock,
  stub,
  type TestFund,
  until,
} from "../../../support/sui-fund.ts";

const VERSION = "x-aptos-ledger-version";
const ZERO = `0x${"0".repeat(64)}`;
const ALLOWED = { keyPolicy: { ...defaultKeyPolicy("aptos"), orderless: true } };

useStoppedAptosClock();
// The chain takes an orderless transaction for a minute by its own clock, which goes on.
beforeEach(() => {
  vi.useRealTimers();
  stopClock(Date.now());
});

const orderless = (nonce: bigint, sender = newUser(), change = {}) => draftOf(sender, { nonce, ...change });

/** A node of the same address lags. It lacks each transaction that it is asked for by its hash. */
const LACKS_BY_HASH: Moment = {
  method: "GET /transactions/by_hash/",
  alter: ({ headers: shown }) => {
    const headers = new Headers(shown);
    headers.delete("content-length");
    const body = { message: "no", error_code: "transaction_not_found", vm_error_code: null };
    return Response.json(body, { status: 404, headers });
  },
};

/** Waits, in real time, for a block with it. */
async function whenCommittedAs(hash: string) {
  await until(async () => (await committedAs(hash)) !== null);
  const found = await committedAs(hash);
  if (found === null) throw new Error("the chain shows it no more");
  return found;
}

async function submitted(fund: TestFund, draft: Draft): Promise<string> {
  return executed(fund, draft, ALLOWED);
}

describe("an orderless transaction", () => {
  shortTest("is refused, unless the policies of the key and of the fund allow it", async () => {
    const fund = await newAptosFund();
    const draft = orderless(1n);
    const refused = { error: { reason: "unsupported_transaction" } };
    expect(await aptosSponsor(fund, draft)).toMatchObject(refused);
    expect(await aptosExecute(fund, draft)).toMatchObject(refused);
    await stub(fund).update({ policy: { orderless: false } });
    expect(await aptosSponsor(fund, draft, ALLOWED)).toMatchObject(refused);
    expect(await aptosStatesOf(fund)).toEqual([]);
  });

  shortTest("is executed and booked to the octa, for a sender without an account", async () => {
    const fund = await newAptosFund();
    const draft = orderless(1n);
    const hash = await submitted(fund, draft);
    const { chargedOctas, success } = await whenCommittedAs(hash);
    expect(success).toBe(true);
    await liveFor(fund, 5 * SECOND_MS);
    expect(await sponsorshipsOf(fund)).toMatchObject([
      { state: "complete", hash, chargedAtoms: chargedOctas, nonce: 1n },
    ]);
    expect([await sequenceOnChain(draft.sender.address), await hasAccount(draft.sender.address)]).toEqual([0n, false]);
    await expectQuiet(fund);
  });

  longTest(
    "that a node lists and does not find keeps its gas withheld, and is booked once the node finds it",
    async () => {
      const fund = await newAptosFund();
      const draft = orderless(1n);
      const hash = await submitted(fund, draft);
      await whenCommittedAs(hash);
      alterAptos(atOurTime, LACKS_BY_HASH);
      await liveFor(fund, 2 * MINUTE_MS);
      const [row] = await sponsorshipsOf(fund);
      expect(row).toMatchObject({ state: "signed" });
      expect(await stub(fund).view()).toMatchObject({ pausedCause: null });
      alterAptos(atOurTime);
      await liveFor(fund, MINUTE_MS);
      expect(await aptosStatesOf(fund)).toEqual(["complete"]);
      await expectQuiet(fund);
    },
  );

  longTest("beside others of one sender is withheld and executed by itself", async () => {
    const fund = await newAptosFund();
    const sender = newUser();
    const drafts = [1n, 2n, 3n].map((nonce) => orderless(nonce, sender));
    const ordered = draftOf(sender);
    const hashes = await Promise.all([...drafts, ordered].map((draft) => submitted(fund, draft)));
    for (const hash of hashes) expect(await whenCommittedAs(hash)).toMatchObject({ success: true });
    await liveFor(fund, 5 * SECOND_MS);
    expect(await aptosStatesOf(fund)).toEqual(["complete", "complete", "complete", "complete"]);
    await expectQuiet(fund);
  });

  shortTest("is one live sponsorship for each sender and nonce", async () => {
    const fund = await newAptosFund();
    const sender = newUser();
    await sponsored(fund, orderless(1n, sender), ALLOWED);
    const other = orderless(1n, sender, { maxGasUnits: 13_000n });
    expect(await aptosSponsor(fund, other, ALLOWED)).toMatchObject({ error: { reason: "sequence_conflict" } });
    await crash();
    expect(await aptosSponsor(fund, other, ALLOWED)).toMatchObject({ error: { reason: "sequence_conflict" } });
    await sponsored(fund, orderless(1n), ALLOWED);
    await sponsored(fund, orderless(2n, sender), ALLOWED);
    expect(await aptosStatesOf(fund)).toEqual(["signed", "signed", "signed"]);
  });

  longTest("expires at most a minute ahead", async () => {
    const fund = await newAptosFund();
    const nowSecs = BigInt(Math.floor(Date.now() / 1_000));
    for (const [aheadSecs, reason] of [
      [61n, "expiration_too_far"],
      [0n, "expired"],
    ] as const) {
      const draft = orderless(1n, newUser(), { expirationSecs: nowSecs + aheadSecs });
      expect(await aptosSponsor(fund, draft, ALLOWED)).toMatchObject({ error: { reason } });
    }
    await sponsored(fund, orderless(1n, newUser(), { expirationSecs: nowSecs + 60n }), ALLOWED);
  });
});

describe("whoever has the fund's signature of an orderless transaction", () => {
  longTest("pays with it once: the fund books it, although it never saw the hash", async () => {
    const fund = await newAptosFund();
    const draft = orderless(1n);
    expect(await submitDraft(draft, fund.address, await sponsored(fund, draft, ALLOWED))).toBe("accepted");
    await until(async () => {
      await stub(fund).reconcile();
      return (await aptosStatesOf(fund))[0] === "complete";
    });
    await expectQuiet(fund);
  });

  longTest("pays with it once, although a node claimed a few versions too many as the fund signed", async () => {
    const fund = await newAptosFund();
    const claimed = (headers: Headers) => String(BigInt(headers.get(VERSION) ?? "0") + 20n);
    alterAptos(
      atOurTime,
      withHeaders((headers) => headers.set(VERSION, claimed(headers))),
    );
    await crash();
    const draft = orderless(1n);
    const signature = await sponsored(fund, draft, ALLOWED);
    alterAptos(atOurTime);
    const bytes = assembleDraft(draft, fund.address, signature);
    expect(await submitToAptos(bytes)).toBe("accepted");
    await whenCommittedAs(transactionHash(bytes));
    // The honest ledger goes past the claimed version, so that the list from there is read.
    for (let count = 0; count < 30; count++) await giveOctas(newUser().address, 1n);
    await liveFor(fund, 2 * MINUTE_MS);
    expect(await aptosStatesOf(fund)).toEqual(["complete"]);
    await expectQuiet(fund);
  });

  longTest("hides nothing by another signature of the sender's: it is no death, and its cost counts", async () => {
    const fund = await newAptosFund();
    const draft = orderless(1n);
    const bytes = assembleDraft(draft, fund.address, await sponsored(fund, draft, ALLOWED));
    expect(await submitToAptos(bytes)).toBe("accepted");
    // The service submits the same with the sender's signature over 0x0, which no block takes any more.
    await executed(fund, draft, { ...ALLOWED, ...signDraft(draft, ZERO) }).catch(() => null);
    // Its block comes in real time, and the stopped clock must not pass the expiration before.
    await whenCommittedAs(transactionHash(bytes));
    await liveFor(fund, 2 * MINUTE_MS);
    const [row] = await sponsorshipsOf(fund);
    expect(row).toMatchObject({ state: "complete", hash: transactionHash(bytes) });
    await expectQuiet(fund);
  });

  shortTest(
    "and leaves it unused has it freed once a ledger is past its expiration, and never by our clock",
    async () => {
      const fund = await newAptosFund();
      const draft = orderless(1n);
      await sponsored(fund, draft, ALLOWED);
      alterAptos(ledgerAt(() => draft.expiresAtMs - 1));
      await liveFor(fund, 10 * MINUTE_MS);
      expect(await aptosStatesOf(fund)).toEqual(["signed"]);
      alterAptos(ledgerAt(() => draft.expiresAtMs));
      await liveFor(fund, MINUTE_MS);
      expect(await aptosStatesOf(fund)).toEqual(["dead"]);
      await expectQuiet(fund);
      expect(await aptosSponsor(fund, draft, ALLOWED)).toMatchObject({ error: { reason: "expired" } });
    },
  );

  longTest("and pays for it alone has the fund's part freed", async () => {
    const fund = await newAptosFund();
    const sender = newUser();
    await giveOctas(sender.address, APT_OCTAS);
    const draft = orderless(1n, sender);
    await sponsored(fund, draft, ALLOWED);
    expect(await submitAlone(draft)).toBe("accepted");
    await until(async () => {
      await stub(fund).reconcile();
      return (await aptosStatesOf(fund))[0] === "dead";
    });
    await expectQuiet(fund);
  });
});
