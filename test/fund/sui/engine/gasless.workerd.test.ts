import { runInDurableObject } from "cloudflare:test";
import { bcs } from "@mysten/sui/bcs";
import { Ed25519Keypair } from "@mysten/sui/keypairs/ed25519";
import { beforeEach, describe, expect } from "vitest";
import type { Outcome } from "../../../../shared/errors.ts";
import { WHOLE_FUND } from "../../../../shared/fund/ledger/books.ts";
import { MAX_RELEASED } from "../../../../shared/fund/sui/engine/gasless.ts";
import type { SponsorInput } from "../../../../shared/fund/sui/engine/sponsor-input.ts";
import { defaultKeyPolicy } from "../../../../shared/policy/fund-policy-defaults.ts";
import { DEMO_PACKAGE } from "../../../devchain/demo.ts";
import { coinsOf, expectExactBooks, ledgerOf, onDisk, sponsorshipOf } from "../../../support/fund-books.ts";
import { longTest, shortTest } from "../../../support/rounds.ts";
import {
  callsOf,
  DRY_RUN,
  fundsOnChain,
  give,
  nextEpoch,
  orderFault,
  resolvedKind,
  SUBMIT,
  sendAs,
} from "../../../support/sui-chain.ts";
import {
  crash,
  dueInMs,
  execute,
  HOUR_MS,
  KEY_ID,
  liveFor,
  MINUTE_MS,
  newFund,
  newFundOfCoins,
  newFundWith,
  pass,
  platformStub,
  prepare,
  refusalOf,
  sponsor,
  sponsorInput,
  stateOf,
  stub,
  submitAsUser,
  type TestFund,
  user,
  useStoppedClock,
} from "../../../support/sui-fund.ts";

const DEMO = `${DEMO_PACKAGE}::demo::DEMO`;
const SUI_MIST = 1_000_000_000n;

useStoppedClock();

beforeEach(async () => {
  await give(user.toSuiAddress(), SUI_MIST);
  await sendAs(user, (transaction) => {
    const coin = transaction.moveCall({
      target: `${DEMO_PACKAGE}::demo::mint_coin`,
      arguments: [transaction.pure.u64(SUI_MIST)],
    });
    transaction.moveCall({
      target: "0x2::coin::send_funds",
      typeArguments: [DEMO],
      arguments: [coin, transaction.pure.address(user.toSuiAddress())],
    });
  });
});

/** A transfer of the coin that the chain lists. */
function transfer(amount: bigint, to: string): Promise<Uint8Array> {
  return resolvedKind(user.toSuiAddress(), (transaction) => {
    transaction.moveCall({
      target: "0x2::balance::send_funds",
      typeArguments: [DEMO],
      arguments: [transaction.balance({ balance: amount, type: DEMO }), transaction.pure.address(to)],
    });
  });
}

const gasOf = ({ txBytes }: { readonly txBytes: Uint8Array }) => bcs.TransactionData.parse(txBytes).V1.gasData;

/** How the fund's list shows it. */
async function payerOf(fund: TestFund, digest: string) {
  const page = await stub(fund).sponsorships({ limit: 100, cursor: null });
  return page?.items.find((item) => item.digest === digest)?.gasPaidBy;
}

