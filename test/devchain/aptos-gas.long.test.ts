import { type Account, type CommittedTransactionResponse, isUserTransactionResponse } from "@aptos-labs/ts-sdk";
import { beforeEach, describe, expect, test } from "vitest";
import { displayAddress, longAddress } from "./aptos/address.ts";
import { badgeAddress } from "./aptos/move/demo.ts";
import { APT, type AptosTestChain, refusal, run, startAptosChain, transferOf } from "./aptos-testing.ts";
import { APTOS_DEMO_MODULE } from "./demo.ts";

/** Of the schedule: a slot of storage and its bytes. */
const ACCOUNT_OCTAS = 491_600n;
const STORE_OCTAS = 532_400n;
const COUNTER_OCTAS = 400_000n + 100n * 400n;
const UNITS_WITHOUT_STORAGE = 34n;

let chain: AptosTestChain;
let alice: Account;

beforeEach(async () => {
  chain = await startAptosChain();
  alice = await chain.account(10n * APT);
});

function demo(name: "increment" | "close", sender = alice, options = {}) {
  return chain.aptos.transaction.build.simple({
    sender: sender.accountAddress,
    data: { function: `${APTOS_DEMO_MODULE}::${name}`, functionArguments: [] },
    options,
  });
}

function feeStatement(transaction: CommittedTransactionResponse): unknown {
  if (!isUserTransactionResponse(transaction)) throw new Error("not a user's transaction");
  return transaction.events.find(({ type }) => type === "0x1::transaction_fee::FeeStatement")?.data;
}

async function balanceOf({ accountAddress }: Account): Promise<bigint> {
  return BigInt(await chain.aptos.getAccountAPTAmount({ accountAddress }));
}

describe("gas", () => {
  test("is charged for execution and for each slot of storage that is made, at the transaction's price", async () => {
    const bob = await chain.account();
    const options = { gasUnitPrice: 150 };
    const first = await run(chain.aptos, alice, await transferOf(chain.aptos, alice, bob, 1n, options));
    // The sender's account and the recipient's balance are made.
    expect(feeStatement(first)).toEqual({
      execution_gas_units: "28",
      io_gas_units: "6",
      storage_fee_octas: String(ACCOUNT_OCTAS + STORE_OCTAS),
      storage_fee_refund_octas: "0",
      total_charge_gas_units: String(UNITS_WITHOUT_STORAGE + roundedUp(ACCOUNT_OCTAS + STORE_OCTAS, 150n)),
    });
    expect(first.gas_used).toBe(String(UNITS_WITHOUT_STORAGE + roundedUp(ACCOUNT_OCTAS + STORE_OCTAS, 150n)));
    const second = await run(chain.aptos, alice, await transferOf(chain.aptos, alice, bob, 1n, options));
    expect(second.gas_used).toBe(String(UNITS_WITHOUT_STORAGE));
    const gas = 150n * (BigInt(first.gas_used) + BigInt(second.gas_used));
    expect(await balanceOf(alice)).toBe(10n * APT - gas - 2n);
  });

  test("gives back what a slot cost to whoever pays for deleting it, beyond what the transaction costs", async () => {
    await run(chain.aptos, alice, await demo("increment"));
    const before = await balanceOf(alice);
    const deleted = await run(chain.aptos, alice, await demo("close"));
    expect(feeStatement(deleted)).toMatchObject({ storage_fee_refund_octas: String(COUNTER_OCTAS) });
    expect(deleted.gas_used).toBe(String(UNITS_WITHOUT_STORAGE));
    expect(await balanceOf(alice)).toBe(before - 100n * UNITS_WITHOUT_STORAGE + COUNTER_OCTAS);
  });

  test("rises with the size of a transaction of more than 600 bytes", async () => {
    await run(chain.aptos, alice, await demo("increment"));
    const unitsOf = async (recipients: number) => {
      const to = Array.from({ length: recipients }, () => alice.accountAddress);
      const transaction = await chain.aptos.transaction.build.simple({
        sender: alice.accountAddress,
        data: { function: "0x1::aptos_account::batch_transfer", functionArguments: [to, to.map(() => 0)] },
      });
      // With the signature of one signer: its variant, key and signature, and the lengths of both.
      const bytes = transaction.rawTransaction.bcsToBytes().length + 1 + 33 + 65;
      return { bytes, gasUsed: Number((await run(chain.aptos, alice, transaction)).gas_used) };
    };
    const small = await unitsOf(9);
    expect(small.bytes).toBeLessThanOrEqual(600);
    expect(small.gasUsed).toBe(34);
    const large = await unitsOf(100);
    expect(large.gasUsed).toBe(6 + Math.ceil(27.6 + (large.bytes - 600) * 0.01158));
    expect(large.gasUsed).toBeGreaterThan(70);
  });

  test("that does not suffice costs all that was offered and leaves nothing else", async () => {
    await run(chain.aptos, alice, await demo("increment"));
    const bob = await chain.account();
    const before = await balanceOf(alice);
    const transaction = await transferOf(chain.aptos, alice, bob, 1n, { maxGasAmount: 5_000 });
    expect(await run(chain.aptos, alice, transaction)).toMatchObject({
      success: false,
      vm_status: "Out of gas",
      gas_used: "5000",
    });
    expect(await balanceOf(alice)).toBe(before - 500_000n);
    expect(await balanceOf(bob)).toBe(0n);
  });

  test("cannot be spent by the payload", async () => {
    await run(chain.aptos, alice, await demo("increment"));
    const bob = await chain.account();
    const all = await balanceOf(alice);
    const committed = await run(chain.aptos, alice, await transferOf(chain.aptos, alice, bob, all));
    expect(committed).toMatchObject({ success: false, gas_used: String(UNITS_WITHOUT_STORAGE) });
    expect(await balanceOf(alice)).toBe(all - 100n * UNITS_WITHOUT_STORAGE);
  });
});

