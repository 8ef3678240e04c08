import {
  AccountAddress,
  AccountAuthenticator,
  Deserializer,
  type Ed25519Account,
  MultiAgentTransaction,
  SimpleTransaction,
  U64,
} from "@aptos-labs/ts-sdk";
import { beforeAll, describe, expect, onTestFinished } from "vitest";
import * as z from "zod";
import type { ProjectFund } from "../../../shared/cli/client/funds.ts";
import { expectAnswer, type HttpAnswer } from "../../../shared/cli/client/http.ts";
import { displayAddress } from "../../devchain/aptos/address.ts";
import { APTOS_DEMO_MODULE } from "../../devchain/demo.ts";
import { advance } from "../../harness/harness.ts";
import {
  aptos,
  aptosGas,
  authenticatorOf,
  balanceOf,
  chargeOf,
  entryFunction,
  expectReconciled,
  GAS_PRICE_OCTAS,
  giveApt,
  groundAccount,
  hexOf,
  MAX_GAS_UNITS,
  newAccount,
  newAptosFund,
  newAptosKey,
  OCTAS_PER_APT,
  rawTransaction,
  refusalOf,
  sponsorshipsOf,
} from "../../support/aptos.ts";
import { clearFaults, orderFault } from "../../support/chain-control.ts";
import { figuresOf, withdraw } from "../../support/operator.ts";
import { longTest, shortCases, shortTest } from "../../support/rounds.ts";

const increment = entryFunction(`${APTOS_DEMO_MODULE}::increment`, []);
const BUDGET_OCTAS = MAX_GAS_UNITS * GAS_PRICE_OCTAS;

let fund: ProjectFund;
let key: string;
beforeAll(async () => {
  fund = await newAptosFund();
  key = (await newAptosKey(fund, { rights: ["gas"] })).key;
});

const sponsoredSchema = z.object({
  result: z.strictObject({
    feePayer: z.strictObject({ address: z.string(), signature: z.array(z.int().min(0).max(255)) }),
  }),
});

function feePayerIn(answer: HttpAnswer) {
  const { address, signature } = expectAnswer("sponsor", answer, sponsoredSchema).result.feePayer;
  return { address, signature, authenticator: authenticatorIn(Uint8Array.from(signature)) };
}

function authenticatorIn(bytes: Uint8Array): AccountAuthenticator {
  return AccountAuthenticator.deserialize(new Deserializer(bytes));
}

const submittedSchema = z.object({
  result: z.object({ pendingTransaction: z.object({ hash: z.string(), sender: z.string() }) }),
});

function pendingIn(answer: HttpAnswer) {
  return expectAnswer("submit", answer, submittedSchema).result.pendingTransaction;
}

function submittedIn(answer: HttpAnswer): string {
  return pendingIn(answer).hash;
}

async function committed(transactionHash: string) {
  return aptos.waitForTransaction({ transactionHash, options: { checkSuccess: false } });
}

function senderOf(user: Ed25519Account): string {
  return user.accountAddress.toString();
}

