import { readFile } from "node:fs/promises";
import { join } from "node:path";
import {
  Account,
  AccountAddress,
  AptosConfig,
  ChainId,
  EntryFunction,
  MultiAgentTransaction,
  Network,
  RawTransaction,
  SimpleTransaction,
  TransactionPayloadEntryFunction,
} from "@aptos-labs/ts-sdk";
import { describe, expect, test } from "vitest";
import * as z from "zod";
import { root } from "../../shared/cli/root.ts";
import { AptosSubmitError, createAptosSubmitter } from "../../shared/client/aptos-submitter.ts";
import { stockClient } from "../support/aptos-station.ts";

const HASH = `0x${"5a".repeat(32)}`;
const url = "https://service.test/gs/v1";
const key = "us1_aptos_testnet_key";
const [alice, bob] = [Account.generate(), Account.generate()];

const raw = new RawTransaction(
  alice.accountAddress,
  7n,
  new TransactionPayloadEntryFunction(EntryFunction.build("0x1::demo", "increment", [], [])),
  20_000n,
  100n,
  1_900_000_000n,
  new ChainId(2),
);
const simple = new SimpleTransaction(raw, AccountAddress.ZERO);
const signed = { transaction: simple, senderAuthenticator: alice.signTransactionWithAuthenticator(simple) };

interface Sent {
  readonly to: string;
  readonly init: RequestInit;
}

/** A submitter whose service gives these answers, the last of them for ever, and what was sent. */
function scripted(...answers: readonly (() => Response | Promise<Response>)[]) {
  const sent: Sent[] = [];
  const fetch = async (to: string, init: RequestInit) => {
    sent.push({ to, init });
    const answer = answers[Math.min(sent.length, answers.length) - 1];
    if (answer === undefined) throw new Error("no answer");
    return answer();
  };
  return { sent, submitter: createAptosSubmitter({ url, key, fetch, timeoutMs: 20_000 }) };
}

const submitted = () => Response.json({ transactionHash: HASH, pendingTransaction: { payload: { type: "entry" } } });
const refused =
  (status: number, error_code: string, data = {}, headers = {}) =>
  () =>
    Response.json({ message: `no: ${error_code}`, error_code, data }, { status, headers });
const down = () => {
  throw new Error("connection reset");
};

async function errorOf(work: Promise<unknown>): Promise<AptosSubmitError> {
  const error: unknown = await work.catch((reason: unknown) => reason);
  if (!(error instanceof AptosSubmitError)) throw new Error(`not refused: ${JSON.stringify(error)}`);
  return error;
}

describe("a submission", () => {
  test("sends what the SDK has built and signed, with the key, to the one route", async () => {
    const multi = new MultiAgentTransaction(raw, [bob.accountAddress], AccountAddress.ZERO);
    const [sender, other] = [alice, bob].map((one) => one.signTransactionWithAuthenticator(multi));
    if (sender === undefined || other === undefined) throw new Error("no signatures");
    const { sent, submitter } = scripted(submitted);
    await submitter.submitTransaction(signed);
    const both = { transaction: multi, senderAuthenticator: sender, additionalSignersAuthenticators: [other] };
    await submitter.submitTransaction(both);
    const numbers = (value: { bcsToBytes(): Uint8Array }) => Array.from(value.bcsToBytes());
    expect(sent.map(({ init }) => JSON.parse(String(init.body)))).toEqual([
      { transactionBytes: numbers(simple), senderAuth: numbers(signed.senderAuthenticator) },
      { transactionBytes: numbers(multi), senderAuth: numbers(sender), additionalSignersAuth: [numbers(other)] },
    ]);
    for (const { to, init } of sent) {
      expect(to).toBe(`${url}/api/transaction/signAndSubmit`);
      expect(init).toMatchObject({ method: "POST", redirect: "manual" });
      expect(new Headers(init.headers).get("authorization")).toBe(`Bearer ${key}`);
    }
  });

  test("returns the transaction as the SDK knows it, and takes only hash and payload from the service", async () => {
    const lies = { hash: "0x1", sender: "0x2", sequence_number: "9", payload: { type: "entry" } };
    const { submitter } = scripted(() => Response.json({ transactionHash: HASH, pendingTransaction: lies }));
    expect(await stockClient(submitter).transaction.submit.simple(signed)).toEqual({
      type: "pending_transaction",
      hash: HASH,
      sender: alice.accountAddress.toString(),
      sequence_number: "7",
      max_gas_amount: "20000",
      gas_unit_price: "100",
      expiration_timestamp_secs: "1900000000",
      payload: { type: "entry" },
    });
  });

  test("has the type of the SDK's seam without a cast", () => {
    const pluginSettings = { TRANSACTION_SUBMITTER: createAptosSubmitter({ url, key }) };
    const config = new AptosConfig({ network: Network.LOCAL, pluginSettings });
    expect(config.getTransactionSubmitter()).toBe(pluginSettings.TRANSACTION_SUBMITTER);
  });

  test("without a fee payer sends nothing", async () => {
    const { sent, submitter } = scripted(submitted);
    const error = await errorOf(submitter.submitTransaction({ ...signed, transaction: new SimpleTransaction(raw) }));
    expect([error.reason, sent.length]).toEqual(["bad_params", 0]);
    expect(error.message).toContain("withFeePayer: true");
  });

  test("to an own back end carries no key", async () => {
    const sent: RequestInit[] = [];
    const fetch = async (_: string, init: RequestInit) => {
      sent.push(init);
      return submitted();
    };
    await createAptosSubmitter({ url: "/api/gas", fetch }).submitTransaction(signed);
    expect(new Headers(sent[0]?.headers).has("authorization")).toBe(false);
  });
});

