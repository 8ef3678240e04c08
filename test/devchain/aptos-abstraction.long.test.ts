import {
  AbstractedAccount,
  Account,
  DerivableAbstractedAccount,
  type Ed25519Account,
  type HexInput,
  MoveVector,
} from "@aptos-labs/ts-sdk";
import { beforeEach, describe, expect, test } from "vitest";
import { APT, type AptosTestChain, refusal, run, startAptosChain, transferOf } from "./aptos-testing.ts";
import { APTOS_DEMO_MODULE } from "./demo.ts";

const authenticationFunction = `${APTOS_DEMO_MODULE}::authenticate`;

let chain: AptosTestChain;
let to: Account;
beforeEach(async () => {
  chain = await startAptosChain();
  to = await chain.account();
});

const signatureOf = (key: Ed25519Account, digest: HexInput) => key.sign(digest).toUint8Array();

/** An account that lets this key sign for it, by the demo module's function. */
async function abstracted(key: Ed25519Account) {
  const owner = await chain.account(APT);
  const delegation = await chain.aptos.transaction.build.simple({
    sender: owner.accountAddress,
    data: {
      function: `${APTOS_DEMO_MODULE}::delegate`,
      functionArguments: [MoveVector.U8(key.publicKey.toUint8Array())],
    },
  });
  expect(await run(chain.aptos, owner, delegation)).toMatchObject({ success: true });
  const chosen = await chain.aptos.abstraction.addAuthenticationFunctionTransaction({
    accountAddress: owner.accountAddress,
    authenticationFunction,
  });
  expect(await run(chain.aptos, owner, chosen)).toMatchObject({ success: true });
  return { owner, account: byKey(owner, key) };
}

function byKey(owner: Account, key: Ed25519Account): AbstractedAccount {
  return new AbstractedAccount({
    accountAddress: owner.accountAddress,
    authenticationFunction,
    signer: (digest) => Uint8Array.from([...key.publicKey.toUint8Array(), ...signatureOf(key, digest)]),
  });
}

function derived(key: Ed25519Account, signer = key): DerivableAbstractedAccount {
  return new DerivableAbstractedAccount({
    authenticationFunction,
    abstractPublicKey: key.publicKey.toUint8Array(),
    signer: (digest) => signatureOf(signer, digest),
  });
}

describe("a function that an account has chosen", () => {
  test("lets its key sign, as the stock client signs, and no other", async () => {
    const [key, other] = [Account.generate(), Account.generate()];
    const { owner, account } = await abstracted(key);
    const committed = await run(chain.aptos, account, await transferOf(chain.aptos, account, to, 5n));
    expect(committed).toMatchObject({
      success: true,
      signature: { type: "abstract_signature", function_info: authenticationFunction },
    });
    const forged = byKey(owner, other);
    const transaction = await transferOf(chain.aptos, forged, to, 6n);
    expect(await refusal(run(chain.aptos, forged, transaction))).toMatchObject({ vm_error_code: 2 });
    const senderAuthenticator = account.signTransactionWithAuthenticator(
      await transferOf(chain.aptos, account, to, 7n),
    );
    expect(
      await refusal(chain.aptos.transaction.submit.simple({ transaction, senderAuthenticator })),
      "over other bytes",
    ).toMatchObject({ vm_error_code: 1 });
    const removed = await chain.aptos.abstraction.disableAccountAbstractionTransaction({
      accountAddress: owner.accountAddress,
    });
    expect(await run(chain.aptos, owner, removed)).toMatchObject({ success: true });
    const late = await transferOf(chain.aptos, account, to, 8n);
    expect(await refusal(run(chain.aptos, account, late))).toMatchObject({ vm_error_code: 2 });
  });

  test("stands before a fee payer's signature, which the SDK cannot read", async () => {
    const key = Account.generate();
    const { account } = await abstracted(key);
    const payer = await chain.account(APT);
    const transaction = await chain.aptos.transaction.build.simple({
      sender: account.accountAddress,
      withFeePayer: true,
      data: { function: "0x1::aptos_account::transfer", functionArguments: [to.accountAddress, 5] },
    });
    const senderAuthenticator = account.signTransactionWithAuthenticator(transaction);
    const feePayerAuthenticator = chain.aptos.transaction.signAsFeePayer({ signer: payer, transaction });
    const submitted = { transaction, senderAuthenticator, feePayerAuthenticator };
    const { hash } = await chain.aptos.transaction.submit.simple(submitted);
    const committed = await chain.aptos.waitForTransaction({ transactionHash: hash });
    expect(committed).toMatchObject({
      success: true,
      signature: { type: "fee_payer_signature", sender: { type: "abstract_signature" } },
    });
  });
});

test("an address that is derived from a function and a key is signed for by that key", async () => {
  const [key, other] = [Account.generate(), Account.generate()];
  const account = derived(key);
  await chain.fund(account.accountAddress.toString(), APT);
  const committed = await run(chain.aptos, account, await transferOf(chain.aptos, account, to, 5n));
  expect(committed).toMatchObject({ success: true, signature: { type: "abstract_signature" } });
  const forged = derived(key, other);
  const transaction = await transferOf(chain.aptos, forged, to, 6n);
  expect(await refusal(run(chain.aptos, forged, transaction))).toMatchObject({ vm_error_code: 1 });
  const senderAuthenticator = derived(other).signTransactionWithAuthenticator(transaction);
  expect(
    await refusal(chain.aptos.transaction.submit.simple({ transaction, senderAuthenticator })),
    "of another address",
  ).toMatchObject({ vm_error_code: 2 });
});
