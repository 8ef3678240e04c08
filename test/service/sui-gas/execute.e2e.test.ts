import { bcs } from "@mysten/sui/bcs";
import { fromBase64 } from "@mysten/sui/utils";
import { expect } from "vitest";
import { chargedToFund } from "../../../shared/cli/client/admin.ts";
import { DEMO_PACKAGE } from "../../devchain/demo.ts";
import { admin, gas, gasResult, harness } from "../../harness/harness.ts";
import { longTest, shortTest } from "../../support/rounds.ts";
import {
  BUDGET,
  BUDGET_MIST,
  fundWithKey,
  gasPayment,
  getFund,
  netMist,
  newUser,
  ownedObjects,
  prepare,
  refused,
  signatureOf,
  sponsor,
  sponsorshipRows,
  status,
  submit,
} from "../../support/sui-gas.ts";
import { incrementKind, mintKind } from "../../support/sui-transactions.ts";
import { executedSchema } from "./responses.ts";

const EXECUTE_METHOD = "gas_executeTransactionBlock";
const UNKNOWN_DIGEST = "11111111111111111111111111111111";

function execute(key: string, digest: string, signature: string, requestType?: string) {
  return gasResult(key, EXECUTE_METHOD, [digest, signature, requestType ?? null], executedSchema);
}

const Badge = bcs.struct("BadgeMinted", { badge_id: bcs.Address, name: bcs.string(), owner: bcs.Address });

shortTest("preparing hands out no signature, and what the sender alone signs does not execute", async () => {
  const fund = await fundWithKey();
  const user = newUser();
  // `prepare` reads a strict shape, so a signature under whatever name would be refused here.
  const prepared = await prepare(fund.key, await mintKind(), user.toSuiAddress(), BUDGET);
  expect(gasPayment(prepared.txBytes)).toHaveLength(1);
  expect((await getFund(fund.key)).inFlight).toBe(BUDGET_MIST);
  await expect(submit(prepared.txBytes, [await signatureOf(user, prepared)])).rejects.toThrow(/signature/i);
  expect(await status(fund.key, prepared.txDigest)).toBe("IN_FLIGHT");
});

shortTest(
  "executing a prepared transaction answers the JSON-RPC response of what the chain did, and the fund pays it",
  async () => {
    const fund = await fundWithKey();
    const user = newUser();
    const sender = user.toSuiAddress();
    const before = await getFund(fund.key);
    const { txBytes, txDigest } = await prepare(fund.key, await mintKind("Ada"), sender, BUDGET);
    const [coin] = gasPayment(txBytes);
    const response = await execute(fund.key, txDigest, await signatureOf(user, { txBytes }));

    const [badge, ...others] = await ownedObjects(sender);
    if (badge === undefined || coin === undefined) throw new Error("no badge, or no gas payment");
    expect(others).toEqual([]);
    const chargedMist = netMist(response.effects.gasUsed);
    const gasObject = { owner: { AddressOwner: fund.depositAddress }, reference: { objectId: coin.objectId } };
    expect(response).toMatchObject({
      digest: txDigest,
      effects: {
        messageVersion: "v1",
        status: { status: "success" },
        transactionDigest: txDigest,
        created: [
          {
            owner: { AddressOwner: sender },
            reference: { objectId: badge.objectId, version: Number(badge.version), digest: badge.digest },
          },
        ],
        mutated: [gasObject],
        gasObject,
        modifiedAtVersions: [{ objectId: coin.objectId, sequenceNumber: coin.version.toString() }],
      },
      events: [
        {
          id: { txDigest, eventSeq: "0" },
          packageId: DEMO_PACKAGE,
          transactionModule: "demo",
          sender,
          type: `${DEMO_PACKAGE}::demo::BadgeMinted`,
          parsedJson: { badge_id: badge.objectId, name: "Ada", owner: sender },
          bcsEncoding: "base64",
        },
      ],
      balanceChanges: [
        {
          owner: { AddressOwner: fund.depositAddress },
          coinType: "0x2::sui::SUI",
          amount: (-chargedMist).toString(),
        },
      ],
    });
    expect(Badge.parse(fromBase64(response.events[0]?.bcs ?? ""))).toEqual(response.events[0]?.parsedJson);
    const [created, mutated] = [...response.objectChanges].sort((a, b) => a.type.localeCompare(b.type));
    expect(created).toEqual({
      type: "created",
      sender,
      owner: { AddressOwner: sender },
      objectType: `${DEMO_PACKAGE}::demo::Badge`,
      objectId: badge.objectId,
      version: badge.version,
      digest: badge.digest,
    });
    expect(mutated).toMatchObject({
      type: "mutated",
      sender,
      owner: { AddressOwner: fund.depositAddress },
      objectType: "0x2::coin::Coin<0x2::sui::SUI>",
      objectId: coin.objectId,
      previousVersion: coin.version.toString(),
    });
    expect(response).not.toHaveProperty("confirmedLocalExecution");

    expect(await status(fund.key, txDigest)).toBe("COMPLETE");
    expect(await getFund(fund.key)).toEqual({ ...before, balance: before.balance - chargedMist, inFlight: 0n });
    expect(await chargedToFund(harness, fund.fundId, txDigest)).toBe(chargedMist);
  },
);

