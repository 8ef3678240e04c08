import { afterEach, beforeEach, describe, expect } from "vitest";
import * as z from "zod";
import { draftOf, newUser, orderFault, SUBMIT, signDraft } from "../../support/aptos-chain.ts";
import { StationError, stockClient, wireBody, wireSubmitter } from "../../support/aptos-station.ts";
import { longTest, shortTest } from "../../support/rounds.ts";
import { clearFaults } from "../../support/sui-chain.ts";
import {
  bodyOf,
  committed,
  multiAgent,
  newKeyOf,
  newStation,
  refusal,
  rowsOf,
  type Station,
  send,
  simple,
  submit,
  ZERO,
} from "./station.ts";

const answerSchema = z.object({ transactionHash: z.string(), pendingTransaction: z.object({ hash: z.string() }) });

let station: Station;
beforeEach(async () => {
  station = await newStation();
});
afterEach(clearFaults);

/** Calls the gas station of JSON-RPC with the same transaction. */
async function submitByRpc(draft: ReturnType<typeof draftOf>): Promise<unknown> {
  const { senderAuthenticator } = signDraft(draft, ZERO);
  const params = [Array.from(draft.rawTransaction), Array.from(senderAuthenticator)];
  const method = "gas_sponsorAndSubmitSignedTransaction";
  const headers = { "x-api-key": station.key, "content-type": "application/json" };
  const body = JSON.stringify({ jsonrpc: "2.0", id: 1, method, params });
  return (await send("/aptos/gas/v1", { method: "POST", headers, body })).json();
}

describe("the stock SDK with a submitter of the wire", () => {
  shortTest("has the fund pay for a transaction of one signer, and for one of several", async () => {
    const aptos = stockClient(wireSubmitter(send, station.key));
    const [alone, together] = [draftOf(newUser()), draftOf(newUser(), { secondaries: [newUser(), newUser()] })];
    const pending = [
      await aptos.transaction.submit.simple(simple(alone)),
      await aptos.transaction.submit.multiAgent(multiAgent(together)),
    ];
    for (const { hash } of pending) {
      expect(await committed(hash)).toMatchObject({ hash });
      expect(await rowsOf(station)).toContainEqual(expect.objectContaining({ digest: hash }));
    }
  });

  shortTest("throws what the service answers", async () => {
    const aptos = stockClient(wireSubmitter(send, station.key));
    const refused = aptos.transaction.submit.simple(simple(draftOf(newUser(), { chainId: 2 })));
    const error: unknown = await refused.catch((reason: unknown) => reason);
    expect(error).toBeInstanceOf(StationError);
    expect(error).toMatchObject(refusal(400, "wrong_chain_id"));
  });
});

longTest("a transaction names 0x0 or the fund's own address, and its signatures may be over either", async () => {
  for (const [named, signedOver] of [
    [ZERO, ZERO],
    [station.address, station.address],
    [ZERO, station.address],
    [station.address, ZERO],
  ] as const) {
    const draft = draftOf(newUser());
    const { transaction } = simple(draft, named);
    const { senderAuthenticator } = simple(draft, signedOver);
    const answer = await submit(station.key, wireBody(transaction.bcsToBytes(), senderAuthenticator));
    expect([named, signedOver, answer.status]).toEqual([named, signedOver, 200]);
    const { transactionHash, pendingTransaction } = answerSchema.parse(answer.body);
    expect(pendingTransaction.hash).toBe(transactionHash);
  }
});

longTest(
  "a transaction is one sponsorship, by whichever interface and with whichever right signature it is sent again",
  async () => {
    const draft = draftOf(newUser());
    const body = bodyOf(simple(draft));
    const { transactionHash } = answerSchema.parse((await submit(station.key, body)).body);
    // The signature that came first stays, also if another one is right, too.
    const repeats = [body, { ...body, recaptchaToken: "token" }, bodyOf(simple(draft, station.address))];
    for (const again of repeats) expect((await submit(station.key, again)).body).toMatchObject({ transactionHash });
    expect(await submitByRpc(draft)).toMatchObject({ result: { pendingTransaction: { hash: transactionHash } } });
    await committed(transactionHash);
    expect((await submit(station.key, body)).body).toMatchObject({ transactionHash });
    expect((await rowsOf(station)).filter(({ digest }) => digest === transactionHash)).toHaveLength(1);
  },
);

longTest("an orderless transaction is paid for a key that may have it, and for no other", async () => {
  const { key } = await newKeyOf(station.projectId, station.fundId, { policy: { orderless: true } });
  const expirationSecs = BigInt(Math.floor(Date.now() / 1_000)) + 30n;
  const body = bodyOf(simple(draftOf(newUser(), { nonce: 7n, sequenceNumber: 2n ** 64n - 1n, expirationSecs })));
  expect(await submit(station.key, body)).toMatchObject(refusal(400, "unsupported_transaction"));
  const { transactionHash } = answerSchema.parse((await submit(key, body)).body);
  expect(await committed(transactionHash)).toMatchObject({ hash: transactionHash });
});

shortTest("an Idempotency-Key names one transaction", async () => {
  const [first, other] = [draftOf(newUser()), draftOf(newUser())].map((draft) => bodyOf(simple(draft)));
  const named = { "idempotency-key": "one" };
  const { body } = await submit(station.key, first, named);
  const { transactionHash } = answerSchema.parse(body);
  expect((await submit(station.key, first, named)).body).toMatchObject({ transactionHash });
  expect(await submit(station.key, other, named)).toMatchObject(refusal(409, "idempotency_conflict"));
});

longTest("an unknown outcome has the hash, and a repeat submits the same bytes", async () => {
  const body = bodyOf(simple(draftOf(newUser())));
  await orderFault(SUBMIT, "unavailable_before_commit", 1_000);
  const unknown = await submit(station.key, body);
  expect(unknown).toMatchObject(refusal(504, "outcome_unknown", { data: { hash: expect.any(String) } }));
  await clearFaults();
  const { transactionHash } = answerSchema.parse((await submit(station.key, body)).body);
  expect(unknown.body).toMatchObject({ data: { hash: transactionHash } });
  expect(await committed(transactionHash)).toMatchObject({ hash: transactionHash });
});
