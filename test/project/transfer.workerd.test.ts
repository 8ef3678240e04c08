import { abortAllDurableObjects, runDurableObjectAlarm, runInDurableObject } from "cloudflare:test";
import { env } from "cloudflare:workers";
import { expect } from "vitest";
import * as z from "zod";
import { createAdminApp } from "../../functions/service/admin/app.ts";
import { createDeps, serviceSecrets } from "../../shared/bindings/deps.ts";
import { DIRECTORY_NAME } from "../../shared/bindings/directory.ts";
import type { Env } from "../../shared/bindings/env.ts";
import { fromBase64, toBase64 } from "../../shared/crypto/base64.ts";
import { WALLET_EXISTS } from "../../shared/errors.ts";
import { MAX_FRAME_CHARACTERS } from "../../shared/project/transfer/frames.ts";
import { refusalOfFault } from "../../shared/rpc/faults.ts";
import { walletName } from "../../shared/wallet/context.ts";
import { createRareTables } from "../../shared/wallet/schema.ts";
import { auditHead, verifiedAudit } from "../support/audit.ts";
import { longTest, shortTest } from "../support/rounds.ts";
import { give } from "../support/sui-chain.ts";
import { executeOnChain, HOUR_MS, pass, SECOND_MS, SUI_MIST, user, useStoppedClock } from "../support/sui-fund.ts";
import { mintKind } from "../support/sui-transactions.ts";
import {
  admin,
  apps,
  call,
  newProject,
  newSession,
  OTHER_SECRET,
  refusal,
  requestAt,
  SECRET,
} from "../support/wallets.ts";

useStoppedClock();

const DESTINATION = "https://elsewhere.example";
const bindings: Env = env;
const app = createAdminApp(createDeps(env));
const authorization = `Bearer ${serviceSecrets(createDeps(env)).adminToken}`;
const frameSchema = z.object({
  transferId: z.string(),
  index: z.int(),
  frame: z.string(),
  nextCursor: z.string().nullable(),
});
type Frame = z.output<typeof frameSchema>;

/** The path that opens a closed project again, with its confirmation. */
function reopening(projectId: string): string {
  return `/projects/${projectId}/transfer?destination=${encodeURIComponent(DESTINATION)}`;
}

/** Asks as an operator, and gives the status, too. */
async function ask(method: string, path: string, body?: object, as = app, vars: object = env) {
  const init = { method, headers: { authorization, "content-type": "application/json" } };
  const response = await as.request(path, body ? { ...init, body: JSON.stringify(body) } : init, vars);
  return { status: response.status, body: z.looseObject({}).parse(await response.json()) };
}

const sponsored = z.object({ txBytes: z.string(), txDigest: z.string(), signature: z.string() });