describe("gas_sponsorTransaction", () => {
  shortTest(
    "gives a signature with which a stock client submits, and the fund pays exactly what was charged",
    async () => {
      const user = newAccount();
      const raw = await rawTransaction(senderOf(user), increment);
      const before = await figuresOf(fund.fundId);
      const { address, authenticator } = feePayerIn(await aptosGas(key, "gas_sponsorTransaction", [hexOf(raw)]));
      expect(address).toBe(fund.depositAddress);
      expect((await figuresOf(fund.fundId)).inFlight - before.inFlight).toBe(BUDGET_OCTAS);

      const transaction = new SimpleTransaction(raw, AccountAddress.from(address));
      const senderAuthenticator = user.signTransactionWithAuthenticator(transaction);
      const submitted = { transaction, senderAuthenticator, feePayerAuthenticator: authenticator };
      const { hash } = await aptos.transaction.submit.simple(submitted);
      expect(await committed(hash)).toMatchObject({ success: true });
      const charged = await chargeOf(hash);
      await expectReconciled(fund);
      const after = await figuresOf(fund.fundId);
      expect(before.balance - after.balance).toBe(charged);
      expect(after.inFlight).toBe(before.inFlight);
      expect(await sponsorshipsOf(fund.fundId)).toContainEqual({
        digest: hash,
        state: "complete",
        sender: senderOf(user),
        charged: charged.toString(),
      });
    },
  );

  longTest(
    "gives the same signature for the same bytes, whatever the Idempotency-Key, and for other signers another one",
    async () => {
      const [user, other] = [newAccount(), newAccount()];
      const raw = await rawTransaction(senderOf(user), increment);
      const first = feePayerIn(await aptosGas(key, "gas_sponsorTransaction", [hexOf(raw)], "one"));
      expect(feePayerIn(await aptosGas(key, "gas_sponsorTransaction", [hexOf(raw), []])).signature).toEqual(
        first.signature,
      );
      for (const name of ["one", "two", undefined])
        expect(feePayerIn(await aptosGas(key, "gas_sponsorTransaction", [hexOf(raw)], name)).signature).toEqual(
          first.signature,
        );
      expect(refusalOf(await aptosGas(key, "gas_sponsorTransaction", [hexOf(raw), [senderOf(other)]])).reason).toBe(
        "sequence_conflict",
      );
      expect((await sponsorshipsOf(fund.fundId)).filter(({ sender }) => sender === senderOf(user))).toHaveLength(1);
    },
  );

  longTest("pays for a transaction with more signers", async () => {
    const [user, other] = [newAccount(), newAccount()];
    for (const account of [user, other]) await giveApt(senderOf(account), OCTAS_PER_APT);
    const receiver = senderOf(newAccount());
    const payload = entryFunction(`${APTOS_DEMO_MODULE}::pay_together`, [
      AccountAddress.from(receiver),
      new U64(1n),
      new U64(2n),
    ]);
    const raw = await rawTransaction(senderOf(user), payload);
    const params = [Array.from(raw.bcsToBytes()), [senderOf(other)]];
    const { address, authenticator } = feePayerIn(await aptosGas(key, "gas_sponsorTransaction", params));
    const transaction = new MultiAgentTransaction(raw, [other.accountAddress], AccountAddress.from(address));
    const { hash } = await aptos.transaction.submit.multiAgent({
      transaction,
      senderAuthenticator: user.signTransactionWithAuthenticator(transaction),
      additionalSignersAuthenticators: [other.signTransactionWithAuthenticator(transaction)],
      feePayerAuthenticator: authenticator,
    });
    expect(await committed(hash)).toMatchObject({ success: true });
    expect(await balanceOf(receiver)).toBe(3n);
    await expectReconciled(fund);
  });

  longTest("withholds what nobody submits until the chain shows that it has expired", async () => {
    const own = await newAptosFund();
    const { key: ownKey } = await newAptosKey(own, { rights: ["gas"] });
    const user = newAccount();
    const raw = await rawTransaction(senderOf(user), increment, { expiresInSeconds: 30n });
    feePayerIn(await aptosGas(ownKey, "gas_sponsorTransaction", [hexOf(raw)]));
    const other = await rawTransaction(senderOf(user), increment, { maxGasUnits: 15_000n });
    expect(refusalOf(await aptosGas(ownKey, "gas_sponsorTransaction", [hexOf(other)])).reason).toBe(
      "sequence_conflict",
    );
    expect(await figuresOf(own.fundId)).toMatchObject({ balance: 10n * OCTAS_PER_APT, inFlight: BUDGET_OCTAS });
    await advance(31_000);
    await giveApt(senderOf(newAccount()), 1n);
    const inFlight = async () => (await figuresOf(own.fundId)).inFlight;
    await expect.poll(inFlight, { timeout: 60_000 }).toBe(0n);
    expect(refusalOf(await aptosGas(ownKey, "gas_sponsorTransaction", [hexOf(raw)])).reason).toBe("expired");
    const later = await rawTransaction(senderOf(user), increment);
    feePayerIn(await aptosGas(ownKey, "gas_sponsorTransaction", [hexOf(later)]));
  });
});

