import { Transaction } from "@mysten/sui/transactions";
import { fromBase64, toBase64 } from "@mysten/sui/utils";
import { beforeAll, describe, expect, test } from "vitest";
import * as z from "zod";
import { expectAnswer, type HttpAnswer, http } from "../../shared/cli/client/http.ts";
import { createFlows } from "../../shared/client/flows/index.ts";
import { DEMO_PACKAGE } from "../devchain/demo.ts";
import { callerSecret, serviceUrl, sui, uniqueName, useFlowsKey } from "../harness/harness.ts";
import { patchFund } from "../support/operator.ts";
import {
  BUDGET,
  chainNowMs,
  fundWithKey,
  getFund,
  netMist,
  newUser,
  ownedObjects,
  prepare,
  signatureOf,
  sponsorshipRows,
  status,
} from "../support/sui-gas.ts";
import { incrementKind, kindOf, mintKind } from "../support/sui-transactions.ts";

const PREPARED_MS = 600_000;

let fund: Awaited<ReturnType<typeof fundWithKey>>;
beforeAll(async () => {
  fund = await fundWithKey(8);
  await useFlowsKey(fund.key);
});

const caller = {
  "content-type": "application/json",
  authorization: `Bearer ${callerSecret}`,
  "x-user-id": "user-1",
};
let users = 0;
/** The caller's headers with another user, because one user may not call as often as this file does. */
function anotherUser() {
  users += 1;
  return { ...caller, "x-user-id": `user-${users}` };
}
/** The caller's headers with a key of their own for each attempt at an execution. */
function attempt() {
  return { ...anotherUser(), "idempotency-key": `attempt ${users}` };
}

function flow(name: string, body: unknown, headers: HeadersInit = anotherUser()): Promise<HttpAnswer> {
  const text = typeof body === "string" ? body : JSON.stringify(body);
  return http(`${serviceUrl}/flows/${name}`, { method: "POST", headers, body: text });
}

const sponsoredSchema = z.strictObject({
  txBytes: z.base64(),
  txDigest: z.string(),
  expiresAtMs: z.int(),
  network: z.literal("SUI_LOCALNET"),
});
const executedSchema = z.strictObject({
  digest: z.string(),
  status: z.enum(["success", "failure"]),
  effects: z.looseObject({
    gasUsed: z.object({ computationCost: z.string(), storageCost: z.string(), storageRebate: z.string() }),
  }),
});

async function sponsored(kind: Uint8Array, sender: string, more: object = {}) {
  const answer = await flow("sponsor", { transactionKind: toBase64(kind), sender, ...more });
  return expectAnswer("sponsor", answer, sponsoredSchema);
}

function refusal(status: number, code: string, message: RegExp, retryable = false) {
  return {
    status,
    body: { error: expect.objectContaining({ code, message: expect.stringMatching(message), retryable }) },
  };
}

async function expectRefused(answer: HttpAnswer, ...expected: Parameters<typeof refusal>) {
  const { status, body } = answer;
  expect({ status, body }).toEqual(refusal(...expected));
}

test.each([
  ["with a budget", { gasBudget: BUDGET }],
  ["without a budget", {}],
])("through both workflows a user's badge is minted %s, and the fund pays for it", async (_, terms) => {
  const user = newUser();
  const sender = user.toSuiAddress();
  const kind = await mintKind();
  const before = await getFund(fund.key);

  const beforeMs = await chainNowMs();
  const answer = await sponsored(kind, sender, terms);
  const afterMs = await chainNowMs();
  const decoded = Transaction.from(fromBase64(answer.txBytes));
  expect(await decoded.build({ onlyTransactionKind: true })).toEqual(kind);
  expect(decoded.getData().sender).toBe(sender);
  // Whole seconds, rounded down.
  expect(answer.expiresAtMs - PREPARED_MS).toBeGreaterThan(beforeMs - 1_000);
  expect(answer.expiresAtMs - PREPARED_MS).toBeLessThanOrEqual(afterMs);
  expect(await status(fund.key, answer.txDigest)).toBe("IN_FLIGHT");

  const body = { txBytes: answer.txBytes, signature: await signatureOf(user, answer) };
  const execution = attempt();
  const executed = expectAnswer("execute", await flow("execute-sponsored", body, execution), executedSchema);
  expect(executed).toMatchObject({ digest: answer.txDigest, status: "success" });
  expect(await status(fund.key, answer.txDigest)).toBe("COMPLETE");
  expect(await ownedObjects(sender)).toHaveLength(1);
  const after = await getFund(fund.key);
  expect(before.balance - after.balance).toBe(netMist(executed.effects.gasUsed));
  expect(after.inFlight).toBe(before.inFlight);

  const again = expectAnswer("execute again", await flow("execute-sponsored", body, execution), executedSchema);
  expect(again).toMatchObject({ digest: answer.txDigest, status: "success" });
  expect(await ownedObjects(sender)).toHaveLength(1);
});

