import {
  AccountAddress,
  AccountAuthenticator,
  Deserializer,
  Ed25519Account,
  Ed25519PrivateKey,
  Ed25519PublicKey,
  Ed25519Signature,
  FeePayerRawTransaction,
  generateSigningMessageForTransaction,
  generateUserTransactionHash,
  MultiAgentRawTransaction,
  MultiAgentTransaction,
  type RawTransaction as SdkRawTransaction,
  SimpleTransaction,
} from "@aptos-labs/ts-sdk";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { parseHex, toHex } from "../../../shared/bytes.ts";
import { ZERO_ADDRESS } from "../../../shared/chain/aptos/address.ts";
import { ed25519Authenticator } from "../../../shared/chain/aptos/authenticator.ts";
import { decodeBcs, encodeBcs } from "../../../shared/chain/aptos/bcs.ts";
import { MAX_SIGNED_TRANSACTION_BYTES } from "../../../shared/chain/aptos/limits.ts";
import { type PayloadTraits, payloadTraits } from "../../../shared/chain/aptos/payload.ts";
import {
  decodeRawTransaction,
  encodeRawTransaction,
  rawTransactionWithData,
} from "../../../shared/chain/aptos/raw-transaction.ts";
import { decodeSignedTransaction, encodeSignedTransaction } from "../../../shared/chain/aptos/signed-transaction.ts";
import {
  aptosAddress,
  type CoSigners,
  signingMessage,
  transactionHash,
} from "../../../shared/chain/aptos/transaction.ts";
import { readTraits } from "../../../shared/chain/aptos/transaction-traits.ts";
import { entryFunction, join, longAddress, payloads, transaction, uleb } from "./by-hand.ts";
import { anyAddress, anyTransaction, bytesOf, listOf } from "./generated.ts";
import { madeBySdk, signedByOne, sponsored } from "./recorded.ts";

const RUNS = 200;
const NONE: CoSigners = { kind: "none" };

function bytes(hex: string): Uint8Array {
  const decoded = parseHex(hex);
  if (decoded === null) throw new Error("not hex");
  return decoded;
}

function account(seed: Uint8Array): Ed25519Account {
  return new Ed25519Account({ privateKey: new Ed25519PrivateKey(seed) });
}

function verifies(publicKey: Uint8Array, signature: Uint8Array, message: Uint8Array): boolean {
  return new Ed25519PublicKey(publicKey).verifySignature({ message, signature: new Ed25519Signature(signature) });
}

