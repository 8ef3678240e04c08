import { bcs } from "@mysten/sui/bcs";
import { GrpcTypes } from "@mysten/sui/grpc";
import { fromBase64, toBase64 } from "@mysten/sui/utils";
import { afterEach, beforeAll, expect } from "vitest";
import * as z from "zod";
import { createKey } from "../../../shared/cli/client/admin.ts";
import { expectAnswer, type HttpAnswer } from "../../../shared/cli/client/http.ts";
import { rpcResult } from "../../../shared/cli/client/rpc.ts";
import { DEMO_PACKAGE } from "../../devchain/demo.ts";
import { admin, giveSui, harness, serviceUrl, sui, uniqueName } from "../../harness/harness.ts";
import { clearFaults, EXECUTE as NODE_EXECUTE, orderFault } from "../../support/chain-control.ts";
import { longTest, shortTest } from "../../support/rounds.ts";
import { BUDGET, netMist, newUser, refusalOf, sponsorshipRows, submit } from "../../support/sui-gas.ts";
import { incrementKind, mintKind, transferKind } from "../../support/sui-transactions.ts";
import {
  badgesOf,
  CLIENT_URL,
  dataOf,
  EXECUTE_BLOCK,
  execute,
  newSession,
  newSuiApp,
  onChain,
  responseIn,
  type SuiApp,
  V2_URL,
} from "./app.ts";

let app: SuiApp;
beforeAll(async () => {
  app = await newSuiApp(4);
});
afterEach(clearFaults);

async function inFlight({ fundId }: SuiApp): Promise<string> {
  return z.object({ inFlight: z.string() }).parse((await admin("GET", `/funds/${fundId}`)).body).inFlight;
}

shortTest(
  "a kind is sponsored, signed by the wallet and executed, and the answer is what the chain shows",
  async () => {
    const response = responseIn(await execute(app, await mintKind("Ada"), [BUDGET, "WaitForLocalExecution"]));
    const shown = await onChain(response.digest);
    expect(shown.transaction).toMatchObject({
      sender: app.address,
      gasData: { owner: app.depositAddress, budget: BUDGET },
    });
    expect(shown.status).toEqual({ success: true, error: null });
    expect(response).toMatchObject({
      confirmedLocalExecution: true,
      effects: { status: { status: "success" } },
      balanceChanges: [{ owner: { AddressOwner: app.depositAddress }, amount: `-${netMist(shown.effects.gasUsed)}` }],
    });
    expect(shown.effects.gasUsed).toMatchObject(response.effects.gasUsed);
    const [event] = shown.events;
    expect(response.events).toMatchObject([
      { type: event?.eventType, sender: app.address, bcs: toBase64(event?.bcs ?? new Uint8Array()) },
    ]);
    expect(response.events[0]?.parsedJson).toMatchObject({ name: "Ada", owner: app.address });
    const changed = shown.effects.changedObjects.map(({ objectId }) => objectId).sort();
    expect(response.objectChanges.map(({ objectId }) => objectId).sort()).toEqual(changed);
  },
);

longTest("full transaction data is executed without its gas data, and refused where another sends it", async () => {
  const kind = await mintKind("full");
  const { digest } = responseIn(await execute(app, await dataOf(kind, app.address), [Number(BUDGET)]));
  const { transaction } = await onChain(digest);
  expect(transaction?.gasData).toMatchObject({ owner: app.depositAddress, budget: BUDGET });
  const before = (await sponsorshipRows(app.fundId)).length;
  const other = newUser().toSuiAddress();
  expect(refusalOf(await execute(app, await dataOf(kind, other), [BUDGET]))).toMatchObject({
    code: -32602,
    data: { reason: "wrong_sender", details: expect.stringContaining(app.address) },
  });
  expect(await sponsorshipRows(app.fundId)).toHaveLength(before);
});

longTest(
  "an expiration must be the fund's, and bytes in another form than the canonical one are none of the two",
  async () => {
    const kind = await mintKind("expires");
    const { transaction } = await onChain(responseIn(await execute(app, kind, [BUDGET])).digest);
    const own = BigInt(z.object({ Epoch: z.coerce.string() }).parse(transaction?.expiration).Epoch);
    expect(responseIn(await execute(app, await dataOf(kind, app.address, own), [BUDGET])).effects.status).toEqual({
      status: "success",
    });
    for (const epoch of [own - 1n, own + 1n])
      expect(refusalOf(await execute(app, await dataOf(kind, app.address, epoch), [BUDGET])).data).toMatchObject({
        reason: "unsupported_transaction",
        details: expect.stringContaining(`epoch ${own}`),
      });
    const data = await dataOf(kind, app.address);
    for (const [bytes, reason] of [
      [Uint8Array.of(...data, 0), "unsupported_transaction"],
      [Uint8Array.of(...kind, 0), "non_canonical_bytes"],
    ] as const)
      expect(refusalOf(await execute(app, bytes, [BUDGET])).data.reason).toBe(reason);
    expect(await inFlight(app)).toBe("0");
  },
);

