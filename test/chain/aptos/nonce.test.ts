import { type Account, generateSignedTransaction, generateUserTransactionHash } from "@aptos-labs/ts-sdk";
import { beforeEach, expect, test } from "vitest";
import type { AptosNode, OrderlessQuery } from "../../../shared/chain/aptos/node.ts";
import { APT } from "../../devchain/aptos-testing.ts";
import { GAS_PRICE_OCTAS, MAX_GAS_UNITS, type NodeFixture, startNodeFixture, withJson } from "./node-testing.ts";

/** Whoever sees the fund's signature can send it with another signature of the sender's: the hash proves nothing. */

const RECEIVER = `0x${"5".repeat(64)}`;
const SUMMARIES = "/transaction_summaries";
const BLOCK_MS = 1_000;
const NONCE = 42n;

let fixture: NodeFixture;
let node: AptosNode;
let sender: Account;
let payer: Account;
let expiresAtMs: number;
let sinceVersion: bigint;
beforeEach(async () => {
  fixture = await startNodeFixture();
  node = fixture.nodeOf(["a"]);
  [sender, payer] = await Promise.all([fixture.chain.account(APT), fixture.chain.account(10n * APT)]);
  fixture.chain.clock.aheadMs += BLOCK_MS;
  const { ledger_timestamp: nowUs, ledger_version: version } = await fixture.chain.aptos.getLedgerInfo();
  expiresAtMs = (Math.floor(Number(nowUs) / 1_000_000) + 60) * 1_000;
  sinceVersion = BigInt(version);
});

interface Terms {
  readonly nonce?: bigint;
  readonly octas?: bigint;
  readonly expiresAtMs?: number;
  /** Signs for itself: the fee payer's place is 0x0 in the message of the sender. */
  readonly overZero?: boolean;
}

async function signed({ nonce = NONCE, octas = 1n, expiresAtMs: untilMs = expiresAtMs, overZero = false }: Terms = {}) {
  const { aptos } = fixture.chain;
  const transaction = await aptos.transaction.build.simple({
    sender: sender.accountAddress,
    withFeePayer: true,
    data: { function: "0x1::aptos_account::transfer", functionArguments: [RECEIVER, octas] },
    options: {
      maxGasAmount: MAX_GAS_UNITS,
      gasUnitPrice: GAS_PRICE_OCTAS,
      expireTimestamp: untilMs / 1_000,
      replayProtectionNonce: nonce,
    },
  });
  const early = overZero ? aptos.transaction.sign({ signer: sender, transaction }) : null;
  transaction.feePayerAddress = payer.accountAddress;
  const all = {
    transaction,
    senderAuthenticator: early ?? aptos.transaction.sign({ signer: sender, transaction }),
    feePayerAuthenticator: aptos.transaction.signAsFeePayer({ signer: payer, transaction }),
  };
  return { bytes: generateSignedTransaction(all), hash: generateUserTransactionHash(all) };
}

async function commit({ bytes, hash }: Awaited<ReturnType<typeof signed>>): Promise<void> {
  expect(await fixture.nodeOf(["default"]).submit(bytes, hash)).toMatchObject({ kind: "accepted" });
  fixture.chain.clock.aheadMs += BLOCK_MS;
}

const query = (change: Partial<OrderlessQuery> = {}): OrderlessQuery => ({
  sender: sender.accountAddress.toStringLong(),
  nonce: NONCE,
  expiresAtMs,
  hash: null,
  sinceVersion,
  ...change,
});

const asked = async (change: Partial<OrderlessQuery> = {}, of = node) => {
  const answer = await of.transactionByNonce(query(change));
  return answer.ok ? answer.value.value : answer.error.reason;
};

test("finds it under another signature of the sender's than the known one", async () => {
  const known = await signed({ overZero: true });
  const other = await signed();
  expect(other.hash).not.toBe(known.hash);
  expect(await asked({ hash: known.hash })).toEqual({ kind: "unused" });
  await commit(other);
  const execution = { hash: other.hash, nonce: NONCE, feePayer: payer.accountAddress.toStringLong(), success: true };
  for (const hash of [known.hash, other.hash, null])
    expect(await asked({ hash })).toMatchObject({ kind: "shown", execution });
});

test("with a known hash asks for that alone, once it is committed", async () => {
  const one = await signed();
  await commit(one);
  await asked({ hash: one.hash });
  expect(await fixture.calls("a")).toEqual({ "GET /transactions/by_hash/:hash": 1 });
});