test("a transaction that aborts on chain has been executed: 200 with status failure", async () => {
  const user = newUser();
  // Prepared by the service itself, which makes no dry run for a budget that is given.
  const answer = await prepare(fund.key, await incrementKind(0n), user.toSuiAddress(), BUDGET);
  const body = { txBytes: answer.txBytes, signature: await signatureOf(user, answer) };
  const executed = expectAnswer("execute", await flow("execute-sponsored", body, attempt()), executedSchema);
  expect(executed).toMatchObject({ digest: answer.txDigest, status: "failure" });
});

describe("who may not call is refused before anything else", () => {
  const { authorization, "x-user-id": user, ...anonymous } = caller;

  test.each([
    ["sponsor", {}],
    ["execute-sponsored", { "idempotency-key": "attempt 1" }],
  ])("%s", async (name, more) => {
    const without = { ...anonymous, "x-user-id": user, ...more };
    await expectRefused(await flow(name, {}, without), 401, "unauthenticated", /Authorization/);
    for (const wrong of ["Bearer wrong", `Basic ${callerSecret}`, `${authorization}0`, `Bearer ${fund.key}`])
      await expectRefused(await flow(name, {}, { ...without, authorization: wrong }), 401, "unauthenticated", /Bearer/);
    for (const nobody of [{}, { "x-user-id": "" }, { "x-user-id": "two words" }])
      await expectRefused(
        await flow(name, {}, { ...anonymous, authorization, ...nobody, ...more }),
        401,
        "unauthenticated",
        /X-User-Id/,
      );
    const browser = { ...caller, ...more, origin: "https://example.com" };
    await expectRefused(await flow(name, {}, browser), 403, "origin_refused", /FLOWS_ORIGINS/);
  });
});

describe("a refused sponsor request holds nothing", () => {
  const sender = newUser().toSuiAddress();
  const heldBy = async () => ({ fund: await getFund(fund.key), rows: (await sponsorshipRows(fund.fundId)).length });
  const held = async (check: () => Promise<void>) => {
    const before = await heldBy();
    await check();
    expect(await heldBy()).toEqual(before);
  };

  test("what the policy does not allow", () =>
    held(async () => {
      const foreign = await kindOf((transaction) => {
        transaction.moveCall({ target: "0x2::coin::zero", typeArguments: ["0x2::sui::SUI"] });
      });
      const mixed = await kindOf((transaction) => {
        transaction.moveCall({ target: `${DEMO_PACKAGE}::demo::mint`, arguments: [transaction.pure.string("x")] });
        transaction.moveCall({ target: "0x2::coin::zero", typeArguments: ["0x2::sui::SUI"] });
      });
      const nothing = await kindOf(() => {});
      const theft = await kindOf((transaction) => {
        const target = `${DEMO_PACKAGE}::demo::mint`;
        transaction.moveCall({ target, arguments: [transaction.pure.string("x")] });
        const coin = { objectId: `0x${"7".repeat(64)}`, version: "1", digest: "11111111111111111111111111111111" };
        transaction.transferObjects([transaction.splitCoins(transaction.objectRef(coin), [1])], "0x666");
      });
      for (const kind of [foreign, mixed, nothing, theft])
        await expectRefused(
          await flow("sponsor", { transactionKind: toBase64(kind), sender }),
          403,
          "policy_refused",
          /no rule/,
        );
      await expectRefused(
        await flow("sponsor", { transactionKind: toBase64(await mintKind()), sender, gasBudget: "100000001" }),
        403,
        "policy_refused",
        /maxGasBudget/,
      );
    }));

  test("an automatic budget above the policy's cap, before a coin is held for it", () =>
    held(async () => {
      const costly = await kindOf((transaction) => {
        for (let badge = 0; badge < 120; badge++)
          transaction.moveCall({
            target: `${DEMO_PACKAGE}::demo::mint`,
            arguments: [transaction.pure.string(`badge ${badge}`)],
          });
      });
      const answer = await flow("sponsor", { transactionKind: toBase64(costly), sender });
      await expectRefused(answer, 403, "policy_refused", /maxGasBudget/);
    }));

  test("a body that is not the workflow's", () =>
    held(async () => {
      const transactionKind = toBase64(await mintKind());
      for (const body of [
        "",
        "{",
        "[]",
        {},
        { transactionKind },
        { sender },
        { transactionKind: "?", sender },
        { transactionKind, sender: "0x" },
        { transactionKind, sender, gasBudget: -1 },
        { transactionKind, sender, gasPrice: "1000" },
        { transactionKind: "A".repeat(300_000), sender },
      ])
        await expectRefused(await flow("sponsor", body), 400, "bad_request", /./);
    }));

  test("a transaction that cannot be sponsored, or fails in the dry run", () =>
    held(async () => {
      const gasCoin = await kindOf((transaction) => {
        transaction.transferObjects([transaction.gas], sender);
      });
      await expectRefused(
        await flow("sponsor", { transactionKind: toBase64(gasCoin), sender }),
        400,
        "bad_request",
        /gas coin/,
      );
      const aborting = { transactionKind: toBase64(await incrementKind(0n)), sender };
      await expectRefused(await flow("sponsor", aborting), 422, "transaction_failed", /abort/i);
    }));
});

