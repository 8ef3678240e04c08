import { evictDurableObject, runDurableObjectAlarm, runInDurableObject } from "cloudflare:test";
import { env } from "cloudflare:workers";
import { Buffer } from "node:buffer";
import { toBase64 } from "@mysten/sui/utils";
import { verifyTransactionSignature } from "@mysten/sui/verify";
import { afterEach, describe, expect, vi } from "vitest";
import * as z from "zod";
import type { Env } from "../../../shared/bindings/env.ts";
import { walletName } from "../../../shared/wallet/context.ts";
import { longTest, shortTest } from "../../support/rounds.ts";
import { pass, stopClock } from "../../support/sui-fund.ts";
import {
  admin,
  badToken,
  call,
  newKey,
  newProject,
  newSession,
  OTHER_SECRET,
  refusal,
  SECRET,
  walletExists,
} from "../../support/wallets.ts";

const bindings: Env = env;
const TX_BYTES = Uint8Array.from({ length: 200 }, (_, index) => index);
const MINUTE_MS = 60_000;

afterEach(() => {
  vi.useRealTimers();
});

async function app(fields: object = {}) {
  const projectId = await newProject(fields);
  return { projectId, key: await newKey(projectId) };
}

function create(key: string, walletId: string, token: string, idempotencyKey?: string): Promise<unknown> {
  return call(key, "svc_wal_createWallet", [walletId, token], idempotencyKey === undefined ? {} : { idempotencyKey });
}

function sign(key: string, walletId: string, token: string): Promise<unknown> {
  return call(key, "svc_wal_signTransaction", [walletId, token, toBase64(TX_BYTES)]);
}

async function listed(projectId: string): Promise<readonly string[]> {
  const page = await admin("GET", `/projects/${projectId}/wallets?limit=200`);
  return z
    .object({ items: z.array(z.object({ walletId: z.string() })) })
    .parse(page)
    .items.map((row) => row.walletId);
}

/** Rows that count, pending ones included. */
function counted(projectId: string): Promise<number> {
  return runInDurableObject(env.PROJECT.getByName(projectId), (_, { storage }) =>
    Number(storage.sql.exec("SELECT COUNT(*) AS count FROM wallet").one().count),
  );
}

describe.each(["scrypt", "hkdf"])("with secrets derived by %s", (secretDerivation) => {
  shortTest("a wallet is created once, keeps its address, and signs what the chain's SDK verifies", async () => {
    const { projectId, key } = await app({ secretDerivation });
    const token = await newSession(key);
    const address = z.string().parse(await create(key, "user-1", token));
    expect(await create(key, "user-1", token)).toEqual(walletExists);
    await evictDurableObject(env.WALLET.getByName(walletName({ projectId, chain: "sui", walletId: "user-1" })));
    expect(await call(key, "svc_wal_getWallet", ["user-1"])).toBe(address);
    const signature = z.string().parse(await sign(key, "user-1", await newSession(key)));
    await verifyTransactionSignature(TX_BYTES, signature, { address });
    expect(await admin("GET", `/projects/${projectId}/wallets`)).toMatchObject({
      items: [{ chain: "sui", walletId: "user-1", address }],
    });
  });
});

longTest("methods answer under any product's prefix", async () => {
  const { key } = await app();
  const token = z.string().parse(await call(key, "acme_key_createSession", [SECRET]));
  const address = await call(key, "acme_wal_createWallet", ["user-1", token]);
  expect(await call(key, "svc_wal_getWallet", ["user-1"])).toBe(address);
  expect(await call(key, "Acme_wal_getWallet", ["user-1"])).toMatchObject({ code: -32601 });
});

shortTest("a wallet is unknown to other projects, other chains and before it is made", async () => {
  const { projectId, key } = await app();
  await create(key, "user-1", await newSession(key));
  const other = await newKey(await newProject());
  const aptos = { path: "/aptos/wallet/v1" };
  for (const unknown of [
    await call(other, "svc_wal_getWallet", ["user-1"]),
    await sign(other, "user-1", await newSession(other)),
    await call(key, "svc_wal_getWallet", ["user-2"]),
    await sign(key, "user-2", await newSession(key)),
    await call(await newKey(projectId, "APTOS_TESTNET"), "wal_getWallet", ["user-1"], aptos),
  ])
    expect(unknown).toMatchObject(refusal(-32602, "unknown_wallet"));
  const address = await create(other, "user-1", await newSession(other));
  expect(address).toMatch(/^0x/);
  expect(address).not.toBe(await call(key, "svc_wal_getWallet", ["user-1"]));
});