describe("the account of a sender", () => {
  test("is made by its first transaction, which must leave room for it: 5,210 units at the price of 100", async () => {
    const tooLittle = await demo("close", alice, { maxGasAmount: 5_209 });
    expect(await refusal(run(chain.aptos, alice, tooLittle))).toEqual({
      status: 400,
      message: "Invalid transaction: Type: Validation Code: MAX_GAS_UNITS_BELOW_MIN_TRANSACTION_GAS_UNITS",
      error_code: "vm_error",
      vm_error_code: 14,
    });
    const enough = await run(chain.aptos, alice, await demo("close", alice, { maxGasAmount: 5_210 }));
    // It aborts, as there is no counter; the account is made and paid for all the same.
    expect(enough).toMatchObject({ success: false, gas_used: String(UNITS_WITHOUT_STORAGE + ACCOUNT_OCTAS / 100n) });
    const accountAddress = alice.accountAddress;
    const resource = await chain.aptos.getAccountResource({ accountAddress, resourceType: "0x1::account::Account" });
    expect(resource).toMatchObject({ sequence_number: "1", guid_creation_num: "2" });
  });

  test("needs no such room once it is there", async () => {
    await run(chain.aptos, alice, await demo("increment"));
    const { success } = await run(chain.aptos, alice, await demo("increment", alice, { maxGasAmount: 34 }));
    expect(success).toBe(true);
  });

  test("can have been given coins and objects before it was there, and moves them afterwards", async () => {
    const [user, bob] = [await chain.account(2n * APT), await chain.account()];
    const minted = await chain.aptos.transaction.build.simple({
      sender: alice.accountAddress,
      data: { function: `${APTOS_DEMO_MODULE}::mint`, functionArguments: ["medal", user.accountAddress] },
    });
    await run(chain.aptos, alice, minted);
    const badge = badgeAddress(longAddress(alice.accountAddress.toString()), "medal");
    const give = (from: Account) =>
      chain.aptos.transaction.build.simple({
        sender: from.accountAddress,
        data: {
          function: "0x1::object::transfer",
          typeArguments: [`${APTOS_DEMO_MODULE}::Badge`],
          functionArguments: [badge, bob.accountAddress],
        },
      });
    expect(await run(chain.aptos, alice, await give(alice))).toMatchObject({
      success: false,
      vm_status:
        "Move abort in 0x1::object: ENOT_OBJECT_OWNER(0x50004): The caller does not have ownership permissions",
    });
    expect(await run(chain.aptos, user, await give(user))).toMatchObject({ success: true });
    expect(
      await chain.aptos.getAccountResource({ accountAddress: badge, resourceType: "0x1::object::ObjectCore" }),
    ).toMatchObject({
      owner: displayAddress(bob.accountAddress.toStringLong()),
    });
    expect(await run(chain.aptos, user, await transferOf(chain.aptos, user, bob, APT))).toMatchObject({
      success: true,
    });
    expect(await balanceOf(bob)).toBe(APT);
  });
});

function roundedUp(octas: bigint, price: bigint): bigint {
  return (octas + price - 1n) / price;
}