test("what the policy of the service's fund refuses is 403 as well, and says by which rule", async () => {
  const sender = newUser().toSuiAddress();
  const body = { transactionKind: toBase64(await mintKind()), sender };
  await patchFund(fund.fundId, { policy: { senders: { deny: [sender] } } });
  const rows = (await sponsorshipRows(fund.fundId)).length;
  await expectRefused(await flow("sponsor", body), 403, "policy_refused", /^senders: /);
  expect(await sponsorshipRows(fund.fundId)).toHaveLength(rows);
  await patchFund(fund.fundId, { policy: { senders: { allow: null, deny: null } } });
  expect((await flow("sponsor", body)).status).toBe(200);
});

describe("an execution is refused", () => {
  test("without an Idempotency-Key, or with one that is none", async () => {
    const body = { txBytes: "AAAA", signature: "AAAA" };
    for (const key of [null, "", "a".repeat(256), "\u00e9"]) {
      const headers = key === null ? anotherUser() : { ...anotherUser(), "idempotency-key": key };
      await expectRefused(
        await flow("execute-sponsored", body, headers),
        400,
        "bad_request",
        key === null ? /^send an Idempotency-Key/ : /Idempotency-Key must be 1 to 255/,
      );
    }
  });

  test("with a body that is not the workflow's", async () => {
    for (const body of ["", "{", {}, { txBytes: "AAAA" }, { txBytes: "?", signature: "AAAA" }])
      await expectRefused(await flow("execute-sponsored", body, attempt()), 400, "bad_request", /./);
  });

  test("for bytes that the fund did not make, and with a signature that is not the sender's; the user's own still executes", async () => {
    const user = newUser();
    const answer = await sponsored(await mintKind(), user.toSuiAddress(), { gasBudget: BUDGET });
    const bytes = fromBase64(answer.txBytes);
    const tampered = { txBytes: toBase64(bytes.with(-1, (bytes.at(-1) ?? 0) ^ 1)) };
    await expectRefused(
      await flow("execute-sponsored", { ...tampered, signature: await signatureOf(user, answer) }, attempt()),
      404,
      "unknown_sponsorship",
      /digest/,
    );
    const { txBytes } = answer;
    // The sender may have an alias, which only the chain knows of.
    await expectRefused(
      await flow("execute-sponsored", { txBytes, signature: await signatureOf(newUser(), answer) }, attempt()),
      422,
      "transaction_failed",
      /signature|signer/i,
    );
    const mine = await flow("execute-sponsored", { txBytes, signature: await signatureOf(user, answer) }, attempt());
    expect(mine).toMatchObject({ status: 200, body: { digest: answer.txDigest, status: "success" } });
  });
});

describe("through the flows client, with the stock SDK's transaction and signer", () => {
  const flows = () =>
    createFlows({
      url: serviceUrl,
      token: callerSecret,
      user: uniqueName("flows").replaceAll(" ", "-"),
      sui: { network: "localnet" },
    });
  const mint = () => {
    const transaction = new Transaction();
    transaction.moveCall({ target: `${DEMO_PACKAGE}::demo::mint`, arguments: [transaction.pure.string("badge")] });
    return transaction;
  };

  test("a badge is minted once by a double click, and the fund pays for it", async () => {
    const user = newUser();
    const client = flows();
    const steps: string[] = [];
    const onState = ({ step }: { readonly step: string }) => steps.push(step);
    const [first, second] = await Promise.all([
      client.sponsorAndExecute(mint(), user, { client: sui, onState }),
      client.sponsorAndExecute(mint(), user, { client: sui }),
    ]);
    expect(first).toMatchObject({ ok: true, value: { status: "success" } });
    expect(second).toEqual(first);
    expect(steps).toEqual(["building", "sponsoring", "checking", "signing", "executing", "done"]);
    expect(await ownedObjects(user.toSuiAddress())).toHaveLength(1);
  });

  test("an app on another network than its service asks nobody to sign", async () => {
    const client = createFlows({
      ...{ url: serviceUrl, token: callerSecret, user: "flows-elsewhere" },
      sui: { network: "testnet" },
    });
    const user = newUser();
    expect(await client.sponsorAndExecute(mint(), user, { client: sui })).toMatchObject({
      ok: false,
      error: { code: "not_what_was_asked", message: expect.stringContaining("SUI_LOCALNET") },
    });
    expect(await ownedObjects(user.toSuiAddress())).toHaveLength(0);
  });
});