describe("the bytes that are signed", () => {
  const signers = fc.record({ transaction: anyTransaction, secondary: listOf(anyAddress, 31), payer: anyAddress });

  /** Ours for the co-signers, beside the SDK's for its own kind of transaction. */
  function agree(
    ours: (addresses: readonly string[], payer: string) => CoSigners,
    sdk: (
      raw: SdkRawTransaction,
      addresses: AccountAddress[],
      payer: AccountAddress,
    ) => SimpleTransaction | MultiAgentTransaction,
  ): void {
    fc.assert(
      fc.property(signers, ({ transaction: { sdk: raw }, secondary, payer }) => {
        const theirs = generateSigningMessageForTransaction(sdk(raw, secondary.sdk, payer.sdk));
        expect(toHex(signingMessage(raw.bcsToBytes(), ours(secondary.ours, payer.ours)))).toBe(toHex(theirs));
      }),
      { numRuns: RUNS },
    );
  }

  test("by the sender alone are the SDK's", () => {
    agree(
      () => NONE,
      (raw) => new SimpleTransaction(raw),
    );
  });

  test("by several agents are the SDK's, in the order of the list", () => {
    agree(
      (secondarySigners) => ({ kind: "multi_agent", secondarySigners }),
      (raw, addresses) => new MultiAgentTransaction(raw, addresses),
    );
  });

  test("with a fee payer are the SDK's", () => {
    agree(
      (_, feePayer) => ({ kind: "fee_payer", secondarySigners: [], feePayer }),
      (raw, _, payer) => new SimpleTransaction(raw, payer),
    );
  });

  test("with a fee payer not known yet are the SDK's over the zero address", () => {
    agree(
      () => ({ kind: "fee_payer", secondarySigners: [], feePayer: ZERO_ADDRESS }),
      (raw) => new SimpleTransaction(raw, AccountAddress.ZERO),
    );
  });

  test("by several agents with a fee payer, known or not, are the SDK's", () => {
    agree(
      (secondarySigners, feePayer) => ({ kind: "fee_payer", secondarySigners, feePayer }),
      (raw, addresses, payer) => new MultiAgentTransaction(raw, addresses, payer),
    );
    agree(
      (secondarySigners) => ({ kind: "fee_payer", secondarySigners, feePayer: ZERO_ADDRESS }),
      (raw, addresses) => new MultiAgentTransaction(raw, addresses, AccountAddress.ZERO),
    );
  });

  test("with several signers read as what they say", () => {
    const read = (data: Uint8Array) => decodeBcs(rawTransactionWithData, data, MAX_SIGNED_TRANSACTION_BYTES);
    fc.assert(
      fc.property(signers, ({ transaction: { sdk: raw }, secondary, payer }) => {
        const common = { rawTransactionBytes: raw.bcsToBytes(), secondarySigners: secondary.ours };
        const agents = new MultiAgentRawTransaction(raw, secondary.sdk).bcsToBytes();
        expect(read(agents)).toEqual({ ok: true, value: { $kind: "MultiAgent", MultiAgent: common } });
        const sponsoredBytes = new FeePayerRawTransaction(raw, secondary.sdk, payer.sdk).bcsToBytes();
        expect(read(sponsoredBytes)).toEqual({
          ok: true,
          value: { $kind: "MultiAgentWithFeePayer", MultiAgentWithFeePayer: { ...common, feePayer: payer.ours } },
        });
        expect(read(agents.slice(0, -1)).ok).toBe(false);
      }),
      { numRuns: RUNS },
    );
  });

  test("are never for more secondary signers than the chain takes", () => {
    const secondarySigners = Array<string>(32).fill(longAddress(2));
    const raw = join(transaction(payloads.script ?? []));
    expect(() => signingMessage(raw, { kind: "multi_agent", secondarySigners })).toThrow(RangeError);
    expect(() =>
      encodeBcs(rawTransactionWithData, { MultiAgent: { rawTransactionBytes: raw, secondarySigners: ["0x1"] } }),
    ).toThrow("not an address");
  });
});

describe("the address of a key", () => {
  test("is the SDK's, in its first scheme", () => {
    fc.assert(
      fc.property(bytesOf(32), (key) => {
        expect(aptosAddress(key)).toBe(new Ed25519PublicKey(key).authKey().derivedAddress().toStringLong());
      }),
      { numRuns: RUNS },
    );
  });
});