describe("a transfer that the network executes without gas", () => {
  shortTest(
    "holds no coin and costs nothing, with a budget and without, signed by the user first or last",
    async () => {
      const fund = await newFundOfCoins(2);
      const to = new Ed25519Keypair().toSuiAddress();
      const { balanceAtoms } = (await stub(fund).view()) ?? {};
      const kindBytes = await transfer(20_000n, to);
      const handedOut = await sponsor(fund, "", { kindBytes });
      const prepared = await prepare(fund, "", { kindBytes, gasBudgetMist: null });
      for (const { payment, price, budget, owner } of [gasOf(handedOut), gasOf(prepared)])
        expect({ payment, price, budget, owner }).toEqual({
          payment: [],
          price: "0",
          budget: "0",
          owner: fund.address,
        });
      expect((await coinsOf(fund)).map(({ state }) => state)).toEqual(["free", "free"]);
      expect(await stub(fund).view()).toMatchObject({ inFlightAtoms: 0n });

      expect(await submitAsUser(handedOut)).toBe("executed");
      expect(await execute(fund, prepared)).toMatchObject({ ok: true, value: { execution: { success: true } } });
      expect(await stub(fund).status(handedOut.digest)).toEqual({ ok: true, value: "COMPLETE" });
      expect(await fundsOnChain(to, DEMO)).toBe(40_000n);
      expect(await sponsorshipOf(fund, handedOut)).toMatchObject({ state: "complete", chargedAtoms: 0n });
      expect([await payerOf(fund, handedOut.digest), await payerOf(fund, prepared.digest)]).toEqual([
        "network",
        "network",
      ]);
      const booked = (await ledgerOf(fund)).filter(({ reference }) => reference === handedOut.digest);
      expect(booked).toMatchObject([
        { kind: "reserve", inFlightAtoms: 0n },
        { kind: "charge", balanceAtoms: 0n, inFlightAtoms: 0n },
      ]);
      expect(await stub(fund).view()).toMatchObject({ balanceAtoms, inFlightAtoms: 0n });
      await expectExactBooks(fund);
    },
  );

  shortTest("is sponsored by a fund that has no money, also from its address balance", async () => {
    const kindBytes = await transfer(20_000n, user.toSuiAddress());
    for (const fund of [await newFund(), await newFundWith({ mode: "address_balance" })]) {
      expect(await refusalOf(fund, "", { kindBytes })).toBeNull();
      expect(await refusalOf(fund, "mint")).toBe("balance_too_low");
    }
  });

  shortTest("is judged by the policies all the same, and the fee of the operator is withheld", async () => {
    const kindBytes = await transfer(20_000n, user.toSuiAddress());
    const fund = await newFundWith({ sponsorshipFeeAtoms: 7n }, SUI_MIST);
    const prepared = await prepare(fund, "", { kindBytes });
    expect(await stub(fund).view()).toMatchObject({ inFlightAtoms: 7n });
    expect(await execute(fund, prepared)).toMatchObject({ ok: true });
    expect(await stub(fund).view()).toMatchObject({ inFlightAtoms: 0n, accruedFeesAtoms: 7n });
    await stub(fund).update({ policy: { senders: { allow: [fund.address] } } });
    expect(await refusalOf(fund, "", { kindBytes })).toBe("policy_refused");
    await expectExactBooks(fund);
  });

  longTest("fills a limit no longer than a paid one does", async () => {
    const fund = await newFundOfCoins(2);
    const keyPolicy = { ...defaultKeyPolicy("sui"), maxInFlightCount: 2 };
    const kindBytes = await transfer(20_000n, new Ed25519Keypair().toSuiAddress());
    for (const name of ["one", "two"]) {
      const { digest } = await sponsor(fund, name, { kindBytes, keyPolicy });
      expect(await payerOf(fund, digest)).toBe("network");
    }
    expect(await refusalOf(fund, "three", { kindBytes, keyPolicy })).toBe("policy_refused");
    await liveFor(fund, HOUR_MS + MINUTE_MS);
    expect(await refusalOf(fund, "mint", { keyPolicy })).toBeNull();
    expect(await refusalOf(fund, "three", { kindBytes, keyPolicy })).toBeNull();
    expect(await refusalOf(fund, "four", { kindBytes, keyPolicy })).toBe("policy_refused");
  });

  longTest("never makes the pool of coins larger, however many there are", async () => {
    const fund = await newFundWith({}, 20n * SUI_MIST);
    await liveFor(fund, 2 * MINUTE_MS);
    await sponsor(fund, "", { kindBytes: await transfer(20_000n, user.toSuiAddress()) });
    const before = (await coinsOf(fund)).length;
    // The count of 400 such rows, without the minute that it takes to make them.
    await onDisk(fund, (store) =>
      store.transact(() => store.putUsage(WHOLE_FUND, { ...store.usage(WHOLE_FUND), inFlightCount: 400 })),
    );
    await crash();
    await liveFor(fund, 2 * MINUTE_MS);
    expect(await onDisk(fund, (store) => store.usage(WHOLE_FUND).inFlightCount)).toBe(400);
    expect(await coinsOf(fund)).toHaveLength(before);
  });

  longTest("never keeps a withdrawal waiting, because it gives no coin back", async () => {
    const fund = await newFund(SUI_MIST);
    await sponsor(fund, "", { kindBytes: await transfer(20_000n, user.toSuiAddress()) });
    const idempotency = { scope: "operator withdraw all", fingerprint: "the same" };
    const { balanceAtoms: amountAtoms = 0n } = (await stub(fund).view()) ?? {};
    const to = new Ed25519Keypair().toSuiAddress();
    expect(await stub(fund).withdraw({ to, amountAtoms, from: "available", idempotency })).toMatchObject({
      error: { reason: "balance_too_low", details: expect.stringContaining("comes out of the same coins") },
    });
  });

  longTest("takes any signature to the node, and keeps the sender's time whatever a stranger signs", async () => {
    const fund = await newFundOfCoins(2);
    const kindBytes = await transfer(20_000n, user.toSuiAddress());
    const prepared = await prepare(fund, "", { kindBytes });
    const { signature: senderSignature } = await new Ed25519Keypair().signTransaction(prepared.txBytes);
    expect(await execute(fund, prepared, { senderSignature })).toMatchObject({ error: { reason: "outcome_unknown" } });
    const next = await prepare(fund, "next", { kindBytes });
    expect(await payerOf(fund, next.digest), "a stranger's refusal says nothing about the sender's").toBe("network");
    await liveFor(fund, 9 * MINUTE_MS);
    expect(await execute(fund, prepared)).toMatchObject({ ok: true });
    await expectExactBooks(fund);
  });
});