shortTest("an execution that is repeated executes once and answers the same", async () => {
  const fund = await fundWithKey();
  const user = newUser();
  const prepared = await prepare(fund.key, await mintKind(), user.toSuiAddress(), BUDGET);
  const signature = await signatureOf(user, prepared);
  // Together, and once more after everything is settled.
  const together = await Promise.all([1, 2, 3].map(() => execute(fund.key, prepared.txDigest, signature)));
  const later = await execute(fund.key, prepared.txDigest, signature);
  for (const { checkpoint, timestampMs, ...response } of together) expect(later).toMatchObject(response);
  expect(later.digest).toBe(prepared.txDigest);
  expect(await ownedObjects(user.toSuiAddress())).toHaveLength(1);
  expect(await sponsorshipRows(fund.fundId)).toHaveLength(1);
});

longTest("WaitForLocalExecution confirms that readers see it", async () => {
  const fund = await fundWithKey();
  const user = newUser();
  const prepared = await prepare(fund.key, await mintKind(), user.toSuiAddress(), BUDGET);
  const signature = await signatureOf(user, prepared);
  const response = await execute(fund.key, prepared.txDigest, signature, "WaitForLocalExecution");
  expect(response).toMatchObject({ confirmedLocalExecution: true, effects: { status: { status: "success" } } });
});

