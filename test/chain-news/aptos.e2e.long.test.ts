import {
  AbstractedAccount,
  type Account,
  AccountAddress,
  AccountAuthenticator,
  AccountAuthenticatorSingleKey,
  AnyPublicKey,
  AnySignature,
  DerivableAbstractedAccount,
  Deserializer,
  type Ed25519Account,
  generateSigningMessage,
  type InputGenerateTransactionPayloadData,
  KeylessPublicKey,
  KeylessSignature,
  MoveVector,
  type RawTransaction,
  SimpleTransaction,
} from "@aptos-labs/ts-sdk";
import { sha3_256 } from "@noble/hashes/sha3.js";
import { beforeAll, describe, expect, test } from "vitest";
import * as z from "zod";
import type { ProjectFund } from "../../shared/cli/client/funds.ts";
import { expectAnswer } from "../../shared/cli/client/http.ts";
import { createAptosSubmitter } from "../../shared/client/aptos-submitter.ts";
import { blob, join, keylessSignature, text, uleb, ZERO_KNOWLEDGE } from "../chain/aptos/by-hand.ts";
import { APTOS_DEMO_MODULE } from "../devchain/demo.ts";
import { advance, chainUrl, serviceUrl } from "../harness/harness.ts";
import {
  aptos,
  aptosGas,
  authenticatorOf,
  chainSeconds,
  entryFunction,
  expectReconciled,
  giveApt,
  hexOf,
  newAccount,
  newAptosFund,
  newAptosKey,
  OCTAS_PER_APT,
  rawTransaction,
  sponsorshipsOf,
} from "../support/aptos.ts";
import { aptosPasskey } from "../support/aptos-passkey.ts";
import { StationError, stockClient, wireSubmitter } from "../support/aptos-station.ts";
import { figuresOf } from "../support/operator.ts";

/** Changes of Aptos in 2026, end to end. If the SDK can build a transaction, the stock client sends it. */

const INCREMENT = `${APTOS_DEMO_MODULE}::increment` as const;
const AUTHENTICATE = `${APTOS_DEMO_MODULE}::authenticate`;
const SUBMIT = "gas_sponsorAndSubmitSignedTransaction";
const SPONSOR = "gas_sponsorTransaction";
const MAX_GAS_UNITS = 20_000;
const LIFE_SECONDS = 30;
const hex = (bytes: Uint8Array) => `0x${Buffer.from(bytes).toString("hex")}`;
const increment = entryFunction(INCREMENT, []);

let fund: ProjectFund;
let key: string;
beforeAll(async () => {
  fund = await newAptosFund();
  key = (await newAptosKey(fund, { rights: ["gas"], policy: { orderless: true } })).key;
});

/** The clocks of service and chain may be ahead, so the expiration is named. */
async function options(more: object = {}) {
  return { maxGasAmount: MAX_GAS_UNITS, expireTimestamp: Number(await chainSeconds()) + LIFE_SECONDS, ...more };
}

const submittedSchema = z.object({ result: z.object({ pendingTransaction: z.looseObject({ hash: z.string() }) }) });
const sponsoredSchema = z.object({
  result: z.object({ feePayer: z.object({ address: z.string(), signature: z.array(z.int()) }) }),
});

async function expectCommitted(transactionHash: string) {
  const committed = await aptos.waitForTransaction({ transactionHash, options: { checkSuccess: false } });
  expect(committed).toMatchObject({ success: true });
  return committed;
}

/** What the account does by itself, and pays for. */
async function sendAs(signer: Account, data: InputGenerateTransactionPayloadData): Promise<void> {
  const transaction = await aptos.transaction.build.simple({
    sender: signer.accountAddress,
    data,
    options: await options(),
  });
  await expectCommitted((await aptos.signAndSubmitTransaction({ signer, transaction })).hash);
}

