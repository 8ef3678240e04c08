import { Ed25519Keypair } from "@mysten/sui/keypairs/ed25519";
import { Transaction, TransactionDataBuilder } from "@mysten/sui/transactions";
import { beforeEach, describe, expect, test } from "vitest";
import { DEMO_COUNTER, DEMO_PACKAGE } from "./demo.ts";
import { signAll, startChain, type TestChain } from "./testing.ts";

const SUI = 1_000_000_000n;
const BUDGET = 10_000_000n;

let chain: TestChain;
let user: Ed25519Keypair;
let sponsor: Ed25519Keypair;

beforeEach(async () => {
  chain = await startChain();
  user = await chain.account(SUI);
  sponsor = await chain.account(SUI);
});

async function coinOf(keypair: Ed25519Keypair) {
  const coin = (await chain.client.listCoins({ owner: keypair.toSuiAddress() })).objects[0];
  if (coin === undefined) throw new Error("no coin");
  return { objectId: coin.objectId, version: coin.version, digest: coin.digest };
}

/** A transaction of the user that the sponsor pays for, complete without a client. */
async function sponsored(change: (transaction: Transaction) => void = () => undefined): Promise<Uint8Array> {
  const transaction = new Transaction();
  transaction.moveCall({ target: `${DEMO_PACKAGE}::demo::mint`, arguments: [transaction.pure.string("x")] });
  transaction.setSender(user.toSuiAddress());
  transaction.setGasOwner(sponsor.toSuiAddress());
  transaction.setGasPayment([await coinOf(sponsor)]);
  transaction.setGasPrice(1_000n);
  transaction.setGasBudget(BUDGET);
  transaction.setExpiration({ None: true });
  change(transaction);
  return transaction.build();
}

const submit = (transaction: Uint8Array, signatures: string[]) =>
  chain.client.executeTransaction({ transaction, signatures, include: { effects: true } });

async function submitSigned(bytes: Uint8Array) {
  return submit(bytes, await signAll(bytes, user, sponsor));
}

/** Expects INVALID_ARGUMENT and that nothing was charged. */
async function expectRefusal(attempt: Promise<unknown>, message: string): Promise<void> {
  await expect(attempt).rejects.toMatchObject({ code: "INVALID_ARGUMENT", message: expect.stringContaining(message) });
  const { balance } = await chain.client.getBalance({ owner: sponsor.toSuiAddress() });
  expect(balance.balance).toBe(String(SUI));
}

/** Expects that the node has tried in vain, and that nothing was charged. */
async function expectTimeOut(attempt: Promise<unknown>): Promise<void> {
  const message = "timed-out before finality could be reached";
  await expect(attempt).rejects.toMatchObject({ code: "UNAVAILABLE", message });
  const { balance } = await chain.client.getBalance({ owner: sponsor.toSuiAddress() });
  expect(balance.balance).toBe(String(SUI));
}

describe("signatures", () => {
  test("each distinct signer must sign exactly once", async () => {
    const bytes = await sponsored();
    const [byUser, bySponsor] = await signAll(bytes, user, sponsor);
    if (!byUser || !bySponsor) throw new Error("no signatures");
    await expectRefusal(submit(bytes, [byUser]), "Invalid user signature: Expect 2 signer signatures but got 1");
    await expectRefusal(submit(bytes, [byUser, byUser]), "Invalid user signature: Required Signature from");
    await expectRefusal(submit(bytes, [byUser, bySponsor, bySponsor]), "Expect 2 signer signatures but got 3");
  });

  test("a stranger's signature and one over other bytes are refused", async () => {
    const bytes = await sponsored();
    const other = await sponsored((transaction) => transaction.setGasBudget(BUDGET + 1n));
    const [byUser] = await signAll(bytes, user);
    const [overOther] = await signAll(other, sponsor);
    const [byStranger] = await signAll(bytes, new Ed25519Keypair());
    await expectRefusal(submit(bytes, [byUser ?? "", byStranger ?? ""]), "Required Signature from");
    await expectRefusal(submit(bytes, [byUser ?? "", overOther ?? ""]), "Signature is not valid");
  });

  test("one signature serves when the sender pays for itself", async () => {
    const bytes = await sponsored((transaction) => transaction.setSender(sponsor.toSuiAddress()));
    expect((await submit(bytes, await signAll(bytes, sponsor))).$kind).toBe("Transaction");
  });
});