/** A project with a fund, keys, wallets, a webhook, a finished sponsorship and a live one. */
async function projectInUse() {
  const projectId = await newProject();
  const made = z.looseObject({ id: z.string() });
  const fund = z
    .looseObject({ id: z.string(), depositAddress: z.string() })
    .parse(await admin("POST", `/projects/${projectId}/funds`, { name: "gas", network: "SUI_LOCALNET" }));
  for (let coin = 0; coin < 4; coin++) await give(fund.depositAddress, SUI_MIST);
  await admin("POST", `/funds/${fund.id}/refresh`);
  const terms = { name: "app", network: "SUI_LOCALNET", limits: { qps: 1_000, cups: 1_000 } };
  const keyOf = async (fields: object) =>
    z.object({ key: z.string() }).parse(await admin("POST", `/projects/${projectId}/keys`, { ...terms, ...fields }))
      .key;
  const gasKey = await keyOf({ rights: ["gas"], fundId: fund.id });
  const walletKey = await keyOf({ rights: ["wallet"] });
  const webhook = made.parse(
    await admin("POST", `/projects/${projectId}/webhooks`, {
      url: "https://hooks.gasworks-test.com",
      events: ["fund.deposit"],
    }),
  );
  const token = await newSession(walletKey, SECRET);
  const addresses = [];
  for (const id of ["ann", "bob"]) addresses.push(await call(walletKey, "svc_wal_createWallet", [id, token]));
  const done = await sponsor(gasKey, "done");
  await executeOnChain(done);
  expect(await status(gasKey, done.digest)).toBe("COMPLETE");
  // The finished one leaves the fund for an archive, which moves along.
  await admin("PATCH", `/funds/${fund.id}`, { limits: { retentionDays: 1 } });
  await executeOnChain(await sponsor(gasKey, "newer"));
  for (let day = 0; day < 3; day++) {
    pass(24 * HOUR_MS);
    for (let count = 0; count < 8; count++) {
      pass(15 * SECOND_MS);
      await runDurableObjectAlarm(env.FUND.getByName(fund.id));
    }
  }
  const archives = await runInDurableObject(env.FUND.getByName(fund.id), (object) => object.archiveNames());
  expect(archives.length).toBeGreaterThan(0);
  const live = await sponsor(gasKey, "live");
  return { projectId, archives, fundId: fund.id, gasKey, walletKey, webhookId: webhook.id, addresses, done, live };
}
type InUse = Awaited<ReturnType<typeof projectInUse>>;

async function sponsor(key: string, name: string) {
  const kind = toBase64(await mintKind(name));
  const answer = await call(key, "gas_sponsorTransactionBlock", [kind, user.toSuiAddress(), 5_000_000], {
    path: "/sui/gas/v1",
  });
  const { txBytes, txDigest, signature } = sponsored.parse(answer);
  const bytes = fromBase64(txBytes) ?? new Uint8Array();
  return { txBytes: bytes, digest: txDigest, signature, expiresAtMs: 0 };
}

function status(key: string, digest: string): Promise<unknown> {
  return call(key, "gas_getSponsoredTransactionBlockStatus", [digest], { path: "/sui/gas/v1" });
}

/** Closes the project, and reads every frame once calls can no longer be under way. */
async function leave({ projectId }: InUse): Promise<readonly Frame[]> {
  await admin("POST", `/projects/${projectId}/transfer`, { destination: DESTINATION });
  expect(await ask("GET", `/projects/${projectId}/transfer/frames`)).toMatchObject({ status: 503 });
  pass(31 * SECOND_MS);
  const frames: Frame[] = [];
  let cursor: string | null = null;
  do {
    const query: string = cursor === null ? "" : `?cursor=${cursor}`;
    const frame = frameSchema.parse(await admin("GET", `/projects/${projectId}/transfer/frames${query}`));
    frames.push(frame);
    cursor = frame.nextCursor;
  } while (cursor !== null);
  return frames;
}

/** Makes this service one that has never seen the project. */
async function forget({ projectId, fundId, archives, gasKey, walletKey }: InUse): Promise<void> {
  const keyIds = z
    .object({ items: z.array(z.object({ id: z.string() })) })
    .parse(await admin("GET", `/projects/${projectId}/keys`))
    .items.map(({ id }) => id);
  expect(keyIds.length).toBe([gasKey, walletKey].length);
  const stubs = [
    env.PROJECT.getByName(projectId),
    env.FUND.getByName(fundId),
    ...archives.map((name) => env.FUND_ARCHIVE.getByName(name)),
    ...keyIds.map((id) => env.ACCESS_KEY.getByName(id)),
    ...["ann", "bob", "cid"].map((walletId) => env.WALLET.getByName(walletName({ projectId, chain: "sui", walletId }))),
  ];
  for (const stub of stubs) await runInDurableObject(stub, (_, state) => state.storage.deleteAll());
  await runInDurableObject(env.DIRECTORY.getByName(DIRECTORY_NAME), (_, { storage }) =>
    storage.sql.exec("DELETE FROM project"),
  );
  await abortAllDurableObjects();
}

