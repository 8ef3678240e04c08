import { bcs } from "@mysten/sui/bcs";
import { Ed25519Keypair, Ed25519PublicKey } from "@mysten/sui/keypairs/ed25519";
import { Transaction, TransactionDataBuilder } from "@mysten/sui/transactions";
import { fromBase64, toBase58 } from "@mysten/sui/utils";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import {
  createdObjectId,
  type Expiration,
  signingDigest,
  signTransaction,
  suiAddress,
  transactionDigest,
  unpaidLength,
  wrapKind,
} from "../../../shared/chain/sui/transaction.ts";

const MAX_U64 = 2n ** 64n - 1n;
const SENDER = `0x${"5".repeat(64)}`;

/** Transactions that were broadcast on Sui mainnet. Source: trustwallet/wallet-core, sui_sign.rs (Apache-2.0). */
const MAINNET = [
  {
    digest: "D4Ay9TdBJjXkGmrZSstZakpEWskEQHaWURP6xWPRXbAm",
    data: "AAAEAAjoAwAAAAAAAAAIUMMAAAAAAAAAIKcXWr3V7ZLr4605DbNmxqcGR4zfUXzebPmGMAZc2jd6ACBU6A1215DCd/WkTzzpL1PSb1iUiSvzld7mN1mIh2vmsgMCAAIBAAABAQABAQMAAAAAAQIAAQEDAAABAAEDAFToDXbXkMJ39aRPPOkvU9JvWJSJK/OV3uY3WYiHa+ayAWNgILOn3HsRw6pvQZsX+KnBLn95ox0b3S3mcLTt1jAFeHEaBQAAAAAgGGuNnxrqusosgjP3gQ3jBjnhapGNBlcU0yTaupXpa0BU6A1215DCd/WkTzzpL1PSb1iUiSvzld7mN1mIh2vmsu4CAAAAAAAAwMYtAAAAAAAA",
    signature:
      "AEh44B7iGArEHF1wOLAQJMLNgGnaIwn3gKPC92vtDJqITDETAM5z9plaxio1xomt6/cZReQ5FZaQsMC6l7E0BwmF69FEH+T5VPvl3GB3vwCOEZpeJpKXxvcIPQAdKsh2/g==",
  },
  {
    digest: "GNoQj54Ra8qGbzbvD25KXEYTsRDKTH5SSjLtHftGNwBM",
    data: "AAAEAAjwSQIAAAAAAAAIQA0DAAAAAAAACKCGAQAAAAAAACBU6A1215DCd/WkTzzpL1PSb1iUiSvzld7mN1mIh2vmsgICAAMBAAABAQABAgABAwMAAAAAAwAAAQADAAACAAEDAFToDXbXkMJ39aRPPOkvU9JvWJSJK/OV3uY3WYiHa+ayAWNgILOn3HsRw6pvQZsX+KnBLn95ox0b3S3mcLTt1jAFxYoeBQAAAAAg6qe+uHxDnn7q4cupb3Z1reQK3m4sh6efYtcz8fWA6C9U6A1215DCd/WkTzzpL1PSb1iUiSvzld7mN1mIh2vmsu4CAAAAAAAAwM9qAAAAAAAA",
    signature:
      "AAN/lP/bRRsgdDS/QCSl45D5gHdKv4Aow0Hmkcot6w+84vd2X+nvOgxyYo2BMInBIbsCqlOtnn8t9zo2+dNSegGF69FEH+T5VPvl3GB3vwCOEZpeJpKXxvcIPQAdKsh2/g==",
  },
] as const;

const id = fc.uint8Array({ minLength: 32, maxLength: 32 }).map((bytes) => bcs.Address.parse(bytes));
const digest = fc.uint8Array({ minLength: 32, maxLength: 32 }).map(toBase58);
const u64 = fc.bigInt({ min: 0n, max: MAX_U64 });
const ref = fc.record({ objectId: id, version: u64, digest });