describe("objects", () => {
  test("a version of a coin is consumed once, even when two transactions race for it", async () => {
    const first = await sponsored();
    const second = await sponsored((transaction) => transaction.setGasBudget(BUDGET + 1n));
    const outcomes = await Promise.allSettled([submitSigned(first), submitSigned(second)]);
    expect(outcomes.map(({ status }) => status).sort()).toEqual(["fulfilled", "rejected"]);
    const refusal = outcomes.find((outcome) => outcome.status === "rejected");
    expect(refusal?.reason).toMatchObject({ code: "INVALID_ARGUMENT" });
    expect(refusal?.reason.message).toContain("is unavailable for consumption, current version: 0x");
  });

  test("the same transaction again is answered from the chain and charged once", async () => {
    const bytes = await sponsored();
    const first = await submitSigned(bytes);
    const { balance } = await chain.client.getBalance({ owner: sponsor.toSuiAddress() });
    const again = await submit(bytes, await signAll(bytes, sponsor, user));
    expect(again.Transaction?.effects?.bcs).toEqual(first.Transaction?.effects?.bcs);
    expect((await chain.client.getBalance({ owner: sponsor.toSuiAddress() })).balance).toEqual(balance);
  });

  test("a wrong digest is refused; an unknown version and an unknown object are waited for in vain", async () => {
    const coin = await coinOf(sponsor);
    const withPayment = (payment: typeof coin) => sponsored((transaction) => transaction.setGasPayment([payment]));
    const wrongDigest = { ...coin, digest: (await coinOf(user)).digest };
    await expectRefusal(submitSigned(await withPayment(wrongDigest)), "Invalid Object digest");
    const future = { ...coin, version: String(BigInt(coin.version) + 1n) };
    await expectTimeOut(submitSigned(await withPayment(future)));
    const unknown = { ...coin, objectId: `0x${"ab".repeat(32)}` };
    await expectTimeOut(submitSigned(await withPayment(unknown)));
  });

  test("inputs must be the sender's and gas the gas owner's", async () => {
    const sponsorsCoin = await coinOf(sponsor);
    const usersCoin = await coinOf(user);
    const asInput = await sponsored((transaction) => {
      transaction.setGasPayment([usersCoin]);
      transaction.setGasOwner(user.toSuiAddress());
      transaction.transferObjects([transaction.objectRef(sponsorsCoin)], user.toSuiAddress());
    });
    await expectRefusal(submit(asInput, await signAll(asInput, user)), "was not signed by the correct sender");
    const asGas = await sponsored((transaction) => transaction.setGasPayment([usersCoin]));
    await expectRefusal(submitSigned(asGas), "was not signed by the correct sender");
  });

  test("an object may not be input and gas at once, nor a badge be gas", async () => {
    const coin = await coinOf(sponsor);
    const twice = await sponsored((transaction) => {
      transaction.setSender(sponsor.toSuiAddress());
      transaction.transferObjects([transaction.objectRef(coin)], user.toSuiAddress());
    });
    await expectRefusal(submit(twice, await signAll(twice, sponsor)), "cannot appear more than one in one transaction");

    const minter = await chain.account(SUI);
    const minting = new Transaction();
    minting.moveCall({ target: `${DEMO_PACKAGE}::demo::mint`, arguments: [minting.pure.string("x")] });
    await chain.client.signAndExecuteTransaction({ transaction: minting, signer: minter });
    const type = `${DEMO_PACKAGE}::demo::Badge`;
    const [badge] = (await chain.client.listOwnedObjects({ owner: minter.toSuiAddress(), type })).objects;
    if (badge === undefined) throw new Error("no badge");
    const { objectId, version, digest } = badge;
    const paidWithBadge = await sponsored((transaction) => {
      transaction.setSender(minter.toSuiAddress());
      transaction.setGasOwner(minter.toSuiAddress());
      transaction.setGasPayment([{ objectId, version, digest }]);
    });
    await expectRefusal(submit(paidWithBadge, await signAll(paidWithBadge, minter)), "is not a gas object");
  });

  test("a shared object must be shared and named with its initial version", async () => {
    const call = (initialSharedVersion: string, objectId: string) =>
      sponsored((transaction) => {
        const counter = transaction.sharedObjectRef({ objectId, initialSharedVersion, mutable: true });
        transaction.moveCall({ target: `${DEMO_PACKAGE}::demo::increment`, arguments: [counter] });
      });
    await expectRefusal(submitSigned(await call("2", DEMO_COUNTER.objectId)), "Wrong initial version");
    await expectRefusal(submitSigned(await call("1", (await coinOf(user)).objectId)), "is not shared");
  });
});

describe("gas", () => {
  test.each([
    [
      "price below the reference",
      { price: 999n, budget: BUDGET },
      "Gas price 999 under reference gas price (RGP) 1000",
    ],
    ["budget below the minimum", { price: 1_000n, budget: 999_999n }, "Gas budget: 999999 is lower than min: 1000000"],
    ["budget above the maximum", { price: 1_000n, budget: 50_000_000_000_001n }, "is higher than max: 50000000000000"],
    ["budget above the coin", { price: 1_000n, budget: SUI + 1n }, "is lower than the needed amount: 1000000001"],
  ])("%s is refused", async (_name, { price, budget }, message) => {
    const bytes = await sponsored((transaction) => {
      transaction.setGasPrice(price);
      transaction.setGasBudget(budget);
    });
    await expectRefusal(submitSigned(bytes), message);
  });
});