function send({ projectId }: InUse, { transferId, index, frame }: Frame) {
  return ask("POST", `/projects/${projectId}/transfer/frames`, { transferId, index, frame });
}

const paths = ({ projectId, fundId, webhookId }: InUse) => [
  `/projects/${projectId}`,
  `/projects/${projectId}/wallets`,
  `/projects/${projectId}/webhooks`,
  `/projects/${projectId}/webhooks/${webhookId}/deliveries`,
  `/projects/${projectId}/keys`,
  `/funds/${fundId}`,
  `/funds/${fundId}/sponsorships`,
  `/funds/${fundId}/ledger`,
];

/**
 * The fields that a move may change. A fund's money lasts for fewer days meanwhile. SQLite splits the pages of its
 * trees in the order of writing, and the arriving rows come in another one.
 */
const CHANGED_BY_MOVE = new Set(["runwayDays", "usedBytes"]);

/** A body without what a move may change. */
function unmoved(body: unknown): unknown {
  return JSON.parse(JSON.stringify(body, (name, value) => (CHANGED_BY_MOVE.has(name) ? undefined : value)));
}

shortTest("a project that moves has the same books, wallets, keys and digests at the other service", async () => {
  const moving = await projectInUse();
  const { projectId, gasKey, walletKey, addresses, done, live } = moving;
  const before = await Promise.all(paths(moving).map((path) => ask("GET", path)));
  expect(before.map((reply) => reply.status)).toEqual(before.map(() => 200));
  const kept = await auditHead(app, `/projects/${projectId}`);
  const frames = await leave(moving);
  await forget(moving);
  expect(await ask("GET", `/projects/${projectId}`)).toMatchObject({ status: 404 });

  expect(await call(walletKey, "svc_key_createSession", [SECRET])).toMatchObject(refusal(-32001, "bad_key"));
  for (const frame of frames.slice(0, -1)) expect(await send(moving, frame)).toMatchObject({ status: 202 });
  expect(await call(walletKey, "svc_key_createSession", [SECRET])).toMatchObject(refusal(-32016, "project_moved"));
  expect(await send(moving, frames.at(-1) ?? failed())).toMatchObject({ status: 202, body: { state: "arrived" } });

  const after = await Promise.all(paths(moving).map((path) => ask("GET", path)));
  expect(after.map(({ body }) => unmoved(body))).toEqual(before.map(({ body }) => unmoved(body)));
  const names = ["ann", "bob"];
  expect(await Promise.all(names.map((id) => call(walletKey, "svc_wal_getWallet", [id])))).toEqual(addresses);
  // The right secret opens the wallet, and another one does not.
  const open = async (secret: string) =>
    call(walletKey, "svc_wal_createWallet", ["ann", await newSession(walletKey, secret)]);
  expect(await open(SECRET)).toMatchObject({ data: { details: WALLET_EXISTS } });
  expect(await open(OTHER_SECRET)).toMatchObject(refusal(-32602, "wrong_secret"));
  expect(await status(gasKey, done.digest)).toBe("COMPLETE");
  expect(await status(gasKey, live.digest)).toBe("IN_FLIGHT");
  await executeOnChain(live);
  expect(await status(gasKey, live.digest)).toBe("COMPLETE");
  await executeOnChain(await sponsor(gasKey, "new"));
  pass(HOUR_MS);
  expect(await admin("POST", `/funds/${moving.fundId}/reconcile`)).toMatchObject({ exact: true });
  const { body } = await ask("GET", `/projects/${projectId}/audit`);
  expect(JSON.stringify(body)).toMatch(/project\.arrive.*project\.close.*project\.create/);
  await verifiedAudit(app, `/projects/${projectId}`, kept);
});