describe.concurrent("an account whose signature a Move function judges", () => {
  /** It lets another key sign for it, by the demo module's function. */
  async function abstracted(): Promise<Account> {
    const [owner, delegate] = [newAccount(), newAccount()];
    await giveApt(owner.accountAddress.toString(), OCTAS_PER_APT);
    const bytes = MoveVector.U8(delegate.publicKey.toUint8Array());
    await sendAs(owner, { function: `${APTOS_DEMO_MODULE}::delegate`, functionArguments: [bytes] });
    const chosen = await aptos.abstraction.addAuthenticationFunctionTransaction({
      accountAddress: owner.accountAddress,
      authenticationFunction: AUTHENTICATE,
      options: await options(),
    });
    await expectCommitted((await aptos.signAndSubmitTransaction({ signer: owner, transaction: chosen })).hash);
    return new AbstractedAccount({
      accountAddress: owner.accountAddress,
      authenticationFunction: AUTHENTICATE,
      signer: (digest) =>
        Uint8Array.from([...delegate.publicKey.toUint8Array(), ...delegate.sign(digest).toUint8Array()]),
    });
  }

  async function derived(): Promise<Account> {
    const by: Ed25519Account = newAccount();
    return new DerivableAbstractedAccount({
      authenticationFunction: AUTHENTICATE,
      abstractPublicKey: by.publicKey.toUint8Array(),
      signer: (digest) => by.sign(digest).toUint8Array(),
    });
  }

  test.each([
    ["abstracted", abstracted],
    ["derivable", derived],
  ])("is sponsored, whoever submits it: %s", async (_, make) => {
    const own = await newAptosFund();
    const ownKey = (await newAptosKey(own, { rights: ["gas"] })).key;
    const account = await make();
    const sender = account.accountAddress.toString();
    const sequence = async () => BigInt((await aptos.getAccountInfo({ accountAddress: sender })).sequence_number);

    const handedOut = await rawTransaction(sender, increment, { sequenceNumber: await sequence() });
    const answer = await aptosGas(ownKey, SPONSOR, [hexOf(handedOut)]);
    const { address, signature } = expectAnswer("sponsor", answer, sponsoredSchema).result.feePayer;
    const transaction = new SimpleTransaction(handedOut, AccountAddress.from(address));
    const submitted = await aptos.transaction.submit.simple({
      transaction,
      senderAuthenticator: account.signTransactionWithAuthenticator(transaction),
      feePayerAuthenticator: AccountAuthenticator.deserialize(new Deserializer(Uint8Array.from(signature))),
    });
    await expectCommitted(submitted.hash);

    const raw = await rawTransaction(sender, increment, { sequenceNumber: await sequence() });
    const ours = await aptosGas(ownKey, SUBMIT, [hexOf(raw), authenticatorOf(account, raw)]);
    const { pendingTransaction } = expectAnswer("submit", ours, submittedSchema).result;
    expect(pendingTransaction).toMatchObject({
      signature: { type: "fee_payer_signature", sender: { type: "abstract_signature", function_info: AUTHENTICATE } },
    });
    await expectCommitted(pendingTransaction.hash);
    await expectReconciled(own);
    expect((await sponsorshipsOf(own.fundId)).map(({ state }) => state)).toEqual(["complete", "complete"]);
  });
});

test.concurrent("an account with a passkey is sponsored, whoever submits it, and for nothing but what it has signed", async () => {
  const own = await newAptosFund();
  const ownKey = (await newAptosKey(own, { rights: ["gas"] })).key;
  const passkey = aptosPasskey();
  const over = (raw: RawTransaction, feePayer: string) =>
    passkey.sign(new SimpleTransaction(raw, AccountAddress.from(feePayer)));
  const first = await rawTransaction(passkey.address, increment);
  const { address, signature } = expectAnswer(
    "sponsor",
    await aptosGas(ownKey, SPONSOR, [hexOf(first)]),
    sponsoredSchema,
  ).result.feePayer;
  const submitted = await aptos.transaction.submit.simple({
    transaction: new SimpleTransaction(first, AccountAddress.from(address)),
    senderAuthenticator: await over(first, address),
    feePayerAuthenticator: AccountAuthenticator.deserialize(new Deserializer(Uint8Array.from(signature))),
  });
  await expectCommitted(submitted.hash);

  const next = await rawTransaction(passkey.address, increment, { sequenceNumber: 1n });
  const signedBy = async (signed: RawTransaction) => {
    const authenticator = (await over(signed, "0x0")).bcsToHex().toString();
    return aptosGas(ownKey, SUBMIT, [hexOf(next), authenticator]);
  };
  expect((await signedBy(first)).body).toMatchObject({ error: { code: -32002, data: { reason: "node_refused" } } });
  const { pendingTransaction } = expectAnswer("submit", await signedBy(next), submittedSchema).result;
  expect(pendingTransaction).toMatchObject({
    signature: { sender: { public_key: { type: "secp256r1_ecdsa" }, signature: { type: "web_authn" } } },
  });
  await expectCommitted(pendingTransaction.hash);
  await expectReconciled(own);
});

describe("an orderless transaction", () => {
  test("is built, signed and submitted by the stock client, several of one sender at once", async () => {
    const client = stockClient(createAptosSubmitter({ url: `${serviceUrl}/gs/v1`, key }), `${chainUrl}/aptos/v1`);
    const user = newAccount();
    const send = async (replayProtectionNonce: bigint, maxGasAmount = MAX_GAS_UNITS) => {
      const transaction = await client.transaction.build.simple({
        sender: user.accountAddress,
        withFeePayer: true,
        data: { function: INCREMENT, functionArguments: [] },
        options: await options({ replayProtectionNonce, maxGasAmount }),
      });
      return client.signAndSubmitTransaction({ signer: user, transaction });
    };
    const nonces = [7n, 8n, 9n];
    const sent = await Promise.all(nonces.map((nonce) => send(nonce)));
    const committed = await Promise.all(sent.map(({ hash }) => expectCommitted(hash)));
    expect(committed).toMatchObject(nonces.map((nonce) => ({ replay_protection_nonce: String(nonce) })));
    expect(await aptos.getAccountInfo({ accountAddress: user.accountAddress })).toMatchObject({ sequence_number: "0" });
    await expect(send(7n, MAX_GAS_UNITS + 1), "the nonce is used").rejects.toThrow(/nonce/i);
    await expect.poll(async () => (await figuresOf(fund.fundId)).inFlight, { timeout: 60_000 }).toBe(0n);
    await expectReconciled(fund);
  });
});