longTest("a wallet belongs to the chain, not to one of its networks", async () => {
  const { projectId, key } = await app();
  const address = await create(key, "user-1", await newSession(key));
  expect(await call(await newKey(projectId, "SUI_MAINNET"), "svc_wal_getWallet", ["user-1"])).toBe(address);
});

shortTest(
  "five wrong secrets are refused as such, further ones wait, and the right one passes all the while",
  async () => {
    stopClock(Date.now());
    const { key } = await app();
    const right = await newSession(key);
    const wrong = await newSession(key, OTHER_SECRET);
    await create(key, "user-1", right);
    // At once: a burst must not get more tries than a sequence.
    const burst = await Promise.all(Array.from({ length: 8 }, () => sign(key, "user-1", wrong)));
    expect(burst.slice(0, 5)).toEqual(
      Array(5).fill(
        expect.objectContaining(
          refusal(-32602, "wrong_secret", {
            details: expect.any(String),
          }),
        ),
      ),
    );
    // The waits are jittered.
    const waits = z.array(z.object({ data: z.object({ retryAfterMs: z.int().min(1_000).max(2_000) }) }));
    const refused = burst.slice(5);
    for (const answer of refused)
      expect(answer).toMatchObject(refusal(-32010, "rate_limited", { limit: "wrong_secret" }));
    expect(new Set(waits.parse(refused).map(({ data }) => data.retryAfterMs)).size).toBeGreaterThan(1);
    pass(1_000);
    expect(await sign(key, "user-1", wrong)).toMatchObject(refusal(-32602, "wrong_secret"));
    expect(await sign(key, "user-1", wrong)).toMatchObject(refusal(-32010, "rate_limited", { limit: "wrong_secret" }));
    expect(await sign(key, "user-1", right)).toEqual(expect.any(String));
    expect(await sign(key, "user-1", wrong)).toMatchObject(refusal(-32602, "wrong_secret"));
  },
);

longTest(
  "the operator hears of repeated wrong secrets, with the wallet's name and nothing of what was tried",
  async () => {
    stopClock(Date.now());
    const { projectId, key } = await app();
    const wrong = await newSession(key, OTHER_SECRET);
    await create(key, "user-1", await newSession(key));
    const log = vi.spyOn(console, "log").mockImplementation(() => {});
    const wallet = walletName({ projectId, chain: "sui", walletId: "user-1" });
    const mismatches = () =>
      log.mock.calls.flatMap(([line]) => (String(line).includes("security.secret_mismatch") ? [JSON.parse(line)] : []));
    for (let tries = 1; tries <= 4; tries += 1) await sign(key, "user-1", wrong);
    expect(mismatches()).toEqual([]);
    // Its memory is gone; what it has counted is not.
    await evictDurableObject(env.WALLET.getByName(wallet));
    await sign(key, "user-1", wrong);
    expect(mismatches()).toEqual([
      {
        time: expect.any(String),
        level: "warn",
        event: "security.secret_mismatch",
        wallet,
        key: expect.stringMatching(/^key_/),
        inARow: 5,
      },
    ]);
    for (let tries = 6; tries <= 10; tries += 1) {
      pass(MINUTE_MS);
      await sign(key, "user-1", await newSession(key, OTHER_SECRET));
    }
    expect(mismatches().map(({ inARow }) => inARow)).toEqual([5, 10]);
  },
);

longTest("a record that was changed on disk is refused as corrupt, with an address of anybody's too", async () => {
  const { projectId, key } = await app();
  const token = await newSession(key);
  await create(key, "user-1", token);
  const stub = env.WALLET.getByName(walletName({ projectId, chain: "sui", walletId: "user-1" }));
  await runInDurableObject(stub, (_, { storage }) => {
    storage.sql.exec("UPDATE wallet SET public_key = ?", new Uint8Array(32).fill(7).buffer);
  });
  await evictDurableObject(stub);
  for (const answer of [await call(key, "svc_wal_getWallet", ["user-1"]), await sign(key, "user-1", token)])
    expect(answer).toMatchObject(refusal(-32603, "corrupt_record"));
});