longTest("a closed project refuses every caller with the place that it went to, and opens again", async () => {
  const moving = await projectInUse();
  const { projectId, fundId, gasKey, live } = moving;
  await admin("POST", `/projects/${projectId}/transfer`, { destination: DESTINATION });
  const moved = refusal(-32016, "project_moved", {
    details: `this project has moved to ${DESTINATION}: send the call there`,
    destination: DESTINATION,
  });
  expect(await status(gasKey, live.digest)).toEqual({ ...moved, message: "Temporarily unavailable" });
  const payout = { to: user.toSuiAddress(), amount: "1" };
  const orders: readonly [string, string, object?][] = [
    ["POST", `/funds/${fundId}/withdraw`, payout],
    ["POST", `/funds/${fundId}/revoke`, { outstanding: true }],
    ["PATCH", `/funds/${fundId}`, { name: "other" }],
    ["PATCH", `/projects/${projectId}`, { name: "other" }],
    ["POST", `/projects/${projectId}/webhooks`, { url: "https://hooks.gasworks-test.com", events: ["fund.deposit"] }],
    ["POST", `/projects/${projectId}/revoke-sessions`],
  ];
  for (const [method, path, body] of orders) {
    const init = { method, headers: { authorization, "content-type": "application/json", "idempotency-key": "k" } };
    const response = await app.request(path, body ? { ...init, body: JSON.stringify(body) } : init, env);
    expect([path, response.status, await response.text()]).toEqual([path, 409, expect.stringContaining(DESTINATION)]);
  }
  // A call that was under way at the close meets the closed fund itself.
  const fault = await bindings.FUND.getByName(fundId).view().catch(refusalOfFault);
  expect(fault).toEqual({
    reason: "project_moved",
    details: `this project has moved to ${DESTINATION}: send the call there`,
    data: { destination: DESTINATION },
  });

  // Whoever opens it again names the place where it must not work.
  const path = `/projects/${projectId}/transfer`;
  expect(await ask("DELETE", path)).toMatchObject({ status: 400 });
  expect(await ask("DELETE", `${path}?destination=https://other.example`)).toMatchObject({
    status: 422,
    body: { detail: expect.stringContaining(DESTINATION) },
  });
  expect(await ask("DELETE", reopening(projectId))).toMatchObject({ status: 200, body: { state: "open" } });
  expect(await ask("GET", path)).toMatchObject({ status: 404 });
  expect(await ask("GET", `/projects/${projectId}/audit`)).toMatchObject({
    body: {
      items: expect.arrayContaining([
        expect.objectContaining({
          action: "project.reopen",
          detail: expect.objectContaining({ confirmedNotWorkingAt: DESTINATION }),
        }),
      ]),
    },
  });
  await executeOnChain(live);
  expect(await status(gasKey, live.digest)).toBe("COMPLETE");
});

longTest.each([
  ["/aptos/node/v1/accounts/0x1", "APTOS_LOCALNET", 503],
  ["/aptos/graphql/v1", "APTOS_LOCALNET", 503],
  ["/sui/node/v1/sui.rpc.v2.LedgerService/GetServiceInfo", "SUI_LOCALNET", 200],
])("the node interface %s of a closed project names the place that it went to", async (path, network, status) => {
  const projectId = await newProject();
  const { key } = z
    .looseObject({ key: z.string() })
    .parse(await admin("POST", `/projects/${projectId}/keys`, { name: "app", network, rights: ["node"] }));
  await admin("POST", `/projects/${projectId}/transfer`, { destination: DESTINATION });
  const isSui = network === "SUI_LOCALNET";
  const headers = { "x-api-key": key, "content-type": isSui ? "application/grpc-web+proto" : "application/json" };
  const body = isSui ? new Uint8Array(5) : JSON.stringify({ query: "{ ledger_infos(limit: 1) { chain_id } }" });
  const init = path.includes("accounts") ? { headers } : { method: "POST", headers, body };
  const response = await requestAt(apps.kv, path, init);
  expect(response.status).toBe(status);
  const text = decodeURIComponent(await response.text());
  expect(text).toContain(`this project has moved to ${DESTINATION}`);
  if (isSui) expect(text).toMatch(/grpc-status: ?14/);
});