describe("a submission is repeated with the same bytes", () => {
  test.each([
    ["after no answer", down],
    ["after too many calls", refused(429, "rate_limited", { retryAfterMs: 1 }, { "retry-after": "0" })],
    ["while the service is busy", refused(503, "overloaded")],
    ["after an unknown outcome", refused(504, "outcome_unknown", { hash: HASH })],
    ["after a page of a proxy", () => new Response("<html>", { status: 502 })],
  ])("%s", async (_, first) => {
    const { sent, submitter } = scripted(first, submitted);
    expect(await submitter.submitTransaction(signed)).toMatchObject({ hash: HASH });
    expect(sent).toHaveLength(2);
    expect(sent[1]?.init.body).toBe(sent[0]?.init.body);
  });

  test("and not more than twice", async () => {
    const { sent, submitter } = scripted(refused(503, "node_unavailable"));
    expect(await errorOf(submitter.submitTransaction(signed))).toMatchObject({
      reason: "node_unavailable",
      status: 503,
    });
    expect(sent).toHaveLength(3);
  });
});

describe("a submission ends", () => {
  test.each([
    [400, "bad_signature"],
    [401, "bad_key"],
    [400, "policy_refused"],
    [409, "sequence_conflict"],
    [500, "internal"],
    [503, "balance_too_low"],
  ])("at once with the service's refusal: %i %s", async (status, reason) => {
    const { sent, submitter } = scripted(refused(status, reason, { rule: "r" }));
    const error = await errorOf(submitter.submitTransaction(signed));
    expect(error).toMatchObject({ status, reason, message: `no: ${reason}`, data: { rule: "r" } });
    expect(sent).toHaveLength(1);
  });

  test("without a verdict if a refusal follows a try without an answer, but for an unknown outcome", async () => {
    const { submitter } = scripted(down, refused(401, "bad_key"));
    expect((await errorOf(submitter.submitTransaction(signed))).reason).toBe("no_answer");
    const unknown = scripted(down, refused(504, "outcome_unknown", { hash: HASH })).submitter;
    expect(await errorOf(unknown.submitTransaction(signed))).toMatchObject({ data: { hash: HASH } });
  });

  test("if the service requests a long wait", async () => {
    const { sent, submitter } = scripted(refused(429, "rate_limited", {}, { "retry-after": "60" }));
    expect((await errorOf(submitter.submitTransaction(signed))).reason).toBe("rate_limited");
    expect(sent).toHaveLength(1);
  });

  test("if a hostile service answers without a hash, too much, or never", async () => {
    for (const body of ["{}", "null", "[]", "not JSON", '{"transactionHash":7}', '{"transactionHash":"0x1"}'])
      expect((await errorOf(scripted(() => new Response(body)).submitter.submitTransaction(signed))).reason).toBe(
        "no_answer",
      );
    const flood = () => new Response(`{"transactionHash":"${HASH}","x":"${"y".repeat(2_000_000)}"}`);
    expect((await errorOf(scripted(flood).submitter.submitTransaction(signed))).reason).toBe("no_answer");
    const silent = createAptosSubmitter({ url, key, timeoutMs: 50, fetch: () => new Promise(() => {}) });
    expect((await errorOf(silent.submitTransaction(signed))).reason).toBe("no_answer");
  });
});

test("the submitter imports no SDK of a chain", async () => {
  const source = await readFile(join(root, "shared/client/aptos-submitter.ts"), "utf8");
  const imported = [...source.matchAll(/from "([^"]+)"/g)].map(([, name = ""]) => name);
  expect(z.array(z.string().startsWith(".")).parse(imported).length).toBeGreaterThan(0);
});
