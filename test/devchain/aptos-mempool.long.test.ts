import {
  type Account,
  ChainId,
  generateSignedTransaction,
  RawTransaction,
  SimpleTransaction,
} from "@aptos-labs/ts-sdk";
import { beforeEach, describe, expect, test } from "vitest";
import { APT, type AptosTestChain, refusal, run, startAptosChain, transferOf } from "./aptos-testing.ts";

const SIGNED_TRANSACTION = "application/x.aptos.signed_transaction+bcs";

let chain: AptosTestChain;
let alice: Account;
let bob: Account;

beforeEach(async () => {
  chain = await startAptosChain();
  alice = await chain.account(5n * APT);
  bob = await chain.account();
});

function build(octas: bigint, options = {}) {
  return transferOf(chain.aptos, alice, bob, octas, options);
}

function submit(transaction: SimpleTransaction, signer = alice) {
  return chain.aptos.signAndSubmitTransaction({ signer, transaction });
}

function committed(transactionHash: string) {
  return chain.aptos.waitForTransaction({ transactionHash, options: { checkSuccess: false } });
}

function hold(held: boolean) {
  return chain.control("POST", "/control/consensus", { held });
}

/** The transaction with some fields of its own, which the stock client would not choose. */
function altered({ rawTransaction: raw }: SimpleTransaction, fields: { price?: bigint; chainId?: number }) {
  return new SimpleTransaction(
    new RawTransaction(
      raw.sender,
      raw.sequence_number,
      raw.payload,
      raw.max_gas_amount,
      fields.price ?? raw.gas_unit_price,
      raw.expiration_timestamp_secs,
      new ChainId(fields.chainId ?? raw.chain_id.chainId),
    ),
  );
}

function vmError(code: string, number: number) {
  const message = `Invalid transaction: Type: Validation Code: ${code}`;
  return { status: 400, message, error_code: "vm_error", vm_error_code: number };
}

function invalidUpdate(what: string) {
  const message = `Transaction already in mempool with ${what}`;
  return { status: 400, message, error_code: "invalid_transaction_update", vm_error_code: null };
}

describe("sequence numbers", () => {
  test("a used number is refused", async () => {
    const transaction = await build(1n);
    await run(chain.aptos, alice, transaction);
    expect(await refusal(submit(transaction))).toEqual(vmError("SEQUENCE_NUMBER_TOO_OLD", 3));
  });

  test("a transaction after a gap waits, and is executed when the gap is filled", async () => {
    const second = await submit(await build(2n, { accountSequenceNumber: 1 }));
    const third = await submit(await build(3n, { accountSequenceNumber: 2 }));
    await chain.fund(bob.accountAddress.toString(), 1n);
    for (const { hash } of [second, third]) {
      expect(await chain.aptos.getTransactionByHash({ transactionHash: hash })).toMatchObject({
        type: "pending_transaction",
      });
    }
    const first = await submit(await build(1n, { accountSequenceNumber: 0 }));
    const versions = [];
    for (const { hash } of [first, second, third]) versions.push(Number((await committed(hash)).version));
    expect(versions).toEqual([...versions].sort((one, other) => one - other));
    expect(await chain.aptos.getAccountAPTAmount({ accountAddress: bob.accountAddress })).toBe(1 + 1 + 2 + 3);
  });

  test("a number beyond all counting is refused", async () => {
    const transaction = await build(1n, { accountSequenceNumber: 1n << 63n });
    expect(await refusal(submit(transaction))).toEqual(vmError("SEQUENCE_NUMBER_TOO_BIG", 24));
  });
});

