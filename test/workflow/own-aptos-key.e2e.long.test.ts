import {
  AccountAddress,
  AccountAuthenticatorSingleKey,
  AnyPublicKey,
  AnySignature,
  Deserializer,
  Ed25519Signature,
  Hex,
  KeylessPublicKey,
  RawTransaction,
  SimpleTransaction,
  U64,
} from "@aptos-labs/ts-sdk";
import { afterEach, beforeAll, beforeEach, describe, expect, test, vi } from "vitest";
import * as z from "zod";
import type { ProjectFund } from "../../shared/cli/client/funds.ts";
import { expectAnswer, http } from "../../shared/cli/client/http.ts";
import { aptosAccount, aptosWallet, createFlows } from "../../shared/client/flows/index.ts";
import { displayAddress } from "../devchain/aptos/address.ts";
import { APTOS_DEMO_MODULE } from "../devchain/demo.ts";
import { callerSecret, serviceUrl, setServiceVars, uniqueName } from "../harness/harness.ts";
import {
  aptos,
  authenticatorOf,
  chainSeconds,
  entryFunction,
  expectReconciled,
  newAccount,
  newAptosFund,
  newAptosKey,
  rawTransaction,
  sponsorshipsOf,
  transferTo,
} from "../support/aptos.ts";

let fund: ProjectFund;
beforeAll(async () => {
  fund = await newAptosFund();
  const FLOWS_APTOS_KEY = (await newAptosKey(fund, { rights: ["gas"] })).key;
  await setServiceVars({ FLOWS_CALLER_SECRET: callerSecret, FLOWS_APTOS_KEY });
});

/** By a user of its own unless told otherwise, so that nobody calls too often. */
function flow(name: string, body: object, { user = uniqueUser(), key = "one attempt" } = {}) {
  return http(`${serviceUrl}/flows/${name}`, {
    method: "POST",
    headers: {
      "content-type": "application/json",
      authorization: `Bearer ${callerSecret}`,
      "x-user-id": user,
      "idempotency-key": key,
    },
    body: JSON.stringify({ chain: "aptos", ...body }),
  });
}

const uniqueUser = () => uniqueName("user").replaceAll(" ", "-");

const refusal = (status: number, code: string, message: RegExp | string = "") => ({
  status,
  body: {
    error: {
      code,
      message: typeof message === "string" ? expect.stringContaining(message) : expect.stringMatching(message),
    },
  },
});

const increment = { function: `${APTOS_DEMO_MODULE}::increment` };
const sponsoredSchema = z.strictObject({
  rawTransaction: z.string(),
  expiresAtMs: z.int(),
  network: z.literal("APTOS_LOCALNET"),
});
const executedSchema = z.object({ hash: z.string(), status: z.literal("pending") });

/** What `sponsor` answers, as the stock SDK reads it. */
async function sponsor(sender: string, payload: object = increment) {
  const answer = await flow("sponsor", { sender, payload });
  const { rawTransaction: hex } = expectAnswer("sponsor", answer, sponsoredSchema);
  return { hex, raw: RawTransaction.deserialize(new Deserializer(Hex.fromHexInput(hex).toUint8Array())) };
}

const account = () => newAccount();

/** Of a scheme that only a node can judge. */
const madeUp = new AccountAuthenticatorSingleKey(
  new AnyPublicKey(new KeylessPublicKey("https://issuer.test", new Uint8Array(32))),
  new AnySignature(new Ed25519Signature(new Uint8Array(64))),
);

test("a key of the user's own signs with the stock SDK, and the fund pays: once, however often it is asked", async () => {
  const user = account();
  const sender = user.accountAddress.toString();
  const { hex, raw } = await sponsor(sender);
  const body = { rawTransaction: hex, senderAuthenticator: authenticatorOf(user, raw) };
  const by = { user: uniqueUser() };
  const answers = await Promise.all([flow("execute-sponsored", body, by), flow("execute-sponsored", body, by)]);
  const [first, second] = answers.map((answer) => expectAnswer("execute-sponsored", answer, executedSchema));
  expect(second?.hash).toBe(first?.hash);
  const executed = await aptos.waitForTransaction({ transactionHash: first?.hash ?? "" });
  expect(executed).toMatchObject({ success: true, sender: displayAddress(sender) });
  expect(expectAnswer("again", await flow("execute-sponsored", body, by), executedSchema).hash).toBe(first?.hash);
  const { sequence_number: sequenceNumber } = await aptos.getAccountInfo({ accountAddress: sender });
  expect(sequenceNumber).toBe("1");
  expect(await aptos.getAccountAPTAmount({ accountAddress: sender })).toBe(0);
  const other = { ...body, senderAuthenticator: authenticatorOf(account(), raw) };
  expect(await flow("execute-sponsored", other, by)).toMatchObject(refusal(409, "idempotency_conflict"));
  await expectReconciled(fund);
});

