import {
  AbstractedAccount,
  Account,
  AccountAddress,
  AccountAuthenticatorSingleKey,
  AnyPublicKey,
  AnySignature,
  DerivableAbstractedAccount,
  Ed25519Signature,
  KeylessPublicKey,
  MoveVector,
  SigningSchemeInput,
  SimpleTransaction,
  U64,
} from "@aptos-labs/ts-sdk";
import { describe, expect } from "vitest";
import { defaultKeyPolicy } from "../../../../shared/policy/fund-policy-defaults.ts";
import { APT_OCTAS, draftOf, giveOctas, newUser, signDraft, submitAlone } from "../../../support/aptos-chain.ts";
import {
  aptosExecute,
  aptosStatesOf,
  expectQuiet,
  granted,
  landed,
  newAptosFund,
  reasonOf,
  sponsored,
  useStoppedAptosClock,
  whenCommitted,
} from "../../../support/aptos-fund.ts";
import { longTest, shortCases, shortTest } from "../../../support/rounds.ts";
import { KEY_ID, liveFor, MINUTE_MS, SECOND_MS, stub } from "../../../support/sui-fund.ts";

useStoppedAptosClock();

shortTest(
  "a signature by another key is refused for a sender, holds nothing, and keeps the sender from nothing",
  async () => {
    const fund = await newAptosFund();
    const [victim, stranger] = [newUser(), newUser()];
    const draft = draftOf(victim);
    const byStranger = signDraft({ ...draft, sender: stranger }, fund.address);
    expect(reasonOf(await aptosExecute(fund, draft, byStranger))).toBe("bad_signature");
    expect(await aptosStatesOf(fund)).toEqual([]);
    await sponsored(fund, draft);
    expect(reasonOf(await aptosExecute(fund, draft, byStranger)), "for what was promised before").toBe("bad_signature");
    expect((await landed(fund, draft)).success).toBe(true);
    await liveFor(fund, 5 * SECOND_MS);
    await expectQuiet(fund);
  },
);

shortTest("a key that the account has rotated to signs, and the one before does not", async () => {
  const fund = await newAptosFund();
  const [user, next] = [newUser(), newUser()];
  await giveOctas(user.address, APT_OCTAS);
  const rotation = draftOf(user, {
    module: "0x1::account",
    call: ["rotate_authentication_key_call", MoveVector.U8(next.account.accountAddress.toUint8Array())],
  });
  expect(await submitAlone(rotation)).toBe("accepted");
  expect((await whenCommitted(rotation)).success).toBe(true);
  const draft = draftOf(user, { sequenceNumber: 1n });
  expect(reasonOf(await aptosExecute(fund, draft))).toBe("bad_signature");
  const account = Account.fromPrivateKey({
    privateKey: next.account.privateKey,
    address: user.account.accountAddress,
  });
  const rotated = draftOf({ account, address: user.address }, { sequenceNumber: 1n });
  expect((await landed(fund, rotated)).success).toBe(true);
  await liveFor(fund, 5 * SECOND_MS);
  await expectQuiet(fund);
});