test("an encrypted transaction is refused by name, on every path", async () => {
  const user = newAccount();
  const raw = await rawTransaction(user.accountAddress.toString(), increment);
  // The variant of the payload comes after the sender and the sequence number.
  const encrypted = raw.bcsToBytes().with(32 + 8, 5);
  // A fee payer's transaction of no other signer, whose payer is not known yet.
  const asked = Uint8Array.from([1, ...encrypted, 0, ...new Uint8Array(32)]);
  const signature = user.signWithAuthenticator(generateSigningMessage(asked, "APTOS::RawTransactionWithData"));
  const named = { reason: "unsupported_transaction", details: expect.stringContaining("encrypted payloads") };
  for (const [method, params] of [
    [SPONSOR, [hex(encrypted)]],
    [SUBMIT, [hex(encrypted), signature.bcsToHex().toString()]],
  ] as const)
    expect((await aptosGas(key, method, params)).body).toMatchObject({ error: { code: -32602, data: named } });
  const submitter = wireSubmitter((path, init) => fetch(`${serviceUrl}${path}`, init), key);
  const transaction = new SimpleTransaction(raw);
  const bytes = transaction.bcsToBytes().with(32 + 8, 5);
  const submitted = submitter.submitTransaction({
    aptosConfig: aptos.config,
    transaction: Object.assign(transaction, { bcsToBytes: () => bytes }),
    senderAuthenticator: signature,
  });
  const error = await submitted.catch((thrown: unknown) => thrown);
  expect(error).toBeInstanceOf(StationError);
  expect(error).toMatchObject({
    status: 400,
    body: { error_code: "unsupported_transaction", message: expect.stringContaining("encrypted payloads") },
  });
});

/** Nothing on this machine verifies these: each is refused by the node, and what was held for it is free again. */
describe("a signature that the node refuses", () => {
  const issuer = "https://issuer.test";
  const keylessKey = join([uleb(3), ...text(issuer), ...blob(new Uint8Array(32))]);
  const stockKeyless = new AccountAuthenticatorSingleKey(
    new AnyPublicKey(new KeylessPublicKey(issuer, new Uint8Array(32))),
    new AnySignature(KeylessSignature.getSimulationSignature()),
  );
  /** With a secp256r1 key that a passkey signs by, which the SDK does not know yet. */
  const passkeyKeyless = join([
    ...[uleb(2), keylessKey, uleb(3)],
    ...keylessSignature(
      ZERO_KNOWLEDGE,
      [uleb(1), ...blob(new Uint8Array(65))],
      [uleb(1), uleb(0), ...blob(new Uint8Array(64)), ...blob(new Uint8Array(37)), ...blob(new Uint8Array(90))],
    ),
  ]);
  const slhDsaKey = join([uleb(5), ...blob(new Uint8Array(32))]);
  const slhDsa = join([uleb(2), slhDsaKey, uleb(4), ...blob(new Uint8Array(7_856))]);
  /** The address of an account with this single key (AIP-55). */
  const addressOf = (publicKey: Uint8Array) => hex(sha3_256(Uint8Array.from([...publicKey, 2])));
  const signed = [
    [keylessKey, stockKeyless.bcsToBytes()],
    [keylessKey, passkeyKeyless],
    [slhDsaKey, slhDsa],
  ] as const;

  test("holds nothing once its transaction has expired: keyless by the stock client, keyless by a passkey, SLH-DSA", async () => {
    const own = await newAptosFund();
    const ownKey = (await newAptosKey(own, { rights: ["gas"] })).key;
    for (const [index, [publicKey, signature]] of signed.entries()) {
      // Two of them have one sender, who does not reuse its number.
      const terms = { expiresInSeconds: BigInt(LIFE_SECONDS), maxGasUnits: BigInt(MAX_GAS_UNITS + index) };
      const raw = await rawTransaction(addressOf(publicKey), increment, terms);
      const answer = await aptosGas(ownKey, SUBMIT, [hexOf(raw), hex(signature)]);
      expect(answer.body).toMatchObject({ error: { code: -32002, data: { reason: "node_refused" } } });
    }
    expect((await figuresOf(own.fundId)).inFlight).toBeGreaterThan(0n);
    await advance(2 * LIFE_SECONDS * 1_000);
    await expect.poll(async () => (await figuresOf(own.fundId)).inFlight, { timeout: 60_000 }).toBe(0n);
    expect((await sponsorshipsOf(own.fundId)).map(({ state }) => state)).toEqual(["dead", "dead", "dead"]);
    await expectReconciled(own);
  });
});
