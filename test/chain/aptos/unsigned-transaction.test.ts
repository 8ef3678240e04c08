import { MultiAgentTransaction, SimpleTransaction } from "@aptos-labs/ts-sdk";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { signAndSubmitExample, sponsoredRawTransaction } from "../../../shared/api/aptos-gas-examples.ts";
import { concatBytes, toHex } from "../../../shared/bytes.ts";
import { ZERO_ADDRESS } from "../../../shared/chain/aptos/address.ts";
import { MAX_SECONDARY_SIGNERS } from "../../../shared/chain/aptos/limits.ts";
import { decodeUnsignedTransaction } from "../../../shared/chain/aptos/unsigned-transaction.ts";
import { rounds } from "../../support/rounds.ts";
import { anyAddress, anyTransaction as anyRawTransaction, signerList } from "./generated.ts";

const anySigners = signerList(MAX_SECONDARY_SIGNERS);
const anyFeePayer = fc.option(anyAddress);

/** A transaction of the SDK, and what the service has to read out of it. */
const anyTransaction = fc
  .record({ raw: anyRawTransaction, signers: fc.option(anySigners), feePayer: anyFeePayer })
  .map(({ raw, signers, feePayer }) => ({
    bytes: (signers === null
      ? new SimpleTransaction(raw.sdk, feePayer?.sdk)
      : new MultiAgentTransaction(raw.sdk, signers.sdk, feePayer?.sdk)
    ).bcsToBytes(),
    rawTransaction: raw.sdk.bcsToBytes(),
    secondaryAddresses: signers?.ours ?? [],
    feePayer: feePayer?.ours ?? null,
  }));

describe("a transaction of the SDK", () => {
  test("is read as it was built, whatever its payload, signers and fee payer", () => {
    fc.assert(
      fc.property(anyTransaction, ({ bytes, ...value }) => {
        expect(decodeUnsignedTransaction(bytes)).toEqual({ ok: true, value });
      }),
      { numRuns: rounds(1_000) },
    );
  });

  test("has one reading: with bytes changed, cut off or added it is refused, or another transaction", () => {
    fc.assert(
      fc.property(anyTransaction, fc.nat(), fc.uint8Array({ maxLength: 70 }), ({ bytes, ...value }, at, added) => {
        for (const other of [bytes.slice(0, at % bytes.length), concatBytes(bytes, Uint8Array.of(0), added)]) {
          const read = decodeUnsignedTransaction(other);
          if (!read.ok) continue;
          // Without signers and a fee payer, both of the SDK's types say the same.
          if (value.feePayer !== null) expect(read.value).not.toEqual(value);
          // Only the part behind the raw transaction can be read in another way.
          expect(read.value.rawTransaction).toEqual(value.rawTransaction);
        }
      }),
      { numRuns: rounds(1_000) },
    );
  });
});

test("the example of the wire is that of the gas station, with 0x0 as its fee payer", () => {
  const [bytes = []] = signAndSubmitExample.params;
  const read = decodeUnsignedTransaction(Uint8Array.from(bytes));
  if (!read.ok) throw new Error(read.error.details);
  expect(`0x${toHex(read.value.rawTransaction)}`).toBe(sponsoredRawTransaction);
  expect(read.value).toMatchObject({ secondaryAddresses: [], feePayer: ZERO_ADDRESS });
});