describe("a signature that only a node can judge,", () => {
  const signatures = new AnySignature(new Ed25519Signature(new Uint8Array(64)));
  const key = new AnyPublicKey(new KeylessPublicKey("https://issuer.test", new Uint8Array(32)));
  const keyless = new AccountAuthenticatorSingleKey(key, signatures).bcsToBytes();
  const madeUp = { senderAuthenticator: keyless, secondaryAuthenticators: [] };

  shortCases.each(["executed by its sender", "refused as well"] as const)(
    "made up and refused by a node, gives way to the next transaction, which is %s",
    async (then) => {
      const fund = await newAptosFund();
      const victim = newUser();
      const forged = draftOf(victim, { maxGasUnits: 13_000n });
      expect(reasonOf(await aptosExecute(fund, forged, madeUp))).toBe("node_refused");
      if (then === "refused as well")
        expect(reasonOf(await aptosExecute(fund, draftOf(victim, { maxGasUnits: 14_000n }), madeUp))).toBe(
          "node_refused",
        );
      expect((await landed(fund, draftOf(victim))).success).toBe(true);
      await liveFor(fund, 2 * MINUTE_MS);
      const dead = then === "refused as well" ? ["dead", "dead"] : ["dead"];
      expect(await aptosStatesOf(fund)).toEqual([...dead, "complete"]);
      await expectQuiet(fund);
    },
  );

  longTest(
    "of a secondary signer, refused by a node: the right one is taken, and no stranger's as the sender's",
    async () => {
      const fund = await newAptosFund();
      const [sender, second, to] = [newUser(), newUser(), newUser()];
      for (const { address } of [sender, second]) await giveOctas(address, 1_000n);
      const call = ["pay_together", AccountAddress.from(to.address), new U64(3n), new U64(4n)] as const;
      const draft = draftOf(sender, { call, secondaries: [second], maxGasUnits: 20_000n });
      const wrong = { secondaryAuthenticators: [keyless] };
      expect(reasonOf(await aptosExecute(fund, draft, wrong))).toBe("node_refused");
      const { senderAuthenticator } = signDraft({ ...draft, sender: newUser() }, fund.address);
      expect(reasonOf(await aptosExecute(fund, draft, { ...wrong, senderAuthenticator }))).toBe("bad_signature");
      expect((await landed(fund, draft)).success).toBe(true);
      await liveFor(fund, 5 * SECOND_MS);
      await expectQuiet(fund);
    },
  );

  longTest("with a long lifetime holds nothing, unless our signature was handed out before", async () => {
    const fund = await newAptosFund();
    const inSeconds = (seconds: number) => BigInt(Math.floor(Date.now() / 1_000) + seconds);
    const draft = draftOf(newUser(), { expirationSecs: inSeconds(600) });
    expect(reasonOf(await aptosExecute(fund, draft, madeUp))).toBe("expiration_too_far");
    expect(await aptosStatesOf(fund)).toEqual([]);
    await sponsored(fund, draft);
    expect(reasonOf(await aptosExecute(fund, draft, madeUp)), "sent to a node").toBe("outcome_unknown");
    const short = draftOf(newUser(), { expirationSecs: inSeconds(140) });
    expect(reasonOf(await aptosExecute(fund, short, madeUp))).toBe("node_refused");
    expect(await aptosStatesOf(fund)).toEqual(["signed", "signed"]);
    await liveFor(fund, 4 * MINUTE_MS);
    expect(await aptosStatesOf(fund), "the short one is free again").toEqual(["signed", "dead"]);
  });

  const signer = () => new Uint8Array(64);
  const authenticationFunction = "0x1::auth::verify";
  const accountAddress = newUser().account.accountAddress;

  longTest.each([
    ["an abstracted", new AbstractedAccount({ signer, accountAddress, authenticationFunction })],
    [
      "a derivable",
      new DerivableAbstractedAccount({ signer, authenticationFunction, abstractPublicKey: new Uint8Array(32) }),
    ],
  ])("of %s account, reaches the node as the SDK makes it, and is free again after a refusal", async (_, account) => {
    const fund = await newAptosFund();
    const draft = draftOf({ ...newUser(), address: account.accountAddress.toStringLong() });
    const transaction = new SimpleTransaction(draft.raw, AccountAddress.from(fund.address));
    const senderAuthenticator = account.signTransactionWithAuthenticator(transaction).bcsToBytes();
    const signed = { senderAuthenticator, secondaryAuthenticators: [] };
    expect(reasonOf(await aptosExecute(fund, draft, signed))).toBe("node_refused");
    await liveFor(fund, 2 * MINUTE_MS);
    expect(await aptosStatesOf(fund)).toEqual(["dead"]);
    await expectQuiet(fund);
  });

  longTest("made up for somebody without an account, does not keep the account from being initialised", async () => {
    const fund = await newAptosFund();
    const victim = newUser();
    expect(reasonOf(await aptosExecute(fund, draftOf(victim), madeUp))).toBe("node_refused");
    const caller = { keyId: KEY_ID, keyPolicy: defaultKeyPolicy("aptos"), sender: victim.address };
    expect(await stub(fund).aptosInitialization(caller)).toMatchObject({ value: { state: "absent" } });
  });
});

longTest.each([
  ["secp256k1", Account.generate({ scheme: SigningSchemeInput.Secp256k1Ecdsa })],
  ["Ed25519 behind a single key", Account.generate({ scheme: SigningSchemeInput.Ed25519, legacy: false })],
])("of a %s account, what it has signed is executed, and what somebody made up holds nothing", async (_, account) => {
  const fund = await newAptosFund();
  const draft = draftOf({ ...newUser(), address: account.accountAddress.toStringLong() });
  const signed = (over: string) => {
    const transaction = new SimpleTransaction(draft.raw, AccountAddress.from(over));
    const senderAuthenticator = account.signTransactionWithAuthenticator(transaction).bcsToBytes();
    return { senderAuthenticator, secondaryAuthenticators: [] };
  };
  expect(reasonOf(await aptosExecute(fund, draft, signed("0x2")))).toBe("bad_signature");
  expect(await aptosStatesOf(fund)).toEqual([]);
  granted(await aptosExecute(fund, draft, signed(fund.address)));
  expect((await whenCommitted(draft)).success).toBe(true);
  await liveFor(fund, 5 * SECOND_MS);
  await expectQuiet(fund);
});