describe("a signature that no coin can make worthless", () => {
  const unknown = { reason: "outcome_unknown" };

  function taken<Value>(outcome: Outcome<Value>): Value {
    if (!outcome.ok) throw new Error(JSON.stringify(outcome.error));
    return outcome.value;
  }

  const kinds = {
    "without gas": async () => {
      const fund = await newFund();
      const kindBytes = await transfer(20_000n, new Ed25519Keypair().toSuiAddress());
      return {
        fund,
        ask: (name: string, terms: Partial<SponsorInput> = {}) => sponsorInput(name, { kindBytes, ...terms }),
      };
    },
    "from an address balance": async () => {
      const fund = await newFundWith({ mode: "address_balance" });
      await give(fund.address, SUI_MIST, "address_balance");
      await stub(fund).refresh();
      return { fund, ask: sponsorInput };
    },
  };

  for (const [name, make] of Object.entries(kinds)) {
    shortTest(`is told as refused by nobody, and as expired once its last epoch is over: ${name}`, async () => {
      const { fund, ask } = await make();
      const prepared = taken(await stub(fund).prepare(await ask("refused")));
      await orderFault(SUBMIT, "stale_version");
      const { digest } = prepared;
      const data = { digest, node: { status: expect.any(String) } };
      expect(await execute(fund, prepared)).toMatchObject({ error: { ...unknown, data } });
      await liveFor(fund, 11 * MINUTE_MS);
      expect(await stateOf(fund, digest)).toBe("expired");
      expect(await execute(fund, prepared)).toMatchObject({ error: { ...unknown, data: { digest } } });
      for (let epochs = 0; epochs < 2; epochs += 1) await nextEpoch();
      await liveFor(fund, 2 * HOUR_MS);
      expect(await execute(fund, prepared)).toMatchObject({ error: { reason: "sponsorship_expired" } });
      await expectExactBooks(fund);
    });

    longTest(`may still execute after its hour, and its key says so: ${name}`, async () => {
      const { fund, ask } = await make();
      const input = await ask("late", { idempotency: { scope: "key call", fingerprint: "the same" } });
      const sponsored = taken(await stub(fund).sponsor(input));
      const { digest } = sponsored;
      await liveFor(fund, HOUR_MS + MINUTE_MS);
      const details = expect.stringMatching(/may execute until epoch \d+ is over: look up its digest/);
      const spent = { error: { reason: "idempotency_conflict", details, data: { digest } } };
      expect(await stub(fund).sponsor(input)).toMatchObject(spent);
      expect(await execute(fund, sponsored)).toMatchObject({ error: unknown });
      expect(await submitAsUser(sponsored)).toBe("executed");
      expect(await execute(fund, sponsored)).toMatchObject({ ok: true, value: { execution: { success: true } } });
      await expectExactBooks(fund);
    });
  }
});