describe.each(["kv", "object"] as const)("a token whose other half is kept in the %s store", (store) => {
  const signHere = (key: string, token: string) =>
    call(key, "svc_wal_signTransaction", ["user-1", token, toBase64(TX_BYTES)], { store });

  shortTest("works at 0 s and, after silence, at 599 s; not at 600 s", async () => {
    stopClock(Date.now());
    const { key } = await app();
    const token = await newSession(key, SECRET, { store });
    await call(key, "svc_wal_createWallet", ["user-1", token], { store });
    expect(await signHere(key, token)).toEqual(expect.any(String));
    pass(599_000);
    expect(await signHere(key, token)).toEqual(expect.any(String));
    pass(1_000);
    expect(await signHere(key, token)).toEqual(badToken);
  });

  shortTest("works with every key of its project and with none of another", async () => {
    const { projectId, key } = await app();
    const token = await newSession(key, SECRET, { store });
    await call(key, "svc_wal_createWallet", ["user-1", token], { store });
    expect(await signHere(await newKey(projectId), token)).toEqual(expect.any(String));
    expect(await signHere(await newKey(await newProject()), token)).toEqual(badToken);
    expect(await signHere(key, "nonsense")).toEqual(badToken);
  });

  shortTest("is dead after revoke-sessions, for keys that are made later too, and a new one works", async () => {
    const { projectId, key } = await app();
    const token = await newSession(key, SECRET, { store });
    await call(key, "svc_wal_createWallet", ["user-1", token], { store });
    expect(await admin("POST", `/projects/${projectId}/revoke-sessions`)).toEqual({ keys: 1 });
    expect(await signHere(key, token)).toEqual(badToken);
    expect(await signHere(await newKey(projectId), token)).toEqual(badToken);
    expect(await signHere(key, await newSession(key, SECRET, { store }))).toEqual(expect.any(String));
  });
});

longTest("asking for wallets that are nobody's stores nothing", async () => {
  const { projectId, key } = await app();
  const token = await newSession(key);
  expect(await call(key, "svc_wal_getWallet", ["nobody"])).toMatchObject(refusal(-32602, "unknown_wallet"));
  expect(await sign(key, "nobody", token)).toMatchObject(refusal(-32602, "unknown_wallet"));
  const stub = env.WALLET.getByName(walletName({ projectId, chain: "sui", walletId: "nobody" }));
  const tables = () =>
    runInDurableObject(stub, (_, { storage }) =>
      storage.sql.exec("SELECT name FROM sqlite_master WHERE name NOT LIKE '\\_cf\\_%' ESCAPE '\\'").toArray(),
    );
  expect(await tables()).toEqual([]);
  await create(key, "nobody", token);
  expect(await tables()).not.toEqual([]);
});

shortTest("an Idempotency-Key repeats a creation's answer for one day", async () => {
  stopClock(Date.now());
  const { key } = await app();
  const address = await create(key, "user-1", await newSession(key), "attempt");
  expect(await create(key, "user-1", await newSession(key), "attempt")).toBe(address);
  expect(await create(key, "user-1", await newSession(key), "another")).toEqual(walletExists);
  expect(await create(key, "user-1", "nonsense", "attempt")).toEqual(badToken);
  pass(24 * 60 * MINUTE_MS);
  expect(await create(key, "user-1", await newSession(key), "attempt")).toEqual(walletExists);
});

longTest("an Idempotency-Key names one wallet for one day, and makes no second one under another id", async () => {
  stopClock(Date.now());
  const { projectId, key } = await app();
  const token = await newSession(key);
  const conflict = refusal(-32018, "idempotency_conflict");
  await create(key, "user-1", token, "attempt");
  expect(await create(key, "user-2", token, "attempt")).toMatchObject(conflict);
  expect(await listed(projectId)).toEqual(["user-1"]);
  // The same text of another access key is another key.
  expect(await create(await newKey(projectId), "user-2", token, "attempt")).toMatch(/^0x/);
  pass(24 * 60 * MINUTE_MS - 1);
  expect(await create(key, "user-3", await newSession(key), "attempt")).toMatchObject(conflict);
  pass(1);
  expect(await create(key, "user-3", await newSession(key), "attempt")).toMatch(/^0x/);
});

