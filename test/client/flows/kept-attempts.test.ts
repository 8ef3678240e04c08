import { Account } from "@aptos-labs/ts-sdk";
import { Ed25519Keypair } from "@mysten/sui/keypairs/ed25519";
import { Transaction } from "@mysten/sui/transactions";
import { fromBase64 } from "@mysten/sui/utils";
import { expect, test } from "vitest";
import { aptosAccount } from "../../../shared/client/flows/index.ts";
import { addPayload, aptosAnswer, honestFields, rawBytes, sdk, unhex } from "./aptos-stage.ts";
import {
  answerOf,
  executions,
  gasData,
  honest,
  json,
  memoryStorage,
  mintTransaction,
  page,
  refusal,
  type Service,
  type Stage,
  sponsoredBytes,
  sponsorings,
  stage,
} from "./stage.ts";

const T0_MS = 1_800_000_000_000;
const DAY_MS = 86_400_000;
const DIGEST = "4btiuiMPvEENsttpZC7CZ53DruC3MAgfznDbASZ7DR6S";

/** A service that pays with another coin each time. */
function paying(): Service {
  let coins = 0;
  return (seen, calls) => {
    if (seen.path !== "/flows/sponsor") return honest(seen, calls);
    coins += 1;
    const payment = [{ objectId: `0x${coins.toString(16).padStart(64, "0")}`, version: "7", digest: DIGEST }];
    const { transactionKind = "", sender = "" } = seen.body;
    return json(answerOf(sponsoredBytes(fromBase64(transactionKind), sender, { gasData: gasData({ payment }) })));
  };
}

/** Loses every answer of an execution until `found` is called. */
function losing(service: Service = paying()) {
  let isLosing = true;
  const lossy: Service = (seen, calls) => {
    if (seen.path !== "/flows/sponsor" && isLosing) throw new Error("broken pipe");
    return service(seen, calls);
  };
  return {
    service: lossy,
    found: () => {
      isLosing = false;
    },
  };
}

function at(on: Stage, nowMs: number): Stage {
  return { ...on, ports: { ...on.ports, nowMs: () => nowMs } };
}

function transactions({ calls }: Stage): number {
  return new Set(executions(calls).map(({ body }) => body.txBytes ?? body.rawTransaction)).size;
}

test("equal calls one after the other are one transaction each, although the clock stands or steps back", async () => {
  const on = stage(paying());
  const { flows, signer } = page(on);
  for (let call = 0; call < 3; call++) await flows.sponsorAndExecute(mintTransaction(), signer);
  expect(transactions(on)).toBe(3);
  const later = page(at(on, T0_MS - 3_600_000), page(on).keypair);
  await later.flows.sponsorAndExecute(mintTransaction(), signer);
  expect(transactions(on)).toBe(4);
});

test("two transactions whose steps are functions are two, and so is one that was extended", async () => {
  const made = (text: string) => {
    const transaction = new Transaction();
    transaction.add(async (inner: Transaction) => {
      await Promise.resolve();
      inner.moveCall({ target: "0x2::demo::mint", arguments: [inner.pure.string(text)] });
    });
    return transaction;
  };
  const lossy = losing();
  const on = stage(lossy.service);
  const { flows, signer, signed } = page(on);
  const extended = mintTransaction();
  const first = made("one");
  await flows.sponsorAndExecute(first, signer);
  await flows.sponsorAndExecute(extended, signer);
  lossy.found();
  extended.moveCall({ target: "0x2::demo::mint", arguments: [extended.pure.string("more")] });
  await flows.sponsorAndExecute(made("two"), signer);
  await flows.sponsorAndExecute(extended, signer);
  expect([signed.length, new Set(sponsorings(on.calls).map(({ body }) => body.transactionKind)).size]).toEqual([4, 4]);
  // The same object goes on with its own attempt.
  expect(await flows.sponsorAndExecute(first, signer)).toMatchObject({ ok: true });
  expect(signed).toHaveLength(4);
});

test("after a lost answer on Sui, tighter bounds sign nothing anew", async () => {
  const lossy = losing();
  const on = stage(lossy.service);
  const { flows, signer, signed } = page(on);
  await flows.sponsorAndExecute(mintTransaction(), signer);
  lossy.found();
  const settings = { maxGasBudgetMist: 1n, maxGasPriceMist: 1n, epoch: 9n };
  expect(await flows.sponsorAndExecute(mintTransaction(), signer, settings)).toMatchObject({ ok: true });
  expect([signed.length, transactions(on)]).toEqual([1, 1]);
});