test("takes no other transaction for it: another nonce, another expiration, or a sequence number like the nonce", async () => {
  await commit(await signed({ nonce: NONCE + 1n }));
  await commit(await signed({ expiresAtMs: expiresAtMs - 10_000 }));
  const transaction = await fixture.chain.aptos.transaction.build.simple({
    sender: sender.accountAddress,
    data: { function: "0x1::aptos_account::transfer", functionArguments: [RECEIVER, 1n] },
    options: { maxGasAmount: MAX_GAS_UNITS, gasUnitPrice: GAS_PRICE_OCTAS },
  });
  await fixture.chain.aptos.signAndSubmitTransaction({ signer: sender, transaction });
  fixture.chain.clock.aheadMs += BLOCK_MS;
  expect(await asked()).toEqual({ kind: "unused" });
  expect(await asked({ nonce: 0n })).toEqual({ kind: "unused" });
});

test("finds it behind more transactions than a node lists at once", async () => {
  for (let nonce = 100n; nonce < 103n; nonce++) await commit(await signed({ nonce }));
  const one = await signed();
  await commit(one);
  // The operator of this node lets a list have two.
  fixture.alter((response, path) =>
    path.includes(SUMMARIES) ? withJson(response, (list) => (list as unknown[]).slice(0, 2)) : response,
  );
  expect(await asked()).toMatchObject({ kind: "shown", execution: { hash: one.hash } });
  expect(await asked({ nonce: 7n })).toEqual({ kind: "unused" });
});

test("of a pruned list, or none, proves nothing until it has expired, and that it is over after that", async () => {
  const broken: [string, (response: Response, path: string) => Response | Promise<Response>][] = [
    [
      "pruned",
      (response, path) => {
        if (!path.includes(SUMMARIES)) return response;
        const headers = new Headers(response.headers);
        headers.set("x-aptos-ledger-oldest-version", String(sinceVersion + 1n));
        return new Response(response.body, { status: 200, headers });
      },
    ],
    [
      "without such lists",
      (response, path) =>
        path.includes(SUMMARIES)
          ? Response.json(
              { message: "no", error_code: "internal_error", vm_error_code: null },
              { status: 500, headers: response.headers },
            )
          : response,
    ],
    ["endless", (response, path) => (path.includes(SUMMARIES) ? withJson(response, () => [ENTRY]) : response)],
  ];
  for (const [, alteration] of broken) {
    fixture.alter(alteration);
    expect(await asked()).toBe("node_unavailable");
  }
  fixture.chain.clock.aheadMs += 61_000;
  for (const [what, alteration] of broken) {
    fixture.alter(alteration);
    expect(await asked(), what).toEqual({ kind: "used", support: "agreed" });
  }
  expect(await asked({}, fixture.nodeOf(["a", "b"])), "another endpoint can tell").toEqual({ kind: "unused" });
});

const ENTRY = { version: "1", transaction_hash: `0x${"7".repeat(64)}`, replay_protector: "9" };

test("that a summary names and nothing shows is used up, once it has expired", async () => {
  const one = await signed();
  await commit(one);
  fixture.alter((response, path) =>
    path.includes("/by_hash/") ? withJson(response, (json) => ({ ...(json as object), events: [] })) : response,
  );
  expect(await asked()).toBe("node_unavailable");
  fixture.chain.clock.aheadMs += 61_000;
  expect(await asked()).toEqual({ kind: "used", support: "agreed" });
});

/** Answers of a node behind the same address that lags: it lacks the transaction, or has it in its mempool. */
const LAGGING: [string, (response: Response) => Response | Promise<Response>][] = [
  [
    "lacks",
    (response) =>
      Response.json(
        { message: "no", error_code: "transaction_not_found", vm_error_code: null },
        { status: 404, headers: response.headers },
      ),
  ],
  ["shows pending", (response) => withJson(response, pendingOf)],
];

function pendingOf(json: unknown) {
  const { sender: from, sequence_number, max_gas_amount, gas_unit_price, ...rest } = json as Record<string, unknown>;
  const { hash, expiration_timestamp_secs, payload, signature, replay_protection_nonce } = rest;
  const terms = { sender: from, sequence_number, max_gas_amount, gas_unit_price, expiration_timestamp_secs };
  return { type: "pending_transaction", hash, ...terms, payload, signature, replay_protection_nonce };
}

test.each(LAGGING)("that a node lists and %s is never unused", async (_, alteration) => {
  const one = await signed();
  await commit(one);
  fixture.alter((response, path) => (path.includes("/by_hash/") ? alteration(response) : response));
  for (const hash of [one.hash, null]) expect(await asked({ hash })).toBe("node_unavailable");
  fixture.chain.clock.aheadMs += 61_000;
  for (const hash of [one.hash, null]) expect(await asked({ hash })).toEqual({ kind: "used", support: "agreed" });
});

test("is never unused by a ledger that ends before the asked versions", async () => {
  await commit(await signed());
  fixture.chain.clock.aheadMs += 61_000;
  expect(await asked({ sinceVersion: 10n ** 12n })).toEqual({ kind: "used", support: "agreed" });
});