describe("mempool", () => {
  test("the same transaction again is admitted again and executed once", async () => {
    await hold(true);
    const transaction = await build(1n);
    const first = await submit(transaction);
    expect(await submit(transaction)).toEqual(first);
    await hold(false);
    await committed(first.hash);
    expect(await chain.aptos.getAccountAPTAmount({ accountAddress: bob.accountAddress })).toBe(1);
  });

  test.each([
    ["a different payload", async (first: SimpleTransaction) => build(2n, sameAs(first, {}))],
    [
      "a different expiration timestamp",
      async (first: SimpleTransaction) => build(1n, sameAs(first, { expireTimestamp: 1 })),
    ],
    ["a different max gas amount", async (first: SimpleTransaction) => build(1n, sameAs(first, { maxGasAmount: 1 }))],
    ["a higher gas price", async (first: SimpleTransaction) => altered(first, { price: 149n })],
  ])("another transaction with the same number and %s is refused", async (what, other) => {
    await hold(true);
    const first = await build(1n, { gasUnitPrice: 150, maxGasAmount: 20_000 });
    const { hash } = await submit(first);
    expect(await refusal(other(first).then((one) => submit(one)))).toEqual(invalidUpdate(what));
    await hold(false);
    expect(await committed(hash)).toMatchObject({ success: true });
  });

  test("a higher price alone takes the place of what waits, whose hash is then unknown", async () => {
    await hold(true);
    const first = await build(1n, { gasUnitPrice: 100 });
    const { hash } = await submit(first);
    const replaced = await submit(altered(first, { price: 200n }));
    await hold(false);
    expect(await committed(replaced.hash)).toMatchObject({ success: true, gas_unit_price: "200" });
    expect(await refusal(chain.aptos.getTransactionByHash({ transactionHash: hash }))).toEqual({
      status: 404,
      message: `Transaction not found by Transaction hash(${hash})`,
      error_code: "transaction_not_found",
      vm_error_code: null,
    });
  });

  test("what was admitted but cannot be paid for any more when its turn comes is thrown out", async () => {
    await hold(true);
    const nearlyAll = 5n * APT - 3_000_000n;
    const first = await submit(await build(nearlyAll, { maxGasAmount: 20_000 }));
    const second = await submit(await build(1n, { accountSequenceNumber: 1, maxGasAmount: 30_000 }));
    await hold(false);
    expect(await committed(first.hash)).toMatchObject({ success: true });
    expect(await refusal(chain.aptos.getTransactionByHash({ transactionHash: second.hash }))).toMatchObject({
      status: 404,
    });
    const { sequence_number: number } = await chain.aptos.getAccountInfo({ accountAddress: alice.accountAddress });
    expect(number).toBe("1");
    const retried = await submit(await build(1n, { accountSequenceNumber: 1, maxGasAmount: 15_000 }));
    expect(await committed(retried.hash)).toMatchObject({ success: true });
  });

  test("an account has no more than a hundred transactions waiting", async () => {
    const transaction = await build(1n);
    const { rawTransaction: raw } = transaction;
    const nth = (number: number) =>
      new SimpleTransaction(
        new RawTransaction(
          raw.sender,
          BigInt(number),
          raw.payload,
          raw.max_gas_amount,
          raw.gas_unit_price,
          raw.expiration_timestamp_secs,
          raw.chain_id,
        ),
      );
    for (let number = 1; number <= 100; number += 1) await submit(nth(number));
    expect(await refusal(submit(nth(101)))).toEqual({
      status: 507,
      message: "Mempool over capacity for account. Number of transactions from account: 100 Capacity per account: 100",
      error_code: "mempool_is_full",
      vm_error_code: null,
    });
  });
});

describe("expiration", () => {
  test("what has expired by the ledger's time is refused", async () => {
    const transaction = await build(1n);
    chain.clock.aheadMs += 60_000;
    expect(await refusal(submit(transaction))).toEqual(vmError("TRANSACTION_EXPIRED", 6));
  });

  test("what expires while it waits is forgotten, and its number is free", async () => {
    const parked = await submit(await build(1n, { accountSequenceNumber: 1 }));
    chain.clock.aheadMs += 60_000;
    expect(await refusal(chain.aptos.getTransactionByHash({ transactionHash: parked.hash }))).toMatchObject({
      status: 404,
      error_code: "transaction_not_found",
    });
    expect((await chain.aptos.getAccountInfo({ accountAddress: alice.accountAddress })).sequence_number).toBe("0");
  });

  test("what waits longer than ten minutes is forgotten before it expires", async () => {
    const inAnHour = Math.floor(Date.now() / 1_000) + 3_600;
    const parked = await submit(await build(1n, { accountSequenceNumber: 1, expireTimestamp: inAnHour }));
    chain.clock.aheadMs += 590_000;
    const find = () => chain.aptos.getTransactionByHash({ transactionHash: parked.hash });
    expect(await find()).toMatchObject({ type: "pending_transaction" });
    chain.clock.aheadMs += 11_000;
    expect(await refusal(find())).toMatchObject({ status: 404 });
  });

  test("a transaction may be valid for as long as it likes", async () => {
    const inAYear = Math.floor(Date.now() / 1_000) + 365 * 86_400;
    const { success } = await run(chain.aptos, alice, await build(1n, { expireTimestamp: inAYear }));
    expect(success).toBe(true);
  });
});