test("after a lost answer on Aptos, the sender's next sequence number signs nothing anew", async () => {
  const account = Account.generate();
  let sequenceNumber = 7n;
  const lossy = losing(({ path, body }) => {
    if (path !== "/flows/sponsor") return json({ hash: "0x1", status: "pending", pendingTransaction: null });
    const fields = { ...honestFields(account.accountAddress.toStringLong()), sequenceNumber };
    return json(aptosAnswer(rawBytes(unhex(body.payloadBytes), fields)));
  });
  const on = stage(lossy.service);
  const { flows } = page(on);
  const call = () => flows.sponsorAndExecute(addPayload(), aptosAccount(account, sdk), { sequenceNumber });
  expect(await call()).toMatchObject({ ok: false, error: { mayHaveExecuted: true } });
  lossy.found();
  sequenceNumber = 8n;
  expect(await call()).toMatchObject({ ok: true });
  expect(transactions(on)).toBe(1);
});

test("one digest never serves two orders, one after the other or together", async () => {
  const lossy = losing(honest);
  const on = stage(lossy.service);
  const { flows, signer, signed } = page(on);
  await flows.sponsorAndExecute(mintTransaction(), signer, { name: "order 1" });
  lossy.found();
  const refused = { ok: false, error: { code: "not_what_was_asked", mayHaveExecuted: false } };
  expect(await flows.sponsorAndExecute(mintTransaction(), signer, { name: "order 2" })).toMatchObject(refused);
  expect(signed).toHaveLength(1);
  const together = page(stage(honest));
  const call = (name: string) => together.flows.sponsorAndExecute(mintTransaction(), together.signer, { name });
  const results = await Promise.all([call("order 3"), call("order 4")]);
  expect(results.filter(({ ok }) => ok)).toHaveLength(1);
  expect(results.find(({ ok }) => !ok)).toMatchObject(refused);
});

test("an attempt of the embedded wallet that may have executed ends after a day, and says so once", async () => {
  const lossy = losing(() => json({ digest: DIGEST, status: "success" }));
  const on = stage(lossy.service);
  await page(on).flows.executeEmbedded(mintTransaction());
  lossy.found();
  const later = page(at(on, T0_MS + DAY_MS));
  const sent = on.calls.length;
  expect(await later.flows.executeEmbedded(mintTransaction())).toMatchObject({
    ok: false,
    error: { code: "outcome_unknown", mayHaveExecuted: true, action: { kind: "contact" } },
  });
  expect(on.calls).toHaveLength(sent);
  expect(await later.flows.executeEmbedded(mintTransaction())).toMatchObject({ ok: true, value: { isRepeat: false } });
  expect(new Set(on.calls.map(({ key }) => key)).size).toBe(2);
});

test("what a node has refused of the embedded wallet, and another may execute yet, is repeated and not made anew", async () => {
  const refused = () => refusal(422, "transaction_failed", { retryable: true, hash: "0x1" });
  const executed = () => json({ hash: "0x1", status: "pending", pendingTransaction: {} });
  let answer = refused;
  const on = stage(() => answer());
  // The page builds its payload anew for each call, and no two are equal.
  const pay = (at: number) =>
    page(on).flows.executeEmbedded({ function: "0x1::a::b", arguments: [`${at}`] }, { name: "order 7" });
  const open = { code: "transaction_failed", action: { kind: "retry" }, mayHaveExecuted: true, isOpen: true };
  expect(await pay(1)).toMatchObject({ ok: false, error: open });
  answer = executed;
  expect(await pay(2)).toMatchObject({ ok: true, value: { hash: "0x1", isRepeat: true } });
  expect(new Set(on.calls.map(({ key, body }) => JSON.stringify([key, body]))).size).toBe(1);
});

test("what the user has signed is repeated after days, by its own key and with its own bytes", async () => {
  const lossy = losing();
  const on = stage(lossy.service);
  const keypair = new Ed25519Keypair();
  await page(on, keypair).flows.sponsorAndExecute(mintTransaction(), keypair);
  lossy.found();
  const later = page(at(on, T0_MS + 3 * DAY_MS), keypair);
  const repeated = await later.flows.sponsorAndExecute(mintTransaction(), later.signer);
  expect(repeated).toMatchObject({ ok: true, value: { isRepeat: true } });
  expect([later.signed.length, transactions(on), new Set(executions(on.calls).map(({ key }) => key)).size]).toEqual([
    0, 1, 1,
  ]);
});