shortTest("a bad session, another secret and an unknown wallet are refused before anything is held", async () => {
  const kind = await mintKind();
  const before = (await sponsorshipRows(app.fundId)).length;
  const bad = await execute({ ...app, token: "x" }, kind, [BUDGET]);
  expect(bad.body).toMatchObject({ error: { code: -32602, data: { details: "Bad session token" } } });
  const others = await newSession(app.key, "correct horse battery staple");
  expect(refusalOf(await execute({ ...app, token: others }, kind, [BUDGET])).data.reason).toBe("wrong_secret");
  expect(refusalOf(await execute({ ...app, walletId: "nobody" }, kind, [BUDGET])).data.reason).toBe("unknown_wallet");
  expect(await sponsorshipRows(app.fundId)).toHaveLength(before);
});

shortTest("the fund's own rules and its policy hold here as they do at the gas station", async () => {
  const kind = await mintKind();
  const withPolicy = (policy: object) => admin("PATCH", `/funds/${app.fundId}`, { policy });
  await withPolicy({ senders: { deny: [app.address] } });
  expect(refusalOf(await execute(app, kind, [BUDGET])).data).toMatchObject({ reason: "policy_refused" });
  await withPolicy({ senders: null });
  await admin("PATCH", `/funds/${app.fundId}`, { paused: true });
  expect(refusalOf(await execute(app, kind, [BUDGET])).data.reason).toBe("fund_paused");
  await admin("PATCH", `/funds/${app.fundId}`, { paused: false });
  expect(refusalOf(await execute(app, kind, ["1"])).data.reason).toBe("gas_budget_out_of_range");
  expect(await inFlight(app)).toBe("0");
});