describe("an abandoned transfer without gas", () => {
  const FEE_ATOMS = 7n;

  /** One that nobody has executed in its hour. The instance that gave it back has ended since. */
  async function abandoned() {
    const fund = await newFundWith({ sponsorshipFeeAtoms: FEE_ATOMS }, SUI_MIST);
    const sponsored = await sponsor(fund, "", { kindBytes: await transfer(20_000n, user.toSuiAddress()) });
    expect(await stub(fund).view()).toMatchObject({ inFlightAtoms: FEE_ATOMS });
    await liveFor(fund, HOUR_MS + MINUTE_MS);
    await crash();
    return { fund, sponsored };
  }

  const bookedOf = async (fund: TestFund, digest: string) =>
    (await ledgerOf(fund))
      .filter(({ reference }) => reference === digest)
      .map(({ kind, inFlightAtoms, accruedFeesAtoms }) => [kind, inFlightAtoms, accruedFeesAtoms]);

  const toldOf = async (fund: TestFund, digest: string) =>
    (await stub(fund).tell({ by: "digest", digest, askNodes: false }))?.ledger.map(({ kind }) => kind);

  /** The counters of the fund and of the key are the same: nobody else has used it. */
  const counted = (fund: TestFund) => onDisk(fund, (store) => [store.usage(WHOLE_FUND), store.usage(KEY_ID)]);

  longTest("gives its place and its fee back when it expires, once", async () => {
    const { fund, sponsored } = await abandoned();
    expect(await stateOf(fund, sponsored.digest)).toBe("expired");
    const free = { inFlightCount: 0, inFlightAtoms: 0n, spentTodayAtoms: 0n };
    for (const usage of await counted(fund)) expect(usage).toMatchObject(free);
    await liveFor(fund, 2 * HOUR_MS);
    const released = [
      ["reserve", FEE_ATOMS, 0n],
      ["release", -FEE_ATOMS, 0n],
    ];
    expect(await bookedOf(fund, sponsored.digest)).toEqual(released);
    expect(await toldOf(fund, sponsored.digest)).toEqual(["reserve", "release"]);
    await expectExactBooks(fund);
  });

  longTest("is charged its fee if it executes all the same", async () => {
    const { fund, sponsored } = await abandoned();
    expect(await submitAsUser(sponsored)).toBe("executed");
    expect(await stub(fund).status(sponsored.digest)).toEqual({ ok: true, value: "COMPLETE" });
    expect(await bookedOf(fund, sponsored.digest)).toEqual([
      ["reserve", FEE_ATOMS, 0n],
      ["release", -FEE_ATOMS, 0n],
      ["charge", 0n, FEE_ATOMS],
    ]);
    expect(await toldOf(fund, sponsored.digest)).toEqual(["reserve", "release", "charge"]);
    const charged = { inFlightCount: 0, inFlightAtoms: 0n, spentTodayAtoms: FEE_ATOMS };
    for (const usage of await counted(fund)) expect(usage).toMatchObject(charged);
    expect(await stub(fund).view()).toMatchObject({ inFlightAtoms: 0n, accruedFeesAtoms: FEE_ATOMS });
    await expectExactBooks(fund);
  });

  longTest("ends with its last epoch, and gives nothing back again", async () => {
    const { fund, sponsored } = await abandoned();
    for (let epochs = 0; epochs < 3; epochs += 1) await nextEpoch();
    await liveFor(fund, 3 * HOUR_MS);
    expect(await stateOf(fund, sponsored.digest)).toBe("dead");
    expect(await bookedOf(fund, sponsored.digest)).toEqual([
      ["reserve", FEE_ATOMS, 0n],
      ["release", -FEE_ATOMS, 0n],
      ["release", 0n, 0n],
    ]);
    for (const usage of await counted(fund)) expect(usage).toMatchObject({ inFlightCount: 0, inFlightAtoms: 0n });
    await expectExactBooks(fund);
  });

  longTest("is looked up ever more seldom, because nothing bounds how many there are", async () => {
    const { fund } = await abandoned();
    const gapsMs: number[] = [];
    for (let looks = 0; looks < 8; looks += 1) {
      const [gapMs = 0] = await dueInMs(fund, "settle");
      gapsMs.push(Math.round(gapMs / MINUTE_MS));
      await liveFor(fund, gapMs);
    }
    expect(gapsMs).toEqual(gapsMs.toSorted((a, b) => a - b));
    expect(gapsMs.at(-1)).toBe(60);
  });
});