test("a damaged record of a signed transaction blocks its request for a day", async () => {
  const storage = memoryStorage();
  const service = paying();
  const on = stage(losing(service).service, storage);
  const keypair = new Ed25519Keypair();
  await page(on, keypair).flows.sponsorAndExecute(mintTransaction(), keypair);
  for (const [key, value] of storage.kept) storage.kept.set(key, value.replace(/txDigest/, "digest"));
  const damaged = { code: "not_what_was_asked", mayHaveExecuted: true };
  const call = (nowMs: number) => {
    const { flows } = page(at(stage(service, storage), nowMs), keypair);
    return flows.sponsorAndExecute(mintTransaction(), keypair);
  };
  expect(await call(T0_MS)).toMatchObject({ ok: false, error: { ...damaged, isOpen: true } });
  expect(await call(T0_MS + DAY_MS)).toMatchObject({ ok: false, error: { ...damaged, isOpen: false } });
  expect(await call(T0_MS + DAY_MS)).toMatchObject({ ok: true, value: { isRepeat: false } });
});

test("after a day the storage has no ends, and a failed write of an end leaves no open attempt", async () => {
  const storage = memoryStorage();
  const on = stage(paying(), storage);
  const keypair = new Ed25519Keypair();
  for (const day of [0, 1, 2, 3])
    await page(at(on, T0_MS + day * DAY_MS), keypair).flows.sponsorAndExecute(mintTransaction(`${day}`), keypair);
  const attempts = () => [...storage.kept.keys()].filter((key) => key.includes("attempt."));
  expect(attempts()).toHaveLength(1);
  const full = {
    ...storage,
    setItem(key: string, value: string) {
      if (value.includes('"result"')) throw new DOMException("full", "QuotaExceededError");
      storage.setItem(key, value);
    },
  };
  await page(stage(paying(), full), keypair).flows.sponsorAndExecute(mintTransaction("last"), keypair);
  expect(attempts()).toHaveLength(1);
});

test("a call after an abort is a call of its own", async () => {
  const { flows, signer } = page(stage(paying()));
  const leaving = new AbortController();
  const opened = Promise.withResolvers<void>();
  const silent = { ...signer, signTransaction: () => new Promise<never>(() => opened.resolve()) };
  const left = flows.sponsorAndExecute(mintTransaction(), silent, { signal: leaving.signal });
  await opened.promise;
  leaving.abort();
  const next = flows.sponsorAndExecute(mintTransaction(), signer);
  expect(await left).toMatchObject({ ok: false, error: { code: "aborted" } });
  expect(await next).toMatchObject({ ok: true });
});

test("a faulty payload or signer, or a token that never comes, rejects no call", async () => {
  const on = stage(honest);
  const { flows } = page(on);
  const refused = { ok: false, error: { code: "not_buildable" } };
  expect(await flows.executeEmbedded({ function: "0x1::a::b", arguments: [1n] })).toMatchObject(refused);
  const locked = {
    toSuiAddress: (): string => {
      throw new Error("locked");
    },
    signTransaction: async () => ({ signature: "" }),
  };
  expect(await flows.sponsorAndExecute(mintTransaction(), locked)).toMatchObject(refused);
  const waiting = page({ ...on, ports: { ...on.ports, token: () => new Promise<string>(() => {}) } });
  const leaving = new AbortController();
  const left = waiting.flows.sponsorAndExecute(mintTransaction(), waiting.signer, { signal: leaving.signal });
  leaving.abort();
  expect(await left).toMatchObject({ ok: false, error: { code: "aborted" } });
});

test("an error has a bounded wait and a bounded code", async () => {
  const { flows, signer } = page(
    stage(() => json({ error: { code: "x".repeat(9_999), message: "m" } }, 429, { "retry-after": "999999999" })),
  );
  const result = await flows.sponsorAndExecute(mintTransaction(), signer);
  expect(result).toMatchObject({ ok: false, error: { action: { kind: "wait", waitMs: DAY_MS } } });
  expect(result.ok ? "" : result.error.code).toHaveLength(100);
});