shortTest("a gas budget that is too low and an abort on chain are results, as a node has them", async () => {
  const low = responseIn(await execute(app, await mintKind(), ["1000000"]));
  expect(low.effects.status).toMatchObject({ status: "failure", error: expect.stringMatching(/insufficient.?gas/i) });
  const aborted = responseIn(await execute(app, await incrementKind(0n), [BUDGET]));
  expect(aborted.effects.status).toEqual({
    status: "failure",
    error: expect.stringMatching(/^MoveAbort\(MoveLocation \{ module: ModuleId .*, 1\) in command 0$/),
    abort: { package: DEMO_PACKAGE, module: "demo", function: "increment_by", abortCode: "1", command: 0 },
  });
  for (const { digest } of [low, aborted]) expect((await onChain(digest)).status.success).toBe(false);
});

longTest("without a budget a dry run sets it, and refuses an aborting call before anything is sent", async () => {
  const { digest } = responseIn(await execute(app, await mintKind()));
  expect(Number((await onChain(digest)).transaction?.gasData.budget)).toBeLessThan(Number(BUDGET));
  const rows = (await sponsorshipRows(app.fundId)).length;
  expect(refusalOf(await execute(app, await incrementKind(0n)))).toMatchObject({
    code: -32602,
    data: { reason: "dry_run_failed", details: expect.stringMatching(/abort/i) },
  });
  expect(await sponsorshipRows(app.fundId)).toHaveLength(rows);
});

longTest(
  "a locked object, and one that has changed, are refused in the node's words, with the digest of what was not executed",
  async () => {
    const { objectId } = await giveSui(app.address, 1_000_000n);
    const { version, digest } = (await sui.getObject({ objectId })).object;
    const refusedFor = async (of: string) => {
      const kind = await transferKind({ objectId, version: of, digest }, app.address);
      const { code, data } = refusalOf(await execute(app, kind, [BUDGET]));
      expect({ code, reason: data.reason, node: data.node }).toEqual({
        code: -32002,
        reason: "node_refused",
        node: { status: expect.any(String), text: data.details },
      });
      await expect(onChain(String(data.digest))).rejects.toThrow();
      return data.details;
    };
    // As often as anybody asks: a fund of another test may have a transaction of its own under way.
    await orderFault(NODE_EXECUTE, "lock_conflict", 1_000);
    expect(await refusedFor(version)).toMatch(/already locked by a different transaction/);
    await clearFaults();
    expect(await refusedFor((BigInt(version) - 1n).toString())).toContain(objectId);
  },
);

shortTest(
  "a double click with an Idempotency-Key is one transaction, and so is its repeat; without one it is two",
  async () => {
    const own = await newSuiApp(4);
    const kind = await mintKind("click");
    const named = { idempotencyKey: "click" };
    const together = await Promise.all([1, 2, 3].map(() => execute(own, kind, [BUDGET], named)));
    const later = await execute({ ...own, token: await newSession(own.key, own.secret) }, kind, [BUDGET], named);
    expect(new Set([...together, later].map((answer) => responseIn(answer).digest)).size).toBe(1);
    expect(await badgesOf(own.address)).toBe(1);
    expect(refusalOf(await execute(own, await mintKind("another"), [BUDGET], named)).code).toBe(-32018);
    await Promise.all([1, 2].map(() => execute(own, kind, [BUDGET])));
    expect(await badgesOf(own.address)).toBe(3);
  },
);

longTest(
  "deployed clients' shape: options show the parts, positions are told apart by type, under any prefix",
  async () => {
    const kind = await mintKind("deployed");
    const block = { method: EXECUTE_BLOCK, url: CLIENT_URL };
    const parts = async (terms: readonly unknown[], options: typeof block = block) => {
      const { body } = await execute(app, kind, terms, options);
      const { digest, ...rest } = z.object({ result: z.looseObject({ digest: z.string() }) }).parse(body).result;
      await sui.waitForTransaction({ digest });
      return Object.keys(rest)
        .filter((name) => !["checkpoint", "timestampMs"].includes(name))
        .sort();
    };
    const confirmed = "confirmedLocalExecution";
    expect(await parts([])).toEqual([]);
    expect(await parts([null, null, null, 1_000])).toEqual([]);
    expect(
      await parts([BUDGET, {}, "WaitForLocalExecution"], { ...block, method: EXECUTE_BLOCK.replace("svc", "acme") }),
    ).toEqual([confirmed]);
    expect(
      await parts([BUDGET, "WaitForLocalExecution"], { ...block, url: `${serviceUrl}/wallet/v1/${app.key}` }),
    ).toEqual([confirmed]);
    expect(await parts([5_000_000, { showEffects: true, showInput: true }])).toEqual([
      confirmed,
      "effects",
      "transaction",
    ]);
    const all = { showEffects: true, showEvents: true, showObjectChanges: true, showBalanceChanges: true };
    expect(await parts([null, all, "WaitForEffectsCert", "1500"])).toEqual([
      "balanceChanges",
      "effects",
      "events",
      "objectChanges",
    ]);
  },
);

longTest("the input and the raw effects are shown on request, to a repeat as well, as the chain has them", async () => {
  const all = { showInput: true, showRawInput: true, showRawEffects: true };
  const block = { method: EXECUTE_BLOCK, url: CLIENT_URL, idempotencyKey: "with input" };
  const shown = z.object({
    digest: z.string(),
    transaction: z.object({ data: z.looseObject({ sender: z.string() }), txSignatures: z.array(z.string()) }),
    rawTransaction: z.base64(),
    rawEffects: z.array(z.int()),
  });
  const kind = await mintKind("shown");
  const answers = [];
  for (const _ of ["first", "repeat"]) {
    const answer = await execute(app, kind, [BUDGET, all], block);
    answers.push(expectAnswer("the execution", answer, z.object({ result: shown })).result);
  }
  const [first, repeat] = answers;
  expect(repeat).toEqual(first);
  if (first === undefined) throw new Error("nothing was executed");
  const [signed] = bcs.SenderSignedData.parse(fromBase64(first.rawTransaction));
  const { transaction, signatures, effects } = await onChain(first.digest);
  const { sender, gasData, commands } = transaction ?? {};
  expect(signed?.txSignatures).toEqual(signatures);
  const inputs = [{ type: "pure", valueType: "0x1::string::String", value: "shown" }];
  expect(first.transaction).toMatchObject({ data: { sender, transaction: { inputs } }, txSignatures: signatures });
  expect(signed?.intentMessage.value.V1).toMatchObject({ sender, gasData });
  expect(commands).toHaveLength(1);
  const executed = bcs.TransactionEffects.parse(Uint8Array.from(first.rawEffects)).V2;
  expect(executed?.transactionDigest).toBe(first.digest);
  expect(executed?.gasUsed).toEqual(effects.gasUsed);
});

longTest("version 2 answers with the protobuf JSON of a node, by a mask, and a repeat with the same", async () => {
  const own = await newSuiApp(4);
  const v2 = (bytes: Uint8Array, terms: readonly unknown[] = [], idempotencyKey?: string) =>
    execute(own, bytes, terms, { url: V2_URL, ...(idempotencyKey !== undefined && { idempotencyKey }) });
  const shown = (answer: HttpAnswer) =>
    expectAnswer("the execution", answer, z.object({ result: z.object({ transaction: z.looseObject({}) }) })).result
      .transaction;
  expect(shown(await v2(await mintKind("default"), [BUDGET]))).toMatchObject({
    effects: { status: { success: true } },
  });

  const kind = await mintKind("second");
  const mask = "digest,effects.gasUsed,effects.bcs,events.events.json,signatures,transaction.bcs";
  const first = shown(await v2(kind, [BUDGET, null, mask], "second"));
  expect(Object.keys(first).sort()).toEqual(["digest", "effects", "events", "signatures", "transaction"]);
  const { transaction, signatures, effects } = await onChain(z.string().parse(first.digest));
  const { computationCost, storageCost, storageRebate, nonRefundableStorageFee } = effects.gasUsed;
  expect(first).toMatchObject({
    effects: { gasUsed: { computationCost, storageCost, storageRebate, nonRefundableStorageFee } },
    events: { events: [{ json: { name: "second", owner: own.address } }] },
    signatures: signatures.map((value) => ({ bcs: { name: "UserSignatureBytes", value } })),
  });
  const read = GrpcTypes.ExecutedTransaction.fromJson(z.json().parse(first));
  expect(bcs.TransactionData.parse(read.transaction?.bcs?.value ?? new Uint8Array()).V1?.sender).toBe(
    transaction?.sender,
  );
  expect(bcs.TransactionEffects.parse(read.effects?.bcs?.value ?? new Uint8Array()).V2?.gasUsed).toEqual(
    effects.gasUsed,
  );
  expect(shown(await v2(kind, [BUDGET, null, mask], "second"))).toEqual(first);
  expect(await badgesOf(own.address)).toBe(2);

  expect(shown(await v2(await incrementKind(0n), [BUDGET]))).toMatchObject({
    effects: {
      status: {
        success: false,
        error: {
          kind: "MOVE_ABORT",
          command: "0",
          abort: { abortCode: "1", location: { package: DEMO_PACKAGE, module: "demo", functionName: "increment_by" } },
        },
      },
    },
  });
});

longTest(
  "version 2 refuses a field that it does not serve, and a price that is too low, before anything is held",
  async () => {
    // The fund of the other tests may still hold what a node has refused.
    const own = await newSuiApp(1);
    const kind = await mintKind("refused");
    for (const [terms, details] of [
      [[BUDGET, null, "effects.no_such_field"], "invalid read_mask path: effects.no_such_field"],
      [[BUDGET, null, "digest,transaction.kind"], "transaction.kind is not served"],
      [[BUDGET, null, ["digest", 1]], "read_mask"],
      [[BUDGET, "1"], "gas price"],
    ] as const) {
      const { code, data } = refusalOf(await execute(own, kind, terms, { url: V2_URL }));
      expect(code).toBe(-32602);
      expect(data.details).toContain(details);
    }
    expect(await sponsorshipRows(own.fundId)).toEqual([]);
    expect(await inFlight(own)).toBe("0");
  },
);

longTest("wallets of the same id and secret on Sui and Aptos are different keys", async () => {
  const { projectId, secret, walletId } = app;
  const fields = { name: uniqueName("key"), network: "APTOS_LOCALNET", rights: ["wallet"] };
  const { key } = await createKey(harness, projectId, fields);
  const token = await rpcResult(`${serviceUrl}/aptos/key/v1`, key, "key_createSession", [secret], z.string());
  const wallet = z.object({ accountAddress: z.string() });
  const url = `${serviceUrl}/aptos/wallet/v1`;
  const { accountAddress } = await rpcResult(url, key, "wal_createWallet", [walletId, token], wallet);
  expect(accountAddress).not.toBe(app.address);
  await admin("PATCH", `/projects/${projectId}`, { exportEnabled: true });
  const exported = z.object({ publicKey: z.string() });
  const onAptos = await rpcResult(url, key, "wal_exportWallet", [walletId, token], exported);
  const onSui = await rpcResult(
    `${serviceUrl}/wallet/v1`,
    app.key,
    "svc_wal_exportWallet",
    [walletId, app.token],
    exported,
  );
  expect(onAptos.publicKey).not.toBe(onSui.publicKey);
});

shortTest("what the fund has not signed cannot be executed with the wallet's signature alone", async () => {
  const kind = await mintKind();
  await admin("PATCH", `/funds/${app.fundId}`, { paused: true });
  const url = `${serviceUrl}/wallet/v1`;
  const data = await dataOf(kind, app.address);
  const signature = await rpcResult(
    url,
    app.key,
    "svc_wal_signTransaction",
    [app.walletId, app.token, toBase64(data)],
    z.string(),
  );
  await expect(submit(toBase64(data), [signature])).rejects.toThrow();
  await admin("PATCH", `/funds/${app.fundId}`, { paused: false });
});
