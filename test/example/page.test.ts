import {
  AccountAddress,
  AccountAuthenticatorEd25519,
  ChainId,
  createObjectAddress,
  Deserializer,
  Ed25519PublicKey,
  EntryFunction,
  generateSigningMessageForTransaction,
  MoveString,
  RawTransaction,
  SimpleTransaction,
  TransactionPayloadEntryFunction,
} from "@aptos-labs/ts-sdk";
import { Ed25519Keypair } from "@mysten/sui/keypairs/ed25519";
import { Transaction } from "@mysten/sui/transactions";
import { fromBase64, fromHex, toBase64 } from "@mysten/sui/utils";
import { verifyTransactionSignature } from "@mysten/sui/verify";
import { describe, expect, test } from "vitest";
import { adviceOn, endOf, isOpen } from "../../functions/example/page/advice.ts";
import { aptosAddress, badgeAddress, signMint } from "../../functions/example/page/aptos.ts";
import { mintKind, signSponsored } from "../../functions/example/page/sui.ts";
import { APTOS_DEMO_MODULE } from "../devchain/demo.ts";
import { readPage, section } from "../docs/pages.ts";

const keypair = new Ed25519Keypair();
const other = new Ed25519Keypair();
const NAME = "Ünïcode ✓";

describe("an attempt stays open, and is asked for again under its key,", () => {
  const failure = { status: null, message: "", retryable: false };

  test("after every answer that leaves open whether it was executed", () => {
    for (const code of ["outcome_unknown", "no_answer", "unexpected_answer", "internal"])
      expect(isOpen({ ...failure, code }), code).toBe(true);
    for (const code of ["policy_refused", "transaction_failed", "rate_limited", "sponsorship_expired"])
      expect(isOpen({ ...failure, code }), code).toBe(false);
  });

  test("where a try had no answer and a later one was refused", () => {
    const [lost, refused] = [
      { ...failure, code: "no_answer" },
      { ...failure, code: "rate_limited" },
    ];
    expect(endOf([], refused)).toBe(refused);
    expect(endOf([refused], refused)).toBe(refused);
    expect(endOf([lost, refused], refused)).toBe(lost);
    expect(endOf([refused], lost)).toBe(lost);
  });
});

test("every error that the page of the workflows names has its advice", async () => {
  const errors = section(await readPage("shared/workflow/README.md"), "Errors");
  const named = [...errors.matchAll(/`([a-z]+_?[a-z_]*)`/g)].map(([, code]) => code ?? "");
  expect(named.length).toBeGreaterThan(15);
  const otherwise = adviceOn({ status: null, code: "?", message: "", retryable: false });
  for (const code of named)
    expect([code, adviceOn({ status: null, code, message: "", retryable: false })]).not.toEqual([code, otherwise]);
});

describe("the page's own Aptos agrees with the stock SDK", () => {
  const publicKey = new Ed25519PublicKey(keypair.getPublicKey().toRawBytes());
  const me = aptosAddress(keypair);

  function raw(sender: string, args: [string, string] = [NAME, me], functionName = "mint"): RawTransaction {
    const [account = "", module = ""] = APTOS_DEMO_MODULE.split("::");
    const call = EntryFunction.build(
      `${account}::${module}`,
      functionName,
      [],
      [new MoveString(args[0]), AccountAddress.from(args[1])],
    );
    const payload = new TransactionPayloadEntryFunction(call);
    return new RawTransaction(AccountAddress.from(sender), 7n, payload, 20_000n, 100n, 1_900_000_000n, new ChainId(4));
  }

  test("on the address of a key, and of a badge", () => {
    expect(me).toBe(publicKey.authKey().derivedAddress().toStringLong());
    expect(badgeAddress(me, NAME)).toBe(createObjectAddress(AccountAddress.from(me), NAME).toStringLong());
  });

  test("on what is signed for a fee payer who is not known yet, and on how the signature is written", async () => {
    const transaction = raw(me);
    const signed = await signMint(transaction.bcsToHex().toString(), NAME, keypair);
    const bytes = new Deserializer(fromHex(signed ?? ""));
    const variant = bytes.deserializeUleb128AsU32();
    const { public_key: key, signature } = AccountAuthenticatorEd25519.load(bytes);
    expect(variant).toBe(0);
    expect(key.toString()).toBe(publicKey.toString());
    const message = generateSigningMessageForTransaction(new SimpleTransaction(transaction, AccountAddress.ZERO));
    expect(publicKey.verifySignature({ message, signature })).toBe(true);
  });

  test.each<[string, RawTransaction]>([
    ["of another sender", raw(aptosAddress(other))],
    ["of another name", raw(me, ["another", me])],
    ["to another owner", raw(me, [NAME, aptosAddress(other)])],
    ["of another function", raw(me, [NAME, me], "grant")],
  ])("a mint %s is not signed", async (_, transaction) => {
    expect(await signMint(transaction.bcsToHex().toString(), NAME, keypair)).toBeNull();
  });
});

describe("the page signs on Sui", () => {
  async function sponsored(kind: string, sender: string): Promise<string> {
    const transaction = Transaction.fromKind(fromBase64(kind));
    transaction.setSender(sender);
    transaction.setGasOwner(other.toSuiAddress());
    transaction.setGasBudget(1_000_000n);
    transaction.setGasPrice(1_000n);
    const digest = "4vJ9JU1bJJE96FWSJKvHsmmFADCg4gpZQff4P3bkLKi";
    transaction.setGasPayment([{ objectId: `0x${"1".repeat(64)}`, version: "1", digest }]);
    return toBase64(await transaction.build());
  }

  test("what it asked for", async () => {
    const kind = await mintKind(NAME);
    const txBytes = await sponsored(kind, keypair.toSuiAddress());
    const signature = await signSponsored(txBytes, kind, keypair);
    const signer = await verifyTransactionSignature(fromBase64(txBytes), signature ?? "");
    expect(signer.toSuiAddress()).toBe(keypair.toSuiAddress());
  });

  test("nothing else", async () => {
    const kind = await mintKind(NAME);
    const ofAnother = await sponsored(kind, other.toSuiAddress());
    const another = await sponsored(await mintKind("another"), keypair.toSuiAddress());
    for (const txBytes of [ofAnother, another, toBase64(Uint8Array.of(0)), ""])
      expect(await signSponsored(txBytes, kind, keypair)).toBeNull();
  });
});