describe("refused, and nothing is executed:", () => {
  test.each<[string, object, ReturnType<typeof refusal>]>([
    [
      "a function that no rule allows",
      { function: "0x1::aptos_account::transfer", arguments: ["0x1", "1"] },
      refusal(403, "policy_refused", /^default/),
    ],
    [
      "more gas than the policy allows",
      { ...increment, max_gas_amount: "2000000" },
      refusal(403, "policy_refused", /^maxGasBudget/),
    ],
    [
      "an argument that is none",
      { function: `${APTOS_DEMO_MODULE}::mint`, arguments: [1, "0x1"] },
      refusal(400, "bad_request", "payload.arguments[0]"),
    ],
    ["a payload without a function", {}, refusal(400, "bad_request", "function")],
  ])("%s", async (_, payload, expected) => {
    const sender = account().accountAddress.toString();
    expect(await flow("sponsor", { sender, payload })).toMatchObject(expected);
  });

  test("what the policy forbids, although the user signed it and `sponsor` was never asked", async () => {
    const user = account();
    const raw = await rawTransaction(user.accountAddress.toString(), transferTo("0x1", 1n));
    const body = { rawTransaction: raw.bcsToHex().toString(), senderAuthenticator: authenticatorOf(user, raw) };
    expect(await flow("execute-sponsored", body)).toMatchObject(refusal(403, "policy_refused", /^default/));
  });

  test("more gas than the policy allows, although the user signed it", async () => {
    const user = account();
    const terms = { maxGasUnits: 1_000_000n };
    const payload = entryFunction(`${APTOS_DEMO_MODULE}::increment`, []);
    const raw = await rawTransaction(user.accountAddress.toString(), payload, terms);
    const body = { rawTransaction: raw.bcsToHex().toString(), senderAuthenticator: authenticatorOf(user, raw) };
    expect(await flow("execute-sponsored", body)).toMatchObject(refusal(403, "policy_refused", /^maxGasBudget/));
  });

  test("a sequence number that an account without transactions cannot have", async () => {
    const user = account();
    const payload = entryFunction(`${APTOS_DEMO_MODULE}::increment`, []);
    const raw = await rawTransaction(user.accountAddress.toString(), payload, {
      sequenceNumber: 5n,
      maxGasUnits: 10_000n,
    });
    const body = { rawTransaction: raw.bcsToHex().toString(), senderAuthenticator: authenticatorOf(user, raw) };
    expect(await flow("execute-sponsored", body)).toMatchObject(refusal(422, "transaction_failed"));
  });

  test("a signature of somebody else, and one over other bytes", async () => {
    const [user, thief] = [account(), account()];
    const { hex, raw } = await sponsor(user.accountAddress.toString());
    const payload = entryFunction(`${APTOS_DEMO_MODULE}::abort_with`, [new U64(1n)]);
    const changed = await rawTransaction(user.accountAddress.toString(), payload);
    const ofOther = { rawTransaction: hex, senderAuthenticator: authenticatorOf(user, changed) };
    expect(await flow("execute-sponsored", ofOther)).toMatchObject(refusal(400, "bad_request"));
    const ofThief = { rawTransaction: hex, senderAuthenticator: authenticatorOf(thief, raw) };
    const refused = await flow("execute-sponsored", ofThief);
    expect(refused).toMatchObject(refusal(400, "bad_request", "another key than its account's"));
    const { sequence_number: sequenceNumber } = await aptos.getAccountInfo({ accountAddress: user.accountAddress });
    expect(sequenceNumber).toBe("0");
  });

  test("for longer than a transaction of `sponsor` lives, a signature that only a node can judge", async () => {
    const sender = account().accountAddress.toString();
    const executed = async (expiresInSeconds: bigint) => {
      const payload = entryFunction(`${APTOS_DEMO_MODULE}::increment`, []);
      const raw = await rawTransaction(sender, payload, { expiresInSeconds });
      const senderAuthenticator = madeUp.bcsToHex().toString();
      return flow("execute-sponsored", { rawTransaction: raw.bcsToHex().toString(), senderAuthenticator });
    };
    const before = await sponsorshipsOf(fund.fundId);
    expect(await executed(3_000n)).toMatchObject(refusal(400, "bad_request", "must expire within 150 seconds"));
    expect(await sponsorshipsOf(fund.fundId)).toEqual(before);
    expect(await executed(120n)).toMatchObject(refusal(422, "transaction_failed"));
  });

  test("bytes that are no transaction, and a body of the other chain", async () => {
    const senderAuthenticator = authenticatorOf(account(), await rawTransaction("0x1", transferTo("0x1", 1n)));
    const garbage = { rawTransaction: "0x00", senderAuthenticator };
    expect(await flow("execute-sponsored", garbage)).toMatchObject(refusal(400, "bad_request"));
    const mixed = { txBytes: "AA==", signature: "AA==" };
    expect(await flow("execute-sponsored", mixed)).toMatchObject(refusal(400, "bad_request", "rawTransaction"));
    const ofSui = { chain: "sui", sender: AccountAddress.ONE.toString(), payload: increment };
    expect(await flow("sponsor", ofSui)).toMatchObject(refusal(400, "bad_request", "transactionKind"));
    expect(await flow("sponsor", { chain: "bitcoin" })).toMatchObject(refusal(400, "bad_request", "chain"));
  });
});