describe("recorded transactions", () => {
  test.each(signedByOne)("$network, $hash", ({ hash, privateKey, publicKey, raw, signature }) => {
    const rawBytes = bytes(raw);
    const decoded = decodeRawTransaction(rawBytes);
    if (!decoded.ok) throw new Error(decoded.error.details);
    expect(decoded.value.sender).toBe(aptosAddress(bytes(publicKey)));
    expect(encodeRawTransaction(decoded.value)).toEqual(rawBytes);

    const message = signingMessage(rawBytes, NONE);
    expect(verifies(bytes(publicKey), bytes(signature), message)).toBe(true);
    expect(account(bytes(privateKey)).sign(message).toUint8Array()).toEqual(bytes(signature));

    const keyAndSignature = { publicKey: bytes(publicKey), signature: bytes(signature) };
    const signed = encodeSignedTransaction(rawBytes, { $kind: "Ed25519", Ed25519: keyAndSignature });
    expect(transactionHash(signed)).toBe(hash);
    expect(decodeSignedTransaction(signed)).toEqual({
      ok: true,
      value: { rawTransaction: decoded.value, authenticator: { $kind: "Ed25519", Ed25519: keyAndSignature } },
    });
  });

  test("mainnet, sponsored: the sender signed over the zero address, the fee payer over its own", () => {
    const signed = bytes(sponsored.signed);
    expect(transactionHash(signed)).toBe(sponsored.hash);
    const decoded = decodeSignedTransaction(signed);
    if (!decoded.ok) throw new Error(decoded.error.details);
    const { rawTransaction, authenticator } = decoded.value;
    expect(rawTransaction).toMatchObject({
      sender: sponsored.sender,
      sequenceNumber: 1n,
      maxGasAmount: 100_000n,
      gasUnitPriceOctas: 100n,
      expirationTimestampSeconds: 1_760_341_246n,
      chainId: 1,
    });
    expect(payloadTraits(rawTransaction.payload).moveTarget).toBe(sponsored.moveTarget);
    expect(encodeSignedTransaction(encodeRawTransaction(rawTransaction), authenticator)).toEqual(signed);

    if (authenticator.$kind !== "FeePayer") throw new Error("not sponsored");
    const { sender, feePayer, feePayerAuthenticator, secondarySigners, secondaryAuthenticators } =
      authenticator.FeePayer;
    expect([secondarySigners, secondaryAuthenticators, feePayer]).toEqual([[], [], sponsored.feePayer]);
    if (sender.$kind !== "Ed25519" || feePayerAuthenticator.$kind !== "Ed25519") throw new Error("not Ed25519");
    const payerKey = feePayerAuthenticator.Ed25519;
    expect([aptosAddress(sender.Ed25519.publicKey), aptosAddress(payerKey.publicKey)]).toEqual([
      sponsored.sender,
      sponsored.feePayer,
    ]);

    const over = (payer: string) =>
      signingMessage(encodeRawTransaction(rawTransaction), {
        kind: "fee_payer",
        secondarySigners: [],
        feePayer: payer,
      });
    const senderVerifies = (payer: string) => verifies(sender.Ed25519.publicKey, sender.Ed25519.signature, over(payer));
    expect([senderVerifies(ZERO_ADDRESS), senderVerifies(feePayer)]).toEqual([true, false]);
    expect(verifies(payerKey.publicKey, payerKey.signature, over(feePayer))).toBe(true);
  });

  test("a hash that the SDK made of a sponsored transaction is reproduced from its parts", () => {
    const sender = account(new Uint8Array(32).fill(madeBySdk.senderSeedByte));
    const payer = account(new Uint8Array(32).fill(madeBySdk.feePayerSeedByte));
    const raw = encodeRawTransaction({
      ...madeBySdk,
      sender: aptosAddress(sender.publicKey.toUint8Array()),
      payload: {
        $kind: "EntryFunction",
        EntryFunction: {
          module: { address: longAddress(1), name: "coin" },
          function: "transfer",
          typeArguments: [
            {
              $kind: "Struct",
              Struct: { address: longAddress(1), module: "aptos_coin", name: "AptosCoin", typeArguments: [] },
            },
          ],
          arguments: [new Uint8Array(32).fill(5), Uint8Array.of(0xe8, 3, 0, 0, 0, 0, 0, 0)],
        },
      },
    });
    const feePayer = aptosAddress(payer.publicKey.toUint8Array());
    const sign = (signer: Ed25519Account, over: string) => ({
      $kind: "Ed25519" as const,
      Ed25519: {
        publicKey: signer.publicKey.toUint8Array(),
        signature: signer
          .sign(signingMessage(raw, { kind: "fee_payer", secondarySigners: [], feePayer: over }))
          .toUint8Array(),
      },
    });
    const signed = encodeSignedTransaction(raw, {
      $kind: "FeePayer",
      FeePayer: {
        sender: sign(sender, ZERO_ADDRESS),
        secondarySigners: [],
        secondaryAuthenticators: [],
        feePayer,
        feePayerAuthenticator: sign(payer, feePayer),
      },
    });
    expect(transactionHash(signed)).toBe(madeBySdk.hash);
  });
});