describe("the monthly limit", () => {
  shortTest("refuses the next creation while existing wallets go on, and is open again next month", async () => {
    stopClock(Date.UTC(2027, 0, 31, 23, 59));
    const { projectId, key } = await app({ walletsPerMonth: 2 });
    const token = await newSession(key);
    await create(key, "user-1", token);
    await create(key, "user-2", token);
    expect(await create(key, "user-3", token)).toMatchObject(refusal(-32012, "quota_reached"));
    const aptosKey = await newKey(projectId, "APTOS_TESTNET");
    const onAptos = { path: "/aptos/wallet/v1" };
    const createOnAptos = () => call(aptosKey, "wal_createWallet", ["user-3", token], onAptos);
    expect(await createOnAptos()).toMatchObject(refusal(-32012, "quota_reached"));
    expect(await create(key, "user-1", token)).toEqual(walletExists);
    expect(await call(key, "svc_wal_getWallet", ["user-1"])).toMatch(/^0x/);
    expect(await sign(key, "user-1", token)).toEqual(expect.any(String));
    pass(MINUTE_MS);
    expect(await create(key, "user-3", token)).toMatch(/^0x/);
    expect(await createOnAptos()).toMatchObject({ accountAddress: expect.any(String) });
    expect(await create(key, "user-4", token)).toMatchObject(refusal(-32012, "quota_reached"));
    expect(await listed(projectId)).toEqual(["user-1", "user-2", "user-3", "user-3"]);
  });

  longTest("counts a creation that was cut off before its wallet existed for ten minutes only", async () => {
    stopClock(Date.now());
    const { projectId, key } = await app({ walletsPerMonth: 1 });
    const token = await newSession(key);
    const ref = { projectId, chain: "sui", walletId: "user-1" } as const;
    const project = bindings.PROJECT.getByName(projectId);
    expect(
      await project.admitWallet({ ...ref, name: walletName(ref) }, { masterKeyVersion: 2, scope: null, address: null }),
    ).toMatchObject({ ok: true });
    expect(await create(key, "user-2", token)).toMatchObject(refusal(-32012, "quota_reached"));
    expect(await listed(projectId)).toEqual([]);
    pass(10 * MINUTE_MS);
    await runDurableObjectAlarm(env.PROJECT.getByName(projectId));
    expect(await create(key, "user-2", await newSession(key))).toMatch(/^0x/);
    expect(await listed(projectId)).toEqual(["user-2"]);
  });

  longTest("counts a wallet whose confirmation was lost: whichever of project and wallet wakes first", async () => {
    stopClock(Date.now());
    const { projectId, key } = await app();
    const token = await newSession(key);
    for (const walletId of ["user-1", "user-2"]) await create(key, walletId, token);
    const nameOf = (walletId: string) => walletName({ projectId, chain: "sui", walletId });
    await runInDurableObject(env.PROJECT.getByName(projectId), (_, { storage }) => {
      storage.sql.exec("UPDATE wallet SET address = NULL");
      storage.sql.exec("INSERT INTO due VALUES ('wallet', ?, ?)", nameOf("user-1"), Date.now() + 10 * MINUTE_MS);
    });
    const second = env.WALLET.getByName(nameOf("user-2"));
    await runInDurableObject(second, async (_, { storage }) => {
      storage.sql.exec("UPDATE wallet SET is_listed = 0");
      storage.sql.exec("INSERT INTO due VALUES ('confirm', '', ?)", Date.now());
      await storage.setAlarm(Date.now() + MINUTE_MS);
    });
    await evictDurableObject(second);
    await runDurableObjectAlarm(second);
    expect(await listed(projectId)).toEqual(["user-2"]);
    pass(10 * MINUTE_MS);
    await runInDurableObject(env.PROJECT.getByName(projectId), (project) => project.alarm());
    expect(await listed(projectId)).toEqual(["user-1", "user-2"]);
    expect(await counted(projectId)).toBe(2);
  });
});

shortTest("no store holds a secret, a token or a derived key", async () => {
  const { projectId, key } = await app();
  const token = await newSession(key);
  await create(key, "user-1", token);
  await sign(key, "user-1", token);
  const dump = (_: unknown, { storage }: DurableObjectState) =>
    JSON.stringify(
      storage.sql
        .exec<{ name: string }>(
          "SELECT name FROM sqlite_master WHERE type = 'table' AND name NOT LIKE '\\_cf%' ESCAPE '\\'",
        )
        .toArray()
        .map(({ name }) => [...storage.sql.exec(`SELECT * FROM ${name}`).raw()].map((row) => row.map(textOf))),
    );
  const name = walletName({ projectId, chain: "sui", walletId: "user-1" });
  const { keys } = await env.KV.list();
  const texts = [
    await runInDurableObject(env.PROJECT.getByName(projectId), dump),
    await runInDurableObject(env.WALLET.getByName(name), dump),
    ...(await Promise.all(
      keys.map(async (entry) => `${entry.name} ${textOf(await env.KV.get(entry.name, "arrayBuffer"))}`),
    )),
  ];
  expect(texts).toHaveLength(3);
  for (const text of texts)
    for (const secret of [SECRET, token, token.slice(4), Buffer.from(SECRET).toString("hex")])
      expect(text).not.toContain(secret);
});

function textOf(value: unknown): string {
  return value instanceof ArrayBuffer ? Buffer.from(value).toString("hex") : String(value);
}
