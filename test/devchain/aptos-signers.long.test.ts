import {
  Account,
  AccountAddress,
  type AccountAuthenticator,
  ChainId,
  Ed25519PrivateKey,
  EntryFunction,
  generateSignedTransaction,
  MultiEd25519Account,
  MultiEd25519PublicKey,
  MultiKey,
  MultiKeyAccount,
  parseTypeTag,
  RawTransaction,
  SigningSchemeInput,
  SimpleTransaction,
  SingleKeyAccount,
  TransactionPayloadEntryFunction,
  U64,
} from "@aptos-labs/ts-sdk";
import { beforeEach, describe, expect, test } from "vitest";
import { madeBySdk, signedByOne, sponsored } from "../chain/aptos/recorded.ts";
import { displayAddress } from "./aptos/address.ts";
import { verifySignatures } from "./aptos/signatures.ts";
import { decodeSigned } from "./aptos/signed.ts";
import { APT, type AptosTestChain, refusal, run, startAptosChain, transferOf } from "./aptos-testing.ts";
import { APTOS_DEMO_MODULE } from "./demo.ts";

let chain: AptosTestChain;
let fund: Account;

beforeEach(async () => {
  chain = await startAptosChain();
  fund = await chain.account(10n * APT);
});

function balanceOf({ accountAddress }: Account): Promise<number> {
  return chain.aptos.getAccountAPTAmount({ accountAddress });
}

/** A transaction that does nothing, which a fee payer pays for. */
function nothing(sender: Account, options = {}) {
  return chain.aptos.transaction.build.simple({
    sender: sender.accountAddress,
    withFeePayer: true,
    data: { function: "0x1::aptos_account::batch_transfer", functionArguments: [[], []] },
    options,
  });
}

interface Signers {
  readonly sender: AccountAuthenticator;
  readonly feePayer: AccountAuthenticator;
}

async function submit(transaction: SimpleTransaction, { sender, feePayer }: Signers) {
  const authenticators = { senderAuthenticator: sender, feePayerAuthenticator: feePayer };
  const { hash } = await chain.aptos.transaction.submit.simple({ transaction, ...authenticators });
  return chain.aptos.waitForTransaction({ transactionHash: hash, options: { checkSuccess: false } });
}