test("what a node has refused takes of its user's share of the fund until it expires, and of nobody else's", async () => {
  const submit = async (user: string) => {
    const { hex } = await sponsor(account().accountAddress.toString());
    const body = { rawTransaction: hex, senderAuthenticator: madeUp.bcsToHex().toString() };
    return flow("execute-sponsored", body, { user, key: uniqueName("attempt") });
  };
  const user = uniqueUser();
  // The default budget is what the policy allows one transaction: a tenth of the share.
  for (let held = 0; held < 10; held++) expect(await submit(user)).toMatchObject(refusal(422, "transaction_failed"));
  const share = "1 APT of gas for transactions that wait to be executed";
  expect(await submit(user)).toMatchObject(refusal(429, "user_cap_reached", share));
  expect(await submit(uniqueUser())).toMatchObject(refusal(422, "transaction_failed"));
  await expectReconciled(fund);
});

describe("through the flows client", () => {
  // The service's clock may be ahead, and the client bounds what the user signs by its own clock.
  beforeEach(async () => {
    vi.useFakeTimers({ now: Number(await chainSeconds()) * 1_000, toFake: ["Date"] });
  });
  afterEach(() => void vi.useRealTimers());

  const sdk = { Deserializer, SimpleTransaction };
  const flows = () =>
    createFlows({ url: serviceUrl, token: callerSecret, user: uniqueUser(), aptos: { network: "localnet" } });

  test("the stock SDK's payload is executed once by a double click of its account", async () => {
    const user = account();
    const client = flows();
    const payload = await entryPayload();
    const signer = aptosAccount(user, sdk);
    const [first, second] = await Promise.all([
      client.sponsorAndExecute(payload, signer),
      client.sponsorAndExecute(payload, signer),
    ]);
    if (!first.ok) throw new Error(first.error.message);
    expect(second).toEqual(first);
    const executed = await aptos.waitForTransaction({ transactionHash: first.value.hash });
    expect(executed).toMatchObject({ success: true, sender: displayAddress(user.accountAddress.toString()) });
    expect(await aptos.getAccountAPTAmount({ accountAddress: user.accountAddress })).toBe(0);
  });

  test("a wallet of the wallet adapter signs the SDK's own transaction", async () => {
    const user = account();
    const wallet = {
      account: { address: user.accountAddress },
      signTransaction: async ({ transactionOrPayload }: { readonly transactionOrPayload: SimpleTransaction }) => ({
        authenticator: user.signTransactionWithAuthenticator(transactionOrPayload),
        rawTransaction: transactionOrPayload.rawTransaction.bcsToBytes(),
      }),
    };
    const result = await flows().sponsorAndExecute(await entryPayload(), aptosWallet(wallet, sdk));
    if (!result.ok) throw new Error(result.error.message);
    expect(await aptos.waitForTransaction({ transactionHash: result.value.hash })).toMatchObject({ success: true });
  });

  test("a payload that no rule allows is refused before anybody signs", async () => {
    const result = await flows().sponsorAndExecute(transferTo("0x1", 1n), aptosAccount(account(), sdk));
    expect(result).toMatchObject({ ok: false, error: { code: "policy_refused", action: { kind: "change" } } });
  });
});

/** The demo's call, as the stock SDK builds it with the chain's own description of the function. */
async function entryPayload() {
  const { rawTransaction } = await aptos.transaction.build.simple({
    sender: account().accountAddress,
    data: { function: `${APTOS_DEMO_MODULE}::increment`, functionArguments: [] },
    options: { accountSequenceNumber: 0 },
  });
  return rawTransaction.payload;
}