describe("wrapKind", () => {
  test("gives the bytes that the SDK builds from the same parts", async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.record({
          sender: id,
          owner: id,
          payment: fc.array(ref, { minLength: 1, maxLength: 4 }),
          priceMist: u64,
          budgetMist: u64,
          epoch: u64,
          label: fc.string({ maxLength: 20 }),
        }),
        async ({ sender, owner, payment, priceMist, budgetMist, epoch, label }) => {
          const transaction = new Transaction();
          transaction.moveCall({ target: "0x2::a::b", arguments: [transaction.pure.string(label)] });
          const kind = await transaction.build({ onlyTransactionKind: true });
          transaction.setSender(sender);
          transaction.setGasOwner(owner);
          transaction.setGasPrice(priceMist);
          transaction.setGasBudget(budgetMist);
          transaction.setGasPayment(payment.map((coin) => ({ ...coin, version: coin.version.toString() })));
          transaction.setExpiration({ Epoch: epoch.toString() });
          expect(wrapKind(kind, sender, { owner, payment, priceMist, budgetMist }, { kind: "epoch", epoch })).toEqual(
            await transaction.build(),
          );
        },
      ),
      { numRuns: 200 },
    );
  });

  test("pays from the address balance with the window and the nonce that the SDK would write", async () => {
    const chainIdentifier = toBase58(new Uint8Array(32).fill(3));
    await fc.assert(
      fc.asyncProperty(
        u64,
        fc.nat(0xffffffff),
        fc.bigInt({ min: 0n, max: 2n ** 40n }),
        async (budgetMist, nonce, from) => {
          const transaction = new Transaction();
          transaction.moveCall({ target: "0x2::a::b", arguments: [] });
          const kind = await transaction.build({ onlyTransactionKind: true });
          transaction.setSender(SENDER);
          transaction.setGasOwner(SENDER);
          transaction.setGasPrice(1_000n);
          transaction.setGasBudget(budgetMist);
          transaction.setGasPayment([]);
          const [minEpoch, maxEpoch] = [from.toString(), (from + 1n).toString()];
          const window = { minEpoch, maxEpoch, minTimestamp: null, maxTimestamp: null, chain: chainIdentifier, nonce };
          transaction.setExpiration({ ValidDuring: window });
          const gas = { owner: SENDER, payment: [], priceMist: 1_000n, budgetMist };
          const expiration = { kind: "window", from, to: from + 1n, chainIdentifier, nonce } as const;
          expect(wrapKind(kind, SENDER, gas, expiration)).toEqual(await transaction.build());
        },
      ),
      { numRuns: 100 },
    );
  });

  test.each<Expiration>([
    { kind: "epoch", epoch: 9n },
    { kind: "window", from: 1n, to: 2n, chainIdentifier: toBase58(new Uint8Array(32).fill(3)), nonce: 7 },
  ])("without a payment gives as many bytes as were foretold", (expiration) => {
    const kind = bcs.TransactionKind.serialize({ ProgrammableTransaction: { inputs: [], commands: [] } }).toBytes();
    const gas = { owner: SENDER, payment: [], priceMist: 1_000n, budgetMist: 5n };
    expect(unpaidLength(kind, expiration.kind)).toBe(wrapKind(kind, SENDER, gas, expiration).length);
  });

  test("takes the most coins that the chain allows", () => {
    const kind = bcs.TransactionKind.serialize({ ProgrammableTransaction: { inputs: [], commands: [] } }).toBytes();
    const payment = Array.from({ length: 256 }, (_, index) => ({
      objectId: `0x${index.toString(16).padStart(64, "0")}`,
      version: 1n,
      digest: toBase58(new Uint8Array(32)),
    }));
    const gas = { owner: SENDER, payment, priceMist: 1_000n, budgetMist: 5n };
    const parsed = bcs.TransactionData.parse(wrapKind(kind, SENDER, gas, { kind: "epoch", epoch: 9n })).V1;
    expect(parsed.gasData.payment).toHaveLength(256);
  });

  test("splices the kind in byte for byte, and parses back to the same parts", () => {
    const kind = bcs.TransactionKind.serialize({ ProgrammableTransaction: { inputs: [], commands: [] } }).toBytes();
    const gas = { owner: SENDER, payment: [], priceMist: 1_000n, budgetMist: 5n };
    const bytes = wrapKind(kind, SENDER, gas, { kind: "epoch", epoch: 9n });
    expect(bytes.slice(1, 1 + kind.length)).toEqual(kind);
    const { sender, gasData, expiration } = bcs.TransactionData.parse(bytes).V1;
    expect(sender).toBe(SENDER);
    expect(gasData).toEqual({ owner: SENDER, price: "1000", budget: "5", payment: [] });
    expect(BigInt(expiration.Epoch ?? -1)).toBe(9n);
  });
});

describe("digests", () => {
  test.each(MAINNET)("of mainnet's transaction $digest", ({ data, digest: known }) => {
    expect(transactionDigest(fromBase64(data))).toBe(known);
  });

  test("equal the SDK's for any bytes", () => {
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 300 }), (bytes) => {
        expect(transactionDigest(bytes)).toBe(TransactionDataBuilder.getDigestFromBytes(bytes));
      }),
    );
  });

  /** Source: MystenLabs/sui, crates/sui-indexer-alt-e2e-tests/tests/graphql/transactions/bcs.snap (Apache-2.0). */
  test("give the ids of created objects that the real executor gave", () => {
    expect(createdObjectId("FBSbxbZwRnfKQhMgXdzrnVMEM8jAJxo9vJL7b7o4BzfH", 0n)).toBe(
      "0xc65ed1867d8cfc9d02c5cee1b6da55749a6a48269f232ee102e04d8feb632f01",
    );
    expect(createdObjectId("FBSbxbZwRnfKQhMgXdzrnVMEM8jAJxo9vJL7b7o4BzfH", 1n)).not.toBe(
      "0xc65ed1867d8cfc9d02c5cee1b6da55749a6a48269f232ee102e04d8feb632f01",
    );
  });
});

describe("keys and signatures", () => {
  test("addresses equal the SDK's for any key", () => {
    fc.assert(
      fc.property(fc.uint8Array({ minLength: 32, maxLength: 32 }), (publicKey) => {
        expect(suiAddress(publicKey)).toBe(new Ed25519PublicKey(publicKey).toSuiAddress());
      }),
    );
  });

  test.each(MAINNET)(
    "a signature that mainnet accepted verifies over what we sign: $digest",
    async ({ data, signature }) => {
      const serialized = fromBase64(signature);
      const key = new Ed25519PublicKey(serialized.slice(65));
      expect(await key.verify(signingDigest(fromBase64(data)), serialized.slice(1, 65))).toBe(true);
      const { sender } = bcs.TransactionData.parse(fromBase64(data)).V1;
      expect(suiAddress(serialized.slice(65))).toBe(sender);
    },
  );

  test("a transaction signed by us is what the SDK signs with the same key", async () => {
    const pair = new Ed25519Keypair();
    const signer = { publicKey: pair.getPublicKey().toRawBytes(), sign: (message: Uint8Array) => pair.sign(message) };
    for (const { data } of MAINNET) {
      const { signature } = await pair.signTransaction(fromBase64(data));
      expect(await signTransaction(signer, fromBase64(data))).toBe(signature);
    }
  });
});