longTest("an abort on chain is a result, not an error", async () => {
  const fund = await fundWithKey();
  const user = newUser();
  const prepared = await prepare(fund.key, await incrementKind(0n), user.toSuiAddress(), BUDGET);
  const { effects } = await execute(fund.key, prepared.txDigest, await signatureOf(user, prepared));
  expect(effects.status).toEqual({
    status: "failure",
    error: expect.stringMatching(/^MoveAbort\(MoveLocation \{ module: ModuleId .*, 1\) in command 0$/),
    abort: { package: DEMO_PACKAGE, module: "demo", function: "increment_by", abortCode: "1", command: 0 },
  });
  expect(await status(fund.key, prepared.txDigest)).toBe("COMPLETE");
});

shortTest(
  "a signature that is not the sender's over these bytes is refused, and the right one still executes",
  async () => {
    const fund = await fundWithKey(2);
    const user = newUser();
    const kind = await mintKind();
    const prepared = await prepare(fund.key, kind, user.toSuiAddress(), BUDGET);
    const other = await prepare(fund.key, kind, user.toSuiAddress(), BUDGET);
    const wrong = [await signatureOf(newUser(), other), await signatureOf(user, other), "AAAA"];
    for (const signature of wrong)
      expect(await refused(fund.key, EXECUTE_METHOD, [prepared.txDigest, signature])).toMatchObject({
        code: -32602,
        data: { reason: "bad_signature", details: expect.stringContaining("senderSignature") },
      });
    const rows = await sponsorshipRows(fund.fundId);
    expect(rows.map(({ state }) => state)).toEqual(["prepared", "prepared"]);
    const { digest } = await execute(fund.key, prepared.txDigest, await signatureOf(user, prepared));
    expect(digest).toBe(prepared.txDigest);
  },
);

longTest(
  "whether a key signs for the sender as its alias, the node says; then the sender's own signature is still taken",
  async () => {
    const fund = await fundWithKey();
    const user = newUser();
    const prepared = await prepare(fund.key, await mintKind(), user.toSuiAddress(), BUDGET);
    const byAnother = await signatureOf(newUser(), prepared);
    expect(await refused(fund.key, EXECUTE_METHOD, [prepared.txDigest, byAnother])).toMatchObject({
      code: -32002,
      data: { reason: "node_refused", details: expect.stringMatching(/signature|signer/i) },
    });
    const { effects } = await execute(fund.key, prepared.txDigest, await signatureOf(user, prepared));
    expect(effects).toMatchObject({ status: { status: "success" } });
  },
);

shortTest("a digest that is not of this key's fund is unknown to both execution and status", async () => {
  const fund = await fundWithKey();
  const another = await fundWithKey();
  const user = newUser();
  const theirs = await prepare(another.key, await mintKind(), user.toSuiAddress(), BUDGET);
  const signature = await signatureOf(user, theirs);
  for (const digest of [UNKNOWN_DIGEST, theirs.txDigest]) {
    expect(await refused(fund.key, EXECUTE_METHOD, [digest, signature])).toMatchObject({
      code: -32602,
      message: "Invalid params",
      data: { reason: "unknown_sponsorship", details: expect.stringContaining("digest") },
    });
    expect(await status(fund.key, digest)).toBe("INVALID");
  }
  expect(await status(another.key, theirs.txDigest)).toBe("IN_FLIGHT");
});

longTest("what gas_sponsorTransactionBlock signed is executed through gas_executeTransactionBlock too", async () => {
  const fund = await fundWithKey();
  const user = newUser();
  const sponsored = await sponsor(fund.key, await mintKind(), user.toSuiAddress(), BUDGET);
  const { effects } = await execute(fund.key, sponsored.txDigest, await signatureOf(user, sponsored));
  expect(effects.status).toEqual({ status: "success" });
  expect(await status(fund.key, sponsored.txDigest)).toBe("COMPLETE");
});

longTest("a paused fund approves nothing that is only prepared, and goes on with it once it is resumed", async () => {
  const fund = await fundWithKey(2);
  const user = newUser();
  const kind = await mintKind();
  const prepared = await prepare(fund.key, kind, user.toSuiAddress(), BUDGET);
  const signed = await sponsor(fund.key, kind, user.toSuiAddress(), BUDGET);
  const signature = await signatureOf(user, prepared);
  await admin("PATCH", `/funds/${fund.fundId}`, { paused: true });
  expect(await refused(fund.key, EXECUTE_METHOD, [prepared.txDigest, signature])).toMatchObject({
    code: -32602,
    data: {
      reason: "fund_paused",
      cause: "operator",
      details: "the fund is paused: operator; the operator has to resume it",
    },
  });
  expect(await status(fund.key, prepared.txDigest)).toBe("IN_FLIGHT");
  // The fund's signature over this one is already out there: refusing it would change nothing.
  const executed = await gas(fund.key, EXECUTE_METHOD, [signed.txDigest, await signatureOf(user, signed)]);
  expect(executed.body).toMatchObject({ result: { digest: signed.txDigest } });
  await admin("PATCH", `/funds/${fund.fundId}`, { paused: false });
  expect((await execute(fund.key, prepared.txDigest, signature)).digest).toBe(prepared.txDigest);
});