shortTest("frames are taken once, in their order, unaltered, and by a service with the same keys", async () => {
  const moving = await projectInUse();
  const { projectId } = moving;
  const frames = await leave(moving);
  const [first, second] = frames;
  const last = frames.at(-1);
  if (first === undefined || second === undefined || last === undefined) return failed();
  await forget(moving);

  expect(await send(moving, second)).toMatchObject({
    status: 422,
    body: { detail: expect.stringContaining("frame 0") },
  });
  const vars = { ...env, REGION: "eu1" };
  const elsewhere = createAdminApp(createDeps(vars));
  const { nextCursor: _, ...begin } = first;
  expect(await ask("POST", `/projects/${projectId}/transfer/frames`, begin, elsewhere, vars)).toMatchObject({
    status: 422,
    body: { detail: expect.stringContaining("REGION=eu1") },
  });
  expect(await send(moving, first)).toMatchObject({ status: 202, body: { state: "arriving", nextFrame: 1 } });
  expect(await send(moving, last)).toMatchObject({ status: 422, body: { detail: expect.stringContaining("frame 1") } });
  expect(await send(moving, { ...second, index: 2 })).toMatchObject({ status: 422 });
  const flipped = second.frame.replace(/.{8}$/, (end) => end.replace(/[A-Za-z]/, (c) => (c === "A" ? "B" : "A")));
  expect(await send(moving, { ...second, frame: flipped })).toMatchObject({
    status: 422,
    body: { detail: expect.stringContaining("does not open") },
  });
  await abortAllDurableObjects();
  for (const frame of frames.slice(1, -1)) {
    expect(await send(moving, frame)).toMatchObject({ status: 202 });
    await abortAllDurableObjects();
    expect(await send(moving, frame)).toMatchObject({ status: 202 });
  }
  expect(await send(moving, last)).toMatchObject({ status: 202, body: { state: "arrived" } });
  expect(await send(moving, last)).toMatchObject({ status: 202, body: { state: "arrived" } });
  expect(await send(moving, first)).toMatchObject({ status: 422, body: { detail: expect.stringContaining("before") } });
  expect(await status(moving.gasKey, moving.done.digest)).toBe("COMPLETE");
});

longTest("wallets of any size move whole, in frames of a bounded size", async () => {
  const moving = await projectInUse();
  const { projectId, walletKey } = moving;
  const third = await call(walletKey, "svc_wal_createWallet", ["cid", await newSession(walletKey, SECRET)]);
  // Events that the project has not taken yet. The first wallet's fill several frames, the others' one each.
  const waiting = { ann: 500, bob: 180, cid: 180 };
  const stubOf = (walletId: string) => env.WALLET.getByName(walletName({ projectId, chain: "sui", walletId }));
  for (const [walletId, count] of Object.entries(waiting))
    await runInDurableObject(stubOf(walletId), (_, { storage }) => {
      createRareTables(storage.sql);
      for (let at = 0; at < count; at += 1)
        storage.sql.exec("INSERT INTO outbox (id, type, at_ms, body) VALUES (?, '', 0, ?)", at, "x".repeat(1_024));
    });
  const frames = await leave(moving);
  for (const { frame } of frames) expect(frame.length).toBeLessThan((MAX_FRAME_CHARACTERS * 3) / 8);
  await forget(moving);
  for (const frame of frames) expect(await send(moving, frame)).toMatchObject({ status: 202 });
  for (const [walletId, count] of Object.entries(waiting)) {
    const arrived = await runInDurableObject(stubOf(walletId), (_, { storage }) =>
      storage.sql.exec("SELECT COUNT(*) AS count FROM outbox").one(),
    );
    expect([walletId, arrived]).toEqual([walletId, { count }]);
  }
  const found = await Promise.all(Object.keys(waiting).map((id) => call(walletKey, "svc_wal_getWallet", [id])));
  expect(found).toEqual([...moving.addresses, third]);
});