describe("the fund pays for a transfer", () => {
  shortTest("that the network refuses without gas, such as one of too little", async () => {
    const fund = await newFundOfCoins(2);
    const prepared = await prepare(fund, "", { kindBytes: await transfer(9_999n, user.toSuiAddress()) });
    expect(gasOf(prepared).payment).toHaveLength(1);
    expect(await execute(fund, prepared)).toMatchObject({ ok: true });
    expect(await payerOf(fund, prepared.digest)).toBe("fund");
    await expectExactBooks(fund);
  });

  longTest("of which the node says nothing", async () => {
    const fund = await newFundOfCoins(2);
    await orderFault(DRY_RUN, "unavailable", 1_000_000);
    const prepared = await prepare(fund, "", { kindBytes: await transfer(20_000n, user.toSuiAddress()) });
    expect(gasOf(prepared).payment).toHaveLength(1);
  });

  shortTest("whose sender was refused without gas, for an hour and in this instance", async () => {
    const fund = await newFundOfCoins(4);
    const kindBytes = await transfer(20_000n, new Ed25519Keypair().toSuiAddress());
    const payerOfNext = async (name: string) => payerOf(fund, (await prepare(fund, name, { kindBytes })).digest);
    const refuse = async (name: string) => {
      const free = await prepare(fund, name, { kindBytes });
      expect(gasOf(free).price).toBe("0");
      await orderFault(SUBMIT, "stale_version");
      expect(await execute(fund, free)).toMatchObject({ error: { reason: "outcome_unknown" } });
    };
    await refuse("refused");
    expect(await payerOfNext("next")).toBe("fund");
    pass(HOUR_MS);
    await refuse("refused again");
    await crash();
    expect(await payerOfNext("after a restart")).toBe("network");
  });

  longTest("whose key has a thousand that were signed, not executed, and may execute yet", async () => {
    const fund = await newFundOfCoins(2);
    const kindBytes = await transfer(20_000n, new Ed25519Keypair().toSuiAddress());
    await sponsor(fund, "abandoned", { kindBytes });
    await liveFor(fund, HOUR_MS + MINUTE_MS);
    const payerOfNext = async (name: string, terms: Partial<SponsorInput> = {}) =>
      payerOf(fund, (await prepare(fund, name, { kindBytes, ...terms })).digest);
    const copyRow = (count: number) =>
      runInDurableObject(platformStub(fund), (_, { storage }) => {
        const columns = storage.sql
          .exec<{ name: string }>("SELECT name FROM pragma_table_info('sponsorship_row')")
          .toArray()
          .map(({ name }) => name)
          .filter((name) => !["seq", "digest", "due_at_ms"].includes(name));
        storage.sql.exec(
          `WITH RECURSIVE numbers (n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM numbers WHERE n < ?)
           INSERT INTO sponsorship_row (digest, ${columns.join(", ")})
           SELECT 'copy ' || n || ' of ' || (SELECT COUNT(*) FROM sponsorship_row), ${columns.join(", ")} FROM numbers,
             (SELECT * FROM sponsorship_row WHERE released = 1 ORDER BY seq LIMIT 1)`,
          count,
        );
      });
    await copyRow(MAX_RELEASED - 2);
    expect(await payerOfNext("within the bound")).toBe("network");
    await copyRow(1);
    expect(await payerOfNext("beyond it")).toBe("fund");
    expect(await payerOfNext("another key", { keyId: "key_000000000000000000d2" })).toBe("network");
  });

  longTest("whose caller names a price", async () => {
    const fund = await newFundOfCoins(2);
    const kindBytes = await transfer(20_000n, user.toSuiAddress());
    const before = await callsOf(DRY_RUN);
    const prepared = await prepare(fund, "", { kindBytes, gasPriceMist: 1_000n });
    expect(gasOf(prepared)).toMatchObject({ price: "1000" });
    expect(await callsOf(DRY_RUN), "and no node is asked").toBe(before);
  });
});
