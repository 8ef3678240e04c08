import {
  AccountAddress,
  AccountAuthenticatorEd25519,
  Ed25519PublicKey,
  Ed25519Signature,
  SimpleTransaction,
  U64,
} from "@aptos-labs/ts-sdk";
import { beforeAll, expect, test } from "vitest";
import * as z from "zod";
import type { ProjectFund } from "../../../shared/cli/client/funds.ts";
import { expectAnswer } from "../../../shared/cli/client/http.ts";
import { createAptosGasClient } from "../../../shared/client/index.ts";
import { harness } from "../../harness/harness.ts";
import {
  aptos,
  aptosGas,
  entryFunction,
  expectReconciled,
  giveApt,
  jsonTransaction,
  newAccount,
  newAptosFund,
  newAptosKey,
  OCTAS_PER_APT,
  rawTransaction,
} from "../../support/aptos.ts";

const METHOD = "gas_encodeAndSponsorTransaction";
const TRANSFER = "0x1::aptos_account::transfer";
const RECEIVER = `0x${"b0".repeat(32)}`;

let fund: ProjectFund;
let key: string;
beforeAll(async () => {
  fund = await newAptosFund();
  key = (await newAptosKey(fund, { rights: ["gas"] })).key;
});

const answerSchema = z.object({
  result: z.strictObject({
    transactionSigningMessage: z.array(z.int()),
    feePayerAddress: z.string(),
    feePayerSignature: z.strictObject({ type: z.string(), public_key: z.string(), signature: z.string() }),
  }),
});

/** The same transaction, as the chain's SDK builds it and as a caller writes it in JSON. */
async function bothForms() {
  const user = newAccount();
  await giveApt(user.accountAddress.toString(), OCTAS_PER_APT);
  const raw = await rawTransaction(
    user.accountAddress.toString(),
    entryFunction(TRANSFER, [AccountAddress.from(RECEIVER), new U64(1n)]),
  );
  return { user, raw, transaction: jsonTransaction(raw, TRANSFER, [RECEIVER, "1"]) };
}

test("a caller without an encoder signs the answer's message, and the chain executes what the SDK would have built", async () => {
  const { user, raw, transaction } = await bothForms();
  const { result } = expectAnswer("sponsor", await aptosGas(key, METHOD, [transaction]), answerSchema);
  expect(result.feePayerAddress).toBe(fund.depositAddress);
  expect(result.feePayerSignature.type).toBe("ed25519_signature");
  const signature = user.sign(Uint8Array.from(result.transactionSigningMessage));
  const { hash } = await aptos.transaction.submit.simple({
    transaction: new SimpleTransaction(raw, AccountAddress.from(result.feePayerAddress)),
    senderAuthenticator: new AccountAuthenticatorEd25519(user.publicKey, signature),
    feePayerAuthenticator: new AccountAuthenticatorEd25519(
      new Ed25519PublicKey(result.feePayerSignature.public_key),
      new Ed25519Signature(result.feePayerSignature.signature),
    ),
  });
  expect(await aptos.waitForTransaction({ transactionHash: hash })).toMatchObject({ success: true });
  await expectReconciled(fund);
});

test("the client gives bytes, and a repeat gets the same signature", async () => {
  const { transaction } = await bothForms();
  const client = createAptosGasClient({ baseUrl: harness.serviceUrl, accessKey: key });
  const typed = {
    ...transaction,
    sequence_number: BigInt(transaction.sequence_number),
    max_gas_amount: BigInt(transaction.max_gas_amount),
    gas_unit_price: BigInt(transaction.gas_unit_price),
    expiration_timestamp_secs: BigInt(transaction.expiration_timestamp_secs),
    payload: { ...transaction.payload, type: "entry_function_payload" as const },
  };
  const first = await client.encodeAndSponsorTransaction({ transaction: { ...typed, secondary_signers: undefined } });
  const { result } = expectAnswer("again", await aptosGas(key, METHOD, [transaction], "one"), answerSchema);
  expect(first).toMatchObject({ ok: true, value: { feePayerSignature: result.feePayerSignature } });
});

test("what cannot be encoded, or would be encoded in part, is refused by its field, and holds nothing", async () => {
  const { transaction } = await bothForms();
  const { payload } = transaction;
  for (const [changed, named] of [
    [{ ...transaction, payload: { ...payload, function: "0x1::aptos_account::nothing" } }, "payload.function"],
    [{ ...transaction, payload: { ...payload, function: "0x1::aptos_account" } }, "payload.function"],
    [{ ...transaction, payload: { ...payload, arguments: [RECEIVER] } }, "payload.arguments"],
    [{ ...transaction, payload: { ...payload, arguments: [RECEIVER, "x"] } }, "payload.arguments[1]"],
    [{ ...transaction, payload: { ...payload, type: "script_payload" } }, "payload.type"],
    [{ ...transaction, replay_protection_nonce: "7" }, "replay_protection_nonce"],
    [{ ...transaction, sequence_number: "-1" }, "sequence_number"],
  ] as const) {
    const { body } = await aptosGas(key, METHOD, [changed]);
    expect(body).toMatchObject({ error: { data: { reason: "bad_params", details: expect.stringContaining(named) } } });
  }
});