describe("a fee payer", () => {
  test.each(["0x0", "the fee payer's address"])("pays for a sender who has signed over %s", async (over) => {
    const user = await chain.account();
    const transaction = await nothing(user, { maxGasAmount: 10_000 });
    if (over !== "0x0") transaction.feePayerAddress = fund.accountAddress;
    const sender = chain.aptos.transaction.sign({ signer: user, transaction });
    const feePayer = chain.aptos.transaction.signAsFeePayer({ signer: fund, transaction });
    const committed = await submit(transaction, { sender, feePayer });
    expect(committed).toMatchObject({
      success: true,
      signature: {
        type: "fee_payer_signature",
        sender: { type: "ed25519_signature", public_key: user.publicKey.toString() },
        secondary_signer_addresses: [],
        secondary_signers: [],
        fee_payer_address: displayAddress(fund.accountAddress.toStringLong()),
        fee_payer_signer: { type: "ed25519_signature", public_key: fund.publicKey.toString() },
      },
    });
    expect(await balanceOf(fund)).toBe(Number(10n * APT - 100n * BigInt(committed.gas_used)));
  });

  test("is fixed by the first that was admitted: the same with another one is admitted, and never executed", async () => {
    const [user, other] = [await chain.account(), await chain.account(APT)];
    const transaction = await nothing(user);
    const sender = chain.aptos.transaction.sign({ signer: user, transaction });
    await chain.control("POST", "/control/consensus", { held: true });
    const hashes: string[] = [];
    for (const signer of [fund, other]) {
      const feePayerAuthenticator = chain.aptos.transaction.signAsFeePayer({ signer, transaction });
      const submitted = { transaction, senderAuthenticator: sender, feePayerAuthenticator };
      hashes.push((await chain.aptos.transaction.submit.simple(submitted)).hash);
    }
    await chain.control("POST", "/control/consensus", { held: false });
    const [first = "", second = ""] = hashes;
    expect(second).not.toBe(first);
    expect(await chain.aptos.waitForTransaction({ transactionHash: first })).toMatchObject({ success: true });
    expect(await refusal(chain.aptos.getTransactionByHash({ transactionHash: second }))).toMatchObject({ status: 404 });
    expect(await balanceOf(other)).toBe(Number(APT));
  });

  test("has signed over its own address or has not signed", async () => {
    const user = await chain.account();
    const transaction = await nothing(user);
    const overZero = fund.signTransactionWithAuthenticator(transaction);
    const sender = chain.aptos.transaction.sign({ signer: user, transaction });
    transaction.feePayerAddress = fund.accountAddress;
    expect(await refusal(submit(transaction, { sender, feePayer: overZero }))).toMatchObject({ vm_error_code: 1 });
  });

  test("cannot be named by somebody else's signature", async () => {
    const [user, thief] = [await chain.account(), await chain.account(APT)];
    const transaction = await nothing(user);
    const sender = chain.aptos.transaction.sign({ signer: user, transaction });
    transaction.feePayerAddress = fund.accountAddress;
    const feePayer = thief.signTransactionWithAuthenticator(transaction);
    expect(await refusal(submit(transaction, { sender, feePayer }))).toMatchObject({ vm_error_code: 2 });
    expect(await balanceOf(fund)).toBe(Number(10n * APT));
  });

  test("pays for what aborts: the sender's number is used up, and nothing else has changed", async () => {
    const user = await chain.account(5n);
    const transaction = await chain.aptos.transaction.build.simple({
      sender: user.accountAddress,
      withFeePayer: true,
      data: { function: `${APTOS_DEMO_MODULE}::abort_with`, functionArguments: [77] },
    });
    const sender = chain.aptos.transaction.sign({ signer: user, transaction });
    const feePayer = chain.aptos.transaction.signAsFeePayer({ signer: fund, transaction });
    const committed = await submit(transaction, { sender, feePayer });
    expect(committed).toMatchObject({ success: false, vm_status: `Move abort in ${APTOS_DEMO_MODULE}: 0x4d` });
    expect(await balanceOf(fund)).toBe(Number(10n * APT - 100n * BigInt(committed.gas_used)));
    expect(await balanceOf(user)).toBe(5);
    const accountAddress = user.accountAddress;
    expect(await chain.aptos.getAccountInfo({ accountAddress })).toMatchObject({ sequence_number: "1" });
    const resource = chain.aptos.getAccountResource({ accountAddress, resourceType: "0x1::account::Account" });
    expect(await resource).toMatchObject({ sequence_number: "1", authentication_key: accountAddress.toString() });
  });

  test("needs all that the transaction may cost", async () => {
    const [user, poor] = [await chain.account(), await chain.account(999_999n)];
    const transaction = await nothing(user, { maxGasAmount: 10_000 });
    const sender = chain.aptos.transaction.sign({ signer: user, transaction });
    const feePayer = chain.aptos.transaction.signAsFeePayer({ signer: poor, transaction });
    expect(await refusal(submit(transaction, { sender, feePayer }))).toMatchObject({ vm_error_code: 5 });
    await chain.fund(poor.accountAddress.toString(), 1n);
    expect(await submit(transaction, { sender, feePayer })).toMatchObject({ success: true });
  });
});

