import {
  Account,
  AccountAuthenticator,
  Deserializer,
  generateSigningMessageForTransaction,
  SimpleTransaction,
} from "@aptos-labs/ts-sdk";
import { Ed25519Keypair } from "@mysten/sui/keypairs/ed25519";
import fc from "fast-check";
import { expect, test } from "vitest";
import {
  type AptosExpectation,
  aptosId,
  aptosSigningMessage,
  checkAptos,
  simpleTransactionBytes,
} from "../../../shared/client/flows/aptos-check.ts";
import { aptosKey } from "../../../shared/client/flows/index.ts";
import { aptosNetwork } from "../../../shared/client/flows/networks.ts";
import { addPayload, aptosAnswer, honestFields, type RawFields, rawBytes } from "./aptos-stage.ts";
import { EXPIRES_AT_MS } from "./stage.ts";

const payload = addPayload().bcsToBytes();
const sender = Account.generate().accountAddress.toStringLong();
const stranger = Account.generate().accountAddress.toStringLong();

const NOW_MS = EXPIRES_AT_MS - 600_000;
const expected: AptosExpectation = {
  payload,
  sender,
  ...aptosNetwork({ network: "localnet" }),
  maxGasOctas: 10_000_000n,
  nowMs: NOW_MS,
  sequenceNumber: 7n,
  used: [],
};
const raw = (change: Partial<RawFields> = {}) => rawBytes(payload, { ...honestFields(sender), ...change });

test("an honest answer passes, and is signed as the stock SDK signs it", () => {
  const bytes = raw();
  expect(checkAptos(aptosAnswer(bytes), expected)).toEqual({
    bytes,
    id: aptosId(bytes),
    until: honestFields(sender).expirationSeconds,
  });
  const simple = SimpleTransaction.deserialize(new Deserializer(simpleTransactionBytes(bytes)));
  expect(simple.feePayerAddress?.toString()).toBe("0x0");
  expect(aptosSigningMessage(bytes)).toEqual(generateSigningMessageForTransaction(simple));
});

test.each<[string, Uint8Array, object, Partial<AptosExpectation>, RegExp]>([
  ["another payload", rawBytes(addPayload(2n).bcsToBytes(), honestFields(sender)), {}, {}, /another payload/],
  ["another sender", raw({ sender: stranger }), {}, {}, /sender/],
  ["another chain", raw({ chainId: 2 }), {}, {}, /another chain/],
  [
    "a chain of a fixed id for devnet",
    raw({ chainId: 1 }),
    { network: "APTOS_DEVNET" },
    aptosNetwork({ network: "devnet" }),
    /another chain/,
  ],
  ["more gas", raw({ maxGasAmount: 100_001n }), {}, {}, /octas/],
  ["a higher price", raw({ gasUnitPrice: 101n }), {}, {}, /octas/],
  ["a late expiration", raw({ expirationSeconds: BigInt(EXPIRES_AT_MS) / 1_000n + 7_200n }), {}, {}, /too late/],
  ["another sequence number", raw({ sequenceNumber: 8n }), {}, {}, /sequence number is 8/],
  ["a nonce's place", raw({ sequenceNumber: 2n ** 64n - 1n }), {}, { sequenceNumber: null }, /no sequence number/],
  ["bytes that are left over", Uint8Array.of(...raw(), 0), {}, {}, /malformed/],
  ["a fee payer behind the transaction", simpleTransactionBytes(raw()), {}, {}, /malformed/],
  ["a named fee payer", raw(), { feePayerAddress: stranger }, {}, /fee payer/],
  ["another network", raw(), { network: "APTOS_MAINNET" }, {}, /network APTOS_MAINNET/],
  ["no network", raw(), { network: undefined }, {}, /not named/],
  ["an earlier transaction", raw(), {}, { used: [aptosId(raw())] }, /earlier transaction/],
])("%s is refused", (_, bytes, answer, change, why) => {
  expect(checkAptos({ ...aptosAnswer(bytes), ...answer }, { ...expected, ...change })).toMatch(why);
});

test("whatever a service makes of the fields, it passes only within the bounds", () => {
  const near = (bound: bigint) => fc.constantFrom(0n, bound - 1n, bound, bound + 1n, bound * 1_000n);
  const fields = fc.record({
    sender: fc.constantFrom(sender, stranger),
    sequenceNumber: near(7n),
    maxGasAmount: near(100_000n),
    gasUnitPrice: near(100n),
    expirationSeconds: near(BigInt(EXPIRES_AT_MS) / 1_000n),
    chainId: fc.constantFrom(1, 2, 4, 5),
  });
  fc.assert(
    fc.property(fields, (made) => {
      const isWithin =
        made.sender === sender &&
        made.sequenceNumber === 7n &&
        made.maxGasAmount * made.gasUnitPrice <= 10_000_000n &&
        made.maxGasAmount * made.gasUnitPrice > 0n &&
        made.expirationSeconds * 1_000n <= BigInt(NOW_MS + 7_200_000) &&
        made.expirationSeconds * 1_000n >= BigInt(NOW_MS - 3_600_000) &&
        made.chainId === 4;
      expect(typeof checkAptos(aptosAnswer(rawBytes(payload, made)), expected) === "object").toBe(isWithin);
    }),
  );
});

test("a plain Ed25519 key signs as the stock SDK verifies it", async () => {
  const keypair = new Ed25519Keypair();
  const publicKey = keypair.getPublicKey().toRawBytes();
  const signer = aptosKey({ address: sender, publicKey, sign: (message) => keypair.sign(message) });
  const bytes = raw();
  const simpleTransaction = simpleTransactionBytes(bytes);
  const message = aptosSigningMessage(bytes);
  const authenticator = await signer.signAptos({ rawTransaction: bytes, simpleTransaction, message });
  const read = AccountAuthenticator.deserialize(new Deserializer(authenticator));
  if (!read.isEd25519()) throw new Error("it is another authenticator");
  expect(read.bcsToBytes()).toEqual(authenticator);
  const signed = generateSigningMessageForTransaction(
    SimpleTransaction.deserialize(new Deserializer(simpleTransaction)),
  );
  expect(read.public_key.verifySignature({ message: signed, signature: read.signature })).toBe(true);
});