test("hashes are the SDK's, for whoever signs", () => {
  const authenticator = fc
    .tuple(bytesOf(32), bytesOf(64))
    .map(([key, signature]) =>
      AccountAuthenticator.deserialize(new Deserializer(ed25519Authenticator(key, signature))),
    );
  fc.assert(
    fc.property(
      anyTransaction,
      anyAddress,
      fc.option(anyAddress),
      authenticator,
      authenticator,
      ({ sdk: raw }, agent, payer, senderAuthenticator, other) => {
        const parts = {
          transaction: new MultiAgentTransaction(raw, [agent.sdk], payer?.sdk),
          senderAuthenticator,
          additionalSignersAuthenticators: [other],
          ...(payer === null ? {} : { feePayerAuthenticator: other }),
        };
        const ours = (one: AccountAuthenticator) => {
          const decoded = decodeSignedTransaction(join([raw.bcsToBytes(), uleb(4), one.bcsToBytes()]));
          if (!decoded.ok || decoded.value.authenticator.$kind !== "SingleSender") throw new Error("not read");
          return decoded.value.authenticator.SingleSender.sender;
        };
        const multiAgent = {
          sender: ours(senderAuthenticator),
          secondarySigners: [agent.ours],
          secondaryAuthenticators: [ours(other)],
        };
        const signed = encodeSignedTransaction(
          raw.bcsToBytes(),
          payer === null
            ? { $kind: "MultiAgent", MultiAgent: multiAgent }
            : {
                $kind: "FeePayer",
                FeePayer: { ...multiAgent, feePayer: payer.ours, feePayerAuthenticator: ours(other) },
              },
        );
        expect(transactionHash(signed)).toBe(generateUserTransactionHash(parts));
      },
    ),
    { numRuns: RUNS },
  );
});

describe("what a payload does", () => {
  const nothing = {
    moveTarget: null,
    isScript: false,
    isMultisig: false,
    nonce: null,
    asksHigherLimits: false,
  };
  const moveTarget = `${longAddress(1)}::coin::transfer`;

  const traits: Readonly<Record<string, PayloadTraits>> = {
    script: { ...nothing, isScript: true },
    "entry function": { ...nothing, moveTarget },
    "multisig, stored": { ...nothing, isMultisig: true },
    "multisig, entry function": { ...nothing, moveTarget, isMultisig: true },
    "multisig, script": { ...nothing, isScript: true, isMultisig: true },
    "versioned script": { ...nothing, isScript: true },
    "versioned entry function": { ...nothing, moveTarget },
    "versioned multisig, stored": { ...nothing, isMultisig: true },
    orderless: { ...nothing, moveTarget, nonce: 42n },
    "orderless with nonce 0": { ...nothing, moveTarget, nonce: 0n },
    "version 2 without limits": { ...nothing, moveTarget },
    "limits of a stake pool owner": { ...nothing, moveTarget, asksHigherLimits: true },
    "limits of a delegated voter": { ...nothing, moveTarget, asksHigherLimits: true },
    "limits of a delegator": { ...nothing, moveTarget, asksHigherLimits: true },
  };

  test.each(Object.entries(payloads))("%s", (name, payload) => {
    const decoded = decodeRawTransaction(join(transaction(payload)));
    expect(traits).toHaveProperty([name]);
    expect(decoded.ok && payloadTraits(decoded.value.payload)).toEqual(traits[name]);
    const target = traits[name]?.moveTarget ?? null;
    expect(readTraits(join(transaction(payload)))).toEqual({
      targets: target === null ? [] : [target],
      commands: [
        ...(target === null ? [] : ["entry_function"]),
        ...(traits[name]?.isScript ? ["script"] : []),
        ...(traits[name]?.isMultisig ? ["multisig"] : []),
      ],
    });
    expect(readTraits(join(transaction(payload)).subarray(0, 41))).toEqual({ targets: [], commands: [] });
  });

  test("a target is as policies have it, the address in full length", () => {
    const decoded = decodeRawTransaction(
      join(transaction([uleb(2), ...entryFunction([], [], ["aptos_account", "batch_transfer"])])),
    );
    expect(decoded.ok && payloadTraits(decoded.value.payload).moveTarget).toBe(
      `0x${"0".repeat(63)}1::aptos_account::batch_transfer`,
    );
  });
});