describe("several signers", () => {
  /** `pay_together` takes 10 octas of the sender and 20 of the second signer. */
  async function together(sender: Account, second: Account, to: Account, withFeePayer: boolean) {
    return chain.aptos.transaction.build.multiAgent({
      sender: sender.accountAddress,
      secondarySignerAddresses: [second.accountAddress],
      withFeePayer,
      data: { function: `${APTOS_DEMO_MODULE}::pay_together`, functionArguments: [to.accountAddress, 10, 20] },
    });
  }

  test.each([false, true])("each have signed, with a fee payer: %s", async (withFeePayer) => {
    const [first, second, to] = [await chain.account(APT), await chain.account(APT), await chain.account()];
    const transaction = await together(first, second, to, withFeePayer);
    const senderAuthenticator = chain.aptos.transaction.sign({ signer: first, transaction });
    const additionalSignersAuthenticators = [chain.aptos.transaction.sign({ signer: second, transaction })];
    const paid = withFeePayer
      ? { feePayerAuthenticator: chain.aptos.transaction.signAsFeePayer({ signer: fund, transaction }) }
      : {};
    const { hash } = await chain.aptos.transaction.submit.multiAgent({
      transaction,
      senderAuthenticator,
      additionalSignersAuthenticators,
      ...paid,
    });
    const committed = await chain.aptos.waitForTransaction({ transactionHash: hash });
    expect(committed).toMatchObject({
      signature: {
        type: withFeePayer ? "fee_payer_signature" : "multi_agent_signature",
        secondary_signer_addresses: [displayAddress(second.accountAddress.toStringLong())],
        secondary_signers: [{ type: "ed25519_signature", public_key: second.publicKey.toString() }],
      },
    });
    expect(await balanceOf(to)).toBe(30);
    expect(await balanceOf(second)).toBe(Number(APT - 20n));
    const gas = 100n * BigInt(committed.gas_used);
    expect(await balanceOf(first)).toBe(Number(APT - 10n - (withFeePayer ? 0n : gas)));
  });

  test("none can be left out, put twice, or stand in for another", async () => {
    const [first, second, to] = [await chain.account(APT), await chain.account(APT), await chain.account()];
    const transaction = await together(first, second, to, false);
    const senderAuthenticator = chain.aptos.transaction.sign({ signer: first, transaction });
    const submitWith = (one: typeof transaction, additionalSignersAuthenticators: AccountAuthenticator[]) =>
      refusal(
        chain.aptos.transaction.submit.multiAgent({
          transaction: one,
          senderAuthenticator: chain.aptos.transaction.sign({ signer: first, transaction: one }),
          additionalSignersAuthenticators,
        }),
      );
    expect(await submitWith(transaction, [senderAuthenticator])).toMatchObject({ vm_error_code: 2 });
    expect(await submitWith(transaction, [])).toMatchObject({ vm_error_code: 27 });
    const twice = await together(first, first, to, false);
    const again = chain.aptos.transaction.sign({ signer: first, transaction: twice });
    expect(await submitWith(twice, [again])).toMatchObject({ vm_error_code: 28 });
  });

  test("the fee payer can be one of them, and then loses more than gas", async () => {
    const [first, to] = [await chain.account(APT), await chain.account()];
    const transaction = await together(first, fund, to, true);
    const senderAuthenticator = chain.aptos.transaction.sign({ signer: first, transaction });
    const feePayerAuthenticator = chain.aptos.transaction.signAsFeePayer({ signer: fund, transaction });
    const additionalSignersAuthenticators = [fund.signTransactionWithAuthenticator(transaction)];
    const { hash } = await chain.aptos.transaction.submit.multiAgent({
      transaction,
      senderAuthenticator,
      additionalSignersAuthenticators,
      feePayerAuthenticator,
    });
    const { gas_used: gasUsed } = await chain.aptos.waitForTransaction({ transactionHash: hash });
    expect(await balanceOf(fund)).toBe(Number(10n * APT - 20n - 100n * BigInt(gasUsed)));
  });

  test("a function gets exactly the signers that it takes", async () => {
    const [first, second] = [await chain.account(APT), await chain.account()];
    const transaction = await chain.aptos.transaction.build.multiAgent({
      sender: first.accountAddress,
      secondarySignerAddresses: [second.accountAddress],
      data: { function: "0x1::aptos_account::transfer", functionArguments: [second.accountAddress, 1] },
    });
    const { hash } = await chain.aptos.transaction.submit.multiAgent({
      transaction,
      senderAuthenticator: chain.aptos.transaction.sign({ signer: first, transaction }),
      additionalSignersAuthenticators: [chain.aptos.transaction.sign({ signer: second, transaction })],
    });
    const vm_status = "NUMBER_OF_SIGNER_ARGUMENTS_MISMATCH";
    const options = { checkSuccess: false };
    expect(await chain.aptos.waitForTransaction({ transactionHash: hash, options })).toMatchObject({ vm_status });
  });
});