longTest("a service that has the project at work takes no frame of it", async () => {
  const moving = await projectInUse();
  const frames = await leave(moving);
  expect(await ask("DELETE", reopening(moving.projectId))).toMatchObject({ status: 200 });
  // As if the copy were of another service.
  const project = env.PROJECT.getByName(moving.projectId);
  await runInDurableObject(project, (_, { storage }) => storage.sql.exec("DELETE FROM transfer_seen"));
  expect(await send(moving, frames[0] ?? failed())).toMatchObject({
    status: 422,
    body: { detail: expect.stringContaining("exists here already") },
  });
  await executeOnChain(moving.live);
});

longTest("a copy from before the project worked on is never taken in by the service that made it", async () => {
  const moving = await projectInUse();
  const { projectId } = moving;
  const [first] = await leave(moving);
  if (first === undefined) return failed();
  expect(await ask("DELETE", reopening(projectId))).toMatchObject({ status: 200 });
  await executeOnChain(moving.live);
  await admin("POST", `/projects/${projectId}/transfer`, { destination: DESTINATION });
  expect(await send(moving, first)).toMatchObject({
    status: 422,
    body: { detail: expect.stringContaining("its copy is old") },
  });
});

longTest("while a project opens again, nobody closes it or reads its copy", async () => {
  const moving = await projectInUse();
  const { projectId } = moving;
  const frames = await leave(moving);
  // The process ends after the first step of the opening.
  await bindings.PROJECT.getByName(projectId).beginReopen();
  await abortAllDurableObjects();
  const being = { status: 422, body: { detail: expect.stringContaining("being opened again") } };
  expect(await ask("GET", `/projects/${projectId}/transfer/frames?cursor=${frames[0]?.nextCursor}`)).toMatchObject(
    being,
  );
  expect(await ask("POST", `/projects/${projectId}/transfer`, { destination: DESTINATION })).toMatchObject(being);
  expect(await ask("DELETE", reopening(projectId))).toMatchObject({ status: 200 });
  expect(await status(moving.gasKey, moving.done.digest)).toBe("COMPLETE");
});

longTest("a closed project does not stop the re-seal of others", async () => {
  const moving = await projectInUse();
  await admin("POST", `/projects/${moving.projectId}/transfer`, { destination: DESTINATION });
  expect(await ask("POST", "/master-key/rewrap")).toMatchObject({ status: 202 });
});

longTest("a cursor that this service did not make reads nothing, so no row can be left out", async () => {
  const moving = await projectInUse();
  await leave(moving);
  const position = { index: 5, step: "end", after: 0, archive: 0, from: null };
  const cursor = btoa(JSON.stringify(position));
  expect(await ask("GET", `/projects/${moving.projectId}/transfer/frames?cursor=${cursor}`)).toMatchObject({
    status: 422,
  });
});

longTest("funds of a copy that may be old recover before a key admits calls", async () => {
  const moving = await projectInUse();
  const { projectId, fundId, gasKey } = moving;
  const frames = await leave(moving);
  await forget(moving);
  for (const { transferId, index, frame } of frames) {
    const body = { transferId, index, frame, recover: true };
    expect(await ask("POST", `/projects/${projectId}/transfer/frames`, body)).toMatchObject({ status: 202 });
  }
  const view = z.looseObject({ recovery: z.looseObject({ state: z.string() }) });
  const { recovery } = view.parse(await admin("GET", `/funds/${fundId}`));
  expect(recovery).toMatchObject({ startedAt: expect.any(String) });
  expect(await status(gasKey, moving.done.digest)).toBe("COMPLETE");
});

function failed(): never {
  throw new Error("there is no such frame");
}