describe("refusals", () => {
  test.each([
    [
      "max gas beyond the bound",
      { maxGasAmount: 20_000_001 },
      vmError("MAX_GAS_UNITS_EXCEEDS_MAX_GAS_UNITS_BOUND", 13),
    ],
    [
      "max gas below any transaction's",
      { maxGasAmount: 27 },
      vmError("MAX_GAS_UNITS_BELOW_MIN_TRANSACTION_GAS_UNITS", 14),
    ],
    ["a price below the bound", { gasUnitPrice: 99 }, vmError("GAS_UNIT_PRICE_BELOW_MIN_BOUND", 15)],
    ["a price above the bound", { gasUnitPrice: 10_000_000_001 }, vmError("GAS_UNIT_PRICE_ABOVE_MAX_BOUND", 16)],
    [
      "more gas than the payer holds",
      { maxGasAmount: 5_000_000, gasUnitPrice: 101 },
      vmError("INSUFFICIENT_BALANCE_FOR_TRANSACTION_FEE", 5),
    ],
  ])("%s", async (_, options, expected) => {
    expect(await refusal(build(1n, options).then((one) => submit(one)))).toEqual(expected);
  });

  test("another chain's transaction", async () => {
    const other = altered(await build(1n), { chainId: 2 });
    expect(await refusal(submit(other))).toEqual(vmError("BAD_CHAIN_ID", 23));
  });

  test("a signature over other bytes, and a good one with another account's key", async () => {
    const [one, other] = [await build(1n), await build(2n)];
    const forged = chain.aptos.transaction.sign({ signer: alice, transaction: other });
    expect(
      await refusal(chain.aptos.transaction.submit.simple({ transaction: one, senderAuthenticator: forged })),
    ).toEqual(vmError("INVALID_SIGNATURE", 1));
    const stranger = chain.aptos.transaction.sign({ signer: bob, transaction: one });
    expect(
      await refusal(chain.aptos.transaction.submit.simple({ transaction: one, senderAuthenticator: stranger })),
    ).toEqual(vmError("INVALID_AUTH_KEY", 2));
  });

  test("bytes that are not one canonical transaction, and another content type", async () => {
    const transaction = await build(1n);
    const senderAuthenticator = chain.aptos.transaction.sign({ signer: alice, transaction });
    const bytes = generateSignedTransaction({ transaction, senderAuthenticator });
    const post = async (body: Uint8Array<ArrayBuffer>, contentType = SIGNED_TRANSACTION) => {
      const response = await chain.call("POST", "/transactions", { body, headers: { "content-type": contentType } });
      return { status: response.status, ...Object(await response.json()) };
    };
    const undecodable = {
      status: 400,
      message: expect.stringMatching(/^Failed to deserialize input into SignedTransaction: /),
      error_code: "invalid_input",
    };
    expect(await post(new Uint8Array([...bytes, 0]))).toMatchObject(undecodable);
    expect(await post(bytes.slice(0, -1))).toMatchObject(undecodable);
    // The variant of the payload, 2, in one byte more than it needs.
    expect(await post(new Uint8Array([...bytes.slice(0, 40), 0x82, 0, ...bytes.slice(41)]))).toMatchObject(undecodable);
    expect(await post(new Uint8Array(bytes), "application/octet-stream")).toEqual({
      status: 415,
      message: "the `Content-Type` requested by the client is not supported: application/octet-stream",
      error_code: "web_framework_error",
      vm_error_code: null,
    });
    expect(await post(new Uint8Array(bytes))).toMatchObject({ status: 202 });
  });

  test("a batch says for each transaction whether it was admitted", async () => {
    const [good, late] = [await build(1n), await build(2n, { accountSequenceNumber: 1, expireTimestamp: 1 })];
    const batch = [good, late].map((transaction) =>
      generateSignedTransaction({
        transaction,
        senderAuthenticator: chain.aptos.transaction.sign({ signer: alice, transaction }),
      }),
    );
    const post = (bodies: Uint8Array[]) =>
      chain.call("POST", "/transactions/batch", {
        body: new Uint8Array([bodies.length, ...bodies.flatMap((one) => [...one])]),
        headers: { "content-type": SIGNED_TRANSACTION },
      });
    await hold(true);
    const mixed = await post(batch);
    expect(mixed.status).toBe(206);
    expect(await mixed.json()).toEqual({
      transaction_failures: [
        {
          error: expect.objectContaining({ error_code: "vm_error", vm_error_code: 6 }),
          transaction_index: 1,
        },
      ],
    });
    expect((await post(batch.slice(1))).status).toBe(400);
    expect((await post(batch.slice(0, 1))).status).toBe(202);
    await hold(false);
  });
});

function sameAs({ rawTransaction: raw }: SimpleTransaction, off: { expireTimestamp?: number; maxGasAmount?: number }) {
  return {
    accountSequenceNumber: raw.sequence_number,
    gasUnitPrice: Number(raw.gas_unit_price),
    maxGasAmount: Number(raw.max_gas_amount) + (off.maxGasAmount ?? 0),
    expireTimestamp: Number(raw.expiration_timestamp_secs) + (off.expireTimestamp ?? 0),
  };
}