describe("size", () => {
  const zeros = (transaction: Transaction, count: number) =>
    Array.from({ length: count }, () => transaction.pure.u64(0n));

  test.each<[string, number, (transaction: Transaction, count: number) => void]>([
    [
      "commands in a programmable transaction is 1024",
      1_023,
      // One command is there already.
      (transaction, count) => {
        for (let index = 1; index < count; index++) transaction.makeMoveVec({ type: "u64", elements: [] });
      },
    ],
    [
      "arguments in a programmable transaction command is 512",
      511,
      (transaction, count) => transaction.makeMoveVec({ type: "u64", elements: zeros(transaction, count) }),
    ],
    [
      "arguments in a move call is 512",
      511,
      (transaction, count) => {
        transaction.moveCall({ target: `${DEMO_PACKAGE}::demo::increment`, arguments: zeros(transaction, count) });
      },
    ],
    [
      "pure argument size is 16384",
      16_383,
      (transaction, count) => {
        transaction.pure(new Uint8Array(count));
      },
    ],
  ])("maximum %s: %i are fewer", async (limit, most, change) => {
    const tooMany = await sponsored((transaction) => change(transaction, most + 1));
    await expectRefusal(submitSigned(tooMany), `Size limit exceeded: maximum ${limit}`);
    const admitted = await submitSigned(await sponsored((transaction) => change(transaction, most)));
    expect(admitted.Transaction ?? admitted.FailedTransaction).toBeDefined();
  });
});

describe("expiration", () => {
  test("a transaction is valid up to its last epoch and not after", async () => {
    await chain.control("POST", "/control/epoch", { advance: 3 });
    const expired = await sponsored((transaction) => transaction.setExpiration({ Epoch: 2 }));
    await expectRefusal(submitSigned(expired), "Transaction Expired");
    const current = await sponsored((transaction) => transaction.setExpiration({ Epoch: 3 }));
    expect((await submitSigned(current)).$kind).toBe("Transaction");
  });

  test("ValidDuring binds the epochs and the chain", async () => {
    await chain.control("POST", "/control/epoch", { advance: 3 });
    const { chainIdentifier } = await chain.client.getChainIdentifier();
    const during = (chainId: string, minEpoch: string, maxEpoch: string) =>
      sponsored((transaction) => transaction.setExpiration(validDuring(chainId, minEpoch, maxEpoch)));
    await expectRefusal(submitSigned(await during(chainIdentifier, "4", "5")), "Transaction Expired");
    await expectRefusal(submitSigned(await during(chainIdentifier, "1", "2")), "Transaction Expired");
    const otherChain = "4btiuiMPvEENsttpZC7CZ53DruC3MAgfznDbASZ7DR6S";
    await expectRefusal(submitSigned(await during(otherChain, "3", "4")), "does not match network chain ID");
    expect((await submitSigned(await during(chainIdentifier, "3", "4"))).$kind).toBe("Transaction");
  });
});

describe("bytes", () => {
  test("trailing bytes and undecodable ones are refused", async () => {
    const bytes = await sponsored();
    const trailing = new Uint8Array([...bytes, 0]);
    await expectRefusal(submit(trailing, await signAll(trailing, user, sponsor)), "invalid transaction");
    await expectRefusal(submit(new Uint8Array([9, 9]), []), "invalid transaction");
  });

  test("a withdrawal from the sponsor is refused, and an unknown package waited for in vain", async () => {
    const bytes = await sponsored((transaction) => {
      transaction.moveCall({ target: `0x${"cd".repeat(32)}::m::f`, arguments: [] });
    });
    await expectTimeOut(submitSigned(bytes));
    const data = TransactionDataBuilder.fromBytes(await sponsored());
    data.inputs.push({
      $kind: "FundsWithdrawal",
      FundsWithdrawal: {
        reservation: { $kind: "MaxAmountU64", MaxAmountU64: "1" },
        typeArg: { $kind: "Balance", Balance: "0x2::sui::SUI" },
        withdrawFrom: { $kind: "Sponsor", Sponsor: true },
      },
    });
    await expectRefusal(submitSigned(data.build()), "Explicit sponsor withdrawals are not yet supported");
  });
});

function validDuring(chainId: string, minEpoch: string, maxEpoch: string) {
  return { ValidDuring: { minEpoch, maxEpoch, minTimestamp: null, maxTimestamp: null, chain: chainId, nonce: 7 } };
}