describe("schemes", () => {
  const keys = Array.from({ length: 3 }, () => Account.generate());

  test.each<[string, () => Account]>([
    ["single_sender", () => SingleKeyAccount.generate({ scheme: SigningSchemeInput.Ed25519 })],
    ["single_sender", () => SingleKeyAccount.generate({ scheme: SigningSchemeInput.Secp256k1Ecdsa })],
    [
      "single_sender",
      () =>
        new MultiKeyAccount({
          multiKey: new MultiKey({ publicKeys: keys.map(({ publicKey }) => publicKey), signaturesRequired: 2 }),
          signers: keys.slice(1),
        }),
    ],
    [
      "multi_ed25519_signature",
      () =>
        new MultiEd25519Account({
          publicKey: new MultiEd25519PublicKey({ publicKeys: keys.map(({ publicKey }) => publicKey), threshold: 2 }),
          signers: keys.slice(1).map(({ privateKey }) => privateKey),
        }),
    ],
  ])("an account with a signature that is shown as %s is verified", async (type, make) => {
    const [user, to] = [make(), await chain.account()];
    await chain.fund(user.accountAddress.toString(), APT);
    const committed = await run(chain.aptos, user, await transferOf(chain.aptos, user, to, 5n));
    expect(committed).toMatchObject({ success: true, signature: { type } });
    const [one, other] = [await transferOf(chain.aptos, user, to, 6n), await transferOf(chain.aptos, user, to, 7n)];
    const senderAuthenticator = user.signTransactionWithAuthenticator(other);
    expect(
      await refusal(chain.aptos.transaction.submit.simple({ transaction: one, senderAuthenticator })),
    ).toMatchObject({ vm_error_code: 1 });
  });

  test("a rotated key signs for the address, and the old one no longer does", async () => {
    const [user, to, next] = [await chain.account(APT), await chain.account(), Account.generate()];
    const rotation = await chain.aptos.transaction.build.simple({
      sender: user.accountAddress,
      data: {
        function: "0x1::account::rotate_authentication_key_call",
        functionArguments: [next.accountAddress.toUint8Array()],
      },
    });
    expect(await run(chain.aptos, user, rotation)).toMatchObject({ success: true });
    const rotated = Account.fromPrivateKey({ privateKey: next.privateKey, address: user.accountAddress });
    const transaction = await transferOf(chain.aptos, rotated, to, 5n);
    expect(await refusal(run(chain.aptos, user, transaction))).toMatchObject({ vm_error_code: 2 });
    expect(await run(chain.aptos, rotated, transaction)).toMatchObject({ success: true });
  });
});

describe("recorded transactions", () => {
  test.each(signedByOne)("$hash of $network verifies and has its hash", async ({ raw, publicKey, signature, hash }) => {
    const signed = decodeSigned(bytesOf(`${raw}0020${publicKey}40${signature}`));
    expect(signed.hash).toBe(hash);
    expect(await verifySignatures(signed)).toBe(true);
  });

  test("a sponsored transaction of mainnet verifies and has its hash", async () => {
    const bytes = bytesOf(sponsored.signed);
    const signed = decodeSigned(bytes);
    expect(signed.hash).toBe(sponsored.hash);
    expect(signed).toMatchObject({ sender: sponsored.sender, feePayer: { address: sponsored.feePayer } });
    expect(await verifySignatures(signed)).toBe(true);
    const another = bytes.slice();
    another[bytes.length - 1] = 0;
    expect(await verifySignatures(decodeSigned(another))).toBe(false);
  });

  test("a sponsored transaction that another version of the SDK made has its hash", async () => {
    const [sender, feePayer] = [accountOf(madeBySdk.senderSeedByte), accountOf(madeBySdk.feePayerSeedByte)];
    const call = EntryFunction.build(
      "0x1::coin",
      "transfer",
      [parseTypeTag("0x1::aptos_coin::AptosCoin")],
      [AccountAddress.from(`0x${"05".repeat(32)}`), new U64(1_000n)],
    );
    const raw = new RawTransaction(
      sender.accountAddress,
      madeBySdk.sequenceNumber,
      new TransactionPayloadEntryFunction(call),
      madeBySdk.maxGasAmount,
      madeBySdk.gasUnitPriceOctas,
      madeBySdk.expirationTimestampSeconds,
      new ChainId(madeBySdk.chainId),
    );
    const transaction = new SimpleTransaction(raw, AccountAddress.ZERO);
    const senderAuthenticator = sender.signTransactionWithAuthenticator(transaction);
    transaction.feePayerAddress = feePayer.accountAddress;
    const feePayerAuthenticator = feePayer.signTransactionWithAuthenticator(transaction);
    const signed = decodeSigned(generateSignedTransaction({ transaction, senderAuthenticator, feePayerAuthenticator }));
    expect(signed.hash).toBe(madeBySdk.hash);
    expect(await verifySignatures(signed)).toBe(true);
  });
});

function accountOf(seedByte: number): Account {
  return Account.fromPrivateKey({ privateKey: new Ed25519PrivateKey(new Uint8Array(32).fill(seedByte)) });
}

function bytesOf(hex: string): Uint8Array {
  return new Uint8Array(Buffer.from(hex, "hex"));
}