describe("gas_sponsorAndSubmitSignedTransaction", () => {
  shortCases.each(["0x0", "the fund's address"])("submits what its sender has signed over %s", async (over) => {
    const user = newAccount();
    const raw = await rawTransaction(senderOf(user), increment);
    const feePayer = over === "0x0" ? "0x0" : fund.depositAddress;
    const params = [hexOf(raw), authenticatorOf(user, raw, { feePayer })];
    const before = await figuresOf(fund.fundId);
    const hash = submittedIn(await aptosGas(key, "gas_sponsorAndSubmitSignedTransaction", params));
    expect(submittedIn(await aptosGas(key, "gas_sponsorAndSubmitSignedTransaction", params))).toBe(hash);
    expect(await committed(hash)).toMatchObject({ success: true });
    await expectReconciled(fund);
    expect(before.balance - (await figuresOf(fund.fundId)).balance).toBe(await chargeOf(hash));
  });

  longTest("settles to the last octa for signers whose addresses begin with zeros, which nodes leave out", async () => {
    const [ground, other] = [groundAccount(), newAccount()];
    for (const account of [ground, other]) await giveApt(senderOf(account), OCTAS_PER_APT);
    const { sequence_number: next } = await aptos.getAccountInfo({ accountAddress: ground.accountAddress });
    const raw = await rawTransaction(senderOf(ground), increment, { sequenceNumber: BigInt(next) });
    const alone = await aptosGas(key, "gas_sponsorAndSubmitSignedTransaction", [
      hexOf(raw),
      authenticatorOf(ground, raw),
    ]);
    expect(pendingIn(alone).sender, "as the node says it").toBe(displayAddress(senderOf(ground)));

    const pay = entryFunction(`${APTOS_DEMO_MODULE}::pay_together`, [other.accountAddress, new U64(1n), new U64(2n)]);
    const together = await rawTransaction(senderOf(other), pay);
    const secondary = [senderOf(ground)];
    const beside = await aptosGas(key, "gas_sponsorAndSubmitSignedTransaction", [
      hexOf(together),
      authenticatorOf(other, together, { secondary }),
      [{ address: senderOf(ground), signature: authenticatorOf(ground, together, { secondary }) }],
    ]);
    const hashes = [alone, beside].map(submittedIn);
    for (const hash of hashes) expect(await committed(hash)).toMatchObject({ success: true });
    await expectReconciled(fund);
    for (const [index, hash] of hashes.entries()) {
      const charged = (await chargeOf(hash)).toString();
      const row = { digest: hash, state: "complete", sender: senderOf(index === 0 ? ground : other), charged };
      expect(await sponsorshipsOf(fund.fundId)).toContainEqual(row);
    }
  });

  shortTest("is refused for a signature over anything else, with nothing held", async () => {
    const [user, stranger] = [newAccount(), newAccount()];
    const raw = await rawTransaction(senderOf(user), increment);
    const other = await rawTransaction(senderOf(user), increment, { maxGasUnits: 30_000n });
    const before = await figuresOf(fund.fundId);
    for (const wrong of [
      authenticatorOf(user, other),
      authenticatorOf(user, raw, { feePayer: senderOf(stranger) }),
      authenticatorOf(user, raw, { secondary: [senderOf(stranger)] }),
      "0x00",
      "0x04",
    ]) {
      const answer = await aptosGas(key, "gas_sponsorAndSubmitSignedTransaction", [hexOf(raw), wrong]);
      expect(refusalOf(answer)).toEqual({ code: -32602, reason: "bad_signature" });
    }
    expect((await figuresOf(fund.fundId)).inFlight).toBe(before.inFlight);
    expect((await sponsorshipsOf(fund.fundId)).filter(({ sender }) => sender === senderOf(user))).toEqual([]);
  });

  longTest("answers an unknown outcome with the hash, and a repeat sends the same bytes", async () => {
    const user = newAccount();
    const raw = await rawTransaction(senderOf(user), increment);
    const params = [hexOf(raw), authenticatorOf(user, raw)];
    onTestFinished(clearFaults);
    await orderFault("POST /transactions", "unavailable_before_commit", 1_000);
    const unknown = await aptosGas(key, "gas_sponsorAndSubmitSignedTransaction", params);
    expect(refusalOf(unknown)).toEqual({ code: -32017, reason: "outcome_unknown" });
    await clearFaults();
    const hash = submittedIn(await aptosGas(key, "gas_sponsorAndSubmitSignedTransaction", params));
    expect(unknown.body).toMatchObject({ error: { data: { hash } } });
    expect(await committed(hash)).toMatchObject({ success: true });
    await expectReconciled(fund);
  });
});

describe("gas_getFund", () => {
  shortTest("shows network, name, balance, what is in flight, and the deposit address", async () => {
    const own = await newAptosFund(3n * OCTAS_PER_APT);
    const { key: ownKey } = await newAptosKey(own, { rights: ["gas"] });
    const raw = await rawTransaction(senderOf(newAccount()), increment);
    feePayerIn(await aptosGas(ownKey, "gas_sponsorTransaction", [hexOf(raw)]));
    expect((await aptosGas(ownKey, "gas_getFund", [])).body).toMatchObject({
      result: {
        network: "APTOS_LOCALNET",
        name: expect.any(String),
        balance: 300_000_000,
        inFlight: Number(BUDGET_OCTAS),
        depositAddress: own.depositAddress,
      },
    });
  });
});

longTest("what a fund owns can be withdrawn, to an address of its chain only", async () => {
  const own = await newAptosFund(3n * OCTAS_PER_APT);
  const to = senderOf(newAccount());
  expect((await withdraw(own.fundId, { to: "0x1234", amountMist: 1n }, "short")).status).toBe(400);
  const answer = await withdraw(own.fundId, { to, amountMist: OCTAS_PER_APT }, "payout");
  expect(answer.status, JSON.stringify(answer.body)).toBe(202);
  expect((await withdraw(own.fundId, { to, amountMist: OCTAS_PER_APT }, "payout")).body).toMatchObject({
    digest: z.object({ digest: z.string() }).parse(answer.body).digest,
  });
  await expect.poll(() => balanceOf(to), { timeout: 60_000 }).toBe(OCTAS_PER_APT);
  await expectReconciled(own);
});
