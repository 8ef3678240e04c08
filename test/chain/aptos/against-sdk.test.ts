import {
  Deserializer,
  AccountAuthenticator as SdkAuthenticator,
  RawTransaction as SdkRawTransaction,
  SignedTransaction as SdkSignedTransaction,
} from "@aptos-labs/ts-sdk";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { toHex } from "../../../shared/bytes.ts";
import { accountAuthenticator, decodeAccountAuthenticator } from "../../../shared/chain/aptos/authenticator.ts";
import { encodeBcs } from "../../../shared/chain/aptos/bcs.ts";
import { decodeRawTransaction, encodeRawTransaction } from "../../../shared/chain/aptos/raw-transaction.ts";
import { decodeSignedTransaction, encodeSignedTransaction } from "../../../shared/chain/aptos/signed-transaction.ts";
import type { Outcome } from "../../../shared/errors.ts";
import { rounds } from "../../support/rounds.ts";
import { type Both, payloads, transactionWith } from "./generated.ts";
import { authenticators, signedTransactions } from "./generated-signers.ts";

interface Codec<Ours> {
  readonly encode: (value: Ours) => Uint8Array;
  readonly decode: (bytes: Uint8Array) => Outcome<Ours>;
  /** Through the SDK's decoder and encoder. */
  readonly throughSdk: (bytes: Uint8Array) => Uint8Array;
}

/** What the SDK writes is what we write and read, and what we write the SDK reads. */
function agrees<Ours>(
  codec: Codec<Ours>,
  generated: fc.Arbitrary<Both<Ours, { bcsToBytes(): Uint8Array }>>,
  numRuns: number,
): void {
  fc.assert(
    fc.property(generated, ({ ours, sdk }) => {
      const bytes = sdk.bcsToBytes();
      const encoded = codec.encode(ours);
      expect(toHex(encoded)).toBe(toHex(bytes));
      expect(codec.decode(bytes)).toEqual({ ok: true, value: ours });
      expect(toHex(codec.throughSdk(encoded))).toBe(toHex(bytes));
    }),
    { numRuns: rounds(numRuns) },
  );
}

describe("reads and writes as the chain's SDK", () => {
  test.each(Object.entries(payloads))("a raw transaction with a %s", (_, payload) => {
    agrees(
      {
        encode: encodeRawTransaction,
        decode: decodeRawTransaction,
        throughSdk: (bytes) => SdkRawTransaction.deserialize(new Deserializer(bytes)).bcsToBytes(),
      },
      transactionWith(payload),
      200,
    );
  });

  test.each(Object.entries(authenticators))("an account's authenticator of the scheme %s", (_, authenticator) => {
    agrees(
      {
        encode: (value) => encodeBcs(accountAuthenticator, value),
        decode: decodeAccountAuthenticator,
        throughSdk: (bytes) => SdkAuthenticator.deserialize(new Deserializer(bytes)).bcsToBytes(),
      },
      authenticator,
      200,
    );
  });

  test.each(Object.entries(signedTransactions))("a transaction signed as %s", (_, signed) => {
    agrees(
      {
        encode: ({ rawTransaction, authenticator }) =>
          encodeSignedTransaction(encodeRawTransaction(rawTransaction), authenticator),
        decode: decodeSignedTransaction,
        throughSdk: (bytes) => SdkSignedTransaction.deserialize(new Deserializer(bytes)).bcsToBytes(),
      },
      signed,
      60,
    );
  });
});
